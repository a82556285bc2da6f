package record_test

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// line is hosts and switches joined as told, "a-b" for a cable of 100 Gb/s and 1 us,
// "a-b/4" for one of a quarter of the rate. Names with an s are switches.
func line(t *testing.T, cables ...string) *simtest.Net {
	t.Helper()
	var nodes []topology.Node
	var links []topology.Link
	at := func(name string) int {
		for i := range nodes {
			if nodes[i].Name == name {
				return i
			}
		}
		node := topology.Node{Name: name}
		if strings.HasPrefix(name, "s") {
			node.Kind = topology.Switch
		}
		nodes = append(nodes, node)
		return len(nodes) - 1
	}
	for _, cable := range cables {
		ends, slow, isSlow := strings.Cut(cable, "/")
		a, b, _ := strings.Cut(ends, "-")
		rate := 100 * units.Gbps
		if isSlow {
			rate /= units.Rate(slow[0] - '0')
		}
		links = append(links, topology.Link{A: at(a), B: at(b), Rate: rate, Delay: units.Microsecond})
	}
	graph, err := topology.New(nodes, links)
	if err != nil {
		t.Fatal(err)
	}
	n := simtest.On(graph)
	n.Fabric.PFC.XOFF = 60 * units.KB
	return n
}

// host numbers of a network by name.
func number(t *testing.T, n *simtest.Net, name string) int {
	t.Helper()
	for i, node := range n.Graph.Hosts() {
		if n.Graph.Nodes[node].Name == name {
			return i
		}
	}
	t.Fatalf("no host %s", name)
	return 0
}

// between is a flow of 2 MB between two hosts by name.
func between(t *testing.T, n *simtest.Net, from, to string) host.Flow {
	return simtest.Flow(number(t, n, from), number(t, n, to), 2*units.MB)
}

// Three switches in a row, and at the end a link of a quarter of the rate: it is the
// root, and the pauses travel from it link by link to the sender.
func TestAPauseTracesBackFromSwitchToSwitch(t *testing.T) {
	n := line(t, "h0-s0", "s0-s1", "s1-s2", "s2-h1/4")
	r := ended(t, n, "none", between(t, n, "h0", "h1"))
	causes := rows(t, r.PauseCauses())
	for paused, chain := range map[string]string{
		"s1:1": "s1:1>s2:1", "s0:1": "s0:1>s1:1>s2:1", "h0:0": "h0:0>s0:1>s1:1>s2:1",
	} {
		if len(where(causes, "paused_port", paused, "chain", chain, "root_port", "s2:1", "root_peer", "h1", "root", "link")) != 1 {
			t.Errorf("no chain %s among %v", chain, causes)
		}
	}
	for _, p := range rows(t, series(r)[2]) {
		if want := map[string]string{"s1": "s1:1>s2:1", "s0": "s0:1>s1:1>s2:1", "h0": "h0:0>s0:1>s1:1>s2:1"}[p["node"]]; p["chain"] != want {
			t.Errorf("the pause of %s from %s us on is put down to %s, want %s", p["node"], p["from_us"], p["chain"], want)
		}
	}
	roots := r.Summary().Pause.Roots
	if len(roots) != 1 || roots[0].Port != "s2:1 to h1" || roots[0].Ports != 3 || roots[0].Depth != 3 || roots[0].Flows != 1 || roots[0].Victims != 0 {
		t.Errorf("roots %+v", roots)
	}
	if total := sum(t, causes, "pauses"); total != r.Summary().Pause.XOFF {
		t.Errorf("%d pauses are traced back of %d", total, r.Summary().Pause.XOFF)
	}
	flow := rows(t, r.Flows())[0]
	if flow["bound_by"] != "pause" || flow["paused_by"] != "s2:1" || flow["victim_of"] != "" {
		t.Errorf("the flow is bound by %s, paused by %s, victim of %q", flow["bound_by"], flow["paused_by"], flow["victim_of"])
	}
}

// A host that pauses its switch is the root, not the link to it.
func TestAPauseTracesBackToAHostThatAsksForIt(t *testing.T) {
	n := line(t, "h0-s0", "s0-s1", "s1-h1")
	n.Fabric.PFC.Quanta = 20000 // 102.4 us
	c := n.Cluster(t, between(t, n, "h0", "h1"))
	simtest.PauseAtStart(c, c.Net.Graph.Hosts()[1], 0, 3)
	r := finished(t, n, c, "none")
	causes := rows(t, r.PauseCauses())
	if len(where(causes, "paused_port", "h0:0", "chain", "h0:0>s0:1>s1:1", "root_port", "s1:1", "root", "host")) != 1 ||
		len(where(causes, "paused_port", "s1:1", "asked_by", "h1", "chain", "s1:1", "root", "host", "pauses", "1", "asked_us", "102.4")) != 1 {
		t.Errorf("chains %v", causes)
	}
	flow := rows(t, r.Flows())[0]
	if flow.time(t, "bound_receiver_us") == 0 || flow.time(t, "bound_pause_us") != 0 {
		t.Errorf("the flow is bound by the receiver for %s us, by other pauses for %s us", flow["bound_receiver_us"], flow["bound_pause_us"])
	}
	if said := strings.Join(r.Summary().Why, "\n"); !strings.Contains(said, "back to s1:1 to h1, which the host asked for") {
		t.Errorf("the summary says\n%s", said)
	}
}

