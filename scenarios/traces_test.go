package scenarios

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/host"
	reference "github.com/rdmasim/rdmasim/internal/golden"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/sim/units"
)

// traced is hosts around a switch, 25 ns from it, of which one workload runs what others have recorded.
func traced(hosts, nics int, workload string) string {
	return fmt.Sprintf("name: traced\ntopology: {kind: star, hosts: %d, nics_per_host: %d, link: {rate: 400Gbps, length: 5m}}\nworkloads: [{%s}]\n", hosts, nics, workload)
}

// The ring of ASTRA-sim: 14 steps of a message of 32 packets, and 7 times 7 us of summing up. A step takes 32 packets on the
// wire of the host and one on that of the switch, 4178 B of 20 ps each with headers and gap, 25 ns of cable twice and 300 ns of the switch.
func TestTheReferenceRingOfChakraTakesItsMessages(t *testing.T) {
	prefix := filepath.Join(reference.Dir(t, "chakra"), "custom_ring_allreduce_8npus_1MB", "custom_allreduce")
	run, _ := ended(t, parsed(t, traced(8, 1, "kind: chakra, gpus: 1, overhead: 0s, file: "+prefix)))
	m := run.Jobs[0].Result()
	step := 33*4178*20*units.Picosecond + 350*units.Nanosecond
	want := 49*units.Microsecond + 14*step
	if m.Outcome != programs.Finished || m.Step < want || m.Step > want+want/100 || m.Compute != 49*units.Microsecond {
		t.Errorf("%+v, want a step of %v", m, want)
	}
	if m.Messages != 8*14 || m.Sent != 8*14*131072 {
		t.Errorf("%d messages of %v in all", m.Messages, m.Sent)
	}
}

// One all-reduce of 1 MiB among 4: each wire carries 2*3/4 of it at least.
func TestTheReferenceAllReduceOfChakraRuns(t *testing.T) {
	prefix := filepath.Join(reference.Dir(t, "chakra"), "all_reduce", "4npus_1MB", "all_reduce")
	run, _ := ended(t, parsed(t, traced(4, 1, "kind: chakra, gpus: 1, file: "+prefix)))
	parts := run.Jobs[0].Parts()
	if len(parts) != 1 || parts[0].Kind != collective.AllReduce || parts[0].Size != units.MiB || parts[0].Ranks != 4 || parts[0].Count != 1 {
		t.Fatalf("%+v", parts)
	}
	if least := (400 * units.Gbps).Serialise(3 << 19); parts[0].Mean < least {
		t.Errorf("%v, and the wire takes %v", parts[0].Mean, least)
	}
}

// The trace of a rank of PyTorch, for 8 GPUs: what it computes is the same however fast the network is, and the
// gradients of 102 MB go in 5 all-reduces.
func TestTheRealTraceOfPyTorchRuns(t *testing.T) {
	path := filepath.Join(reference.Dir(t, "chakra"), "pytorch_rank0.et.gz")
	run, _ := ended(t, parsed(t, traced(2, 4, "kind: chakra, gpus: 4, dependencies: data, file: "+path)))
	job := &run.Jobs[0]
	m := job.Result()
	var sum units.Bytes
	for _, p := range job.Parts() {
		if p.Kind == collective.AllReduce {
			sum += p.Size
		}
	}
	if m.Outcome == programs.Aborted || m.Steps != 1 || m.Step < m.Compute || sum != 102228128 {
		t.Errorf("%+v, all-reduces of %v", m, sum)
	}
	if told := "the trace is that of one rank; all 8 ranks do the same, at the pace of that one"; !strings.Contains(strings.Join(job.Notes, "\n"), told) {
		t.Errorf("notes %q", job.Notes)
	}
	_, err := Parse("test.yaml", []byte(traced(2, 4, "kind: chakra, gpus: 4, file: "+path)))
	if err == nil || !strings.Contains(err.Error(), "which is not in the trace; as ASTRA-sim does, dependencies: data follows those of data only") {
		t.Error(err)
	}
}

func TestTracesOfMoreRanksThanThereAreToldWithBothNumbers(t *testing.T) {
	prefix := filepath.Join(reference.Dir(t, "chakra"), "custom_ring_allreduce_8npus_1MB", "custom_allreduce")
	for workload, want := range map[string]string{
		"kind: chakra, gpus: 8, file: " + prefix:                      "traces of 8 ranks, and 4 hosts with 8 GPUs each are 32; hosts (or nodes) and gpus that make 8",
		"kind: astra-text, gpus: 8, file: testdata/replay/layers.txt": "all_gpus is 4, and 4 hosts with 8 GPUs each are 32; hosts (or nodes) and gpus that make 4",
		"kind: htsim-file, file: testdata/replay/large.cm":            "testdata/replay/large.cm: connections of 16 nodes, and the network has 4 hosts",
	} {
		_, err := Parse("test.yaml", []byte(traced(4, 1, workload)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\n\twant  %s", err, want)
		}
	}
}

// Each connection of a matrix without triggers is a flow; those of reference runs on fat-trees of 16 and of 128 hosts.
func TestMatricesOfHtsimRunAsFlows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(reference.Dir(t, "htsim"), "*", "traffic.cm"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no reference runs: %v", err)
	}
	for _, path := range files {
		k := 4
		if strings.Contains(path, "incast32") {
			if k = 8; testing.Short() {
				continue
			}
		}
		text := fmt.Sprintf("name: htsim\ntopology: {kind: fat-tree, k: %d}\nworkloads: [{kind: htsim-file, file: %s}]\n", k, path)
		run, s := ended(t, parsed(t, text))
		if run.Report.Outcome != host.Done || len(run.Cluster.Flows) == 0 || s.Flows.Done != len(run.Cluster.Flows) {
			t.Errorf("%s: %v, %d flows", path, run.Report.Outcome, len(run.Cluster.Flows))
		}
	}
}

// 100 KB from h0 to h1, then from h1 to h2 and from h0, once it has heard of it, to h3: three lengths of them at 100 Gb/s are 24.5 us with
// headers; htsim's trigger would have the third begin with the second.
func TestTriggersOfHtsimGoByMessages(t *testing.T) {
	text := "name: htsim\ntopology: {kind: star, hosts: 4, link: {rate: 100Gbps, length: 5m}}\nworkloads: [{kind: htsim-file, file: testdata/replay/triggers.cm, overhead: 0s, copy_rate: 0bps}]\n"
	run, _ := ended(t, parsed(t, text))
	m := run.Jobs[0].Result()
	one := (100 * units.Gbps).Serialise(100_000 + 25*82)
	if m.Outcome != programs.Finished || m.Messages != 6+2 || m.Sent != 300_030+2*8 || m.Step < 2*one || m.Step > 3*one {
		t.Errorf("%+v, one connection takes %v", m, one)
	}
}
