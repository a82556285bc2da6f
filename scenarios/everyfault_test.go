package scenarios

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// everyFault is one of each thing that can go wrong, by a name; HOST stands for the link of
// a host, FABRIC for one between switches, NAME for a host, CLASS for a lossless priority, and FLOW for that a flow
// is meant, where there is one.
var everyFault = [][2]string{
	{"some of everything lost", `{kind: loss, links: ["*"], rate: 0.5%}`},
	{"half of a host's frames lost", `{kind: loss, links: [HOST], rate: 50%}`},
	{"all of a host's frames lost", `{kind: loss, links: [HOST], rate: 1}`},
	{"acknowledgements lost", `{kind: loss, links: ["*"], frames: [ack, nak], rate: 10%}`},
	{"notifications lost", `{kind: loss, links: ["*"], frames: [cnp], rate: 1}`},
	{"pauses lost", `{kind: loss, links: ["*"], frames: [pfc-pause], rate: 50%}`},
	{"resumes lost", `{kind: loss, links: ["*"], frames: [pfc-resume], rate: 1}`},
	{"bit errors", `{kind: corruption, links: ["*"], ber: 1e-7}`},
	{"every 100th packet lost", `{kind: drop, links: [HOST], every: 100}`},
	{"packets lost by IP identification", `{kind: drop, links: ["*"], ip_id: 7}`},
	{"packets of a flow lost", `{kind: drop, links: ["*"], FLOW nth: 2, count: 9}`},
	{"the first acknowledgements lost", `{kind: drop, links: ["*"], frames: [ack], nth: 1, count: 3}`},
	{"a link down for a while", `{kind: link-down, links: [FABRIC], at: 50us, for: 100us, convergence_delay: 20us}`},
	{"a link down for good", `{kind: link-down, links: [FABRIC], at: 50us, convergence_delay: 20us}`},
	{"a host cut off", `{kind: link-down, links: [HOST], at: 50us, convergence_delay: 20us}`},
	{"a host's link flaps", `{kind: link-down, links: [HOST], at: 20us, for: 5us, times: 5, period: 40us, convergence_delay: never}`},
	{"a slow link", `{kind: link-degraded, links: [FABRIC], at: 20us, for: 300us, rate: 1Gbps}`},
	{"a long link", `{kind: link-degraded, links: [FABRIC], at: 20us, for: 100us, times: 3, period: 300us, extra_delay: 3us}`},
	{"a host paused", `{kind: host-pause, hosts: [NAME], at: 20us, for: 500us}`},
	{"all hosts paused", `{kind: host-pause, hosts: ["*"], at: 20us, for: 100us, times: 3, period: 300us}`},
	{"a NIC that pauses without cause", `{kind: pfc-storm, hosts: [NAME], priority: CLASS, at: 20us, for: 500us}`},
	{"a NIC that pauses without cause for good", `{kind: pfc-storm, hosts: [NAME], priority: CLASS, at: 20us}`},
	{"a host paused for good", `{kind: host-pause, hosts: [NAME], at: 20us}`},
}

// forNetwork puts the names of a scenario's network into a fault.
func forNetwork(fault string, spec *Spec, g *topology.Graph) string {
	name := func(link topology.Link) string { return g.Nodes[link.A].Name + "-" + g.Nodes[link.B].Name }
	host := g.Hosts()[0]
	own := name(g.Links[g.Ports(host)[0].Link])
	inner := own
	for _, link := range g.Links {
		if g.Nodes[link.A].Kind == topology.Switch && g.Nodes[link.B].Kind == topology.Switch {
			inner = name(link)
			break
		}
	}
	flow := "flow: 0,"
	if flows, err := spec.Flows(g); err != nil || len(flows) == 0 {
		flow = ""
	}
	return strings.NewReplacer("FLOW", flow, "HOST", own, "FABRIC", inner, "NAME", g.Nodes[host].Name, "CLASS", strconv.Itoa(spec.Switch.PFC.Priorities[0])).Replace(fault)
}

// trial is a scenario of the library that faults are tried on. Its timer is short and its
// time bounded, so that trials are short too.
type trial struct {
	spec   *Spec
	known  []int              // those of everyFault that can be in its network
	faults []strictyaml.Block // they
	hops   int64              // that it takes without a fault
	limit  units.Time         // to which its time is cut
}

// most is what a trial may cost, in packet-hops, without a fault: where a scenario takes
// more, its time is cut.
const most = 250_000

