package workloads

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

func TestEveryHostOfAPermutationSendsToAnotherAndReceivesFromOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "hosts")
		shift := rapid.IntRange(0, n-1).Draw(t, "shift")
		flows, err := (&Permutation{Shift: shift, Transfer: once(1)}).Flows(hosts(n, rapid.Uint64().Draw(t, "seed")))
		if err != nil || len(flows) != n {
			t.Fatalf("%d flows of %d hosts, %v", len(flows), n, err)
		}
		received := make([]int, n)
		for i, f := range flows {
			if f.Src != i || f.Dst == f.Src || shift > 0 && f.Dst != (i+shift)%n {
				t.Fatalf("host %d: %d>%d with a shift of %d", i, f.Src, f.Dst, shift)
			}
			received[f.Dst]++
		}
		if slices.Max(received) != 1 {
			t.Fatalf("received %v", received)
		}
	})
}

// Of four hosts there are 9 derangements: 6 cycles of four and 3 pairs of exchanges. With 9000 draws each is expected 1000 times,
// with a standard deviation of 30.
func TestEveryDerangementIsEquallyLikely(t *testing.T) {
	count := map[string]int{}
	stream := hosts(4, 1).Rand("derangements")
	for range 9000 {
		count[fmt.Sprint(derangement(stream, 4))]++
	}
	if len(count) != 9 {
		t.Errorf("%d derangements of 4, want 9", len(count))
	}
	for order, n := range count {
		if n < 850 || n > 1150 {
			t.Errorf("%s came %d times of 9000, want 1000 within five standard deviations", order, n)
		}
	}
}

func TestAPermutationMayTakeSomeHostsOnly(t *testing.T) {
	w := &Permutation{Hosts: []string{"h6", "h[1-2]"}, Shift: 1, Transfer: once(1)}
	if got, want := ends(mustGenerate(t, w, hosts(8, 1))), "6>1 1>2 2>6"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestPermutationErrors(t *testing.T) {
	_, err := (&Permutation{Transfer: once(1)}).Flows(hosts(1, 1))
	wantError(t, err, `hosts: a permutation of 1 hosts; at least 2`)
	_, err = (&Permutation{Shift: 8, Transfer: once(1)}).Flows(hosts(4, 1))
	wantError(t, err, `shift: "8": would have each of 4 hosts send to itself; 1 to 3`)
	_, err = (&Permutation{Hosts: []string{"h0", "x"}, Transfer: once(1)}).Flows(hosts(4, 1))
	wantError(t, err, `hosts[1]: "x": no host of this name; one of h0, h1, h2, h3`)
}

func TestAllToAllJoinsEachHostWithEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "hosts")
		flows, err := (&AllToAll{Transfer: once(1)}).Flows(hosts(n, 1))
		if err != nil || len(flows) != n*(n-1) {
			t.Fatalf("%d flows of %d hosts, want n(n-1); %v", len(flows), n, err)
		}
		seen := map[[2]int]bool{}
		for i, f := range flows {
			seen[[2]int{f.Src, f.Dst}] = true
			if f.Src == f.Dst || f.Src != i/(n-1) {
				t.Fatalf("flow %d is %d>%d", i, f.Src, f.Dst)
			}
		}
		if len(seen) != len(flows) {
			t.Fatalf("%d different pairs in %d flows", len(seen), len(flows))
		}
	})
}

func TestAllToAllSpreadsItsFirstFlowsOverAllReceivers(t *testing.T) {
	if got, want := ends(mustGenerate(t, &AllToAll{Transfer: once(1)}, hosts(3, 1))), "0>1 0>2 1>2 1>0 2>0 2>1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAllToAllErrors(t *testing.T) {
	_, err := (&AllToAll{Hosts: []string{"h0"}, Transfer: once(1)}).Flows(hosts(4, 1))
	wantError(t, err, `hosts: an all-to-all of 1 hosts; at least 2`)
	many := once(1)
	many.QPs = 65536
	_, err = (&AllToAll{Transfer: many}).Flows(hosts(1000, 1))
	wantError(t, err, `qps: "65536": 999000 pairs of hosts with so many queue pairs each are too many flows; at most 4194304 in all`)
}

func TestStaggeredFlowsStartOneAfterTheOther(t *testing.T) {
	for _, c := range []struct {
		staggered Staggered
		want      string
	}{
		{Staggered{Count: 3, To: []string{"h2"}}, "3>2 4>2 5>2"},
		{Staggered{Count: 2, To: []string{"h2"}, From: []string{"*"}}, "0>2 1>2"},
		{Staggered{Count: 3, To: []string{"h[3-5]"}, From: []string{"h[0-2]"}}, "0>3 1>4 2>5"},
	} {
		c.staggered.Gap, c.staggered.Transfer = 10*units.Microsecond, once(units.MB)
		c.staggered.Start = units.Millisecond
		flows := mustGenerate(t, &c.staggered, hosts(8, 1))
		if got := ends(flows); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		for i, f := range flows {
			if want := units.Millisecond + units.Time(i)*10*units.Microsecond; f.Start != want {
				t.Errorf("flow %d starts at %v, want %v", i, f.Start, want)
			}
		}
	}
}

func TestStaggeredErrors(t *testing.T) {
	for _, c := range []struct {
		staggered Staggered
		want      string
	}{
		{Staggered{Count: 8, To: []string{"h0"}}, `flows: "8": more than the 7 hosts that may send; at most 7`},
		{Staggered{Count: 0, To: []string{"h0"}}, `flows: "0": no flow; at least 1`},
		{Staggered{Count: 3, To: []string{"h[0-1]"}}, `to: 2 receivers for 3 flows; one for all flows, or one for each`},
		{Staggered{Count: 2, To: []string{"h[0-1]"}}, `from: no senders for 2 receivers; name as many hosts as receivers`},
		{Staggered{Count: 2, To: []string{"h[0-1]"}, From: []string{"h[1-2]"}, Gap: 1}, ""},
		{Staggered{Count: 2, To: []string{"h[0-1]"}, From: []string{"h2", "h1"}}, `from: "h1": flow 1 would go from a host to itself; another sender or receiver`},
		{Staggered{Count: 2, To: []string{"h9"}}, `to[0]: "h9": no host of this name; one of h0, h1, h2 … h7`},
		{Staggered{Count: 2, To: []string{"h1"}, From: []string{"h9"}}, `from[0]: "h9": no host of this name; one of h0, h1, h2 … h7`},
		{Staggered{Count: 4, To: []string{"h1"}, Gap: units.Never}, `gap: "never": the last flow would start at a time that no run reaches; 0s to 1152921.504606846975s`},
	} {
		c.staggered.Transfer = once(1)
		if _, err := c.staggered.Flows(hosts(8, 1)); c.want != "" || err != nil {
			wantError(t, err, c.want)
		}
	}
}
