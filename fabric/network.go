package fabric

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/fabric/partition"
	"github.com/rdmasim/rdmasim/fabric/topology"
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
	activity activity
	tuples   *tuples // nil if switches choose paths by hash and salt

	epochs     []Epoch
	lastChange units.Time
}

// New builds the fabric. It fails with a [*units.FieldError] on key
// "switch.pfc.headroom" or "switch.buffer" if what is guaranteed and set aside
// exceeds a switch's buffer.
func New(g *topology.Graph, r *topology.Routes, cfg Config) (*Network, error) {
	n := &Network{Graph: g, Routes: r, Config: &cfg}
	if cfg.HashTuples {
		n.tuples = new(tuples)
	}
	if r.Edges() > wire.MaxEdges {
		return nil, units.Field("topology", r.Edges(), "too many switches with hosts", fmt.Sprintf("at most %d", wire.MaxEdges))
	}
	n.ports = make([][]Port, len(g.Nodes))
	n.switches = make([]*Switch, len(g.Nodes))
	n.layPorts()
	n.activity.states = make([]byte, len(g.Nodes))
	for node := range g.Nodes {
		n.plug(node)
	}
	n.grantCredits()
	for _, node := range g.Switches() {
		s, err := n.newSwitch(node)
		if err != nil {
			return nil, err
		}
		n.switches[node] = s
	}
	return n, nil
}

// layPorts lays the ports of all nodes side by side, and what goes with them likewise:
// a large block begins at a page's border, and so every port at a cache line's.
func (n *Network) layPorts() {
	count := 2 * len(n.Graph.Links)
	ports, counters := make([]Port, count), make([]PortCounters, count)
	extras := make([]struct {
		portExtras
		inboxExtras
	}, count)
	for i := range ports {
		ports[i].Counters, ports[i].portExtras, ports[i].in.inboxExtras = &counters[i], &extras[i].portExtras, &extras[i].inboxExtras
	}
	for node := range n.ports {
		own := len(n.Graph.Ports(node))
		n.ports[node], ports = ports[:own:own], ports[own:]
	}
}

// plug sets up the ports of a node and the links that leave it.
func (n *Network) plug(node int) {
	own := &n.ConfigOf(node).PFC
	frames := n.Config.Framing
	rules := &pauseRules{quanta: own.Quanta, refresh: own.Refresh, sticky: own.Sticky}
	for i, at := range n.Graph.Ports(node) {
		cable := n.Graph.Links[at.Link]
		p := &n.ports[node][i]
		p.index, p.rules, p.in.slot, p.in.headers = uint16(i), rules, uint16(i), n.Header(node) > 0
		p.out = link{
			delay:    cable.Delay + n.Pipeline(at.Peer),
			pfcDelay: cable.Delay + n.controlDelay(at.Peer, at.PeerPort),
			header:   uint16(n.Header(at.Peer)),
			to:       &n.ports[at.Peer][at.PeerPort].in,
			gap:      uint16(frames.Interframe()), pfcWire: uint16(n.Config.controlWire()), nanos: frames != nil && frames.WholeNanoseconds,
		}
		p.out.setRate(cable.Rate)
		if own.Off[at.Peer] {
			p.ignorePFC()
		}
		if n.Config.RecordPauses && n.Config.samples(node, i) {
			p.pauser.Record()
		}
		if n.Config.UsageSamples > 0 && n.Config.samples(node, i) {
			p.usage, p.watched = &usage{length: n.Config.UsageSamples}, true
		}
	}
}

// ConfigOf is the configuration of a node.
func (n *Network) ConfigOf(node int) *Config {
	if own := n.Config.Switches[node]; own != nil {
		return own
	}
	return n.Config
}

// Marks tells whether any switch may mark packets.
func (n *Network) Marks() bool {
	return n.Config.ECN.Marks() || slices.ContainsFunc(n.Graph.Switches(), func(sw int) bool { return n.ConfigOf(sw).ECN.Marks() })
}

// Pipeline is the time a frame spends in a node before it can be forwarded.
func (n *Network) Pipeline(node int) units.Time {
	if n.Graph.Nodes[node].Kind == topology.Switch {
		return n.ConfigOf(node).Pipeline
	}
	return 0
}

// Header is how many bytes of a frame a node needs before it may pass the frame on;
// 0 is all.
func (n *Network) Header(node int) int {
	if n.Graph.Nodes[node].Kind == topology.Switch {
		return n.ConfigOf(node).Header
	}
	return 0
}

func (n *Network) newSwitch(node int) (*Switch, error) {
	cfg, ports := n.ConfigOf(node), n.ports[node]
	s := &Switch{
		arrivals:   NewArrivals(len(ports)),
		transmits:  sim.NewTimetable(len(ports)),
		wonTie:     make([]units.Time, len(ports)),
		ports:      ports,
		backlog:    make([]uint8, len(ports)),
		queues:     make([]egress, len(ports)*len(cfg.Priorities)),
		priorityOf: &cfg.PriorityOf,
		warms:      n.outgrowsCache(),
		lanes:      len(cfg.Priorities),
		node:       node,
		awake:      n.Awake(node),
		routes:     n.Routes.Switch(node),
	}
	name := n.Graph.Nodes[node].Name
	s.tuples, s.coins = n.tuples, n.Config.SharedCoins
	s.salt = saltOf(cfg, name)
	s.numberLanes(cfg)
	for i := range ports {
		ports[i].Bind(&s.arrivals, &s.timers)
	}
	n.equip(s)
	s.watchdog = n.newWatchdog(node)
	if s.watchdog != nil {
		s.timers.Add(s.watchdog.times.Poll, OwnerTimer(watchdogPoll, 0))
	}
	var err error
	s.buffer, err = n.newBuffer(node)
	s.probe = newProbes(s, n.Config)
	return s, err
}

