package hpc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads/hpc"
	"pgregory.net/rapid"
)

const us = units.Microsecond

// costs are what a message takes: for each byte, for which it keeps its sender from sending others, and besides. A collective takes ten microseconds.
type costs struct{ each, alpha units.Time }

// Message implements [schedule.Costs].
func (c costs) Message(op *schedule.Op, _ int32) schedule.Passage {
	busy := units.Time(op.Size) * c.each
	return schedule.Passage{Busy: busy, Arrives: busy + c.alpha}
}

// Collective implements [schedule.Costs].
func (c costs) Collective(*schedule.Op) units.Time { return 10 * us }

// Processor implements [schedule.Costs].
func (c costs) Processor(*schedule.Op) (units.Time, bool) { return 0, false }

// quick is a network on which a message takes a microsecond, whatever its size.
var quick = costs{alpha: us}

func ExampleHalo() {
	h := hpc.Halo{Grid: hpc.NewGrid(64, 3), Neighbours: 6, Periodic: true, Cells: [3]int{100, 100, 100}, Width: 1, Cell: 8, Compute: hpc.Compute{Time: units.Millisecond}}
	messages, size := h.Sends(0)
	fmt.Println(h.Grid, messages, size, h.Bound(2*units.Microsecond, 100*units.Gbps))
	// Output: 4x4x4 6 480KB 1.0404ms
}

func TestGridsAreAsNearToACubeAsCanBe(t *testing.T) {
	for _, c := range []struct {
		ranks, dimensions int
		want              string
	}{{16, 2, "4x4"}, {12, 2, "4x3"}, {7, 2, "7x1"}, {64, 3, "4x4x4"}, {24, 3, "4x3x2"}, {60, 3, "5x4x3"}, {13, 3, "13x1"}, {1024, 3, "16x8x8"}} {
		if got := hpc.NewGrid(c.ranks, c.dimensions).String(); got != c.want {
			t.Errorf("%d ranks in %d dimensions are %s, want %s", c.ranks, c.dimensions, got, c.want)
		}
	}
}

func TestGridsAreReadAsTheyArePrinted(t *testing.T) {
	for _, text := range []string{"4x4", "16x8x8", "1x2"} {
		if g, err := hpc.ParseGrid(text); err != nil || g.String() != text {
			t.Errorf("%s is read as %v, %v", text, g, err)
		}
	}
	for _, text := range []string{"", "4", "4x", "4x4x4x4", "4x0", "-1x2", "axb", "4 x 4", "1024x1025", "99999999999999999999x1"} {
		if g, err := hpc.ParseGrid(text); err == nil || !strings.Contains(err.Error(), "write ranks in each dimension such as 4x4 or 4x4x2") {
			t.Errorf("%q is read as %v, %v", text, g, err)
		}
	}
}

func TestBlocksAreReadAsGridsAre(t *testing.T) {
	if c, err := hpc.ParseCells("512x512x300"); err != nil || c != [3]int{512, 512, 300} {
		t.Errorf("read as %v, %v", c, err)
	}
	if c, err := hpc.ParseCells("512"); err == nil || !strings.Contains(err.Error(), "100x100 or 128x128x64") {
		t.Errorf("read as %v, %v", c, err)
	}
}

