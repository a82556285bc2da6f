package faults

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads"
)

// racks is two racks of two hosts, over two spines.
func racks(t *testing.T) *Env {
	t.Helper()
	link := topology.HostCable{Rate: 100 * units.Gbps, Delay: 500 * units.Nanosecond}
	g, err := (&topology.LeafSpine{
		Leaves: 2, Spines: 2, HostsPerLeaf: 2, NICsPerHost: 1, HostLink: link, FabricLink: topology.FabricCable(link),
	}).Build()
	if err != nil {
		t.Fatal(err)
	}
	var hosts workloads.Env
	for _, node := range g.Hosts() {
		hosts.Hosts = append(hosts.Hosts, g.Nodes[node].Name)
	}
	return &Env{Graph: g, Flows: 3, Hosts: hosts.Find, Lossless: 1 << 3}
}

// names writes the ends of cables as "from>to".
func names(g *topology.Graph, ends []end) string {
	var words []string
	for _, e := range ends {
		at := g.Ports(e.node)[e.port]
		words = append(words, g.Nodes[e.node].Name+">"+g.Nodes[at.Peer].Name)
	}
	return strings.Join(words, " ")
}

func TestLinksAreNamedAsInResults(t *testing.T) {
	env := racks(t)
	for selector, want := range map[string]string{
		"h0-leaf0":               "h0>leaf0",
		"leaf0-h0":               "leaf0>h0",
		"leaf0:0":                "leaf0>h0",
		"spine0:1":               "spine0>leaf1",
		"h[0-1]-leaf0":           "h0>leaf0 h1>leaf0",
		"h[0-3]-leaf[0-1]":       "h0>leaf0 h1>leaf0 h2>leaf1 h3>leaf1",
		"h0-leaf0, leaf1-spine1": "h0>leaf0 leaf1>spine1",
		"leaf0:[2-3]":            "leaf0>spine0 leaf0>spine1",
		"leaf0-spine*":           "leaf0>spine0 leaf0>spine1",
		"spine*-leaf*":           "spine0>leaf0 spine0>leaf1 spine1>leaf0 spine1>leaf1",
		"leaf1-*":                "leaf1>h2 leaf1>h3 leaf1>spine0 leaf1>spine1",
		"spine1:*":               "spine1>leaf0 spine1>leaf1",
		"l*f0-s*e*":              "leaf0>spine0 leaf0>spine1",
		"*":                      "h0>leaf0 h1>leaf0 h2>leaf1 h3>leaf1 leaf0>spine0 leaf0>spine1 leaf1>spine0 leaf1>spine1",
	} {
		ends, err := newDirectory(env.Graph).find([]string{selector})
		if err != nil {
			t.Errorf("%s: %v", selector, err)
		}
		if got := names(env.Graph, ends); got != want {
			t.Errorf("%s names %s, want %s", selector, got, want)
		}
	}
}

// A cable that several selectors name is named once, by the end that was named first.
func TestALinkIsNamedOnce(t *testing.T) {
	env := racks(t)
	ends, err := newDirectory(env.Graph).find([]string{"leaf0-h0", "h*-leaf0"})
	if got := names(env.Graph, ends); err != nil || got != "leaf0>h0 h1>leaf0" {
		t.Errorf("%s, %v", got, err)
	}
}

