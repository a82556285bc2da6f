package fabric

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/wire"
)

// priorityGroup is a priority group in use, with a priority that has it, the
// lossless one if there is one.
type priorityGroup struct{ number, priority int }

// groups are the priority groups in use, in the order of their first priorities.
func (c *Config) groups() []priorityGroup {
	var groups []priorityGroup
	for _, p := range c.Priorities {
		number := c.GroupOf(p)
		i := slices.IndexFunc(groups, func(g priorityGroup) bool { return g.number == number })
		switch {
		case i < 0:
			groups = append(groups, priorityGroup{number, p})
		case c.PFC.IsLossless(p) || c.PFC.IsLossless(groups[i].priority):
			panic(fmt.Sprintf("fabric: lossless priority group %d of priorities %d and %d", number, groups[i].priority, p))
		}
	}
	return groups
}

// numberLanes numbers the queues and the groups of a port.
func (s *Switch) numberLanes(cfg *Config) {
	for p := range s.lane {
		s.lane[p], s.group[p] = -1, -1
	}
	groups := cfg.groups()
	for lane, p := range cfg.Priorities {
		number := cfg.GroupOf(p)
		s.lane[p] = int8(lane)
		s.classes |= 1 << p
		s.group[p] = int8(slices.IndexFunc(groups, func(g priorityGroup) bool { return g.number == number }))
	}
}

// equip gives a switch what its configuration asks for beyond queues and a buffer.
func (n *Network) equip(s *Switch) {
	cfg := n.ConfigOf(s.node)
	if cfg.Header > 0 {
		s.has |= cuttingThrough
	}
	if cfg.ECN.Marks() && (cfg.ECN.AtEnqueue || cfg.ECN.Averaging > 0 || cfg.ECN.DropNotECT) {
		s.has |= detecting
		s.red = newRED(&cfg.ECN)
	}
	n.addMarkers(s, cfg)
	if !cfg.Schedule.plain() {
		s.has |= scheduling
		rules := cfg.Schedule.rules(cfg.MaxFrame)
		for range s.ports {
			s.schedulers = append(s.schedulers, newScheduler(&cfg.Schedule, rules))
		}
	}
	if cfg.Schedule.PerFlow != 0 {
		s.has |= flowQueueing
		s.keepFlowsApart(cfg)
	}
	if cfg.Credits != nil {
		s.has |= credited
	}
	if cfg.HoldToLastBit || cfg.Credits != nil {
		s.has |= holding
		s.leaving = make([]wire.Packet, len(s.ports))
	}
	if cfg.Egress.limits() {
		s.has |= limiting
		s.limits = newEgressLimits(cfg, len(s.queues))
	}
	if s.has&(limiting|detecting) != 0 {
		s.refused = make([]Refused, len(s.queues))
	}
}

// keepFlowsApart gives the queues of the priorities that ask for it one for each flow.
func (s *Switch) keepFlowsApart(cfg *Config) {
	s.flows = make([]*flowQueues, len(s.queues))
	for port := range s.ports {
		for _, priority := range cfg.Priorities {
			if cfg.Schedule.PerFlow&(1<<priority) != 0 {
				s.flows[s.queue(port, priority)] = newFlowQueues(cmp.Or(cfg.Schedule.Quantum, cfg.MaxFrame))
			}
		}
	}
}

// addMarkers sets the thresholds of each queue. Packets that leave by the length
// they leave behind are marked where they leave; all else RED may do needs more.
func (n *Network) addMarkers(s *Switch, cfg *Config) {
	coins := make([]sim.Stream, len(s.ports))
	s.markers = make([]marker, 0, len(s.queues))
	for port := range s.ports {
		rate := s.ports[port].Rate()
		coins[port] = sim.NewStream(n.Config.Seed, n.Graph.PortName(s.node, port), "ecn")
		for _, priority := range cfg.Priorities {
			m := noMarker()
			if ecn := cfg.ECN.Of(priority); ecn.Pmax.Num != 0 {
				kmin, kmax := ecn.Thresholds(rate)
				m = newMarker(kmin, kmax, ecn.Pmax.Float(), &coins[port])
				m.shared = n.Config.SharedCoins
			}
			q := s.queue(port, priority)
			s.markers = append(s.markers, m)
			s.queues[q].mark = m.kmin
			if s.has&detecting != 0 {
				s.queues[q].mark = noMarker().kmin
				s.red.add(rate, cfg.MaxFrame)
			}
		}
	}
}

func newEgressLimits(cfg *Config, queues int) *egressLimits {
	e := &egressLimits{
		accounts: make([]egressAccount, queues), pool: cfg.Egress.Pool, minimum: cfg.Egress.Minimum,
		threshold: threshold(cfg.Egress.Limit, cfg.Egress.Alpha), memory: cfg.Memory,
	}
	if e.pool == 0 {
		e.pool = cfg.Buffer
	}
	for _, priority := range cfg.Priorities {
		e.limited = append(e.limited, !cfg.PFC.IsLossless(priority))
	}
	return e
}
