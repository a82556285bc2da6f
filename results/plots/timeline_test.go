package plots

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

func TestPausesThatOverlapCountOnce(t *testing.T) {
	rows := pausedRows([]Interval{
		{"p", 10, 20}, {"p", 0, 5}, {"p", 15, 18}, {"p", 20, 30}, // 0-5, 10-30
		{"q", 40, units.Never}, // to the end at 50
		{"r", 60, 70},          // begins after the end
	}, 50)
	if len(rows) != 2 || rows[0].total() != 25 || rows[1].total() != 10 {
		t.Errorf("rows %v, want p paused for 25 and q for 10", rows)
	}
	want := []Interval{{"p", 0, 5}, {"p", 10, 30}}
	if !slices.Equal(rows[0].pauses, want) {
		t.Errorf("pauses of p %v, want %v", rows[0].pauses, want)
	}
}

func TestPauseTimelineNamesRowsAndTotals(t *testing.T) {
	f, err := PauseTimeline([]Interval{{"leaf10:p1", 0, 2 * us}, {"leaf2:p1", 5 * us, units.Never}},
		Options{Title: "pauses", End: 12 * us})
	wantWritten(t, written(t, f, err), "pauses", "simulated time (µs)", "leaf2:p1", "7 µs", "leaf10:p1", "2 µs")
}

func TestPauseTimelineShowsThosePausedLongest(t *testing.T) {
	var pauses []Interval
	for i := range 40 { // port 0 is paused for 1 us, port 39 for 40 us
		pauses = append(pauses, Interval{fmt.Sprintf("p%d", i), 0, units.Time(i+1) * us})
	}
	f, err := PauseTimeline(pauses, Options{})
	text := written(t, f, err)
	wantWritten(t, text, "the 20 of 40 ports and priorities paused longest, with the time paused in all; 20 more not shown",
		"p20", "p39")
	if strings.Contains(text, "\np19\n") {
		t.Errorf("p19 is shown though twenty were paused longer:%s", text)
	}
}

func TestPauseThatEndsBeforeItBeginsIsRefused(t *testing.T) {
	_, err := PauseTimeline([]Interval{{"p", 2 * us, us}}, Options{})
	if err == nil || err.Error() != "pause of p ends at 1us, before it begins at 2us" {
		t.Errorf("error %v", err)
	}
}

func TestPauseTimelineDoesNotDependOnTheOrderOfPauses(t *testing.T) {
	forward, backward := shortPauses(5), shortPauses(5)
	slices.Reverse(backward)
	a := saved(t, sample{"a", func() (*Figure, error) { return PauseTimeline(forward, Options{}) }})
	b := saved(t, sample{"a", func() (*Figure, error) { return PauseTimeline(backward, Options{}) }})
	if string(a["a.svg"]) != string(b["a.svg"]) {
		t.Error("the order of pauses shows")
	}
}

func TestNamesAreOrderedAsPeopleCount(t *testing.T) {
	want := []string{"leaf1", "leaf01", "leaf1:p2", "leaf1:p10", "leaf2", "leaf10", "spine", "spine1"}
	got := []string{"spine1", "leaf10", "leaf1:p10", "leaf2", "leaf01", "leaf1:p2", "spine", "leaf1"}
	slices.SortFunc(got, byName)
	slices.SortFunc(want[:2], strings.Compare)
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
