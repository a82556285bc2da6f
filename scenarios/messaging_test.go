package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// messaging is a scenario of hosts around a switch with one workload, with what it is to have besides.
func messaging(workload string, hosts int) string {
	return fmt.Sprintf(`name: messaging
topology: {kind: star, hosts: %d, link: {rate: 100Gbps, delay: 25ns}}
host: {nic: {profile: connectx6}}
workloads: [%s]
`, hosts, workload)
}

// Every program that passes messages does so by RDMA and over sockets, and prints what theory gives beside what was measured.
func TestProgramsThatPassMessagesRunOnEveryTransport(t *testing.T) {
	for _, c := range []struct {
		workload string
		hosts    int
		says     []string
	}{
		{"{kind: mpi-allreduce, iterations: 20}", 5, []string{"an allreduce of 8B of 5 ranks in ", "theory ", "4 steps of "}},
		{"{kind: mpi-allreduce, size: 1MiB, iterations: 3}", 4, []string{"an allreduce of 1MiB of 4 ranks in ", "6 steps of "}},
		{"{kind: mpi-barrier, compute: 20us, iterations: 20}", 6, []string{"a barrier of 6 ranks in ", "3 steps of ", "with 20us of computing "}},
		{"{kind: key-value, servers: [h0], gets: 4, queries: 50}", 3, []string{"query of 4 GETs in ", "theory ", " network, 1us service"}},
		{"{kind: key-value, servers: [h0], via: read, queries: 50}", 3, []string{"GET in "}},
		{"{kind: key-value, servers: [h0, h1], mix: ycsb-a, interval: 60us, queries: 50}", 4, []string{"PUT in ", "load of the busiest server ", "wait ", "hottest key "}},
		{"{kind: fan-out, roots: [h0], queries: 50}", 5, []string{"all of 4 answers in ", "at least ", "if independent ", "of the queries are slower than "}},
		{"{kind: media, from: [h1, h2], to: [h0], frames: 3, frame: 50KB}", 3, []string{"2 streams of 60 frames a second", "jitter ", "later than 16ms"}},
		{"{kind: mpi-barrier, compute: 20us, iterations: 20, noise: 5us, noise_probability: 30%}", 3, []string{"noise takes a rank ", "theory 1.5us", "for whom all wait, ", "theory 3.29us"}},
		{"{kind: storage, target: h0, commands: 200, reads: 70, block: 8KiB}", 3, []string{"commands of 8KiB a second", "bound by "}},
		{"{kind: storage, targets: ['h[0-2]'], copies: 3, reads: 0, commands: 50, depth: 1}", 4, []string{"commands of 4KiB a second", "; alone in ", ", by theory "}},
		{"{kind: storage, targets: ['h[0-2]'], data: 2, parity: 1, commands: 50, block: 64KiB, spare: h3}", 5, []string{"commands of 64KiB a second", " rebuilt at "}},
		{"{kind: all_reduce_perf, gpus: 2, max_bytes: 32MiB, iterations: 1}", 3, []string{"all-reduce of 32MiB among 6 ranks in ", "busbw "}},
		{"{kind: goal, file: testdata/ring.goal}", 4, []string{"; 1 step of ", "theory ", ", 8 messages of 400KB in all"}},
		{"{kind: training, gpus: 2, algorithm: hierarchical, gradients: 20MB, compute: 2ms, steps: 2}", 3, []string{"2 steps of ", "theory ", " beyond computing, "}},
	} {
		for _, transport := range []string{"rocev2", "tcp"} {
			run, s := ended(t, parsed(t, messaging(c.workload, c.hosts), "workloads[0].transport="+transport))
			if s.Outcome != results.Done {
				t.Errorf("%s over %s: %v: %v", c.workload, transport, s.Outcome, s.Reasons)
				continue
			}
			gist := run.Outputs()[0].Gist
			for _, text := range c.says {
				if !strings.Contains(gist, text) {
					t.Errorf("%s over %s prints %q, without %q", c.workload, transport, gist, text)
				}
			}
		}
	}
}

const job = `name: job
topology: {kind: rail-optimised, pods: 1, hosts_per_pod: 4, rails: 2, spines: 0, host_link: {delay: 25ns}}
host: {nic: {profile: connectx6}, timeout: 10}
stop: {limit: 5s}
workloads: [{kind: training, algorithm: hierarchical, gpus: 2, gradients: 40MB, bucket: 0B, compute: 5ms, steps: 5}]
faults: [{kind: link-down, links: [h1-pod0-rail1], at: 7ms, for: 3ms}]
`

