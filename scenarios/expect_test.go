package scenarios

import (
	"testing"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

func TestAnExpectationIsJudgedByTheSummary(t *testing.T) {
	summary := &results.Summary{
		Outcome: results.Done,
		Flows:   results.Flows{Total: 3, Done: 2, Failed: 1},
		FCT:     &results.Percentiles[results.Micros]{P99: results.Micros(1500 * units.Microsecond)},
		Drops:   []results.Drop{{Packets: 2}, {Packets: 3, Lossless: true}},
		ECN:     results.NewECN(1, 5, 1),
		Goodput: results.Goodput{Rate: results.Gbps(98 * units.Gbps)},
	}
	cases := []struct{ expect, text, measured string }{
		{"{outcome: done}", "outcome done", "done"},
		{"{outcome: stalled}", "outcome stalled", "done"},
		{"{metric: flow.fct.p99, below: 2ms}", "flow.fct.p99 below 2ms", "1.5ms"},
		{"{metric: flow.fct.p99, below: 1.5ms}", "flow.fct.p99 below 1.5ms", "1.5ms"},
		{"{metric: flow.fct.p99, above: 100us}", "flow.fct.p99 above 100us", "1500us"}, // in the unit of the promise
		{"{metric: flow.fct.p99, above: 0}", "flow.fct.p99 above 0", "1.5ms"},
		{"{metric: drops, equals: 5}", "drops equals 5", "5"},
		{"{metric: lossless_drops, equals: 0}", "lossless_drops equals 0", "3"},
		{"{metric: ecn.share, between: [10%, 20%]}", "ecn.share between 10% and 20%", "0.2"},
		{"{metric: goodput, above: 90Gbps}", "goodput above 90Gbps", "98Gbps"},
		{"{metric: pause.frames, equals: 0}", "pause.frames equals 0", "0"},
		{"{metric: queue.peak, below: 1MB}", "queue.peak below 1MB", "0B"},
		{"{metric: flow.slowdown.p99, above: 0}", "flow.slowdown.p99 above 0", "not measured"},
		{"{metric: goodput.slowest, above: 0}", "goodput.slowest above 0", "not measured"},
	}
	broken := map[int]bool{1: true, 3: true, 7: true, 12: true, 13: true}
	for i, c := range cases {
		spec := load(t, "testdata/design.yaml", "expect=["+c.expect+"]")
		got := spec.Expect[0].judge(map[string]*measured{base: {summary: summary}}, nil)
		if got.Text != c.text || got.Measured != c.measured || got.Met == broken[i] {
			t.Errorf("%s: %+v, want %q, measured %s", c.expect, got, c.text, c.measured)
		}
	}
}

func TestEveryMetricHasAValueInAFullSummary(t *testing.T) {
	full := &results.Summary{
		FCT: &results.Percentiles[results.Micros]{}, Slowdown: &results.Percentiles[float64]{},
		Wait: new(results.Micros),
		Goodput: results.Goodput{
			Jain: new(float64), Slowest: &results.NamedRate{}, Fastest: &results.NamedRate{}, SlowestFlow: &results.NamedRate{}, FastestFlow: &results.NamedRate{},
		},
		CPU: &results.CPU{Cores: new(float64), Cycles: new(float64), Copies: new(float64), Crossings: new(float64)}, Bill: &results.Bill{PerGB: new(float64)}, TCP: &results.TCP{Aggregates: 1},
		Pause: &results.Pause{}, ECN: &results.ECN{}, Feedback: &results.Feedback{MarkToCut: &results.Delay{}}, PeakQueue: &results.Peak{}, PeakIngress: &results.Peak{}, PeakHeadroom: &results.Peak{},
	}
	seen := map[string]bool{}
	for _, m := range Metrics {
		if _, ok := m.Of(full); !ok || m.Doc == "" || seen[m.Name] {
			t.Errorf("%s has no value, no doc, or a name taken already", m.Name)
		}
		seen[m.Name] = true
	}
}

func TestAQuantityIsWhatItsUnitSays(t *testing.T) {
	for text, want := range map[string]Quantity{
		"0":      {"0", Number, 0},
		"0.5":    {"0.5", Number, 0.5},
		"20%":    {"20%", Number, 0.2},
		"1/8":    {"1/8", Number, 0.125},
		"2ms":    {"2ms", Time, 2e9},
		"40Gbps": {"40Gbps", Rate, 40e9},
		"1MB":    {"1MB", Bytes, 1e6},
	} {
		var got Quantity
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s is %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "fast", "inf", "NaN", "2 ms"} {
		if err := new(Quantity).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestAWordMayStandForAQuantity(t *testing.T) {
	var size Auto[units.Bytes]
	if size.Held() != nil || size.String() != "auto" || size.Else(7) != 7 {
		t.Errorf("the zero value is %v, want auto", size)
	}
	if err := size.UnmarshalText([]byte("4KB")); err != nil || size.Held() != 4*units.KB || size.Else(7) != 4*units.KB {
		t.Errorf("4KB is %v, %v", size, err)
	}
	err := size.UnmarshalText([]byte("Auto"))
	if want := `"Auto": not a number; write a size such as 4MiB, or auto`; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	if err := size.UnmarshalText([]byte("auto")); err != nil || size.Given {
		t.Errorf("auto is %v, %v", size, err)
	}
}
