package scenarios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	reference "github.com/rdmasim/rdmasim/internal/golden"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// TestFilesOfTheHPCCSimulatorRun runs networks and flows that were written for
// another simulator, under PFC, ECN and DCQCN as deployed. Their flows start at 2 s.
func TestFilesOfTheHPCCSimulatorRun(t *testing.T) {
	for _, c := range []struct {
		folder string
		flows  int
		long   bool
	}{
		{folder: "single_nocc", flows: 5},
		{folder: "incast_n16_1MB_nocc", flows: 16},
		{folder: "leafspine_s4_perm1MB_nocc", flows: 16},
		{folder: "leafspine_s4_a2a100KB_dcqcn", flows: 240},
		{folder: "fat320_ws30_dcqcn", flows: 3236, long: true},
	} {
		t.Run(c.folder, func(t *testing.T) {
			if c.long && testing.Short() {
				t.Skip("a fat-tree of 320 hosts takes seconds")
			}
			spec := parsed(t, hpccScenario(filepath.Join(reference.Dir(t, "hpcc-ns3"), c.folder)))
			run := ran(t, spec, 1)
			if again := ran(t, spec, 2).Report.Digest; again != run.Report.Digest {
				t.Errorf("digest %x with two workers, %x with one", again, run.Report.Digest)
			}
			s := run.Summary()
			if s.Flows.Done != c.flows || s.Flows.Total != c.flows {
				t.Errorf("%d of %d flows are done, want %d", s.Flows.Done, s.Flows.Total, c.flows)
			}
			if drops(s, false) > 0 {
				t.Errorf("%d packets were lost", drops(s, false))
			}
			checkReceivers(t, run)
			// What comes before the first flow counts neither for figures nor for events.
			if start := units.Time(s.FirstStart); start < 2*units.Second || start+units.Time(s.UnderWay) > units.Time(s.SimulatedTime) {
				t.Errorf("flows start at %v and take %v, the run ends at %v", start, units.Time(s.UnderWay), units.Time(s.SimulatedTime))
			}
			if perHop := float64(run.Report.Events) / float64(run.Report.Hops); perHop > 10 {
				t.Errorf("%.1f events for each hop of a packet", perHop)
			}
		})
	}
}

// hpccScenario is the scenario of a folder with a topology.txt and a flow.txt, which
// may be compressed.
func hpccScenario(folder string) string {
	file := func(name string) string {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err != nil {
			path += ".gz"
		}
		return path
	}
	return fmt.Sprintf("name: files\nstop: {limit: 10s}\ntopology: {kind: hpcc-file, file: %q}\nworkloads: [{kind: hpcc-file, file: %q}]\n",
		file("topology.txt"), file("flow.txt"))
}

func parsed(t *testing.T, text string, overrides ...string) *Spec {
	t.Helper()
	spec, err := Parse("test.yaml", []byte(text), overrides...)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// ran builds a scenario and runs it.
func ran(t *testing.T, spec *Spec, workers int) *record.Run {
	t.Helper()
	run, err := spec.Build()
	if err != nil {
		t.Fatal(err)
	}
	run.Report, err = run.Cluster.Run(context.Background(), host.RunOptions{
		Limit: spec.Stop.Limit, UntilDone: spec.Stop.When == untilDone, Workers: workers,
	})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// checkReceivers makes sure that no host has received faster than its links carry:
// an incast of N flows takes no less than all their bytes through the last one.
func checkReceivers(t *testing.T, run *record.Run) {
	t.Helper()
	type received struct {
		from, to units.Time
		wire     units.Bytes
	}
	graph := run.Cluster.Net.Graph
	all := make([]received, len(graph.Hosts()))
	for i := range all {
		all[i].from = units.Never
	}
	for i, f := range run.Cluster.Flows {
		r, packets := &all[f.Dst], run.Cluster.NIC.Packets(f.Size)
		r.from, r.to = min(r.from, f.Start), max(r.to, run.Cluster.Transfer(i).End)
		r.wire += f.Size + units.Bytes(packets)*(wire.Overhead+wire.Interframe)
	}
	for i, node := range graph.Hosts() {
		var rate units.Rate
		for _, port := range graph.Ports(node) {
			rate += graph.Links[port.Link].Rate
		}
		if r := all[i]; r.wire > 0 && r.to-r.from < rate.Serialise(int(r.wire)) {
			t.Errorf("%s received %v of wire in %v; its links take %v", graph.Nodes[node].Name, r.wire.Human(), r.to-r.from, rate.Serialise(int(r.wire)))
		}
	}
}
