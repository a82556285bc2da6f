package workloads

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
)

func TestGenerateNumbersFlowsAndQueuePairsOverAllWorkloads(t *testing.T) {
	flows, err := Generate([]Workload{
		&Incast{To: "h0", FanIn: 2, Transfer: once(1)},
		&Permutation{Shift: 1, Transfer: once(2)},
	}, []string{"incast", "permutation"}, hosts(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range flows {
		label := "incast"
		if i >= 2 {
			label = "permutation"
		}
		if f.ID != i || f.QP != i || f.Workload != label {
			t.Errorf("flow %d: %+v", i, f)
		}
	}
	if len(flows) != 5 {
		t.Errorf("%d flows, want 2 and 3", len(flows))
	}
}

func TestWorkloadsOfDifferentLabelsDrawIndependently(t *testing.T) {
	random := &Permutation{Transfer: once(1)}
	env := hosts(64, 1)
	alone, err := Generate([]Workload{random}, []string{"second"}, env)
	if err != nil {
		t.Fatal(err)
	}
	both, err := Generate([]Workload{random, random}, []string{"first", "second"}, env)
	if err != nil {
		t.Fatal(err)
	}
	if ends(both[64:]) != ends(alone) {
		t.Error("a workload put before another one changed its draws")
	}
	if ends(both[:64]) == ends(both[64:]) {
		t.Error("two workloads drew the same permutation")
	}
}

// What would fill the memory of NICs is refused: of one queue pair where it is written, and of all together.
func TestMoreMessagesThanFitAreRefused(t *testing.T) {
	many := func(size units.Bytes, messages, qps int) Transfer {
		return Transfer{Size: size, Messages: messages, QPs: qps, Priority: HostPriority}
	}
	for _, c := range []struct {
		transfer Transfer
		want     string
	}{
		{many(1, 1<<20, 4), ""},
		{many(units.GiB, 1<<20, 1), ""},
		{many(1, 1<<20+1, 1), `[0].messages: "1048577": more than one queue pair can hold; at most 1048576 of this size`},
		{many(3*units.GiB, 1<<20/3+1, 1), `[0].messages: "349526": more than one queue pair can hold; at most 349525 of this size`},
		{many(1<<50+1, 1, 1), `[0].size: "1125899906842625B": more than one flow can be; at most 1024TiB`},
		{many(1, 1<<20, 5), `[0]: too many messages in all workloads together; at most 4194304, of 1GiB at most`},
	} {
		_, err := Generate([]Workload{&Incast{To: "h0", Transfer: c.transfer}}, []string{"a"}, hosts(2, 1))
		if c.want == "" && err != nil {
			t.Errorf("%+v: %v", c.transfer, err)
		} else if c.want != "" {
			wantError(t, err, c.want)
		}
	}
}

// faulty returns an error of its own making.
type faulty struct {
	Travel
	err error
}

func (f *faulty) Flows(Env) ([]Flow, error) { return nil, f.err }

func TestGenerateSaysWhichWorkloadIsWrong(t *testing.T) {
	_, err := Generate([]Workload{
		&Incast{To: "h9", Transfer: once(1)},
		&Permutation{Transfer: once(1)},
		&List{Entries: []Entry{{From: "h0", To: "h1", Transfer: Transfer{Size: -1, Messages: 1, QPs: 1}}}},
		&faulty{err: &units.FieldError{Problem: "all wrong"}},
		&faulty{err: errors.New("the disk is on fire")},
	}, []string{"a", "b", "c", "d", "e"}, hosts(2, 1))
	wantError(t, err,
		`[0].to: "h9": no host of this name; one of h0, h1`,
		`[2].flows[0].size: "-1": a message of negative size; 0B or more`,
		`[3]: all wrong`,
		`[4]: the disk is on fire`)
	var field *units.FieldError
	if !errors.As(err, &field) || field.Key != "[0].to" {
		t.Errorf("the first problem is %+v", field)
	}
}

func TestAStartBeyondAllTimeIsRefused(t *testing.T) {
	w := &Staggered{Count: 2, To: []string{"h0"}, Gap: units.Second, Transfer: once(1)}
	w.Start = units.Never - units.Second
	_, err := w.Flows(hosts(3, 1))
	wantError(t, err, `start: "9223371.036854775807s": flows would start later than any run lasts; less than never`)
}

// numbers gives the numbers it holds, one after the other.
type numbers []uint64

func (n *numbers) Uint64() uint64 {
	first := (*n)[0]
	*n = (*n)[1:]
	return first
}

func TestUint64NRejectsWhatWouldFavourSomeResults(t *testing.T) {
	// 2^64 mod 3 = 1: of all 2^64 numbers only the one whose product with 3 has 0 in its low half is one too many: 0.
	stream := &numbers{0, 0, 1 << 63}
	if got := Uint64N(stream, 3); got != 1 {
		t.Errorf("got %d, want 3·2^63 / 2^64 = 1", got)
	}
	if len(*stream) != 0 {
		t.Errorf("%d numbers left, want both zeros rejected", len(*stream))
	}
	for _, n := range []uint64{1, 2, 7, 1 << 40, 1<<64 - 1} {
		stream := &numbers{1<<64 - 1}
		if got := Uint64N(stream, n); got != n-1 {
			t.Errorf("the greatest number below %d is %d", n, got)
		}
	}
}

func TestShuffleLeavesEveryThingInPlaceOnce(t *testing.T) {
	order := []int{0, 1, 2, 3, 4, 5}
	Shuffle(hosts(1, 1).Rand("x"), len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	seen := map[int]bool{}
	for _, i := range order {
		seen[i] = true
	}
	if len(seen) != 6 || cmp.Equal(order, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("shuffled to %v", order)
	}
}
