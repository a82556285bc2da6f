package results

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

func beside(names ...string) *Comparison {
	var runs []Compared
	for i, name := range names {
		s := incast()
		s.Parameters = []Parameter{{"host.mtu", "4096", "default"}, {"seed", string(rune('1' + i)), "given"}}
		runs = append(runs, Compared{Name: name, Summary: s})
	}
	return NewComparison(runs)
}

func values(vs ...float64) (all []*float64) {
	for _, v := range vs {
		if v < 0 {
			all = append(all, nil)
			continue
		}
		all = append(all, &v)
	}
	return all
}

// Ratios are to the first run; there is none to nothing and none of nothing. What tells no run from another is left out of the text.
func TestRunsAreSetSideBySideWithRatiosToTheFirst(t *testing.T) {
	c := beside("rdma", "tcp")
	c.Add("time", "flow.fct.p50", "time", values(2e6, 20e6))
	c.Add("goodput", "goodput", "rate", values(98e9, 49e9))
	c.Add("loss", "drops", "number", values(0, 7))
	c.Add("processors", "cpu.cores_busy", "number", values(-1, 1.5))
	c.Add("nothing", "nowhere", "number", values(-1, -1))
	c.Add("loss", "lost", "number", values(0, 0))
	c.Hide()
	var text strings.Builder
	if err := c.WriteText(&text, 80); err != nil {
		t.Fatal(err)
	}
	want := `                      rdma     tcp
  outcome             done    done
  seed                   1       2
  flow.fct.p50         2us    20us  10 x
  goodput           98Gbps  49Gbps 0.5 x
  drops                  0       7
  cpu.cores_busy         -     1.5
`
	if text.String() != want {
		t.Errorf("the text is\n%s\nwant\n%s", text.String(), want)
	}
	var csv strings.Builder
	if err := c.Table().WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	if got, want := csv.String(), `group,metric,unit,value_rdma,value_tcp,ratio_tcp
time,flow.fct.p50,us,2,20,10
goodput,goodput,Gbit/s,98,49,0.5
loss,drops,,0,7,
processors,cpu.cores_busy,,,1.5,
loss,lost,,0,0,
`; got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
	if c.Incomplete() {
		t.Error("both runs are done")
	}
}

// Where not all runs fit beside each other, the first stands in each block; names that are alike in columns are not taken for one.
func TestManyRunsStandInBlocksBesideTheFirst(t *testing.T) {
	c := beside("base", "a run with a name", "a_run_with_a_name", "third-of-the-variants", "fourth-of-the-variants")
	c.Add("time", "flow.fct.p50", "time", values(2e6, 4e6, 6e6, 8e6, 10e6))
	var text strings.Builder
	if err := c.WriteText(&text, 80); err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(strings.TrimSpace(text.String()), "\n\n")
	if len(blocks) < 2 {
		t.Fatalf("one block:\n%s", text.String())
	}
	for _, b := range blocks {
		if !strings.Contains(b, "base") || !strings.Contains(b, "flow.fct.p50") {
			t.Errorf("a block without the first run:\n%s", b)
		}
	}
	for line := range strings.Lines(text.String()) {
		if len(line) > 81 {
			t.Errorf("%q is longer than 80 columns", line)
		}
	}
	if n := len(c.Table().Columns()); n != 3+5+4 {
		t.Errorf("%d columns", n)
	}
}

// What a summary says, its file says: read again and written, it is the same.
func TestASummaryIsReadAsItWasWritten(t *testing.T) {
	s := incast()
	one := 1.5
	s.CPU = &CPU{Cores: &one, Kinds: []CPUKind{{"copy", Micros(1_234_567)}}, Clock: 3.4}
	s.Bill = NewBill(Prices{CoreHour: 0.04}, usedBy())
	s.Window = &Window{From: 0, To: Micros(units.Never)}
	s.Figures = []ProgramFigure{{"rpc t_median", "us", 2.57}}
	s.Sweeps = []Sweep{*swept(5, -1)}
	var first, again bytes.Buffer
	if err := s.WriteJSON(&first); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"summary.json": first.Bytes(), ManifestName: []byte("{}")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read, err := ReadSummary(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := read.WriteJSON(&again); err != nil || again.String() != first.String() {
		t.Errorf("%v: read and written it is\n%s\nand not\n%s", err, again.String(), first.String())
	}
}

func TestNumbersThatAreNoneOfOursAreRefused(t *testing.T) {
	for _, text := range []string{`"1"`, `1.0000001`, `1e3`, `99999999999999999999`, `1.5.2`} {
		var at Micros
		if err := json.Unmarshal([]byte(text), &at); err == nil {
			t.Errorf("%s is read as %d ps", text, at)
		}
	}
	var rate Gbps
	if err := json.Unmarshal([]byte("-0.000000001"), &rate); err != nil || rate != -1 {
		t.Errorf("%v %v", rate, err)
	}
}
