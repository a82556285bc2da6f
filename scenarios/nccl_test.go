package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads"
)

// ranksOn is a network with one workload, whose NICs send as fast as they can.
func ranksOn(topology, workload string) string {
	return "name: ranks\ntopology: " + topology + "\nhost: {congestion_control: none}\nmeasure: {series: []}\nworkloads: [" + workload + "]\n"
}

// finished runs a scenario whose only program is a job.
func finished(t *testing.T, spec *Spec) (*host.Cluster, *results.Summary, *workloads.RankJob) {
	t.Helper()
	graph, err := spec.Network()
	if err != nil {
		t.Fatal(err)
	}
	all, err := spec.Programs(graph)
	if err != nil {
		t.Fatal(err)
	}
	run, s := ended(t, spec)
	if s.Outcome != results.Done {
		t.Fatalf("%v: %v", s.Outcome, s.Reasons)
	}
	return run.Cluster, s, all[0].Task.(*workloads.RankJob)
}

// A ring goes from each rank to the next: of a rack of two hosts half of the bytes leave the rack if ranks are in the order of hosts, of
// a pod of four a quarter leaves the pod; in another order as many leave as there are neighbours elsewhere, which are most.
func TestTheOrderOfRanksDecidesWhatLeavesARack(t *testing.T) {
	text := ranksOn("{kind: fat-tree, k: 4}", "{kind: all_reduce_perf, gpus: 1, channels: 1, min_bytes: 1MiB, max_bytes: 1MiB, iterations: 1, warmup: 0}")
	for order, usual := range map[string][2]int64{"in-order": {8, 4}, "random": {14, 12}} { // at random: 14/15 of 16 to another rack, 12/15 to another pod
		_, s, job := finished(t, parsed(t, text, "workloads[0].rank_order="+order))
		var leaves [2]int64 // the rack, the pod
		n := len(job.Places)
		for r, at := range job.Places {
			to := job.Places[(r+1)%n].Host
			for i, size := range [...]int{2, 4} {
				if at.Host/size != to/size {
					leaves[i]++
				}
			}
		}
		for i := range leaves {
			// Every neighbour gets the same messages, and sends the same acknowledgements back.
			if got, want := s.Tiers[i+1].Bytes*int64(n), s.Tiers[0].Bytes*leaves[i]; got != want {
				t.Errorf("%s: of %d bytes %d go on (%s), want %d of %d parts", order, s.Tiers[0].Bytes, s.Tiers[i+1].Bytes, s.Tiers[i+1].Name, leaves[i], n)
			}
			if off := leaves[i] - usual[i]; order == "in-order" && off != 0 || off < -4 || off > 2 {
				t.Errorf("%s: %d of %d neighbours are elsewhere, want about %d", order, leaves[i], n, usual[i])
			}
		}
	}
}

// Where NICs of one number are at one switch, an all-to-all crosses the spines with what goes to NICs of other numbers, three quarters of
// everything with four of them. By NVLink to the GPU near the right NIC first, as NCCL's PXN does it, nothing does.
func TestOnRailsPXNKeepsAnAllToAllOffTheSpines(t *testing.T) {
	text := ranksOn("{kind: rail-optimised, pods: 1, hosts_per_pod: 4, rails: 4, spines: 2}",
		"{kind: alltoall_perf, gpus: 4, channels: 1, min_bytes: 1MiB, max_bytes: 1MiB, iterations: 1, warmup: 0}")
	for _, c := range []struct {
		pxn    string
		spines int64 // quarters of what hosts send
	}{{"true", 0}, {"false", 3}} {
		_, s, _ := finished(t, parsed(t, text, "workloads[0].pxn="+c.pxn))
		if up, over := s.Tiers[0].Bytes, s.Tiers[1].Bytes; up == 0 || 4*over != c.spines*up {
			t.Errorf("pxn %s: %d bytes to rail switches, %d to spines, want %d quarters", c.pxn, up, over, c.spines)
		}
	}
}

// ECMP tells connections apart by their source ports: one queue pair keeps to one way, several of a connection use several. That they
// have the same messages to carry shows in what comes.
func TestMoreQueuePairsOfAConnectionUseMoreWays(t *testing.T) {
	text := ranksOn("{kind: leaf-spine, leaves: 2, hosts_per_leaf: 1, spines: 8}",
		"{kind: broadcast_perf, gpus: 1, channels: 1, min_bytes: 8MiB, max_bytes: 8MiB, iterations: 1, warmup: 0}")
	ways := func(qps int) (n int, payload units.Bytes) {
		c, _, _ := finished(t, parsed(t, text, fmt.Sprintf("workloads[0].qps_per_connection=%d", qps)))
		leaf := c.Net.Graph.Switches()[0]
		for i, at := range c.Net.Graph.Ports(leaf) {
			// Credits and acknowledgements are small.
			if !slices.Contains(c.Net.Graph.Hosts(), at.Peer) && total(c, leaf, i) > units.MB {
				n++
			}
		}
		for _, qp := range c.Hosts[1].NICs()[0].QueuePairs() {
			payload += units.Bytes(qp.Received().Payload)
		}
		return n, payload
	}
	one, carried := ways(1)
	four, same := ways(4)
	if one != 1 || four < 2 || four > 4 {
		t.Errorf("%d ways with one queue pair and %d with four, want 1, and 2 to 4 of 8: as ports are drawn", one, four)
	}
	if carried != 8*units.MiB || same != carried {
		t.Errorf("%v has come by one queue pair and %v by four, want 8MiB", carried, same)
	}
}

