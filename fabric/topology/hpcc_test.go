package topology

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"github.com/rdmasim/rdmasim/internal/golden"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const dumbbell = `6 2 5
4 5
0 4 100Gbps 1000ns 0
1 4 100Gbps 1000ns 0
4 5 400Gbps 1000ns 0
2 5 100Gbps 1000ns 0
3 5 100Gbps 1000ns 0
`

// write puts a topology.txt into a new directory and returns that directory.
func write(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "topology.txt"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestHPCCFileIsFoundBesideTheScenario(t *testing.T) {
	f := &HPCCFile{File: "topology.txt"}
	f.SetBase(write(t, dumbbell))
	g := mustBuild(t, f)
	if got, want := g.String(), "4 hosts, 2 switches, 5 links (4 x 100Gbps, 1 x 400Gbps)"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	var names []string
	for _, n := range g.Nodes {
		names = append(names, n.Name)
	}
	if diff := cmp.Diff([]string{"h0", "h1", "h2", "h3", "sw4", "sw5"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestHPCCFileErrorsNameFileAndLine(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"4 5 400Gbps", "4 5 400Gbs", `topology.txt:5: "400Gbs": `},
		{"4 5 400Gbps 1000ns", "4 4 400Gbps 1000ns", `topology.txt:5: a link from a node to itself; join two different nodes`},
		{"4 5 400Gbps 1000ns", "4 5 400Gbps 0ns", `topology.txt:5: a delay of 0s is impossible: `},
		{"4 5 400Gbps", "4 5 1Kbps", `topology.txt:5: a rate of 1Kbps is too low; at least 1Mbps`},
		{"4 5 400Gbps", "4 0 400Gbps", `topology.txt: links: "h0-h2": these two hosts cannot reach each other; `},
	} {
		f := &HPCCFile{File: filepath.Join(write(t, strings.Replace(dumbbell, c.old, c.new, 1)), "topology.txt")}
		_, err := f.Build()
		if want := "file: " + filepath.Dir(f.File) + "/" + c.want; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v\nwant %s", err, want)
		}
	}
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

// TestNextHopsAreThoseOfTheHPCCSimulator compares with the tables that the simulator itself printed. It lists next hops
// in descending order of the switches' numbers, in all these networks the reverse of the order of ports.
func TestNextHopsAreThoseOfTheHPCCSimulator(t *testing.T) {
	for _, dir := range goldenCases(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			g := mustBuild(t, &HPCCFile{File: filepath.Join(dir, "topology.txt")})
			routes := openGolden(t, filepath.Join(dir, "routes.txt"))
			if routes == nil {
				return // ConWeave printed none
			}
			r, compared := NewRoutes(g), 0
			for lines := bufio.NewScanner(routes); lines.Scan(); compared++ {
				compareHops(t, g, r, lines.Text())
			}
			if want := len(g.Hosts()) * len(g.Switches()); compared != want {
				t.Errorf("%d lines of routes, want %d", compared, want)
			}
		})
	}
}

// compareHops checks a line "switch host port:peer port:peer …". The simulator counts ports from 1.
func compareHops(t *testing.T, g *Graph, r *Routes, line string) {
	t.Helper()
	var sw, host int
	if _, err := fmt.Sscan(line, &sw, &host); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(line)[2:]
	var got []string
	for _, port := range r.NextHops(sw, r.EndpointsOf(host)[0]) {
		got = append(got, fmt.Sprintf("%d:%d", port+1, g.Ports(sw)[port].Peer))
	}
	if slices.Reverse(got); !slices.Equal(got, want) {
		t.Errorf("at switch %d towards host %d: %v, want %v", sw, host, got, want)
	}
}

// openGolden opens a file that may have been compressed; it returns nil if there is none.
func openGolden(t *testing.T, path string) io.Reader {
	t.Helper()
	if file, err := os.Open(path); err == nil {
		t.Cleanup(func() { file.Close() })
		return file
	}
	file, err := os.Open(path + ".gz")
	if err != nil {
		return nil
	}
	t.Cleanup(func() { file.Close() })
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	return unzipped
}