// Three hosts overload the link to h1; a fourth flow shares s0's cable with one of them
// and goes to h5, whose link is idle. It is held at that cable, and named.
func TestTheVictimOfAPauseIsNamed(t *testing.T) {
	n := line(t, "h0-s0", "s0-s1", "h2-s1", "h3-s1", "s1-h1", "s1-h5")
	r := ended(t, n, "none", between(t, n, "h0", "h1"), between(t, n, "h2", "h1"), between(t, n, "h3", "h1"), between(t, n, "h0", "h5"))
	flows := rows(t, r.Flows())
	root := flows[0]["paused_by"]
	if flows[3]["victim_of"] != root || flows[3]["victim_at"] == "" || root == "" {
		t.Errorf("the flow to h5 is the victim of %q, the pauses of the others trace back to %q", flows[3]["victim_of"], root)
	}
	if held := flows[3].time(t, "victim_us"); held < flows[3].time(t, "fct_us")/4 {
		t.Errorf("it is held for %v", held)
	}
	for _, f := range flows[:3] {
		if f["victim_of"] != "" {
			t.Errorf("flow %s is a victim of %s, which it uses", f["flow"], f["victim_of"])
		}
	}
	roots := r.Summary().Pause.Roots
	if len(roots) != 1 || roots[0].Victims != 1 || roots[0].VictimNames[0] != "flow 3 from h0 to h5" || roots[0].Flows != 3 {
		t.Errorf("roots %+v", roots)
	}
	if said := strings.Join(r.Summary().Why, "\n"); !strings.Contains(said, "; 1 victim: flow 3 from h0 to h5.") {
		t.Errorf("the summary says\n%s", said)
	}
}

// A flow that comes when the pauses are over is no victim of them.
func TestAFlowAfterThePausesIsNoVictim(t *testing.T) {
	n := line(t, "h0-s0", "s0-s1", "h2-s1", "h3-s1", "s1-h1", "s1-h5")
	late := between(t, n, "h0", "h5")
	late.Start = 10 * units.Millisecond
	r := ended(t, n, "none", between(t, n, "h0", "h1"), between(t, n, "h2", "h1"), between(t, n, "h3", "h1"), late)
	if roots := r.Summary().Pause.Roots; len(roots) != 1 || roots[0].Victims != 0 {
		t.Errorf("roots %+v", roots)
	}
}

// What is asked for and what is held agree: a pause holds its port from the arrival of
// its XOFF to that of its XON, so for as long as it was asked for.
func TestAChainLastsAsLongAsItsPausesHold(t *testing.T) {
	n := line(t, "h0-s0", "s0-s1", "s1-h1/4")
	r := ended(t, n, "none", between(t, n, "h0", "h1"))
	ports := rows(t, r.PFC())
	for _, c := range rows(t, r.PauseCauses()) {
		node, port, _ := strings.Cut(c["paused_port"], ":")
		held := where(ports, "node", node, "port", port)[0].time(t, "paused_us")
		if asked := c.time(t, "asked_us"); asked != held {
			t.Errorf("%s was asked to pause for %v and held for %v", c["paused_port"], asked, held)
		}
	}
}

// The same pauses are traced back the same way on any number of workers.
func TestChainsAreTheSameOnAnyNumberOfWorkers(t *testing.T) {
	var texts []string
	for workers := 1; workers <= 3; workers++ {
		n := line(t, "h0-s0", "s0-s1", "h2-s1", "h3-s1", "s1-h1", "s1-h5")
		n.Run.Workers = workers
		r := ended(t, n, "none", between(t, n, "h0", "h1"), between(t, n, "h2", "h1"), between(t, n, "h3", "h1"), between(t, n, "h0", "h5"))
		var text strings.Builder
		for _, table := range []*results.Table{r.PauseCauses(), r.Flows(), r.QPs()} {
			if err := table.WriteCSV(&text); err != nil {
				t.Fatal(err)
			}
		}
		texts = append(texts, text.String())
	}
	if texts[0] != texts[1] || texts[0] != texts[2] {
		t.Errorf("1, 2 and 3 workers:\n%s", strings.Join(texts, "\n"))
	}
}
