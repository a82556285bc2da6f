package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/workloads"
)

// smallest is something small of each kind of workload, on four hosts with two adapters each.
var smallest = map[string]string{
	"flows":               "flows: [{from: h0, to: h1, size: 1MB}]",
	"incast":              "to: h0, fan_in: 3, size: 100KB",
	"permutation":         "size: 100KB",
	"all-to-all":          "size: 100KB",
	"staggered":           "to: [h0], flows: 3, size: 100KB, gap: 10us",
	"open-loop":           "load: 30%, sizes: websearch, duration: 300us",
	"periodic-incast":     "fan_in: 2, size: 10KB, load: 10%, duration: 300us",
	"ib_write_lat":        "client: h0, server: h1, iterations: 9",
	"ib_send_lat":         "client: h0, server: h1, iterations: 9",
	"ib_read_lat":         "client: h0, server: h1, iterations: 9",
	"ib_atomic_lat":       "client: h0, server: h1, iterations: 9",
	"ib_write_bw":         "client: h0, server: h1, iterations: 9, qps: 2, bidirectional: true",
	"ib_send_bw":          "client: h0, server: h1, iterations: 9",
	"ib_read_bw":          "client: h0, server: h1, iterations: 9",
	"rpc":                 "server: h0, calls: 9",
	"short-connections":   "server: h0, sessions: 3",
	"distributed-lock":    "server: h0, acquisitions: 3",
	"mpi-allreduce":       "iterations: 3",
	"mpi-barrier":         "iterations: 3",
	"key-value":           "servers: [h0], queries: 9",
	"storage":             "target: h0, commands: 9",
	"all_reduce_perf":     "min_bytes: 1MiB, max_bytes: 1MiB, iterations: 1",
	"all_gather_perf":     "min_bytes: 1MiB, max_bytes: 1MiB, iterations: 1",
	"reduce_scatter_perf": "min_bytes: 1MiB, max_bytes: 1MiB, iterations: 1",
	"broadcast_perf":      "min_bytes: 1MiB, max_bytes: 1MiB, iterations: 1",
	"reduce_perf":         "min_bytes: 1MiB, max_bytes: 1MiB, iterations: 1",
	"alltoall_perf":       "min_bytes: 1MiB, max_bytes: 1MiB, iterations: 1",
	"training":            "gradients: 1MB, compute: 100us, steps: 2",
	"mpi-loop":            "operation: all-gather, size: 10KB, compute: 10us, steps: 2",
	"goal":                "file: testdata/ring.goal",
	"halo":                "cells: 16x16x16, neighbours: 26, compute: 10us, noise: 1us, reductions: 1, steps: 2",
	"transpose":           "size: 100KB, rows: 2, compute: 10us, steps: 2",
	"fan-out":             "roots: [h0], queries: 9",
	"media":               "from: [h0], to: [h1, h2], frames: 3, frame: 100KB",
	"chakra":              "file: testdata/replay/trace.et, gpus: 1",
	"astra-text":          "file: testdata/replay/layers.txt, gpus: 1",
	"htsim-file":          "file: testdata/replay/triggers.cm",
}

// Any workload travels by any transport, by one key.
func TestAnyWorkloadRunsOverAnyTransport(t *testing.T) {
	for _, kind := range workloads.Kinds {
		if kind.Name == "hpcc-file" {
			continue // it needs a file
		}
		keys, known := smallest[kind.Name]
		if !known {
			t.Errorf("%s is not among those that are tried", kind.Name)
			continue
		}
		moved := map[string]bool{}
		for _, transport := range [...]string{"rocev2", "infiniband", "iwarp", "tcp"} {
			text := fmt.Sprintf("name: any\ntopology: {kind: star, hosts: 4, nics_per_host: 2, link: {rate: 100Gbps, length: 5m}}\nhost: {transport: %s}\nworkloads: [{kind: %s, %s}]\n", transport, kind.Name, keys)
			run, s := ended(t, parsed(t, text))
			if run.Report.Outcome != host.Done {
				t.Errorf("%s over %s: %v", kind.Name, transport, run.Report.Outcome)
			}
			if sockets := len(run.Cluster.Sockets()); (sockets > 0) != (transport == "tcp") {
				t.Errorf("%s over %s has %d sockets", kind.Name, transport, sockets)
			}
			if moved[s.Digest] {
				t.Errorf("%s over %s is what it is over another transport, event by event", kind.Name, transport)
			}
			moved[s.Digest] = true
		}
	}
}

// A flow over an adapter to which it takes time to post costs its host one request and one completion for each message.
func TestFlowsPayForWhatTheyPost(t *testing.T) {
	s := fileless(t, parsed(t, star, "host.nic.profile=connectx6", "workloads[0].flows[0].messages=3"))
	const post, poll = 120e3, 50e3 // ps, of connectx6
	if got := metricOf(t, s, "cpu.seconds.verbs"); got != 3*(post+poll) {
		t.Errorf("%v ps, want %v", got, 3*(post+poll))
	}
}

// TCP that has not agreed on ECN is not marked, however long a queue is, and that is said; TCP that has is.
func TestWhyTCPIsNotMarkedIsTold(t *testing.T) {
	const crowd = `name: crowd
topology: {kind: star, hosts: 5, link: {rate: 100Gbps, length: 5m}}
host: {transport: tcp, kernel: {profile: ideal}}
switch: {ecn: {kmin: 20KB, kmax: 40KB, pmax: 100%}}
workloads: [{kind: incast, to: h0, fan_in: 4, size: 1MB}]
`
	why := func(s *results.Summary) string { return strings.Join(s.Why, " ") }
	if s := fileless(t, parsed(t, crowd)); !strings.Contains(why(s), "packets of TCP without ECN are never marked (host.tcp.ecn)") {
		t.Errorf("without ECN: %s", why(s))
	}
	if s := fileless(t, parsed(t, crowd, "host.tcp.ecn=true")); !strings.Contains(why(s), "ECN acted: switches marked ") {
		t.Errorf("with ECN: %s", why(s))
	}
}
