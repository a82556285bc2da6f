package workloads

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

func incasts(fanIn int) *PeriodicIncast {
	return &PeriodicIncast{
		FanIn: fanIn, Size: 500 * units.KB, Load: units.Ratio{Num: 2, Den: 100}, Duration: 10 * units.Millisecond, Priority: HostPriority,
	}
}

// 60 senders of 500 KB at 2 % of 320 hosts of 100G, as in HPCC (SIGCOMM 2019): 240 Mbit of 640 Gbit/s, one each 375 us.
func TestThePeriodOfIncastsFollowsFromTheirLoad(t *testing.T) {
	flows := mustGenerate(t, incasts(60), hosts(320, 1))
	const period = 375 * units.Microsecond
	for i, f := range flows {
		if want := units.Time(i/60) * period; f.Start != want {
			t.Fatalf("flow %d starts at %v, want %v", i, f.Start, want)
		}
	}
	if rounds := len(flows) / 60; rounds != 27 || len(flows)%60 != 0 {
		t.Errorf("%d flows, want 27 incasts of 60 in 10 ms", len(flows))
	}
}

func TestEachIncastHasOneReceiverAndDifferentSenders(t *testing.T) {
	w := incasts(7)
	period := 10 * units.Microsecond
	w.Period, w.Jitter = &period, units.Microsecond
	flows := mustGenerate(t, w, hosts(8, 1))
	if len(flows) != 7*1000 {
		t.Fatalf("%d flows, want 7 every 10 us of 10 ms", len(flows))
	}
	received := make([]int, 8)
	for i := 0; i < len(flows); i += 7 {
		from := map[int]bool{}
		for _, f := range flows[i : i+7] {
			late := f.Start - units.Time(i/7)*period
			if f.Dst != flows[i].Dst || f.Src == f.Dst || late < 0 || late > w.Jitter {
				t.Fatalf("incast %d: from %d to %d, %v late", i/7, f.Src, f.Dst, late)
			}
			from[f.Src] = true
		}
		if len(from) != 7 {
			t.Fatalf("incast %d has %d senders", i/7, len(from))
		}
		received[flows[i].Dst]++
	}
	for host, n := range received { // 125 each, with a standard deviation of 10.5
		if n < 72 || n > 178 {
			t.Errorf("host %d received %d of 1000 incasts", host, n)
		}
	}
}

func TestSendersOfIncastsAreEquallyLikely(t *testing.T) {
	count := make([]int, 6)
	r := hosts(1, 1).Rand("x")
	for range 30_000 {
		for _, host := range choose(r, []int{0, 1, 2, 3, 4, 5}, 4, 2) {
			count[host]++
		}
	}
	for host, n := range count { // two of five: 12,000, with a standard deviation of 85
		if want := 12_000; host == 4 && n != 0 || host != 4 && (n < want-425 || n > want+425) {
			t.Errorf("host %d was chosen %d times", host, n)
		}
	}
}

func TestPeriodicIncastErrors(t *testing.T) {
	for _, c := range []struct {
		change func(w *PeriodicIncast)
		want   []string
	}{
		{func(w *PeriodicIncast) { w.FanIn = 8 }, []string{`fan_in: "8": 7 hosts may send to another one; 1 to 7`}},
		{func(w *PeriodicIncast) { w.FanIn, w.To, w.From = 3, []string{"h0"}, []string{"h[1-2]"} }, []string{`fan_in: "3": 2 hosts may send to another one; 1 to 2`}},
		{func(w *PeriodicIncast) { w.Load, w.Size = units.Ratio{}, 0 }, []string{`load: "0": no load; more than 0, such as 2%`, `size: "0B": no payload, which makes no load; more than 0B, or a period`}},
		{func(w *PeriodicIncast) { w.To, w.Jitter = []string{"x"}, -1 }, []string{`to[0]: "x": no host of this name; one of h0, h1, h2 … h7`, `jitter: "-1ps": not a length of time; 0s or more`}},
		{func(w *PeriodicIncast) { p := units.Nanosecond; w.Period, w.Duration = &p, units.Second }, []string{`duration: "1s": 1000000000 incasts of 2 flows are too many; at most 4194304 flows`}},
	} {
		w := incasts(2)
		c.change(w)
		_, err := w.Flows(hosts(8, 1))
		wantError(t, err, c.want...)
	}
}
