package scenarios

import (
	"testing"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

const us = units.Microsecond

// measurements are a run of 50 us in which four flows took 10, 20, 30 and 40 us, but the last has not ended, and one queue
// held 100 bytes from 10 us on, 300 from 20 us on and none from 40 us on. Another held 50 bytes from 45 us on.
func measurements() map[string]*measured {
	flows := results.NewTable("flows.csv", "one row a flow")
	flow, dst, fct := flows.Int("flow", "", "number"), flows.String("dst", "receiver"), flows.Time("fct_us", "time it took")
	flow.Append(0, 1, 2, 3)
	dst.Append("h0", "h0", "leaf1/h1", "h2")
	fct.Append(10*us, 20*us, 30*us, units.Never)

	queue := results.NewTable("series/queue_depth.csv", "one row a change")
	at, node := queue.Time("time_us", "instant"), queue.String("node", "switch")
	port, priority, held := queue.Int("port", "", "port"), queue.Int("priority", "", "priority"), queue.Bytes("queue_bytes", "bytes")
	at.Append(10*us, 20*us, 40*us, 45*us)
	node.Append("s0", "s0", "s0", "s0")
	port.Append(1, 1, 1, 2)
	priority.Append(3, 3, 3, 3)
	held.Append(100, 300, 0, 50)

	group := results.NewTable("series/pg_occupancy.csv", "one row a change")
	at, node = group.Time("time_us", "instant"), group.String("node", "switch")
	port, priority = group.Int("port", "", "port"), group.Int("priority", "", "priority")
	limit := group.Bytes("threshold_bytes", "bytes")
	at.Append(10 * us)
	node.Append("s0")
	port.Append(1)
	priority.Append(3)
	limit.Append(7000)
	return map[string]*measured{base: {
		summary: &results.Summary{SimulatedTime: results.Micros(50 * us), FCT: &results.Percentiles[results.Micros]{P50: results.Micros(20 * us)}},
		tables:  map[string]*results.Table{"flows": flows, "series/queue_depth": queue, "series/pg_occupancy": group},
	}}
}

// verdict judges an expectation against these measurements.
func verdict(t *testing.T, expect string) results.Expectation {
	t.Helper()
	spec := parsed(t, star, "measure.series=[queue_depth, pg_occupancy]", "expect=["+expect+"]")
	return spec.Expect[0].judge(measurements(), nil)
}

func TestRowsArePickedAndFolded(t *testing.T) {
	for expect, want := range map[string]string{
		"{metric: flows.fct_us, where: {flow: 1}, equals: 20us}":                               "20us",
		"{metric: flows.fct_us, where: {dst: h0}, take: sum, equals: 30us}":                    "30us",
		"{metric: flows.fct_us, where: {dst: h0}, take: mean, equals: 15us}":                   "15us",
		"{metric: flows.fct_us, where: {dst: h0}, take: last, equals: 20us}":                   "20us",
		"{metric: flows.fct_us, where: {dst: h0}, take: first, equals: 10us}":                  "10us",
		"{metric: flows.fct_us, where: {dst: h0}, take: min, equals: 10us}":                    "10us",
		"{metric: flows.fct_us, where: {dst: h0}, take: p50, equals: 10us}":                    "10us",
		"{metric: flows.fct_us, where: {dst: h0}, take: p99, equals: 20us}":                    "20us",
		"{metric: flows.dst, where: {dst: \"*h?\"}, take: count, equals: 4}":                   "4",
		"{metric: flows.fct_us, where: {dst: \"leaf*\"}, equals: 30us}":                        "30us",
		"{metric: flows.fct_us, where: {fct_us: 20us}, take: count, equals: 1}":                "1",
		"{metric: flows.fct_us, where: {dst: nowhere}, take: count, equals: 0}":                "0",
		"{metric: flows.fct_us, where: {flow: 2}, ratio_to: flow.fct.p50, equals: 1.5}":        "1.5",
		"{metric: flows.fct_us, where: {flow: 2}, ratio_to: {where: {flow: 0}}, equals: 3}":    "3",
		"{metric: flows.fct_us, where: {dst: h0}, take: max, ratio_to: {take: min}, above: 1}": "2",
	} {
		if got := verdict(t, expect); got.Measured != want || !got.Met {
			t.Errorf("%s: found %s, met %v; want %s", expect, got.Measured, got.Met, want)
		}
	}
}

// A value of a series holds until the next one. Its mean is over time and not over rows, of which there are more where
// much happens.
func TestAValueOfASeriesHoldsUntilTheNext(t *testing.T) {
	const port1 = "metric: series.queue_depth.queue_bytes, where: {node: s0, port: 1}, "
	for expect, want := range map[string]string{
		port1 + "take: mean, equals: 140B":                                                              "140B", // (100 B x 10 us + 300 B x 20 us) / 50 us
		port1 + "take: mean, from: 10us, to: 20us, equals: 100B":                                        "100B",
		port1 + "take: mean, from: 15us, to: 30us, above: 233B":                                         "233B", // (100 B x 5 us + 300 B x 10 us) / 15 us = 233.3 B
		port1 + "take: p50, equals: 100B":                                                               "100B", // 0 B for 20 us, 100 B for 10 us, 300 B for 20 us
		port1 + "take: p90, equals: 300B":                                                               "300B",
		port1 + "take: max, to: 20us, equals: 100B":                                                     "100B",
		port1 + "take: min, from: 12us, to: 39us, equals: 100B":                                         "100B",
		port1 + "take: first, from: 15us, equals: 100B":                                                 "100B",
		port1 + "take: first, from: 20us, to: 20us, equals: 300B":                                       "300B",
		port1 + "take: last, to: 40us, equals: 300B":                                                    "300B",
		port1 + "take: last, equals: 0":                                                                 "0B",
		port1 + "take: count, from: 10us, to: 40us, equals: 2":                                          "2",
		"metric: series.queue_depth.queue_bytes, where: {node: s0}, take: max, from: 41us, equals: 50B": "50B",
		"metric: series.queue_depth.queue_bytes, where: {node: s1}, take: mean, equals: 0":              "0B", // it never changed
		"metric: series.pg_occupancy.threshold_bytes, take: mean, equals: 7000B":                        "7000B",
	} {
		if got := verdict(t, "{"+expect+"}"); got.Measured != want || !got.Met {
			t.Errorf("%s: found %s, met %v; want %s", expect, got.Measured, got.Met, want)
		}
	}
}

func TestWhatIsNotMeasuredBreaksThePromiseAndSaysWhy(t *testing.T) {
	for expect, want := range map[string]string{
		"{metric: flows.fct_us, where: {flow: 7}, below: 1s}":                                         "not measured: no row fits",
		"{metric: flows.fct_us, where: {dst: h0}, below: 1s}":                                         "not measured: 2 rows fit, want one",
		"{metric: flows.fct_us, where: {flow: 3}, below: 1s}":                                         "not measured: fct_us is empty",
		"{metric: flows.fct_us, take: max, below: 1s}":                                                "not measured: fct_us is empty in 1 of 4 rows",
		"{metric: flow.slowdown.p99, below: 9}":                                                       "not measured",
		"{metric: flow.fct.p50, ratio_to: flow.fct.p99, below: 9}":                                    "not measured: flow.fct.p99 is 0",
		"{metric: flow.slowdown.p50, ratio_to: flow.slowdown.p99, below: 9}":                          "not measured",
		"{metric: drops, ratio_to: flow.slowdown.p99, below: 9}":                                      "not measured: flow.slowdown.p99",
		"{metric: series.queue_depth.queue_bytes, take: mean, below: 1MB}":                            "not measured: 2 series fit, want one: node s0 port 1 priority 3, node s0 port 2 priority 3",
		"{metric: series.queue_depth.queue_bytes, where: {port: 1}, take: mean, to: 1ms, below: 1MB}": "not measured: the run ended at 50us, before 1ms",
		"{metric: series.queue_depth.queue_bytes, where: {node: s0}, take: min, below: 1MB}":          "not measured: 2 series fit, want one: node s0 port 1 priority 3, node s0 port 2 priority 3",
		"{metric: series.pg_occupancy.threshold_bytes, take: mean, to: 5us, below: 1MB}":              "not measured: not known before 5us",
		"{metric: series.pg_occupancy.threshold_bytes, where: {port: 7}, take: mean, below: 1MB}":     "not measured: no row fits",
	} {
		if got := verdict(t, expect); got.Measured != want || got.Met || got.Deviation != "" {
			t.Errorf("%s: found %q, %q, met %v; want %q", expect, got.Measured, got.Deviation, got.Met, want)
		}
	}
}

func TestAVerdictSaysByHowMuch(t *testing.T) {
	for _, c := range []struct {
		expect, expected, deviation, band string
		met                               bool
	}{
		{"equals: 20us", "20us", "0", "exact", true},
		{"equals: 16us", "16us", "+4us (+25%)", "exact", false},
		{"below: 25us", "< 25us", "-5us (-20%)", "bound", true},
		{"above: 25us", "> 25us", "-5us (-20%)", "bound", false},
		{"between: [1us, 20us]", "1us to 20us", "inside", "between", true},
		{"between: [1us, 16us]", "1us to 16us", "+4us (+25%)", "between", false},
		{"between: [32us, 1ms]", "32us to 1ms", "-12us (-38%)", "between", false},
		{"within: 2%, of: 19.9us", "19.9us", "+100ns (+0.50%)", "±2%", true},
		{"within: 0.1%, of: 19.9us", "19.9us", "+100ns (+0.50%)", "±0.1%", false},
		{"above: 0", "> 0", "+20us", "bound", true},
	} {
		got := verdict(t, "{metric: flow.fct.p50, "+c.expect+"}")
		if got.Expected != c.expected || got.Deviation != c.deviation || got.Band != c.band || got.Met != c.met {
			t.Errorf("%s: %+v, want %+v", c.expect, got, c)
		}
	}
}
