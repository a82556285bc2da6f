package bench

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// reported is a report of a case with one and two workers.
func reported(t *testing.T) *Report {
	t.Helper()
	return reportOf(t, planned(&script{time: likeAMinute}, 2, 1, 2))
}

func TestAReportReadsBackAsItWasWritten(t *testing.T) {
	want := reported(t)
	file := filepath.Join(t.TempDir(), "report.json")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := want.WriteJSON(f); err != nil {
		t.Fatal(err)
	}
	f.Close()
	got, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, written %+v", got, want)
	}
}

func TestWhatIsNoReportIsRefusedInALine(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"text":           {"flows,hosts\n", "not a report of rdmasim bench: invalid character"},
		"cut off":        {`{"format": 1, "cases": [`, "not a report of rdmasim bench: unexpected end of JSON input"},
		"another kind":   {`{"cases": 7}`, "not a report of rdmasim bench: json: cannot unmarshal number"},
		"another format": {`{"format": 2}`, "a report of format 2; this program reads format 1"},
		"an old summary": {`{"scenario": "incast"}`, "a report of format 0; this program reads format 1"},
	} {
		file := filepath.Join(t.TempDir(), "report.json")
		if err := os.WriteFile(file, []byte(tc.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Load(file)
		if err == nil || !strings.Contains(err.Error(), file+": "+tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want a line with %s", name, err, tc.want)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.json")); !os.IsNotExist(err) {
		t.Errorf("no file: error %v", err)
	}
}

func TestASpreadHasTheMiddleAndTheEnds(t *testing.T) {
	for _, tc := range []struct {
		values []float64
		want   Spread
	}{
		{nil, Spread{}},
		{[]float64{3}, Spread{3, 3, 3}},
		{[]float64{5, 1}, Spread{3, 1, 5}},
		{[]float64{9, 1, 2}, Spread{2, 1, 9}},
	} {
		if got := newSpread(tc.values); got != tc.want {
			t.Errorf("%v: %+v, want %+v", tc.values, got, tc.want)
		}
	}
}

func compared(t *testing.T, old, now *Report) string {
	t.Helper()
	var out strings.Builder
	if err := (Comparison{old, now}).Write(&out, Text); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// mustSay wants texts in an output, in that order.
func mustSay(t *testing.T, out string, texts ...string) {
	t.Helper()
	rest := out
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Errorf("no %q (after those before it) in\n%s", text, out)
		}
		rest = after
	}
}

// Twice as fast on the clock on a machine 1.6 times as fast.
func TestAComparisonHasRawAndNormalisedRatios(t *testing.T) {
	old, now := reported(t), reported(t)
	row := &now.Cases[0].Rows[0]
	row.Rate.Median, row.CPURate.Median, row.Normalised.Median, row.Build, row.Peak = 2e6, 2e6, 1.25e6, 0.5, 3e6
	now.Calibration.Score = 1.6
	out := compared(t, old, now)
	mustSay(t, out,
		"case  workers   old   new  ratio  per CPU s  normalised  built in  peak MB\n",
		"tiny        1  1.00  2.00  2.000      2.000       1.250     0.500    3.000\n",
		"tiny        2  1.00  1.00  1.000      1.000       1.000     1.000    1.000\n",
		"\nMachine: 1.00 then, 1.60 now.\n")
	for _, remark := range []string{"DIGEST", "Not in", "Only in", "calibration"} {
		if strings.Contains(out, remark) {
			t.Errorf("a remark about %s in\n%s", remark, out)
		}
	}
}

func TestAComparisonTellsWhatWasOtherWork(t *testing.T) {
	old, now := reported(t), reported(t)
	now.Cases[0].Digest, now.Cases[0].Events = "0000000000000008", 1_400_000
	mustSay(t, compared(t, old, now),
		"tiny: ANOTHER DIGEST, 0000000000000007 before and 0000000000000008 now",
		"tiny: 1500000 events for 1000000 packet-hops before, 1400000 for 1000000 now.")
}

func TestAComparisonNamesTheRowsOfOneReportOnly(t *testing.T) {
	old, now := reported(t), reported(t)
	gone := old.Cases[0]
	gone.Name = "gone"
	old.Cases = append(old.Cases, gone)
	now.Cases[0].Rows[0].Workers = 4
	mustSay(t, compared(t, old, now),
		"Not in the other report: tiny with 4 workers.",
		"Only in the other report: tiny with 1 worker, gone with 1 worker, gone with 2 workers.")
}

func TestScoresOfDifferentCalibrationsAreNotCompared(t *testing.T) {
	old, now := reported(t), reported(t)
	old.Calibration.Version = 0
	mustSay(t, compared(t, old, now),
		"tiny        1  1.00  1.00  1.000      1.000           -",
		"The other report has calibration 0, this one 1: normalised speeds cannot be compared.")
}

func TestTablesAreAlignedForATerminal(t *testing.T) {
	var out strings.Builder
	if err := reported(t).Write(&out, Text); err != nil {
		t.Fatal(err)
	}
	mustSay(t, out.String(),
		"case  workers  median   min   max  per CPU s  normalised  ns/hop  speed-up\n",
		"tiny        1    1.00  1.00  1.00       1.00        1.00    1000      1.00\n",
		"tiny        2    1.00  1.00  1.00       1.00        1.00       -      1.00\n",
		"case  hosts   flow   MTU  packet-hops  events/hop  simulated            digest\n",
		"tiny     16  100KB  1024    1,000,000       1.500        1ms  0000000000000007\n",
		"case  built in", "tiny        1s",
		"Same bits: all runs of a case, with 1 and 2 workers, ended with the same digest.\n",
		"Machine: 1.00, where 1 is the reference machine (calibration 1:")
	for line := range strings.Lines(out.String()) {
		if strings.TrimRight(line, " \n") != strings.TrimRight(line, "\n") {
			t.Errorf("blanks at the end of %q", line)
		}
	}
}

// A network of 36 nodes has no work for 99 workers.
func TestWorkersAreToldAsThereWere(t *testing.T) {
	for _, tc := range []struct {
		asked, used int
		want        string
	}{{1, 1, "1"}, {0, 2, "auto (2)"}, {99, 36, "99 (36)"}} {
		if got := (&Row{Workers: tc.asked, Used: tc.used}).workers(); got != tc.want {
			t.Errorf("%d asked for, %d used: %q, want %q", tc.asked, tc.used, got, tc.want)
		}
	}
}

func TestTablesInMarkdownHaveAsManyCellsInEachRow(t *testing.T) {
	var out strings.Builder
	if err := reported(t).Write(&out, Markdown); err != nil {
		t.Fatal(err)
	}
	mustSay(t, out.String(), "\n\n| case | workers | median |", "\n|---|---:|---:|", "\n| tiny | 1 | 1.00 |")
	cells := 0
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(line, "|")
		if cells != 0 && n != cells {
			t.Errorf("%d cells after rows of %d: %s", n, cells, line)
		}
		cells = n
	}
}

func TestAReportWithoutCasesIsEmpty(t *testing.T) {
	var out strings.Builder
	if err := new(Report).Write(&out, Text); err != nil || out.Len() > 0 {
		t.Errorf("%q, error %v", out.String(), err)
	}
}