// newBuffer divides a switch's memory: minima and headroom first, the rest is
// the shared pool.
func (n *Network) newBuffer(node int) (Buffer, error) {
	cfg := n.ConfigOf(node)
	b := Buffer{xonGap: cfg.PFC.XONOffset, memory: cfg.Memory}
	if n.Config.SplitAccounts {
		b.split = newSplitAccounts(n.ports[node], cfg.PFC.Alpha, n.hostRate())
	}
	groups := cfg.groups()
	for _, g := range groups {
		b.lanes = append(b.lanes, lane{cfg.threshold(g.priority), cfg.PFC.IsLossless(g.priority)})
	}
	b.groups = make([]group, 0, len(n.ports[node])*len(groups))
	var minima, headroom units.Bytes
	for port := range n.ports[node] {
		for _, each := range groups {
			g := group{minimum: cfg.Lossy.Minimum}
			if cfg.PFC.IsLossless(each.priority) {
				g.minimum = cfg.PFC.Minimum
				g.room = n.Headroom(node, port)
				if cfg.Credits != nil {
					g.minimum = cfg.Credits.Buffer
				}
			}
			minima += g.minimum
			b.mixed = b.mixed || g.minimum > 0
			headroom += g.room
			b.groups = append(b.groups, g)
		}
	}
	b.peaks = make([]groupPeaks, len(b.groups))
	b.rooms.size = cfg.headroomPool(headroom)
	b.pool = cfg.Buffer - minima - b.rooms.size
	if cfg.Credits != nil {
		b.pool = 0 // each lane of each port has its own memory, and no other
		return b, nil
	}
	return b, n.checkBuffer(node, minima, b.rooms.size)
}

// hostRate is the rate of the first host's first port.
func (n *Network) hostRate() units.Rate { return n.ports[n.Graph.Hosts()[0]][0].Rate() }

func (n *Network) checkBuffer(node int, minima, headroom units.Bytes) error {
	total := n.ConfigOf(node).Buffer
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
		Want: fmt.Sprintf("a buffer above %s, fewer lossless priorities, shorter cables, or less headroom (%s are missing; %s)",
			(minima + headroom).Human(), (minima + headroom + 1 - total).Human(), n.mostHeadroom(node)),
	}
}

// Ports are the ports of a node.
func (n *Network) Ports(node int) []Port { return n.ports[node] }

// Switch is the switch at a node, nil for a host.
func (n *Network) Switch(node int) *Switch { return n.switches[node] }

// lookAhead is the least time in which what a port sends can have an effect at its
// peer: the smallest frame and the delay, with what every frame waits for there. If the
// peer cuts through, a header is enough.
func (n *Network) lookAhead(node, port int) units.Time {
	l, frames := &n.ports[node][port].out, n.Config.Framing
	first := frames.Least()
	if l.header > 0 {
		first = min(first, int(l.header))
	}
	least := l.serialise(first) + l.delay
	if n.Config.Credits != nil {
		least = min(least, l.serialise(int(l.pfcWire))+min(l.delay, l.pfcDelay))
	} else if n.ConfigOf(node).PFC.Lossless != 0 {
		least = min(least, l.serialise(int(l.pfcWire))+l.pfcDelay)
	}
	return least
}

// Divide shares the nodes out to at most that many workers; weight is how much work is
// expected of a node, and positive.
func (n *Network) Divide(workers int, weight func(node int) int64) partition.Plan {
	var g partition.Graph
	for node := range n.ports {
		g.Nodes = append(g.Nodes, partition.Node{Weight: weight(node), Tier: n.Graph.Nodes[node].Tier})
		for i, at := range n.Graph.Ports(node) {
			g.Links = append(g.Links, partition.Link{From: int32(node), To: int32(at.Peer), LookAhead: n.lookAhead(node, i)})
		}
	}
	return g.Divide(workers)
}

// Connect tells the links which worker runs their receivers, once the engine is
// there.
func (n *Network) Connect(e *sim.Engine) {
	n.offices = make([]postOffice, e.Workers())
	for w := range n.offices {
		n.offices[w].first, n.offices[w].warms = units.Never, n.outgrowsCache()
	}
	boxes := make(map[[2]int]*mailbox)
	for node := range n.ports {
		for i, at := range n.Graph.Ports(node) {
			p := &n.ports[node][i]
			p.in.arrivals.waker = e.Waker(node)
			from, to := e.WorkerOf(node), e.WorkerOf(at.Peer)
			if from == to {
				p.out.box = nil
				continue
			}
			if boxes[[2]int{from, to}] == nil {
				m := &mailbox{from: &n.offices[from]}
				boxes[[2]int{from, to}] = m
				n.offices[to].in = append(n.offices[to].in, m)
			}
			p.out.box = boxes[[2]int{from, to}]
		}
	}
}
