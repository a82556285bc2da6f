package fabric

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Network is a fabric that has been built: the ports of all nodes, and the
// switches. Node numbers are those of the graph.
type Network struct {
	Graph  *topology.Graph
	Routes *topology.Routes
	Config *Config

	ports    [][]Port  // by node
	switches []*Switch // by node; nil for hosts
	offices  []postOffice
	rules    pauseRules
}

// New builds the fabric. It fails with a [*units.FieldError] on key
// "switch.pfc.headroom" or "switch.buffer" if what is guaranteed and set aside
// exceeds a switch's buffer.
func New(g *topology.Graph, r *topology.Routes, cfg Config) (*Network, error) {
	n := &Network{Graph: g, Routes: r, Config: &cfg}
	n.rules = pauseRules{quanta: cfg.PFC.Quanta, refresh: cfg.PFC.Refresh, sticky: cfg.PFC.Sticky}
	n.ports = make([][]Port, len(g.Nodes))
	n.switches = make([]*Switch, len(g.Nodes))
	for node := range g.Nodes {
		n.ports[node] = make([]Port, len(g.Ports(node)))
	}
	for node := range g.Nodes {
		n.plug(node)
	}
	for _, node := range g.Switches() {
		s, err := n.newSwitch(node)
		if err != nil {
			return nil, err
		}
		n.switches[node] = s
	}
	return n, nil
}

// plug sets up the ports of a node and the links that leave it.
func (n *Network) plug(node int) {
	for i, at := range n.Graph.Ports(node) {
		cable := n.Graph.Links[at.Link]
		p := &n.ports[node][i]
		p.index, p.rules, p.in.slot = int32(i), &n.rules, i
		p.out = link{
			rate:     cable.Rate,
			delay:    cable.Delay + n.Pipeline(at.Peer),
			pfcDelay: cable.Delay + n.Config.PFC.response(cable.Rate),
			to:       &n.ports[at.Peer][at.PeerPort].in,
		}
		if ps, exact := cable.Rate.PerByte(); exact {
			p.out.perByte = ps
		}
		if n.Config.RecordPauses {
			p.pauser.Log = new([]pfc.Interval)
		}
	}
}

// Pipeline is the time a frame spends in a node before it can be forwarded.
func (n *Network) Pipeline(node int) units.Time {
	if n.Graph.Nodes[node].Kind == topology.Switch {
		return n.Config.Pipeline
	}
	return 0
}

func (n *Network) newSwitch(node int) (*Switch, error) {
	cfg, ports := n.Config, n.ports[node]
	s := &Switch{
		arrivals:   sim.NewTimetable(len(ports)),
		transmits:  sim.NewTimetable(len(ports)),
		wonTie:     make([]units.Time, len(ports)),
		ports:      ports,
		backlog:    make([]uint8, len(ports)),
		queues:     make([]egress, len(ports)*len(cfg.Priorities)),
		markers:    make([]marker, len(ports)),
		priorityOf: &cfg.PriorityOf,
		lanes:      len(cfg.Priorities),
		node:       node,
		routes:     n.Routes.Switch(node),
	}
	name := n.Graph.Nodes[node].Name
	salt := sim.NewStream(cfg.PathSeed, name, "ecmp")
	s.salt = salt.Uint64()
	for i := range s.lane {
		s.lane[i] = -1
	}
	for lane, priority := range cfg.Priorities {
		s.lane[priority] = int8(lane)
	}
	for i := range ports {
		ports[i].Bind(&s.arrivals, &s.timers)
		s.markers[i] = n.newMarker(node, i)
		for lane := range s.lanes {
			s.queues[i*s.lanes+lane].mark = s.markers[i].kmin
		}
	}
	if cfg.QueueSamples > 0 {
		s.probe = newQueueProbe(cfg.QueueSamples, len(s.queues))
	}
	var err error
	s.buffer, err = n.newBuffer(node)
	return s, err
}

func (n *Network) newMarker(node, port int) marker {
	if n.Config.ECN.Pmax.Num == 0 {
		return noMarker()
	}
	kmin, kmax := n.Config.ECN.Thresholds(n.ports[node][port].Rate())
	coins := sim.NewStream(n.Config.Seed, n.Graph.PortName(node, port), "ecn")
	return newMarker(kmin, kmax, n.Config.ECN.Pmax.Float(), coins)
}

