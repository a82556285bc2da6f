package bench

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/sim/units"
)

// tiny is a case that takes some milliseconds.
func tiny() *Case {
	c := permutation("tiny", 4, 1024, 100*units.KB)
	return &c
}

// timed runs a case once.
func timed(t *testing.T, c *Case, workers int) Timing {
	t.Helper()
	got, err := c.timeOnce(context.Background(), workers)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Nothing waits long enough to be marked, so that every packet and its acknowledgement
// cross the six links between pods and nothing else does.
func TestAPermutationCrossesTheCores(t *testing.T) {
	const hosts, packets, links = 16, 98, 6
	if got := timed(t, tiny(), 1).Hops; got != hosts*packets*2*links {
		t.Errorf("%d packet-hops, want %d", got, hosts*packets*2*links)
	}
}

// The digest is of every event and its time: the case is this scenario, to the bit.
func TestACaseIsTheScenarioThatAUserWouldWrite(t *testing.T) {
	const tree = `
name: tree
stop: {when: flows-done, limit: 1s}
topology: {kind: fat-tree, k: 4, host_link: {rate: 100Gbps, delay: 1us}, fabric_link: {rate: 100Gbps, delay: 1us}}
switch: {pipeline: 0s}
host: {ack_every: 1, mtu: 1024}
workloads: [{kind: permutation, shift: 9, size: 1MB}]
`
	const racks = `
name: racks
stop: {when: flows-done, limit: 1s}
topology: {kind: fat-tree, k: 4, host_link: {rate: 100Gbps, delay: 25ns}, fabric_link: {rate: 100Gbps, delay: 250ns}}
host: {ack_every: 1, mtu: 1024}
workloads: [{kind: permutation, shift: 9, size: 1MB}]
`
	const search = `
name: bench
stop: {when: flows-done, limit: 1s}
topology:
  kind: three-tier
  pods: 5
  racks_per_pod: 4
  hosts_per_rack: 16
  leaves_per_pod: 4
  cores: 16
  host_link: {rate: 100Gbps, delay: 1us}
  leaf_link: {rate: 400Gbps, delay: 1us}
  core_link: {rate: 400Gbps, delay: 1us}
switch: {pipeline: 0s}
host: {ack_every: 1, payload: 1000}
workloads: [{kind: open-loop, load: 30%, sizes: websearch, duration: 10us}]
`
	for name, tc := range map[string]struct {
		c        Case
		scenario string
	}{
		"permutation": {permutation("", 4, 1024, units.MB), tree},
		"realistic":   {realistic("", 4, 1024, units.MB), racks},
		"websearch":   {webSearch("", 10*units.Microsecond), search},
	} {
		spec, err := scenarios.Parse("case.yaml", []byte(tc.scenario))
		if err != nil {
			t.Fatal(err)
		}
		run, err := spec.Build()
		if err != nil {
			t.Fatal(err)
		}
		want, err := tc.c.run(context.Background(), run.Cluster, 1, longest)
		if err != nil {
			t.Fatal(err)
		}
		if got := timed(t, &tc.c, 1); got.Work != want.Work {
			t.Errorf("%s: %+v, as a scenario %+v", name, got.Work, want.Work)
		}
	}
}

// Those who do not talk have no part in what is done.
func TestASparseCaseDoesTheWorkOfItsTalkers(t *testing.T) {
	c := sparse("", 8, 4, 100*units.KB)
	const talkers, packets, links = 4, 25, 6
	if got := timed(t, &c, 1).Hops; got != talkers*packets*2*links {
		t.Errorf("%d packet-hops, want %d", got, talkers*packets*2*links)
	}
}

func TestAnIncastLastsAsLongAsItsReceiverTakesToGetItAll(t *testing.T) {
	c := incast("", 4, 10, 100*units.KB)
	if got, least := timed(t, &c, 1).Simulated, linkRate.Serialise(10*100_000); got < least {
		t.Errorf("over at %v, but the data alone take the last link %v", got, least)
	}
}

func TestAllToAllHasAQueuePairForEachPair(t *testing.T) {
	c := allToAll("", 2, 4*units.KiB)
	s, err := c.Setup()
	if err != nil {
		t.Fatal(err)
	}
	if hosts := len(s.Graph.Hosts()); hosts != 32 || len(s.Flows) != 32*31 {
		t.Errorf("%d flows between %d hosts", len(s.Flows), hosts)
	}
}

func TestCasesAreWhatTheListSays(t *testing.T) {
	var seen []string
	for _, c := range Cases {
		if slices.Contains(seen, c.Name) || strings.Trim(c.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("%q is no name, or that of another case", c.Name)
		}
		seen = append(seen, c.Name)
		if testing.Short() && c.Hosts > 1024 {
			continue
		}
		s, err := c.Setup()
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if hosts := len(s.Graph.Hosts()); hosts != c.Hosts || s.NIC.MTU != c.MTU || len(s.Flows) == 0 {
			t.Errorf("%s: %d hosts, MTU %d, %d flows; the list says %d hosts, MTU %d", c.Name, hosts, s.NIC.MTU, len(s.Flows), c.Hosts, c.MTU)
		}
		if size := s.Flows[0].Size.String(); c.Flow != size && c.Flow != "WebSearch" {
			t.Errorf("%s: flows of %s; the list says %s", c.Name, size, c.Flow)
		}
	}
}

func TestAPatternIsAPartOfANameOrAGlob(t *testing.T) {
	for _, tc := range []struct {
		patterns []string
		full     bool
		want     string
	}{
		{[]string{"incast"}, false, "incast-100"},
		{[]string{"*-16"}, false, "permutation-16"},
		{[]string{"incast", "permutation-16", "inc"}, false, "permutation-16 incast-100"},
		{[]string{"permutation-8192"}, false, "permutation-8192"}, // named exactly, though it takes long
		{[]string{"8192"}, true, "permutation-8192 permutation-8192-mtu1024"},
		{[]string{"-1024"}, false, "permutation-1024"},
	} {
		cases, err := Select(tc.patterns, tc.full)
		if err != nil {
			t.Errorf("%q: %v", tc.patterns, err)
			continue
		}
		var names []string
		for _, c := range cases {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, " "); got != tc.want {
			t.Errorf("%q selects %s, want %s", tc.patterns, got, tc.want)
		}
	}
}

func TestWithoutAPatternOnlyWhatTakesLongIsLeftOut(t *testing.T) {
	few, err := Select(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Select(nil, true)
	if err != nil || len(all) != len(Cases) {
		t.Errorf("%d of %d cases with all asked for: %v", len(all), len(Cases), err)
	}
	if slices.ContainsFunc(few, func(c Case) bool { return c.Full }) || len(few) == 0 {
		t.Errorf("%d cases without a pattern, one of them takes long", len(few))
	}
}

func TestAPatternThatSelectsNothingSaysWhy(t *testing.T) {
	for pattern, want := range map[string]string{
		"nonsense": `there is no case like "nonsense"; rdmasim bench --list prints them all`,
		"65536":    `"65536" selects only cases that take long: permutation-65536, sparse-65536; use --full, or the whole name of one`,
	} {
		if _, err := Select([]string{"incast", pattern}, false); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", pattern, err, want)
		}
	}
}