// A link of one rail goes down. Timers of 4.2 ms let messages through after an outage of 3 ms, so that the job has one slow
// step. 8 of them are over before one of a second is: then the sender gives up, and all others with it, as they tell each other. Longer
// timers outlast it.
func TestATrainingJobIsSlowedByAnOutageAndAbortedByOneThatOutlastsItsRetries(t *testing.T) {
	train := func(sets ...string) (programs.JobResult, *results.Summary) {
		run, s := ended(t, parsed(t, job, sets...))
		return run.Jobs[0].Result(), s
	}
	undisturbed, _ := train("faults=[]")
	if undisturbed.Outcome != programs.Finished || undisturbed.Slowdown > 1.02 {
		t.Errorf("undisturbed it is %v, and takes %.3f times as long as in theory", undisturbed.Outcome, undisturbed.Slowdown)
	}
	short, s := train()
	if late := (short.Step - undisturbed.Step) * 5; short.Outcome != programs.Slowed || s.Outcome != results.Done || late < 3*units.Millisecond || late > 9*units.Millisecond {
		t.Errorf("an outage of 3 ms: %v, %v later; want slowed by the outage and a timer or two at most", short.Outcome, late)
	}
	long, s := train("faults[0].for=1s")
	if long.Outcome != programs.Aborted || s.Outcome != results.Failed || long.Status != "RETRY_EXC_ERR" || !strings.HasPrefix(long.Rank, "rank 3 at h1") {
		t.Errorf("an outage of a second: %v (%v) by %s with %q, want aborted by the rank before the link with RETRY_EXC_ERR", long.Outcome, s.Outcome, long.Rank, long.Status)
	}
	said(t, s, "gave up: another rank has aborted the job", "RETRY_EXC_ERR")
	patient, s := train("faults[0].for=1s", "host.timeout=18")
	if patient.Outcome != programs.Slowed || s.Outcome != results.Done {
		t.Errorf("with timers of a second: %v (%v): %v", patient.Outcome, s.Outcome, s.Reasons)
	}
}

// However much is sent in vain to the other end of a dead cable, a run goes on until the retries are used up.
func TestAJobThatSendsMuchOntoADeadLinkEndsByItsRetries(t *testing.T) {
	run, s := ended(t, parsed(t, `
name: dead
topology: {kind: pair, link: {rate: 100Gbps, length: 5m}}
workloads: [{kind: training, gpus: 1, compute: 10us, gradients: 200MB, bucket: 0B, steps: 1, channels: 16, window: 16}]
faults: [{kind: link-down, links: ["h1:0"], at: 1ms}]
`))
	if r := run.Jobs[0].Result(); r.Outcome != programs.Aborted || s.Outcome != results.Failed || r.Status != "RETRY_EXC_ERR" {
		t.Errorf("%v (%v) by %s with %q, want aborted with RETRY_EXC_ERR", r.Outcome, s.Outcome, r.Rank, r.Status)
	}
}

// The bits of a run do not depend on how many workers it has.
func TestProgramsThatPassMessagesHaveTheSameBitsOnTwoWorkers(t *testing.T) {
	for _, workload := range []string{
		"{kind: mpi-allreduce, size: 100KB, iterations: 3}",
		"{kind: training, gpus: 2, gradients: 10MB, compute: 1ms, steps: 2}",
		"{kind: training, model: testdata/tiny.csv, batch: 20, gpus: 2, spread: 0.1, parallel: {tensor: 2, expert: 2, pipeline: 2}, micro_batches: 2, sharding: zero3, steps: 1}",
		"{kind: halo, neighbours: 26, cells: 32x32x32, compute: 20us, noise: 5us, reductions: 1, rank_order: random, steps: 3}",
		"{kind: mpi-loop, size: 10KB, compute: 20us, noise: 5us, steps: 3}",
		"{kind: transpose, rows: 2, size: 200KB, compute: 20us, noise: 5us, steps: 2}",
		"{kind: storage, target: h0, commands: 100, reads: 50, software: events}",
		"{kind: goal, file: testdata/ring.goal, ranks_per_host: 2, send_time: 1us, gap: 100ns}",
		"{kind: key-value, servers: [h0, h1], mix: ycsb-a, put_via: write-imm, interval: 30us, queries: 40, value_sizes: facebook-etc}",
		"{kind: fan-out, roots: [h0], need: 2, interval: 30us, queries: 30}",
		"{kind: media, from: [h1, h2], to: [h0], frames: 3, frame: 50KB, sigma: 0.5}",
		"{kind: mpi-barrier, compute: 20us, iterations: 9, noise: 5us, noise_period: 50us}",
		"{kind: storage, targets: ['h[0-1]'], commands: 50, reads: 50, copies: 2, iops: 50000, device_times: log-normal, stall_chance: 0.01, protocol: iscsi}",
		"{kind: storage, targets: ['h[0-1]'], commands: 50, reads: 50, data: 1, parity: 1, spare: h2, block: 32KiB, device_times: exponential, protocol: nfs}",
		"{kind: chakra, file: testdata/replay/trace.et, gpus: 1}",
		"{kind: astra-text, file: testdata/replay/layers.txt, gpus: 1}",
		"{kind: htsim-file, file: testdata/replay/triggers.cm}",
	} {
		for _, transport := range []string{"rocev2", "tcp"} {
			text := messaging(workload, 4)
			one := ran(t, parsed(t, text, "host.transport="+transport), 1)
			two := ran(t, parsed(t, text, "host.transport="+transport), 2)
			if one.Report.Digest != two.Report.Digest {
				t.Errorf("%s over %s: %v on one worker, %v on two", workload, transport, one.Report.Digest, two.Report.Digest)
			}
		}
	}
}

