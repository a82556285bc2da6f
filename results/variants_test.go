package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// The runs of a scenario stand side by side, then what differs and what is wrong, then every promise.
func TestVariantsStandBesideTheBaseRun(t *testing.T) {
	s, v := incast(), incast()
	v.Outcome, v.SimulatedTime, v.Flows.Done, v.FCT = Stalled, Micros(7*units.Millisecond), 15, nil
	v.Warnings = []string{"look out"}
	s.Variants = []Variant{{Name: "no-cc", Doc: "without congestion control", Outcome: Stalled, Summary: v}}
	s.Expectations = append(s.Expectations, Expectation{Text: "goodput in no-cc above 90Gbps", Measured: "71Gbps", Deviation: "-19Gbps (-21%)"})
	text := rendered(t, s, 80)
	at := strings.Index(text, "  run ")
	if at < 0 {
		t.Fatal(text)
	}
	want := `  run            outcome  FCT p50      p99  goodput    drops     XOFF     cuts
  base           done      1.34ms   1.39ms 91.2Gbps        0       12      120
  no-cc          stalled        -        - 91.2Gbps        0       12      120
  no-cc          without congestion control
                 INCOMPLETE (stalled at 7ms): 1 unfinished of 16 flows
                 warning: look out

  expected       NOT MET: goodput in no-cc above 90Gbps; found 71Gbps, -19Gbps
                 (-21%)
                 met: lossless_drops equals 0; found 0
                 met: flow.fct.p99 below 2ms; found 1.39ms, -610us (-30.5%)
`
	if got := text[at:]; got != want {
		t.Errorf("the end of the text is\n%s\nwant\n%s", got, want)
	}
}

// However long names and figures are, columns stand apart.
func TestLongNamesAndFiguresDoNotTouch(t *testing.T) {
	s, v := incast(), incast()
	v.Drops = []Drop{{Reason: "buffer full", Packets: 1_334_454}}
	s.Variants = []Variant{{Name: "stream-adaptive-1e-5", Outcome: Done, Summary: v}}
	text := rendered(t, s, 80)
	if !strings.Contains(text, "  stream-adaptive-1e-5 done") || !strings.Contains(text, "91.2Gbps 1,334,454") {
		t.Error(text)
	}
}

// Runs of programs have no completion times of flows, and so no empty columns of them.
func TestRunsOfProgramsAreComparedByWhatTheyHave(t *testing.T) {
	s := &Summary{Outcome: Done, Programs: &Programs{Total: 2, Done: 2}}
	s.Variants = []Variant{{Name: "events", Outcome: Done, Summary: &Summary{Outcome: Done, Programs: &Programs{Total: 2, Done: 2}}}}
	text := rendered(t, s, 80)
	if !strings.Contains(text, "  run            outcome    drops     XOFF     cuts\n") || strings.Contains(text, "FCT") {
		t.Error(text)
	}
}

// The files of a folder are files of the directory too, and go with it.
func TestAFolderOfADirectoryGoesWithIt(t *testing.T) {
	path := t.TempDir()
	d := prepared(t, path)
	inner := d.Within("variants/a")
	mustWrite(t, inner, "flows.csv", "series/x.csv")
	if err := inner.WriteManifest(Manifest{Outcome: Done}); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, d, "flows.csv")
	if err := d.WriteManifest(Manifest{Outcome: Done}); err != nil {
		t.Fatal(err)
	}
	if got, want := tree(t, path), "flows.csv manifest.json variants/a/flows.csv variants/a/manifest.json variants/a/series/x.csv"; got != want {
		t.Errorf("there are %s, want %s", got, want)
	}
	var names []string
	for _, f := range inner.Files() {
		names = append(names, f.Name)
	}
	if got, want := strings.Join(names, " "), "flows.csv manifest.json series/x.csv"; got != want {
		t.Errorf("the folder has %s, want %s", got, want)
	}
	again := prepared(t, path)
	mustWrite(t, again, "other.csv")
	if got := tree(t, path); got != "other.csv" {
		t.Errorf("of the run before there are left %s", got)
	}
	if _, err := os.Stat(filepath.Join(path, "variants")); err == nil {
		t.Error("an empty folder is left")
	}
}

func TestJainsIndex(t *testing.T) {
	for _, c := range []struct {
		shares []float64
		want   float64
	}{
		{[]float64{5, 5, 5, 5}, 1},
		{[]float64{8, 0, 0, 0}, 0.25}, // one of four has all
		{[]float64{1, 3}, 0.8},        // 16 / (2 x 10)
	} {
		if got := Jain(c.shares); got == nil || *got != c.want {
			t.Errorf("index of %v is %v, want %v", c.shares, got, c.want)
		}
	}
	if Jain(nil) != nil || Jain([]float64{0, 0}) != nil {
		t.Error("nothing to share has an index")
	}
}

// Times whose sum is longer than a time can be have a mean all the same.
func TestTheMeanOfLongTimes(t *testing.T) {
	const long = units.Time(6e18)
	if got := MeanTime([]units.Time{long, long + 1, long + 5}); got != long+2 {
		t.Errorf("the mean is %d, want %d", got, long+2)
	}
	if MeanTime(nil) != 0 {
		t.Error("no time has a mean")
	}
}

// A cell is a number in the base unit, or has none.
func TestColumnsTellTheirNumbers(t *testing.T) {
	table := NewTable("x.csv", "a row")
	count, at, rate, size := table.Int("n", "", "n"), table.Time("t_us", "t"), table.Rate("r_gbps", "r"), table.Bytes("s_bytes", "s")
	word, ratio := table.String("w", "w"), table.Float("f", "", "f")
	count.Append(3)
	count.AppendMissing()
	at.Append(2*units.Microsecond, units.Never)
	rate.Append(units.Gbps, 0)
	size.Append(9, 0)
	word.Append("7", "")
	ratio.Append(0.5)
	ratio.AppendMissing()
	for name, want := range map[string][2]float64{"n": {3, -1}, "t_us": {2e6, -1}, "r_gbps": {1e9, 0}, "s_bytes": {9, 0}, "w": {-1, -1}, "f": {0.5, -1}} {
		column := table.Column(name)
		for row, number := range want {
			if got, ok := column.Number(row); ok != (number >= 0) || ok && got != number {
				t.Errorf("%s of row %d is %v, %v; want %v", name, row, got, ok, number)
			}
		}
		if column.IsWords() != (name == "w") {
			t.Errorf("%s holds words: %v", name, column.IsWords())
		}
	}
	if table.Column("none") != nil || table.Column("n").Cell(0) != "3" {
		t.Error("a column that does not exist, or not the one asked for")
	}
}