// Hyphens in the names of nodes do not matter.
func TestANodeMayHaveAHyphenInItsName(t *testing.T) {
	g, err := topology.New(
		[]topology.Node{{Name: "rack-1-a"}, {Name: "rack-1"}, {Name: "a-top", Kind: topology.Switch}},
		[]topology.Link{{A: 0, B: 2, Rate: units.Gbps, Delay: 1}, {A: 1, B: 2, Rate: units.Gbps, Delay: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for selector, want := range map[string]string{"rack-1-a-top": "rack-1>a-top", "rack-1-a-a-top": "rack-1-a>a-top"} {
		ends, err := newDirectory(g).find([]string{selector})
		if got := names(g, ends); err != nil || got != want {
			t.Errorf("%s names %s (%v), want %s", selector, got, err, want)
		}
	}
}

func TestWhatIsWrongWithAFaultIsTold(t *testing.T) {
	env := racks(t)
	noFlows := *env
	noFlows.Flows = 0
	if err := (&Drop{Flow: new(int)}).Plan(&noFlows, "fault", new(host.Faults)); err == nil || !strings.HasPrefix(err.Error(), `flow: "0": there are no flows`) {
		t.Errorf("%v, want that there are no flows", err)
	}
	always := Window{For: units.Never}
	once := Times{At: units.Millisecond, For: units.Never, Count: 1}
	one, flow, pfc := int64(1), 3, []string{"data", "pfc-pause"}
	rate, zero, ber := 200*units.Gbps, units.Ratio{}, 0.0
	for _, tc := range []struct {
		fault Fault
		want  string
	}{
		{&Loss{Where: Where{Links: []string{"h0-leef0"}, Window: always}, Rate: units.Ratio{Num: 1, Den: 2}},
			`links[0]: "h0-leef0": no link of this name; did you mean "h0-leaf0"?`},
		{&Loss{Where: Where{Links: []string{"leaf0:4"}, Window: always}, Rate: units.Ratio{Num: 1, Den: 2}},
			`links[0]: "leaf0:4": no link of this name; one of h0:0, h1:0, h2:0 … spine1:1`},
		{&Loss{Where: Where{Links: []string{"h0-leaf1"}, Window: always}, Rate: units.Ratio{Num: 1, Den: 2}},
			`links[0]: "h0-leaf1": no link of this name; one of h0-leaf0, h1-leaf0, h2-leaf1 … spine1-leaf1`},
		{&Loss{Where: Where{Links: []string{"h[0"}, Window: always}, Rate: units.Ratio{Num: 1, Den: 2}},
			`links[0]: "h[0": "h[0": [ without ]; a port such as leaf0:3`},
		{&Loss{Where: Where{Links: []string{"*"}, Window: always}, Rate: zero}, `rate: "0": would lose nothing; more than 0, such as 0.1%`},
		{&Loss{Where: Where{Links: []string{"*"}, Window: Window{At: units.Never}}, Rate: units.Ratio{Num: 1, Den: 2}},
			"at: \"never\": it would never begin; a time such as 1ms\nfor: \"0s\": it would be over at once; more than 0s, or never"},
		{&Corruption{Where: Where{Links: []string{"*"}, Window: always}}, `rate: missing; rate, or ber`},
		{&Corruption{Where: Where{Links: []string{"*"}, Window: always}, BER: &ber}, `ber: "0": would corrupt nothing; more than 0, such as 1e-12`},
		{&Drop{Where: Where{Links: []string{"*"}, Window: always}}, `chooses no frame; nth, every or ip_id`},
		{&Drop{Where: Where{Links: []string{"*"}, Window: always}, Nth: &one, Frames: pfc, Flow: new(int)},
			`frames[1]: "pfc-pause": a frame of flow control belongs to no flow and has no IP header; leave out flow and ip_id, or this kind of frame`},
		{&Drop{Where: Where{Links: []string{"*"}, Window: always}, Nth: &one, Flow: &flow}, `flow: "3": no flow of this number; 0 to 2`},
		{&LinkDown{Links: []string{"*"}, Times: Times{At: 1, For: 10, Count: 2, Period: 10}},
			`period: "10ps": the next time would begin before the last one is over; more than 10ps`},
		{&LinkDown{Links: []string{"*", "spine3-*"}, Times: once}, `links[1]: "spine3-*": no link of this name; one of h0-leaf0, h1-leaf0, h2-leaf1 … spine1-leaf1`},
		{&LinkDegraded{Links: []string{"*"}, Times: once}, `degrades nothing; rate, extra_delay or both`},
		{&LinkDegraded{Links: []string{"*"}, Times: once, Delay: units.Second + 1}, `extra_delay: "1.000000000001s": longer than any cable; at most 1s`},
		{&LinkDegraded{Links: []string{"leaf1:2"}, Times: once, Rate: &rate}, `rate: "200Gbps": above the rate of the link at leaf1:2; at most 100Gbps`},
		{&PFCStorm{Hosts: []string{"h0"}, Priority: 4, Times: once}, `priority: "4": not lossless: nobody would obey its pauses; one of switch.pfc.priorities`},
		{&HostPause{Hosts: []string{"h[0-4]", "leaf0"}, Times: once},
			"hosts[0]: \"h4\": no host of this name; one of h0, h1, h2, h3\nhosts[1]: \"leaf0\": no host of this name; one of h0, h1, h2, h3"},
	} {
		err := tc.fault.(interface{ Validate() error }).Validate()
		if err == nil {
			err = tc.fault.Plan(env, "fault", new(host.Faults))
		}
		if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%T: %v, want %s", tc.fault, err, tc.want)
		}
	}
}

// planOf is the plan of one fault.
func planOf(t *testing.T, env *Env, f Fault) (plan host.Faults) {
	t.Helper()
	if err := f.Plan(env, "fault", &plan); err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestALossHasAnEndForEachWay(t *testing.T) {
	env := racks(t)
	for direction, want := range map[string]string{"both": "h0:0 leaf0:0", "forward": "h0:0", "backward": "leaf0:0"} {
		f := Loss{Where: Where{Links: []string{"h0-leaf0"}, Direction: direction, Window: Window{At: 5, For: 7}}, Rate: units.Ratio{Num: 1, Den: 2}}
		var ends []string
		for _, l := range planOf(t, env, &f).Losses {
			ends = append(ends, env.Graph.PortName(l.Node, l.Port))
			if l.Span != (fabric.Span{From: 5, To: 12}) || l.Frames != fabric.AllFrames || l.Chance != f.Rate || l.Name != "fault" {
				t.Errorf("planned %+v", l)
			}
		}
		if got := strings.Join(ends, " "); got != want {
			t.Errorf("%s: %s, want %s", direction, got, want)
		}
	}
}

// nth alone is one frame, unless more are asked for; every begins with its own number;
// an IP identification needs nothing else.
func TestARuleSaysWhatItDoesNotGive(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	id, low := 255, uint8(255)
	for _, tc := range []struct {
		rule Drop
		want fabric.Pick
	}{
		{Drop{Nth: n(10)}, fabric.Pick{First: 10, Every: 1, Count: 1}},
		{Drop{Nth: n(10), Count: n(8)}, fabric.Pick{First: 10, Every: 1, Count: 8}},
		{Drop{Every: n(256)}, fabric.Pick{First: 256, Every: 256}},
		{Drop{Nth: n(5), Every: n(256)}, fabric.Pick{First: 5, Every: 256}},
		{Drop{Every: n(256), Count: n(3)}, fabric.Pick{First: 256, Every: 256, Count: 3}},
		{Drop{IPID: &id}, fabric.Pick{First: 1, Every: 1, ID: &low}},
		{Drop{IPID: &id, Nth: n(2)}, fabric.Pick{First: 2, Every: 1, ID: &low}},
	} {
		if diff := cmp.Diff(tc.want, *tc.rule.pick()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tc.rule, diff)
		}
	}
}

func TestFlapsComeInTheirPeriod(t *testing.T) {
	f := LinkDown{Links: []string{"leaf0-spine0"}, Times: Times{At: 10, For: 3, Count: 3, Period: 100}, Convergence: 4}
	var want []fabric.Outage
	for _, at := range []units.Time{10, 110, 210} {
		want = append(want, fabric.Outage{Link: 4, Span: fabric.Span{From: at, To: at + 3}, Convergence: 4})
	}
	if diff := cmp.Diff(want, planOf(t, racks(t), &f).Outages); diff != "" {
		t.Errorf("outages (-want +got):\n%s", diff)
	}
}

// Neither the sum of beginning and length nor that of periods runs over.
func TestTimesDoNotRunOver(t *testing.T) {
	late := units.Never - 10
	times := Times{At: late, For: 20, Count: 3, Period: units.Never - 1}
	if diff := cmp.Diff([]fabric.Span{{From: late, To: units.Never}}, times.spans()); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

func TestHostsArePausedByName(t *testing.T) {
	f := HostPause{Hosts: []string{"h3", "h[0-1]", "h0"}, Times: Times{At: 5, For: 2, Count: 1}}
	var want []host.Pause
	for _, h := range []int{0, 1, 3} {
		want = append(want, host.Pause{Host: h, Span: fabric.Span{From: 5, To: 7}})
	}
	if diff := cmp.Diff(want, planOf(t, racks(t), &f).Pauses); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
}

func TestStormsComeInTheirPeriod(t *testing.T) {
	f := PFCStorm{Hosts: []string{"*"}, Priority: 3, Times: Times{At: 5, For: 2, Count: 2, Period: 10}}
	var want []host.Storm
	for h := range 4 {
		for _, at := range []units.Time{5, 15} {
			want = append(want, host.Storm{Host: h, Priority: 3, Span: fabric.Span{From: at, To: at + 2}})
		}
	}
	if diff := cmp.Diff(want, planOf(t, racks(t), &f).Storms); diff != "" {
		t.Errorf("storms (-want +got):\n%s", diff)
	}
}

func TestASlipDoesNotFillTheMemory(t *testing.T) {
	f := LinkDown{Links: []string{"*"}, Times: Times{At: 1, For: 1, Count: 10_000, Period: 2}}
	if err := f.Plan(racks(t), "fault", new(host.Faults)); err != nil {
		t.Errorf("80,000 outages: %v", err)
	}
	if err := tooMany(1000, 10_000); err == nil {
		t.Error("ten million outages were accepted")
	}
}