// total is what a port has sent.
func total(c *host.Cluster, node, port int) (sum units.Bytes) {
	for _, class := range c.Net.Ports(node)[port].Counters.Class {
		sum += units.Bytes(class.Tx.Bytes)
	}
	return sum
}

// Queue pairs of a connection take messages in turns, or each of them a part of every message.
func TestMessagesAreSplitOverQueuePairsIfTheyShould(t *testing.T) {
	text := ranksOn("{kind: star, hosts: 2}",
		"{kind: broadcast_perf, gpus: 1, channels: 1, chunk: 512KiB, qps_per_connection: 4, min_bytes: 512KiB, max_bytes: 512KiB, iterations: 1, warmup: 0}")
	const kib = units.KiB
	for split, want := range map[string][]units.Bytes{"false": {512 * kib, 0, 0, 0}, "true": {128 * kib, 128 * kib, 128 * kib, 128 * kib}} {
		c, _, _ := finished(t, parsed(t, text, "workloads[0].split_data_on_qps="+split))
		var got []units.Bytes
		for _, qp := range c.Hosts[1].NICs()[0].QueuePairs() {
			got = append(got, units.Bytes(qp.Received().Payload))
		}
		if !slices.Equal(got, want) {
			t.Errorf("split %s: queue pairs have carried %v of one message, want %v", split, got, want)
		}
	}
}

// How many queue pairs a job needs is known before any is made, whatever its ranks do together and whatever they send by themselves.
func TestQueuePairsOfAJobAreCountedBeforeTheyAreMade(t *testing.T) {
	rails := "{kind: rail-optimised, pods: 1, hosts_per_pod: 4, rails: 2, spines: 1}"
	perf := ", min_bytes: 64KiB, max_bytes: 64KiB, iterations: 1, warmup: 0}"
	for _, c := range []struct{ topology, workload string }{
		{"{kind: star, hosts: 5}", "{kind: all_reduce_perf, gpus: 1, channels: 3, qps_per_connection: 2" + perf},
		{"{kind: star, hosts: 7}", "{kind: all_reduce_perf, gpus: 1, algorithm: double-tree" + perf},
		{"{kind: star, hosts: 6}", "{kind: all_reduce_perf, gpus: 1, algorithm: halving-doubling" + perf},
		{"{kind: star, hosts: 5}", "{kind: alltoall_perf, gpus: 2" + perf},
		{rails, "{kind: all_reduce_perf, gpus: 4, algorithm: hierarchical" + perf},
		{rails, "{kind: alltoall_perf, gpus: 4, pxn: true" + perf},
		{rails, "{kind: alltoall_perf, gpus: 4, pxn: false, rank_order: random" + perf},
		{rails, "{kind: all_reduce_perf, gpus: 4, rails: 1, rank_order: random" + perf},
		{rails, "{kind: training, model: resnet-50, gpus: 2, steps: 1, batch: 4, micro_batches: 4, parallel: {pipeline: 4}}"}, // groups of ranks near one rail
		{"{kind: star, hosts: 4}", "{kind: goal, file: testdata/ring.goal}"},
		{"{kind: star, hosts: 4}", "{kind: training, model: resnet-50, gpus: 2, steps: 1, batch: 4, micro_batches: 4, parallel: {pipeline: 2}}"},
	} {
		spec := parsed(t, ranksOn(c.topology, c.workload))
		graph, err := spec.Network()
		if err != nil {
			t.Fatal(err)
		}
		all, err := spec.Programs(graph)
		if err != nil {
			t.Fatal(err)
		}
		run, err := spec.Build()
		if err != nil {
			t.Fatal(err)
		}
		ends := 0
		for _, h := range run.Cluster.Hosts {
			for _, n := range h.NICs() {
				ends += len(n.QueuePairs())
			}
		}
		if counted := all[0].Queues().Pairs; 2*counted != ends || ends == 0 {
			t.Errorf("%s on %s: %d queue pairs were counted, at both ends there are %d", c.workload, c.topology, counted, ends)
		}
	}
}

// What would fill the memory is refused in one line that says what would do.
func TestAJobWithTooManyQueuePairsIsRefused(t *testing.T) {
	text := ranksOn("{kind: fat-tree, k: 16}", "{kind: alltoall_perf, gpus: 1, channels: 2, iterations: 1, warmup: 0}")
	_, err := Parse("test.yaml", []byte(text))
	// 1,024 ranks are 1,024·1,023/2 pairs.
	if err == nil || !strings.Contains(err.Error(), "too many connections in all workloads together: 1047552 with this one; at most 131072: fewer channels") || strings.Contains(err.Error(), "\n") {
		t.Errorf("an all-to-all of 1,024 ranks over 2 channels: %v", err)
	}
}
