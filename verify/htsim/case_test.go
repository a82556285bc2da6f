package htsim

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/verify"
)

// lone is a case of our own: 4096 bytes from host 0 to host 1 of a fat-tree of 16, both at one switch. Two links of 1 us there
// and two back; 4160 B take 332.8 ns on each of the first two, 64 B take 5.12 ns on the others.
var lone = map[string]string{
	"model.txt":  "# by hand\nhtsim_roce -mtu 4096 -pfc_thresholds 24 32 -nodes 16\n",
	"traffic.cm": "Nodes 16\nConnections 1\n0->1 id 1 start 1000 size 4096\n",
	"fct.csv":    "id,src,dst,size_bytes,start_ps,finish_us\n1,0,1,4096,1000,4.67684\n",
	"paths.tsv":  "PATH\tRoce_0_1\tctrl\tSRC1->LS0(0) LS0->DST0(0)\nPATH\tRoce_0_1\tdata\tSRC0->LS0(0) LS0->DST1(0)\n",
	"links.tsv":  "LINK\tSRC0->LS0(0)\tpkts=1\tdata=1\tbytes=4160\n",
	"queues.tsv": "INQ\tVirtualQueue(SRC0->LS0(0))\tmaxbytes=4160\txoff=0\txon=0\tpaused_ns=0.000\nOUTQ\tLS0->DST1(0)\tmaxbytes=4160\n",
}