// Threads of a host call each other, and timers of TCP run out while its cores are at something else: its time must not
// go back, or what it sends comes late to a switch of another worker.
func TestHostsOfManyThreadsHaveTheSameBitsOnThreeWorkers(t *testing.T) {
	const text = `
name: rails
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 3, nics_per_host: 2, host_link: {rate: 100Gbps, length: 5m}}
host: {transport: tcp}
workloads:
  - {kind: training, gpus: 2, compute: 100us, gradients: 400KB, channels: 1, steps: 1}
`
	one := ran(t, parsed(t, text), 1)
	for _, workers := range []int{2, 3} {
		if got := ran(t, parsed(t, text), workers); got.Report.Digest != one.Report.Digest {
			t.Errorf("%v on one worker, %v on %d", one.Report.Digest, got.Report.Digest, workers)
		}
	}
}

func TestMoreRailsThanNICsAreToldAtTheirKey(t *testing.T) {
	spec := parsed(t, messaging("{kind: training, rails: 4}", 4))
	_, err := spec.Build()
	if want := `test.yaml:4:37: workloads[0].rails: "4": h0 has 1 NICs; at most 1`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Broadcasts follow each other down a chain, so that one takes less time than it would alone; that is said.
func TestOperationsThatOverlapAreSaidTo(t *testing.T) {
	for kind, want := range map[string]bool{"broadcast_perf": true, "all_reduce_perf": false} {
		run, _ := ended(t, parsed(t, messaging("{kind: "+kind+", gpus: 1, min_bytes: 1KiB, max_bytes: 1KiB, iterations: 5}", 4)))
		if text := run.Outputs()[0].Text; strings.Contains(text, "where operations overlap") != want {
			t.Errorf("%s prints\n%s\nwant a word about operations that overlap: %v", kind, text, want)
		}
	}
}

// What cannot be is told at its key.
func TestImpossibleApplicationsAreToldAtTheirKeys(t *testing.T) {
	for workload, want := range map[string]string{
		"{kind: fan-out, roots: [h0], fan: 4}":                              `workloads[0].fan: "4": more than there are leaves; at most 3`,
		"{kind: fan-out, roots: [h0], fan: 2, need: 3}":                     `workloads[0].need: "3": more answers than a query asks for; at most 2`,
		"{kind: fan-out, roots: ['*']}":                                     `workloads[0].roots: there is no other host to be asked; at least one leaf`,
		"{kind: media, from: [h0], to: [h1, h0]}":                           `workloads[0].to: "h0": stream 1 goes from it to itself; receivers in an order in which no stream does`,
		"{kind: media, from: [h0], to: [h1], frames: 1000000, streams: 20}": `workloads[0].frames: "1000000": too many of 20 streams together; at most 838860`,
		"{kind: mpi-barrier, noise: 2ms}":                                   `workloads[0].noise: "2ms": takes all the time of a core whose noise_period is 1ms; less than that`,
		"{kind: mpi-barrier, noise: 2us, noise_shape: exponential}":         `workloads[0].noise_shape: "exponential": of noise that comes by a timer; fixed, or noise_probability`,
		"{kind: transpose, size: 1TiB}":                                     `workloads[0]: a message of 275GB of a collective; messages by RDMA of at most 1GiB`,
		"{kind: key-value, servers: [h0], mix: ycsb-d}":                     `workloads[0].mix: "ycsb-d" is not possible; did you mean "ycsb-a"`,
	} {
		_, err := Parse("test.yaml", []byte(messaging(workload, 4)))
		if err == nil {
			_, err = parsed(t, messaging(workload, 4)).Build()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", workload, err, want)
		}
	}
}
