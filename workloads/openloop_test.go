package workloads

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads/flowsize"
	"pgregory.net/rapid"
)

func openLoop(load int64, sizes string, duration units.Time) *OpenLoop {
	return &OpenLoop{
		Load: units.Ratio{Num: load, Den: 100}, Sizes: sizes, Duration: duration, Sigma: 2,
		On: 100 * units.Microsecond, Off: 100 * units.Microsecond, Priority: HostPriority,
	}
}

// offered returns the payload of flows over the time of their arrivals.
func offered(flows []Flow, duration units.Time) float64 {
	sum := 0.0
	for _, f := range flows {
		sum += float64(f.Size) * 8
	}
	return sum / duration.Seconds()
}

// The payload of n flows varies by √(n·E[X²]), n being Poisson.
func TestPoissonFlowsOfferTheirLoad(t *testing.T) {
	for _, table := range flowsize.Tables {
		const n, duration = 16, 10 * units.Millisecond
		flows := mustGenerate(t, openLoop(40, table.Name, duration), hosts(n, 1))
		expected := 0.4 * n * 100e9 / 8 / table.Mean() * duration.Seconds()
		if got := float64(len(flows)); math.Abs(got-expected) > 5*math.Sqrt(expected) {
			t.Errorf("%s: %v flows, want %.0f within %.0f", table.Name, got, expected, 5*math.Sqrt(expected))
		}
		deviation := 8 * math.Sqrt(expected*table.SecondMoment()) / duration.Seconds()
		if got, want := offered(flows, duration), 0.4*n*100e9; math.Abs(got-want) > 4*deviation {
			t.Errorf("%s: %.4g bit/s are offered, want %.4g within %.2g", table.Name, got, want, 4*deviation)
		}
	}
}

func TestOpenLoopFlowsComeInOrderFromAllToAllOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "hosts")
		w := openLoop(rapid.Int64Range(1, 100).Draw(t, "load"), "google-rpc2008", 20*units.Microsecond)
		w.Arrivals = rapid.SampledFrom([]string{"poisson", "log-normal", "paced", "on-off"}).Draw(t, "arrivals")
		w.Start = 7 * units.Microsecond
		flows, err := w.Flows(hosts(n, rapid.Uint64().Draw(t, "seed")))
		if err != nil {
			return // no flow at all
		}
		for i, f := range flows {
			switch {
			case f.Src == f.Dst || f.Dst >= n:
				t.Fatalf("a flow from host %d to host %d", f.Src, f.Dst)
			case f.Start < w.Start || f.Start >= w.Start+w.Duration:
				t.Fatalf("a flow starts at %v", f.Start)
			case i > 0 && f.Start < flows[i-1].Start:
				t.Fatalf("flow %d starts before the one before it", i)
			case f.Size < 1 || f.Messages != 1 || f.QP != OwnQP:
				t.Fatalf("%+v", f)
			}
		}
	})
}

func TestDestinationsAreEquallyLikely(t *testing.T) {
	flows := mustGenerate(t, openLoop(50, "google-rpc2008", 2*units.Millisecond), hosts(5, 1))
	count := map[[2]int]int{}
	for _, f := range flows {
		count[[2]int{f.Src, f.Dst}]++
	}
	if len(count) != 20 {
		t.Errorf("%d of 20 pairs have flows", len(count))
	}
	mean := float64(len(flows)) / 20
	for pair, n := range count {
		if math.Abs(float64(n)-mean) > 5*math.Sqrt(mean) {
			t.Errorf("%d flows from %d to %d, want %.0f within %.0f", n, pair[0], pair[1], mean, 5*math.Sqrt(mean))
		}
	}
}

func TestAHostKeepsItsArrivalsAndSizesWhenOthersJoin(t *testing.T) {
	of := func(n int) (own []Flow) {
		for _, f := range mustGenerate(t, openLoop(50, "websearch", 5*units.Millisecond), hosts(n, 1)) {
			if f.Src == 2 {
				own = append(own, Flow{Start: f.Start, Size: f.Size})
			}
		}
		return own
	}
	if diff := cmp.Diff(of(4), of(9)); diff != "" {
		t.Error(diff)
	}
}