func newTrial(t *testing.T, name string) trial {
	t.Helper()
	sets := []string{"host.timeout=8", "measure.series=[]", "variants=[]", "sweep=[]", "expect=[]"}
	tr := trial{spec: small(t, name, sets...)}
	tr.spec.Expect = endsExpected(small(t, name))
	graph, err := tr.spec.Network()
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for i, fault := range everyFault {
		if strings.Contains(fault[1], "CLASS") && !tr.spec.Switch.PFC.Enabled {
			continue // nobody would obey the pauses
		}
		tr.known = append(tr.known, i)
		texts = append(texts, forNetwork(fault[1], tr.spec, graph))
	}
	tr.faults = small(t, name, append(sets, "faults=["+strings.Join(texts, ", ")+"]")...).Faults
	_, s := ended(t, tr.spec)
	tr.limit = min(tr.spec.Stop.Limit, 25*units.Millisecond)
	if tr.hops = s.PacketHops; tr.hops > most {
		tr.limit = min(tr.limit, units.Time(float64(s.SimulatedTime)*most/float64(tr.hops)))
	}
	return tr
}

// endsExpected is what is expected of how a scenario's own run ends.
func endsExpected(spec *Spec) []Expectation {
	return slices.DeleteFunc(spec.Expect, func(e Expectation) bool { return e.Outcome == nil || e.run() != base })
}

// try runs the scenario with faults beside its own, and wants an end that tells the truth.
func (tr trial) try(t *testing.T, faults ...int) {
	t.Helper()
	spec := *tr.spec
	spec.Faults = slices.Clone(spec.Faults)
	var names []string
	for _, i := range faults {
		names = append(names, everyFault[tr.known[i]][0])
		spec.Faults = append(spec.Faults, tr.faults[i])
	}
	what := spec.Name + " with " + strings.Join(names, " and ")
	run, err := spec.Build()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	spec.Stop.Limit = tr.limit // from here on: a flow may start later
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := conclude(ctx, &spec, run)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if s.Outcome == results.Interrupted {
		t.Fatalf("%s hangs", what)
	}
	for _, lie := range lies(&spec, run, s) {
		t.Errorf("%s: %s", what, lie)
	}
}

// lies are what a run says of itself and is not so.
func lies(spec *Spec, run *record.Run, s *results.Summary) (found []string) {
	undone := s.Flows.Done < s.Flows.Total || s.Programs != nil && s.Programs.Done < s.Programs.Total
	toldSo := spec.expects(func(e *Expectation) bool {
		return e.Outcome != nil && *e.Outcome == string(s.Outcome) && !s.Outcome.Complete()
	})
	if undone && spec.Stop.When == untilDone && spec.ExitCode(s) == ExitDone && !toldSo {
		found = append(found, "exit code 0 with work undone")
	}
	if undone && spec.Stop.When == untilDone && s.Outcome == results.Done {
		found = append(found, "done with work undone")
	}
	if undone != (len(s.Reasons) > 0) {
		found = append(found, "no reason for what is undone, or one for nothing")
	}
	for flow := range run.Cluster.Flows {
		var got units.Bytes
		if conn := run.Cluster.Conns[flow]; run.Cluster.Over(flow) {
			_, to := run.Cluster.Stream(flow)
			got = to.Endpoint().Delivered()
		} else {
			got = units.Bytes(conn.To.QueuePairs()[conn.ToQP].Received().Payload)
		}
		if !undone && got < run.Cluster.Flows[flow].Payload() {
			found = append(found, "a flow is called done that did not arrive whole")
		}
	}
	return found
}

// Nothing that can go wrong makes any scenario of the library hang, or end with exit code 0
// and its work undone. Each is tried with every sixth fault, and those that take long with one, its neighbours in the list with others.
func TestNoFaultHangsAScenarioOrMakesItLie(t *testing.T) {
	if testing.Short() {
		t.Skip("tries every fault on some scenarios")
	}
	const apart = 6
	for k, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t, name)
			step := apart
			if slow[name] {
				step = len(tr.known)
			}
			for i := k % step; i < len(tr.known); i += step {
				tr.try(t, i)
			}
		})
	}
}

// Nor do two things that go wrong together, tried on the short scenarios.
func TestNoTwoFaultsHangAScenarioOrMakeItLie(t *testing.T) {
	if testing.Short() {
		t.Skip("tries pairs of faults on several scenarios")
	}
	const apart, short, pairs = 3, 200_000, 100
	var trials []trial
	for k, name := range Names() {
		if k%apart != 0 || slow[name] {
			continue
		}
		if tr := newTrial(t, name); tr.hops < short {
			trials = append(trials, tr)
		}
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range pairs {
		tr := trials[random.IntN(len(trials))]
		i := random.IntN(len(tr.known))
		j := (i + 1 + random.IntN(len(tr.known)-1)) % len(tr.known)
		tr.try(t, i, j)
	}
}