// job makes a job that passes its check: every message that is sent is received by whom it is for.
func job(t interface {
	Helper()
	Fatal(...any)
}, h *hpc.Halo) *schedule.Job {
	t.Helper()
	err := h.Check()
	var j *schedule.Job
	if err == nil {
		j, err = h.Job()
	}
	if err == nil {
		err = j.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// On a torus all have as many neighbours; else those at a corner of the grid have 2 of 4, 3 of 6 and 7 of 26, and those
// in the middle all.
func TestRanksHaveTheNeighboursThatTheyHave(t *testing.T) {
	for _, c := range []struct {
		grid                   hpc.Grid
		neighbours             int
		corner, middle, center int
	}{
		{hpc.Grid{3, 3, 1}, 4, 2, 4, 4}, {hpc.Grid{3, 3, 3}, 6, 3, 6, 13}, {hpc.Grid{3, 3, 3}, 26, 7, 26, 13},
	} {
		h := &hpc.Halo{Grid: c.grid, Neighbours: c.neighbours, Cells: [3]int{10, 20, 30}, Width: 2, Cell: 8, Iterations: 1}
		job(t, h)
		corner, _ := h.Sends(0)
		middle, _ := h.Sends(c.center)
		if corner != c.corner || middle != c.middle {
			t.Errorf("%v, %d neighbours: %d at the corner and %d in the middle, want %d and %d", c.grid, c.neighbours, corner, middle, c.corner, c.middle)
		}
		h.Periodic = true
		if corner, _ := h.Sends(0); corner != c.neighbours {
			t.Errorf("on a torus %d at the corner, want %d", corner, c.neighbours)
		}
	}
}

func TestMessagesAreAsLargeAsWhatBlocksShare(t *testing.T) {
	h := hpc.Halo{Neighbours: 26, Cells: [3]int{10, 20, 30}, Width: 2, Cell: 8}
	for to, want := range map[[3]int]units.Bytes{
		{1, 0, 0}: 20 * 30 * 2 * 8, {0, -1, 0}: 10 * 30 * 2 * 8, {0, 0, 1}: 10 * 20 * 2 * 8, // faces
		{1, 1, 0}: 30 * 2 * 2 * 8, {-1, 0, 1}: 20 * 2 * 2 * 8, // edges
		{1, -1, 1}: 2 * 2 * 2 * 8, // corners
	} {
		if got := h.Size(to); got != want {
			t.Errorf("to %v go %v, want %v", to, got, want)
		}
	}
}

// On a torus of two ranks each is the other's neighbour on both sides, and on one of a single rank nobody's.
func TestATorusOfTwoHasTwoMessagesEachWay(t *testing.T) {
	h := &hpc.Halo{Grid: hpc.Grid{2, 1, 1}, Neighbours: 4, Periodic: true, Cells: [3]int{5, 7, 1}, Width: 1, Cell: 8, Iterations: 1}
	j := job(t, h)
	messages, size := h.Sends(0)
	if messages != 2 || size != 2*7*8 || j.Ranks[0].Ops() != 1+4 {
		t.Errorf("%d messages of %v, %d operations", messages, size, j.Ranks[0].Ops())
	}
}

func TestAStepIsComputingAndThenAMessageAndThenReductions(t *testing.T) {
	h := &hpc.Halo{Grid: hpc.Grid{4, 4, 2}, Neighbours: 26, Cells: [3]int{8, 8, 8}, Width: 1, Cell: 8, Compute: hpc.Compute{Time: 100 * us}, Reductions: 2, Reduction: 8, Iterations: 1}
	if got := schedule.Bound(job(t, h), quick); got != (100+1+20)*us {
		t.Errorf("%v, want 121us", got)
	}
	h.Reductions = 0
	if got := schedule.Bound(job(t, h), quick); got != (100+1)*us {
		t.Errorf("without reductions %v, want 101us", got)
	}
}

// All that a rank sends leaves it one after the other, 48 kB at 10 ns a byte, and the last message comes 2 us later.
func TestAStepTakesNoLessThanItsBound(t *testing.T) {
	h := &hpc.Halo{Grid: hpc.Grid{3, 3, 3}, Neighbours: 6, Periodic: true, Cells: [3]int{10, 10, 10}, Width: 1, Cell: 80, Compute: hpc.Compute{Time: 100 * us}, Iterations: 1}
	slow := costs{each: 10 * units.Nanosecond, alpha: 2 * us}
	if got, want := schedule.Bound(job(t, h), slow), h.Bound(2*us, 800*units.Mbps); got != want || want != 582*us {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestATransposeOfPencilsGoesByRowsAndThenByColumns(t *testing.T) {
	w := hpc.Transpose{Rows: 2, Columns: 3, Size: 6000, Compute: hpc.Compute{Time: 100 * us}, Back: true, Iterations: 1}
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	j, err := w.Job()
	if err == nil {
		err = j.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(j.Groups), "[[0 1 2] [3 4 5] [0 3] [1 4] [2 5]]"; got != want {
		t.Errorf("groups are %s, want %s", got, want)
	}
	var order []int32
	for i := range j.Ranks[4].Ops() {
		if op := j.Ranks[4].Op(i); op.Kind == schedule.Collective {
			order = append(order, op.Group)
		}
	}
	if got := fmt.Sprint(order); got != "[1 3 3 1]" || w.Phases() != 5 {
		t.Errorf("rank 4 transposes in groups %s and computes %d times, want [1 3 3 1] and 5", got, w.Phases())
	}
	if got := schedule.Bound(j, quick); got != (5*100+4*10)*us {
		t.Errorf("%v, want 540us", got)
	}
	slabs := hpc.Transpose{Rows: 1, Columns: 6, Size: 6000, Iterations: 1}
	if j, err := slabs.Job(); err != nil || len(j.Groups) != 1 || slabs.Phases() != 2 {
		t.Errorf("slabs have groups %v, %v and compute %d times", j.Groups, err, slabs.Phases())
	}
}

func TestWhatCannotBeIsRefused(t *testing.T) {
	good := hpc.Halo{Grid: hpc.Grid{4, 4, 1}, Neighbours: 4, Cells: [3]int{8, 8, 8}, Width: 1, Cell: 8, Iterations: 1}
	for want, change := range map[string]func(*hpc.Halo){
		"a single rank has no neighbours":             func(h *hpc.Halo) { h.Grid = hpc.Grid{1, 1, 1} },
		"4, 6 or 26":                                  func(h *hpc.Halo) { h.Neighbours = 8 },
		"a grid of layers has neighbours above":       func(h *hpc.Halo) { h.Grid[2] = 2 },
		"a block has 8 cells there; at most 8":        func(h *hpc.Halo) { h.Width = 9 },
		"not a number of cells; 1 to 1048576":         func(h *hpc.Halo) { h.Cells[1] = 0 },
		"nothing to sum up; at least 1B":              func(h *hpc.Halo) { h.Reductions = 1 },
		"a face that is longer than a message can be": func(h *hpc.Halo) { h.Cells = [3]int{1000, 100_000, 100_000} },
	} {
		h := good
		change(&h)
		if err := h.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for want, w := range map[string]hpc.Transpose{
		"0 rows of 4 ranks":                {Columns: 4, Size: 100},
		"1 rows of 1 ranks":                {Rows: 1, Columns: 1, Size: 100},
		"each rank has a part for each of": {Rows: 2, Columns: 4, Size: 3},
	} {
		if err := w.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// What is sent is received, whatever the grid; and on a torus all send as much as each other.
func TestEveryHaloIsExchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := func(name string) int { return rapid.IntRange(1, 4).Draw(t, name) }
		h := &hpc.Halo{Grid: hpc.Grid{side("x") + 1, side("y"), 1}, Neighbours: 4, Periodic: rapid.Bool().Draw(t, "periodic"),
			Cells: [3]int{4, 5, 6}, Width: side("width"), Cell: 8, Iterations: 2}
		if rapid.Bool().Draw(t, "layers") {
			h.Grid[2], h.Neighbours = side("z"), rapid.SampledFrom([]int{6, 26}).Draw(t, "neighbours")
		}
		if got := schedule.Bound(job(t, h), quick); got == units.Never {
			t.Fatal("a rank waits for ever")
		}
		_, first := h.Sends(0)
		for r := range h.Ranks() {
			if _, size := h.Sends(r); h.Periodic && size != first {
				t.Fatalf("rank %d sends %v and rank 0 %v", r, size, first)
			}
		}
	})
}

func TestALoopIsComputingAndThenAnOperation(t *testing.T) {
	for _, what := range []collective.Kind{collective.Barrier, collective.AllReduce} {
		loop := hpc.Loop{Ranks: 5, What: what, Compute: hpc.Compute{Time: 30 * us}, Iterations: 7, Warmup: 2}
		j, err := loop.Job()
		if err == nil {
			err = j.Check()
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := schedule.Bound(j, quick); got != 40*us || j.Repeat != 7 || j.Warmup != 2 {
			t.Errorf("%v: %v, %d times of which %d warm up", what, got, j.Repeat, j.Warmup)
		}
	}
}
