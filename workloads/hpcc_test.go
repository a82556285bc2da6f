package workloads

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/internal/golden"
	"github.com/rdmasim/rdmasim/sim/units"
)

// write puts a flow.txt into a new directory and returns that directory.
func write(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "flow.txt"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestHPCCFlowsNameHostsByTheirNumber(t *testing.T) {
	w := &HPCCFile{File: "flow.txt"}
	w.SetBase(write(t, "2\n7 5 3 100 1000 2.000000962\n5 7 0 200 0 2.002\n"))
	env := hosts(0, 1)
	env.Hosts = []string{"h5", "h7"} // node 6 is a switch
	want := []Flow{
		{ID: 0, Workload: "w", Src: 1, Dst: 0, Size: 1000, Messages: 1, Start: 2*units.Second + 962*units.Nanosecond, QP: 0, DestinationPort: 100, Priority: 3, Transport: RoCEv2},
		{ID: 1, Workload: "w", Src: 0, Dst: 1, Size: 0, Messages: 1, Start: 2002 * units.Millisecond, QP: 1, DestinationPort: 200, Priority: 0, Transport: RoCEv2},
	}
	if diff := cmp.Diff(want, mustGenerate(t, w, env)); diff != "" {
		t.Error(diff)
	}
}

func TestHPCCFlowErrorsNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"2\n0 1 3 100 1000 2.0\n0 9 3 100 1000 2.0\n": "flow.txt:3: there is no host h9; one of h0, h1",
		"2\n0 1 3 100 1000 2.0\n1 1 3 100 1000 2.0\n": "flow.txt:3: a flow from node 1 to itself",
		"0\n": "flow.txt: a file of no flows",
	} {
		w := &HPCCFile{File: filepath.Join(write(t, text), "flow.txt")}
		_, err := w.Flows(hosts(2, 1))
		wantError(t, err, "file: "+filepath.Dir(w.File)+"/"+want)
	}
	_, err := (&HPCCFile{File: "/nowhere/flow.txt"}).Flows(hosts(2, 1))
	wantError(t, err, "file: open /nowhere/flow.txt: no such file or directory")
}

// goldenCases returns the folders of reference runs of the HPCC simulator.
func goldenCases(t *testing.T) []string {
	t.Helper()
	cases, err := filepath.Glob(filepath.Join(golden.Dir(t, "hpcc-ns3"), "*"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("no reference runs: %v", err)
	}
	return cases
}

// TestFlowFilesOfTheHPCCSimulator reads the input of reference runs, each of which reported how many flows it ran.
func TestFlowFilesOfTheHPCCSimulator(t *testing.T) {
	for _, dir := range goldenCases(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			flows := mustGenerate(t, &HPCCFile{File: plainFile(t, dir)}, hosts(320, 1))
			if want := flowsOf(t, dir); len(flows) != want {
				t.Errorf("%d flows, want %d", len(flows), want)
			}
			for _, f := range flows {
				if f.Priority != 3 || f.Start < 2*units.Second {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

// flowsOf returns the number of flows that a reference run reported.
func flowsOf(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	var run struct {
		Flows int `json:"total_flows"`
	}
	if err := json.Unmarshal(text, &run); err != nil {
		t.Fatal(err)
	}
	return run.Flows
}

// plainFile returns the path of a case's flow.txt, unpacked if need be.
func plainFile(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "flow.txt")
	packed, err := os.Open(path + ".gz")
	if err != nil {
		return path
	}
	defer packed.Close()
	unpacker, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacker)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(write(t, string(text)), "flow.txt")
}
