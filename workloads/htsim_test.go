package workloads

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/internal/golden"
	"github.com/rdmasim/rdmasim/sim/units"
)

// matrix writes a connection matrix into a file and returns its workload.
func matrix(t *testing.T, text string) *HtsimFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "traffic.cm")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return &HtsimFile{File: path}
}

func TestConnectionsOfAMatrixAreFlows(t *testing.T) {
	w := matrix(t, "Nodes 3\nConnections 2\n0->2 id 7 start 16777217 size 4096 prio 5\n2->1 start 0 size 1\n")
	want := []Flow{
		{ID: 0, Workload: "w", Src: 0, Dst: 2, Size: 4096, Messages: 1, Start: 16777217 * units.Picosecond, QP: 0, Priority: 5, Transport: RoCEv2},
		{ID: 1, Workload: "w", Src: 2, Dst: 1, Size: 1, Messages: 1, QP: 1, Priority: HostPriority, Transport: RoCEv2},
	}
	if diff := cmp.Diff(want, mustGenerate(t, w, hosts(4, 1))); diff != "" {
		t.Error(diff)
	}
}

func TestAMatrixOfAnotherNetworkIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"Nodes 16\nConnections 1\n0->1 start 0 size 1\n":        ": connections of 16 nodes, and the network has 4 hosts",
		"Nodes 4\nConnections 0\n":                              ": a file of no connections",
		"Nodes 4\nConnections 1\n0->1 start 0 size 1 prio 8\n":  ":3: prio 8 is no class of data; they are 0 to 7",
		"Nodes 4\nConnections 1\n0->1 start 0 size 1 speed 8\n": `:3: unknown word "speed" of a connection; one of id, start, trigger, size, send_done_trigger, recv_done_trigger, prio, msg`,
		"Nodes 2\nConnections 1\nFailures 1\n0->1 start 0 size 1\nfailure switch_type AGG switch_id 1 link_id 0\n": ":5: cable 0 of switch AGG 1 is dead: " +
			"dead cables stand under faults:, as kind: link-down; on a fat-tree of 2 hosts this one is {kind: link-down, links: [pod1-agg0-core0]}, with failures: elsewhere here",
	} {
		w := matrix(t, text)
		_, err := w.Flows(hosts(4, 1))
		wantError(t, err, "file: "+w.File+want)
	}
	w := matrix(t, "Nodes 4\nConnections 1\nFailures 1\n0->1 start 0 size 1\nfailure switch_type AGG switch_id 1 link_id 0\n")
	w.Failures = "elsewhere"
	mustGenerate(t, w, hosts(4, 1))
}

// The files of reference runs: every connection is a flow of its size.
func TestMatricesOfReferenceRunsAreFlows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(golden.Dir(t, "htsim"), "*", "traffic.cm"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no reference runs: %v", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		flows := mustGenerate(t, &HtsimFile{File: path}, hosts(128, 1))
		if n := strings.Count(string(text), "->"); len(flows) != n {
			t.Errorf("%s: %d flows of %d connections", path, len(flows), n)
		}
	}
}