func TestTheLoadMayBeThatOfTheFabric(t *testing.T) {
	for _, c := range []struct {
		name, tier string
		load       int64
		from, to   []string
		share      float64
	}{
		// Racks of 4 hosts of 100G have uplinks of 200G. Of 16 hosts 12 of the 15 others stand in other racks.
		{"a fabric of half the hosts' rate", "fabric", 40, nil, nil, 0.4 * 200 / 400 * 15 / 12},
		// Pods of 8 hosts have uplinks of 100G; 8 of the 15 others stand in the other pod.
		{"the cores", "core", 80, nil, nil, 0.8 * 100 / 800 * 15 / 8},
		// Two hosts of one rack send to another rack only: 40 % of its 200G.
		{"some hosts of a rack", "fabric", 40, []string{"h[0-1]"}, []string{"rack1/*"}, 0.4 * 200 / 200},
		{"the hosts themselves", "host", 40, nil, nil, 0.4},
	} {
		w := openLoop(c.load, "websearch", units.Millisecond)
		w.Tier, w.From, w.To = c.tier, c.from, c.to
		env := hosts(16, 1)
		d := newDirectory(env)
		from, err1 := d.findOrAll("from", c.from)
		to, err2 := d.findOrAll("to", c.to)
		got, err3 := w.shareOfHost(env, from, to)
		if err1 != nil || err2 != nil || err3 != nil || math.Abs(got-c.share) > 1e-12 {
			t.Errorf("%s: a host is to offer %v of its rate, want %v; %v %v %v", c.name, got, c.share, err1, err2, err3)
		}
	}
}

func TestFlowSizesMayComeFromAFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "my.cdf"), []byte("5000 0\n5000 100\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, name := openLoop(50, "", 10*units.Microsecond), "my.cdf"
	w.CDFFile = &name
	w.SetBase(dir)
	for _, f := range mustGenerate(t, w, hosts(4, 1)) {
		if f.Size != 5000 {
			t.Errorf("a flow of %v", f.Size)
		}
	}
	for text, want := range map[string]string{
		"0 100\n": ": all flows are empty, and offer no load",
		"0 0\n":   ":1: the last share is 0 and not 100",
	} {
		if err := os.WriteFile(filepath.Join(dir, "my.cdf"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := w.Flows(hosts(4, 1))
		wantError(t, err, "cdf_file: "+filepath.Join(dir, "my.cdf")+want)
	}
	name = "/nowhere/x"
	_, err := w.Flows(hosts(4, 1))
	wantError(t, err, "cdf_file: open /nowhere/x: no such file or directory")
}

func TestOpenLoopErrors(t *testing.T) {
	for _, c := range []struct {
		change func(w *OpenLoop)
		want   []string
	}{
		{func(w *OpenLoop) { w.Load = units.Ratio{}; w.From = []string{"x"} }, []string{
			`from[0]: "x": no host of this name; one of h0, h1, h2 … h7`, `load: "0": no load; more than 0, such as 40%`}},
		{func(w *OpenLoop) { w.From, w.To = []string{"*"}, []string{"h1"} }, []string{
			`to: the only receiver is among the senders, and would send to itself; another receiver, or from without it`}},
		{func(w *OpenLoop) { w.Tier, w.From, w.To = "fabric", []string{"rack0/*"}, []string{"rack0/*"} }, []string{
			`tier: "fabric": no flow of these hosts leaves its rack; another tier, or other hosts`}},
		{func(w *OpenLoop) {
			w.Load, w.Tier, w.From, w.To = units.Ratio{Num: 3, Den: 5}, "fabric", []string{"h0"}, []string{"h7"}
		}, []string{`load: "60%": hosts would have to send at 120 % of their rate; at most 50%`}},
		{func(w *OpenLoop) { w.Duration = units.Picosecond }, []string{`duration: "1ps": so short that no flow arrives; longer, or a greater load`}},
		{func(w *OpenLoop) { w.Duration = units.Never }, []string{`duration: "never": not a length of time; such as 5ms`}},
		{func(w *OpenLoop) { w.Start = -1 }, []string{`start: "-1ps": not a time at which a run can be; 0s or later`}},
		{func(w *OpenLoop) { w.Duration = 10_000 * units.Second }, []string{
			`duration: "10000s": about 233747261 flows are too many; at most 4194304`}},
	} {
		w := openLoop(40, "websearch", units.Millisecond)
		c.change(w)
		_, err := w.Flows(hosts(8, 1))
		wantError(t, err, c.want...)
	}
}
