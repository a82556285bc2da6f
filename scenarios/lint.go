package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// warn is the value of switch.pfc.headroom_check that lets a scenario run whose headroom does not hold.
const warn = "warn"

// Lint builds the scenario and its variants without running them and returns all sentences about what is allowed but
// seldom meant; those about a variant only where they do not hold for the scenario itself.
func (s *Spec) Lint() (warnings []string, err error) {
	built, err := s.buildAll()
	if err != nil {
		return nil, err
	}
	names, specs := s.runs()
	for i, run := range built {
		for _, w := range slices.Concat(specs[i].Warnings, run.Warnings) {
			if slices.Contains(warnings, w) {
				continue
			}
			if i > 0 {
				w += " (in " + s.others()[i-1].noun() + " " + names[i] + ")"
			}
			warnings = append(warnings, w)
		}
	}
	return warnings, nil
}

// lint looks at what is built: headroom that does not hold, hashes that repeat each other, and routes on which pauses can wait for each other. Headroom
// by a machine's rule is that of the machine, whatever the worst case; it is a warning.
func (s *Spec) lint(c *host.Cluster) ([]string, error) {
	var warnings []string
	var faults []error
	for _, short := range append(s.shortSwitches(c.Net), shortage{"host.receive.headroom", &s.Switch.PFC, shortNICs(c)}) {
		if len(short.ports) == 0 {
			continue
		}
		problem := headroomProblem(c.Net, short.ports)
		if short.pfc.HeadroomCheck == warn || strings.HasSuffix(short.key, "_rule") {
			warnings = append(warnings, s.Problem(short.key, problem, "").Error())
			continue
		}
		faults = append(faults, s.Problem(short.key, problem, "give at least that, or auto; switch.pfc.headroom_check: "+warn+" runs it all the same"))
	}
	return slices.Concat(warnings, s.narrowSlots(c), s.polarisation(c), s.lintRecovery(c), s.lintTCP(), s.cycles(c)), errors.Join(faults...)
}

// shortage is ports whose headroom does not hold, and the key that set it.
type shortage struct {
	key   string
	pfc   *PFC
	ports []fabric.Shortfall
}

// shortSwitches are the shortages of the switches, by the settings they have in common: what the user gave is at fault at
// headroom, what a machine's rule gave at headroom_rule.
func (s *Spec) shortSwitches(net *fabric.Network) (all []shortage) {
	node, key, sw := -1, "", (*Switch)(nil)
	for _, port := range net.Shortfalls() {
		if port.Node != node { // ports come switch by switch
			node = port.Node
			key, sw = s.settingsOf(net.Graph, node)
		}
		key := key + ".pfc.headroom"
		if !sw.PFC.Headroom.Given {
			key += "_rule"
		}
		at := slices.IndexFunc(all, func(s shortage) bool { return s.key == key })
		if at < 0 {
			at = len(all)
			all = append(all, shortage{key: key, pfc: &sw.PFC})
		}
		all[at].ports = append(all[at].ports, port)
	}
	return all
}

// settingsOf returns the settings of a switch and their key.
func (s *Spec) settingsOf(g *topology.Graph, node int) (key string, sw *Switch) {
	for i := range s.Overrides {
		nodes, err := findNodes(g, "", s.Overrides[i].Switches, "switch", g.Switches())
		if err == nil && slices.Contains(nodes, node) {
			return fmt.Sprintf("switch_overrides[%d]", i), &s.Overrides[i].Switch
		}
	}
	return "switch", &s.Switch
}

// shortNICs are the NICs of slow hosts whose headroom does not hold in the worst case of their links.
func shortNICs(c *host.Cluster) (short []fabric.Shortfall) {
	if c.Net.Config.Credits != nil {
		return nil
	}
	for h, node := range c.Net.Graph.Hosts() {
		for port, nic := range c.Hosts[h].NICs() {
			r, slow := nic.ReceiveBufferOf(0)
			if !slow || r.Lossless == 0 {
				continue
			}
			s := fabric.Shortfall{Node: node, Port: port, Has: r.Headroom(), Reaction: c.Net.Reaction(node, port)}
			if s.Missing() > 0 {
				short = append(short, s)
			}
		}
	}
	return short
}

// headroomProblem speaks of the port that misses most.
func headroomProblem(net *fabric.Network, short []fabric.Shortfall) string {
	worst := short[0]
	for _, s := range short {
		if s.Missing() > worst.Missing() {
			worst = s
		}
	}
	text := fmt.Sprintf("%s has %v of headroom for each lossless priority and needs %v, %v more: %v",
		net.Graph.PortName(worst.Node, worst.Port), worst.Has, exact(worst.Reaction.Headroom()), exact(worst.Missing()), worst.Reaction)
	switch others := len(short) - 1; {
	case others == 1:
		text += "; one other port has too little as well"
	case others > 1:
		text += fmt.Sprintf("; %d other ports have too little as well", others)
	}
	return text
}

// exact is a size in bytes.
func exact(b units.Bytes) string { return fmt.Sprintf("%dB", int64(b)) }

// cycles warns of channels that can wait for each other in a circle: on the ways of the scenario's flows, or else on any
// ways that switches may choose.
func (s *Spec) cycles(c *host.Cluster) (warnings []string) {
	lossless, key := s.Switch.PFC.Priorities, func(i int) string { return fmt.Sprintf("switch.pfc.priorities[%d]", i) }
	switch {
	case s.onInfiniBand():
		lossless, key = c.Net.Config.Priorities, func(int) string { return transportKey }
	case !s.Switch.PFC.Enabled:
		return nil
	}
	for i, priority := range lossless {
		if cycle := waits(c, priority).Cycle(); cycle != nil {
			problem := fmt.Sprintf("the flows of this scenario can deadlock in priority %d: the cables of %s wait for each other in a circle",
				priority, cycleText(c.Net, cycle))
			warnings = append(warnings, s.Problem(key(i), problem, "").Error())
		}
	}
	if len(warnings) > 0 {
		return warnings
	}
	possible := topology.NewDependencies(c.Net.Graph)
	possible.AddRoutes(c.Net.Routes)
	if cycle := possible.Cycle(); cycle != nil {
		problem := fmt.Sprintf("the routes of this network allow pauses to deadlock, though no flows of this scenario close the circle: "+
			"the cables of %s could wait for each other", cycleText(c.Net, cycle))
		warnings = append(warnings, s.Problem("topology", problem, "").Error())
	}
	return append(warnings, s.detourCycles(c)...)
}

// waits are the dependencies of the packets of a priority, data and acknowledgements.
func waits(c *host.Cluster, priority int) *topology.Dependencies {
	d := topology.NewDependencies(c.Net.Graph)
	for flow := range c.Flows {
		if c.Flows[flow].Data.Priority == priority {
			d.AddPath(c.Path(flow))
		}
		if c.NIC.Ack.Priority == priority {
			d.AddPath(c.ReturnPath(flow))
		}
	}
	return d
}

// cycleText names the ports of a cycle, and where the last leads.
func cycleText(net *fabric.Network, cycle []topology.Channel) string {
	var names []string
	for _, ch := range append(cycle, cycle[0]) {
		names = append(names, net.Graph.PortName(ch.Node, ch.Port))
	}
	return strings.Join(names, " > ")
}
