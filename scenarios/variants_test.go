package scenarios

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/results"
)

// trio is a scenario with two variants.
const trio = `name: trio
topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 500ns}}
switch: {ecn: {kmin: 20KB, kmax: 80KB}}
workloads: [{kind: incast, to: h0, size: 300KB}]
measure: {series: [queue_depth]}
variants:
  - {name: no-cc, set: {host.congestion_control.kind: none}}
  - {name: long-way, doc: far apart, set: {topology.link.delay: 5us, seed: 3}}
`

// tried runs a scenario and returns its summary and where its results are.
func tried(t *testing.T, spec *Spec) (*results.Summary, string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	session := Session{Spec: spec, Out: out, Command: "rdmasim run"}
	summary, err := session.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return summary, out
}

// fileless runs a scenario without leaving files.
func fileless(t *testing.T, spec *Spec) *results.Summary {
	t.Helper()
	session := Session{Spec: spec}
	summary, err := session.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// A variant is the run that --set would have made, to the bit, in the summary as in every table.
func TestAVariantIsTheRunThatSetWouldMake(t *testing.T) {
	spec := parsed(t, trio)
	summary, out := tried(t, spec)
	for i, sets := range [][]string{{"host.congestion_control.kind=none"}, {"topology.link.delay=5us", "seed=3"}} {
		v := summary.Variants[i]
		alone, there := tried(t, parsed(t, trio, append(sets, "variants=[]")...))
		if v.Summary.Digest != alone.Digest || v.Summary.Digest == summary.Digest {
			t.Errorf("%s has the digest %s, alone it is %s, without its settings %s", v.Name, v.Summary.Digest, alone.Digest, summary.Digest)
		}
		for _, file := range []string{"flows.csv", "ports.csv", "series/queue_depth.csv"} {
			mine, theirs := read(t, out, v.Folder, file), read(t, there, file)
			if !bytes.Equal(mine, theirs) || len(mine) < 100 {
				t.Errorf("%s of %s differs from that of the run alone", file, v.Name)
			}
		}
	}
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The scenario in the folder of a variant is that of its run, and no more: run alone it is the same.
func TestTheResolvedScenarioOfAVariantStandsAlone(t *testing.T) {
	spec := parsed(t, trio, "expect=[{metric: drops, run: no-cc, equals: 0}]")
	summary, out := tried(t, spec)
	text := read(t, out, "variants/long-way/scenario.yaml")
	again, err := Parse("scenario.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	if again.Name != "trio.long-way" || again.Description != "far apart" || len(again.Variants)+len(again.Expect) > 0 || again.Seed != 3 {
		t.Errorf("%s", text)
	}
	if alone := fileless(t, again); alone.Digest != summary.Variants[1].Summary.Digest {
		t.Error("run alone it is another run")
	}
	if !strings.Contains(string(text), "seed: 3                                         # test.yaml:8:") {
		t.Errorf("the place of the seed is not that of its key in set:\n%s", text)
	}
}

// Looking at the rows that there will be, and at series, does not touch the runs.
func TestAnExpectationChangesNothing(t *testing.T) {
	bare := fileless(t, parsed(t, trio))
	judged := fileless(t, parsed(t, trio, `expect=[{metric: flows.fct_us, where: {flow: 1}, below: 1s},
		{metric: ports.tx_bytes, where: {node: sw0, port: 1}, run: no-cc, above: 0}, {metric: pfc.xoff_tx, where: {node: sw0}, take: max, equals: 0},
		{metric: flow.fct.p99, ratio_to: {run: no-cc}, above: 0.1}, {metric: series.queue_depth.queue_bytes, where: {node: sw0, port: 0}, take: max, above: 0}]`))
	if len(judged.Expectations) != 5 {
		t.Fatalf("%d verdicts", len(judged.Expectations))
	}
	for _, e := range judged.Expectations {
		if !e.Met {
			t.Errorf("%s: found %s", e.Text, e.Measured)
		}
	}
	if bare.Digest != judged.Digest || bare.Variants[0].Summary.Digest != judged.Variants[0].Summary.Digest {
		t.Error("the digests differ")
	}
}

// What follows from the network alone is known before anything runs.
func TestRowsThatCannotBeAreRefusedBeforeTheRun(t *testing.T) {
	for expect, want := range map[string]string{
		"{metric: flows.fct_us, where: {flow: 9}, below: 1s}":                                 `expect[0].where: "flow: 9": no row of flows is like that; flow: one of 0, 1, 2`,
		"{metric: flows.fct_us, below: 1s}":                                                   `expect[0].metric: "flows.fct_us": flows has 3 rows; name one of them by where, or add take: max, mean, sum or the like`,
		"{metric: flows.fct_us, where: {dst: h0}, below: 1s}":                                 `expect[0].where: "dst: h0": 3 rows of flows are like that; name one of them, or add take: max, mean, sum or the like`,
		"{metric: ports.tx_bytes, where: {node: sw1, port: 0}, above: 0}":                     `expect[0].where: "node: sw1, port: 0": no row of ports is like that; node: one of h0, h1, h2 … sw0`,
		"{metric: ports.tx_bytes, where: {node: sw0, port: 8}, above: 0}":                     `expect[0].where: "node: sw0, port: 8": no row of ports is like that; port: one of 0, 1, 2, 3`,
		"{metric: ports.tx_bytes, where: {node: h0, port: 3}, above: 0}":                      `expect[0].where: "node: h0, port: 3": no row of ports is like that; each of these alone fits some rows, but not all together`,
		"{metric: series.queue_depth.queue_bytes, where: {node: h0}, take: max, above: 0}":    `expect[0].where: "node: h0": no row of series/queue_depth is like that; node: one of sw0`,
		"{metric: series.queue_depth.queue_bytes, where: {port: 3}, take: max, above: 0}":     `expect[0].where: "port: 3": no row of series/queue_depth is like that; port: one of 0, 1, 2`,
		"{metric: series.queue_depth.queue_bytes, where: {priority: 4}, take: max, above: 0}": `expect[0].where.priority: "4": no packet of this run has this priority; one of 3, 6`,
		"{metric: perftest.t_avg_us, take: max, below: 1s}":                                   `expect[0].metric: "perftest.t_avg_us": no workload of this run is a test of perftest; a workload such as ib_write_bw`,
		"{metric: short_connections.session_us, where: {client: h0}, below: 1s}":              `expect[0].metric: "short_connections.session_us": no workload of this run leaves this table; a workload of kind short-connections`,
		"{metric: credits.wait_us, take: max, below: 1ms}":                                    `expect[0].metric: "credits.wait_us": links of this run have no credits; host.transport: infiniband`,
		"{metric: drops, ratio_to: {metric: flows.naks, where: {flow: 9}}, above: 0}":         `expect[0].ratio_to.where: "flow: 9": no row of flows is like that; flow: one of 0, 1, 2`,
	} {
		out := filepath.Join(t.TempDir(), "out")
		session := Session{Spec: parsed(t, trio, `measure.match=["sw0:[0-2]"]`, "expect=["+expect+"]"), Out: out}
		_, err := session.Run(context.Background())
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", expect, err, want)
		}
		if _, lint := session.Spec.Lint(); lint == nil || lint.Error() != err.Error() {
			t.Errorf("%s: validate says %v", expect, lint)
		}
		if _, err := os.Stat(out); err == nil {
			t.Error("there is a directory")
		}
	}
}

// The worst of all runs is the exit code.
func TestTheExitCodeIsThatOfTheWorstRun(t *testing.T) {
	done := func() *results.Summary { return &results.Summary{Outcome: results.Done} }
	stalled := &results.Summary{Outcome: results.Stalled}
	lossy := &results.Summary{Outcome: results.Done, Drops: []results.Drop{{Packets: 1, Lossless: true}}}
	for _, c := range []struct {
		name, expect string
		variant      *results.Summary
		met          []bool
		want         int
	}{
		{"all done", "[]", done(), nil, ExitDone},
		{"a variant stalls", "[]", stalled, nil, ExitIncomplete},
		{"a variant stalls as it is to", "[{outcome: stalled, run: no-cc}]", stalled, []bool{true}, ExitDone},
		{"a variant stalls where the base is to", "[{outcome: stalled}]", stalled, []bool{false}, ExitIncomplete},
		{"a variant loses", "[]", lossy, nil, ExitBroken},
		{"a variant loses as it is to", "[{metric: lossless_drops, run: no-cc, above: 0}]", lossy, []bool{true}, ExitDone},
		{"a variant loses where the base is to", "[{metric: lossless_drops, above: 0}]", lossy, []bool{true}, ExitBroken},
		{"a promise about a variant is broken", "[{metric: goodput, run: no-cc, above: 0}]", done(), []bool{false}, ExitBroken},
	} {
		spec, summary := parsed(t, trio, "expect="+c.expect), done()
		summary.Variants = []results.Variant{{Name: "no-cc", Summary: c.variant}, {Name: "long-way", Summary: done()}}
		for _, met := range c.met {
			summary.Expectations = append(summary.Expectations, results.Expectation{Met: met})
		}
		if got := spec.ExitCode(summary); got != c.want {
			t.Errorf("%s: exit code %d, want %d", c.name, got, c.want)
		}
	}
}

// A run that is interrupted ends all of its runs, and each leaves what it has.
func TestAnInterruptEndsAllRuns(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	out := filepath.Join(t.TempDir(), "out")
	session := Session{Spec: parsed(t, trio), Out: out, Cores: 1}
	summary, err := session.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*results.Summary{summary, summary.Variants[0].Summary, summary.Variants[1].Summary} {
		if s.Outcome != results.Interrupted {
			t.Errorf("%s is %s", s.Scenario, s.Outcome)
		}
	}
	read(t, out, "variants/long-way", results.ManifestName)
}