// newBuffer divides a switch's memory: minima and headroom first, the rest is
// the shared pool.
func (n *Network) newBuffer(node int) (Buffer, error) {
	cfg := n.Config
	b := Buffer{xonGap: cfg.PFC.XONOffset}
	for _, priority := range cfg.Priorities {
		b.lanes = append(b.lanes, lane{cfg.threshold(priority), cfg.PFC.IsLossless(priority)})
	}
	var minima, headroom units.Bytes
	for _, at := range n.Graph.Ports(node) {
		cable := n.Graph.Links[at.Link]
		for _, priority := range cfg.Priorities {
			g := group{minimum: cfg.Lossy.Minimum}
			if cfg.PFC.IsLossless(priority) {
				g.minimum = cfg.PFC.Minimum
				g.room = cfg.HeadroomOf(cable.Rate, cable.Delay)
			}
			minima += g.minimum
			headroom += g.room
			b.groups = append(b.groups, g)
		}
	}
	b.peaks = make([]groupPeaks, len(b.groups))
	b.pool = cfg.Buffer - minima - headroom
	return b, n.checkBuffer(node, minima, headroom)
}

func (n *Network) checkBuffer(node int, minima, headroom units.Bytes) error {
	total := n.Config.Buffer
	if minima+headroom < total {
		return nil
	}
	key, what := "switch.pfc.headroom", "headroom "+headroom.Human()
	if headroom < total {
		key, what = "switch.pfc.pg_min", fmt.Sprintf("minima %v and headroom %v", minima.Human(), headroom.Human())
	}
	return &units.FieldError{
		Key:     key,
		Value:   fmt.Sprintf("%s has %d ports", n.Graph.Nodes[node].Name, len(n.ports[node])),
		Problem: fmt.Sprintf("%s exceeds %s buffer", what, total.Human()),
		Want:    fmt.Sprintf("a buffer above %s, fewer lossless priorities, shorter cables, or less headroom", (minima + headroom).Human()),
	}
}

// Ports are the ports of a node.
func (n *Network) Ports(node int) []Port { return n.ports[node] }

// Switch is the switch at a node, nil for a host.
func (n *Network) Switch(node int) *Switch { return n.switches[node] }

// LookAhead is the least time in which a frame sent by one node can have an
// effect at another: over all links, the smallest frame and the delay, with what
// every frame waits for at the receiver.
func (n *Network) LookAhead() units.Time {
	least := units.Never
	for node := range n.ports {
		for i := range n.ports[node] {
			l := &n.ports[node][i].out
			delay := l.delay
			if n.Config.PFC.Lossless != 0 {
				delay = min(delay, l.pfcDelay)
			}
			least = min(least, l.serialise(wire.MinWire)+delay)
		}
	}
	return least
}

// Connect tells the links which worker runs their receivers, once the engine is
// there.
func (n *Network) Connect(e *sim.Engine) {
	n.offices = make([]postOffice, e.Workers())
	for w := range n.offices {
		n.offices[w].first = units.Never
	}
	boxes := make(map[[2]int]*mailbox)
	for node := range n.ports {
		for i, at := range n.Graph.Ports(node) {
			p := &n.ports[node][i]
			p.in.waker = e.Waker(node)
			from, to := e.WorkerOf(node), e.WorkerOf(at.Peer)
			if from == to {
				p.out.box = nil
				continue
			}
			if boxes[[2]int{from, to}] == nil {
				m := &mailbox{parity: &n.offices[from].parity, first: &n.offices[from].first}
				boxes[[2]int{from, to}] = m
				n.offices[to].in = append(n.offices[to].in, m)
			}
			p.out.box = boxes[[2]int{from, to}]
		}
	}
}

// Exchange is a worker's exchange of frames before a window.
func (n *Network) Exchange(worker int) { n.offices[worker].exchange() }

// Sent is the earliest arrival a worker posted to others in the last window.
func (n *Network) Sent(worker int) units.Time { return n.offices[worker].first }