// laid lays a case into a folder, with some files that differ.
func laid(t *testing.T, differs map[string]string) string {
	t.Helper()
	files := maps.Clone(lone)
	maps.Copy(files, differs)
	dir := filepath.Join(t.TempDir(), "lone")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// compared reads and compares a case.
func compared(t *testing.T, dir string) *Result {
	t.Helper()
	c, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Compare(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rows are those of all cases in a directory.
func rows(t *testing.T, dir string) (all []verify.Row) {
	t.Helper()
	checks, err := Checks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		rows, err := c.Run(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows...)
	}
	return all
}

// True to the wire, the frame is a WRITE Only of 4096 + 98 bytes and the acknowledgement 86.
func TestACaseIsRunAndCompared(t *testing.T) {
	dir := laid(t, nil)
	if r := compared(t, dir); !r.Exact() || r.Last != 4_676_840*units.Picosecond {
		t.Errorf("found %s, expected %s: %s", r.Found(), r.Expected(), r.Deviation())
	}
	wire := units.Nanosecond + 4*units.Microsecond + 2*(4194+86)*80*units.Picosecond
	for _, at := range []string{dir, filepath.Dir(dir)} {
		all := rows(t, at)
		if len(all) != 2 || !all[0].Met || all[0].Deviation != "0" || !all[1].Told || all[1].Found != wire.String() {
			t.Errorf("%s: %+v", at, all)
		}
	}
	if all := rows(t, t.TempDir()); len(all) > 0 {
		t.Errorf("rows of an empty folder: %+v", all)
	}
}

// What is different is told, and where the two part first.
func TestADifferenceIsTold(t *testing.T) {
	for _, tc := range []struct{ file, from, to, deviation string }{
		{"fct.csv", "4.67684", "4.67584", "at most 1ns (connection 1); first: 4.67584us at h0: connection 1 to h1 finishes at 4.67684us, there at 4.67584us"},
		{"links.tsv", "pkts=1", "pkts=2", "SRC0->LS0(0) carried 1 packets of 4160 bytes, there 2 of 4160"},
		{"queues.tsv", "maxbytes=4160", "maxbytes=8320", "at pod0-tor0: at most 4160B held of SRC0->LS0(0), there 8320B"},
		{"pause.tsv", "", "2000000\tXOFF\tVirtualQueue(SRC0->LS0(0))\t133120\n", "2us at pod0-tor0: no XOFF to h0:0, as there"},
	} {
		text := strings.Replace(lone[tc.file], tc.from, tc.to, 1)
		if r := compared(t, laid(t, map[string]string{tc.file: text})); r.Exact() || r.row().Met || !strings.Contains(r.Deviation(), tc.deviation) {
			t.Errorf("%s: %s, want %s", tc.file, r.Deviation(), tc.deviation)
		}
	}
}

func TestACaseOfAnotherProgramIsSkipped(t *testing.T) {
	all := rows(t, laid(t, map[string]string{"model.txt": strings.Replace(lone["model.txt"], "roce", "hpcc", 1)}))
	if len(all) != 1 || !all[0].Told || !strings.Contains(all[0].Rule, "htsim_hpcc") {
		t.Errorf("%+v", all)
	}
}

func TestWhatIsWrongInACaseComesWithItsPlace(t *testing.T) {
	for _, tc := range []struct{ file, text, want string }{
		{"model.txt", "htsim_roce -mtu 4096\n", "model.txt: no command with -mtu, -pfc_thresholds and -nodes"},
		{"traffic.cm", "Nodes 16\n0->1 start 0\n", "traffic.cm:2: "},
		{"fct.csv", "id\n7,0,1,4096,0,4.6\n", "fct.csv:2: no connection 7"},
		{"fct.csv", "id\n1,0,1,4095,1000,4.6\n", "fct.csv:2: 1,0,1,4095,1000 is in traffic.cm 1,0,1,4096,1000"},
		{"fct.csv", "id\n1,0,1,4096,1000,4.6\n1,0,1,4096,1000,4.6\n", "fct.csv:3: connection 1 finishes a second time"},
		{"pause.tsv", "5\tXOF\tVirtualQueue(SRC0->LS0(0))\t0\n", `pause.tsv:1: "XOF" is neither XOFF nor XON`},
		{"paths.tsv", "PATH\tRoce_0_9\tdata\tSRC0->LS0(0)\n", "paths.tsv:1: no connection Roce_0_9"},
		{"paths.tsv", "PATH\tRoce_0_1\tdata\tSRC0->LS0(0) LS0->DST1(0)\n", "connection 1 has no finish or no path"},
	} {
		_, err := Read(laid(t, map[string]string{tc.file: tc.text}))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s of %q: %v, want %q", tc.file, tc.text, err, tc.want)
		}
	}
}

// What cannot be run or compared is bad input, and no fault of the program.
func TestACaseOfAnotherNetworkIsBadInput(t *testing.T) {
	for _, tc := range []struct{ file, text, want string }{
		{"queues.tsv", "INQ\tVirtualQueue(LS0->DST0(0))\tmaxbytes=5\n", "link LS0->DST0(0) leads to no switch"},
		{"model.txt", "htsim_roce -mtu 4096 -pfc_thresholds 24 32 -nodes 17\n", "no fat-tree has 17 hosts"},
		{"fct.csv", "7\n", "fct.csv:1: 1 cells, want 6"},
	} {
		_, err := check(context.Background(), laid(t, map[string]string{tc.file: tc.text}))
		if input := new(scenarios.InputError); !errors.As(err, &input) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s of %q: %v, want %q", tc.file, tc.text, err, tc.want)
		}
	}
}

// Fat-tree of 4: four pods of two switches of each tier; core 1 is cabled to the second aggregation switch of each pod.
func TestNodesHaveTheirNamesHere(t *testing.T) {
	tree, err := fatTreeOf(16)
	if err != nil {
		t.Fatal(err)
	}
	for theirs, ours := range map[string]string{
		"SRC13": "h13", "DST0": "h0", "LS6": "pod3-tor0", "LS_6": "pod3-tor0", "US3": "pod1-agg1", "CS0": "core0", "CS1": "core2", "CS2": "core1", "CS3": "core3",
	} {
		if got, err := tree.node(theirs); got != ours || err != nil {
			t.Errorf("%s is %s (%v), want %s", theirs, got, err, ours)
		}
	}
	if _, err := fatTreeOf(17); err == nil {
		t.Error("there is a fat-tree of 17 hosts")
	}
}
