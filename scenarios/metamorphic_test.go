package scenarios

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/record"
	"pgregory.net/rapid"
)

// To look changes nothing: with every series recorded, at every change or every 700 ns, the
// same events happen and the same tables are left, in any scenario.
func TestSeriesChangeNothing(t *testing.T) {
	onChange := []string{record.QueueDepth, record.PGOccupancy, record.QPRate, record.QPAlpha, record.Pause}
	rapid.Check(t, func(t *rapid.T) {
		spec := drawScenario(t)
		spec.Measure.Series, spec.Measure.Match = nil, nil
		limit := limitFor(t, spec, 5_000)
		want := tables(t, during(t, spec, limit, 1))
		spec.Measure.Series, spec.Measure.Every = onChange, Every{}
		wantSame(t, "recording every change", tables(t, during(t, spec, limit, 1)), want)
		spec.Measure.Series, spec.Measure.Every = append(onChange, record.LinkUtilisation), Every{Value: 700_000, Given: true}
		wantSame(t, "recording every 700 ns", tables(t, during(t, spec, limit, 2)), want)
	})
}

// called is a scenario in which everything acts, with hosts of some names.
const called = `name: called
topology: {kind: custom, hosts: [A, B, C, D, E], switches: [left, right],
           links: [{a: A, b: left}, {a: B, b: left}, {a: C, b: right}, {a: D, b: right}, {a: E, b: right}, {a: left, b: right, rate: 40Gbps, count: 2}]}
switch: {pfc: {xoff: 60KB}, ecn: {kmin: 5KB, kmax: 50KB}}
host: {timeout: 8}
workloads:
  - {kind: incast, to: C, from: [A, B, D], size: 1MB, qps: 3}
  - {kind: all-to-all, size: 50KB}
  - {kind: permutation, size: 300KB, start: 100us}
faults: [{kind: drop, links: [left-right], every: 100}]
measure: {series: [queue_depth, qp_rate, pause]}
`

// Whatever its hosts are called, a scenario leaves the same tables and the same sentences
// but for the names. An open loop, which draws each host's flows by its name, and losses
// drawn on the cables of hosts would differ.
func TestHostsOfOtherNamesLeaveTheSameTables(t *testing.T) {
	named := func(names ...string) map[string]string {
		forth, back := []string{}, []string{}
		for i, name := range names {
			letter := string(rune('A' + i))
			forth = append(forth, ", "+letter, ", "+name, "["+letter, "["+name, ": "+letter, ": "+name)
			back = append(back, name, letter)
		}
		spec := parsed(t, strings.NewReplacer(forth...).Replace(called))
		all := tables(t, during(t, spec, spec.Stop.Limit, 1))
		for table := range all {
			all[table] = strings.NewReplacer(back...).Replace(all[table])
		}
		return all
	}
	want := named("hostA", "hostB", "hostC", "hostD", "hostE")
	wantSame(t, "with other names", named("zulu1", "aaron", "mike7", "golf0", "betty"), want)
	for _, idle := range []string{`"xoff_frames": 0,`, `"marked_packets": 0,`} {
		if strings.Contains(want["summary.json"], idle) {
			t.Errorf("%s, so that this shows little", idle)
		}
	}
}
