package host

import (
	"fmt"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Flow is what a host wants to move to another, before anything runs.
type Flow struct {
	Src, Dst int // hosts, by their place in the graph's list of hosts
	Size     units.Bytes
	Messages int
	Start    units.Time
	// Depth is how many messages are posted at a time; 0 for all. A flow with one has its queue
	// pair to itself.
	Depth int
	// Lane tells the queue pairs between two hosts apart: flows of the same Src,
	// Dst and Lane share one and follow each other in the order of the list.
	Lane int
	Data rnic.Class
	// SourcePort, if not 0, is the UDP source port of its queue pair at both ends, in
	// place of that of [rnic.SourcePort]. Of flows that share a queue pair the first
	// decides.
	SourcePort int
	// DestinationPort, if not 0, is its UDP destination port in the profile that chooses
	// paths by one.
	DestinationPort int
	// Path, if not nil, are the switches through which its packets are to go, and Back
	// those for its acknowledgements and notifications; see [topology.Graph.Through]. Of
	// flows that share a queue pair the first decides.
	Path, Back topology.Pinned
	// TCP has it go over a connection of TCP in place of a queue pair. Flows of the same Src, Dst
	// and Lane share one.
	TCP bool
	// Recovery, if not nil, is how its queue pair recovers from loss, in place of what the
	// configuration of the NICs says. Of flows that share a queue pair the first decides.
	Recovery *rnic.Recovery
}

// Payload is the payload of all messages of the flow.
func (f Flow) Payload() units.Bytes { return f.Size * units.Bytes(f.Messages) }

// Cluster is servers joined by a fabric, with the flows between them.
type Cluster struct {
	Net   *fabric.Network
	NIC   *rnic.Config
	Hosts []*Host // by place in the graph's list of hosts
	Flows []Flow
	Conns []Conn // by flow
	// CPU is what the hosts' threads cost, and Threads are all of them in the order in which
	// they were added.
	CPU     CPU
	Threads []*Thread
	// byNode is the host at each node of the network, nil for a switch.
	byNode []*Host
	byKey  map[pairKey]int // the first flow of each queue pair
	// sends and receives count, by host, the queue pairs made so far that send data
	// and receive it: the NICs of a host take them in turn.
	sends, receives []int32
	ideal           *topology.Classes

	pairs      map[pairKey]int  // queue pairs of each pair of hosts, where they are numbered
	longestRTT units.Time       // of the base round trips of all queue pairs
	bdp        units.Bytes      // greatest of their bandwidth-delay products
	giveUp     units.Time       // longest time without progress after which one fails; 0 if none ever does
	shortest   *topology.Routes // see shortestPaths
	lastPause  units.Time       // when the last pause of a host ends
	tcp        *TCP
	kernel     *kernel.Config
	stacks     []*stack // of the hosts that speak TCP
	slowed     bool     // some link is slow for a time: a switch may then cut through where it could not otherwise
}

// Conn is the queue pair that carries a flow, at its two ends, and which of the
// sending NIC's transfers the flow is.
type Conn struct {
	From, To     *rnic.NIC
	FromQP, ToQP int   // their indices; -1 for a flow over TCP
	Src, Dst     int32 // endpoints
	Transfer     int
	// Path and Back are the ways of its packets and of what answers them, from host to
	// host, if it is pinned to them.
	Path, Back []topology.Step
	stream     *streamEnds // of a flow over TCP; then there is no queue pair
	overTCP    bool        // the queue pair travels as iWARP
}

type pairKey struct {
	src, dst, lane int
	tcp            bool
}

// NewCluster puts a host at every host node of a network.
func NewCluster(net *fabric.Network, cfg *rnic.Config) *Cluster {
	c := &Cluster{
		Net: net, NIC: cfg, byKey: map[pairKey]int{}, pairs: map[pairKey]int{},
		sends: make([]int32, len(net.Graph.Hosts())), receives: make([]int32, len(net.Graph.Hosts())),
		ideal: topology.NewClasses(net.Routes), byNode: make([]*Host, len(net.Graph.Nodes)),
	}
	if kinds := net.ForwardingKinds(); kinds != nil {
		c.ideal.Distinguish(func(sw int) int { return kinds[sw] })
	}
	for _, node := range net.Graph.Hosts() {
		h := New(net, node, cfg)
		c.Hosts = append(c.Hosts, h)
		c.byNode[node] = h
	}
	return c
}

// HostAt is the host at a node of the network; nil for a switch.
func (c *Cluster) HostAt(node int) *Host { return c.byNode[node] }

// AddFlow makes a flow, and a queue pair for it if it does not share one.
func (c *Cluster) AddFlow(f Flow) error {
	if f.Src == f.Dst {
		return fmt.Errorf("flow from %s to itself", c.name(f.Src))
	}
	key := pairKey{f.Src, f.Dst, f.Lane, f.TCP}
	var conn Conn
	if first, shared := c.byKey[key]; shared {
		conn = c.Conns[first]
	} else {
		var err error
		if f.TCP {
			conn, err = c.openStream(f)
		} else {
			conn, err = c.connect(f)
		}
		if err != nil {
			return err
		}
		c.byKey[key] = len(c.Conns)
	}
	if conn.stream != nil {
		conn.stream.add(len(c.Flows), f)
		c.Flows = append(c.Flows, f)
		c.Conns = append(c.Conns, conn)
		return nil
	}
	conn.Transfer = len(conn.From.Transfers())
	conn.From.Add(rnic.Transfer{
		ID: len(c.Flows), QP: conn.FromQP, Size: f.Size, Messages: f.Messages, Start: f.Start, Depth: f.Depth,
	}, conn.To, conn.ToQP)
	c.Flows = append(c.Flows, f)
	c.Conns = append(c.Conns, conn)
	return nil
}

// connect makes a queue pair for a flow between the NICs whose turn it is.
func (c *Cluster) connect(f Flow) (Conn, error) {
	src, dst, err := c.pair(f)
	if err != nil {
		return Conn{}, err
	}
	c.sends[f.Src]++
	c.receives[f.Dst]++
	from, to := &c.Net.Routes.Endpoints[src], &c.Net.Routes.Endpoints[dst]
	conn := Conn{From: c.Hosts[f.Src].nics[from.Port], To: c.Hosts[f.Dst].nics[to.Port], Src: src, Dst: dst}
	conn.FromQP, conn.ToQP = rnic.Connect(conn.From, conn.To, f.Data)
	conn.overTCP = f.Data.IWARP
	if c.Net.HashesTuples() {
		c.number(f, conn)
		f.SourcePort = 0
	}
	if f.SourcePort != 0 {
		conn.From.UseSourcePort(conn.FromQP, uint16(f.SourcePort))
		conn.To.UseSourcePort(conn.ToQP, uint16(f.SourcePort))
	}
	if f.Path != nil {
		c.pin(&conn, f)
	}
	line := cc.Line{Rate: conn.From.Rate(), MTU: units.Bytes(c.NIC.MTU), BaseRTT: c.baseRTT(&conn)}
	c.longestRTT = max(c.longestRTT, line.BaseRTT)
	c.bdp = max(c.bdp, line.Rate.BytesIn(line.BaseRTT))
	c.setRecovery(f, conn)
	if conn.overTCP {
		conn.From.HandshakeTook(conn.FromQP, line.BaseRTT)
		conn.To.HandshakeTook(conn.ToQP, line.BaseRTT)
	}
	conn.From.Control(conn.FromQP, c.NIC.Control.New(line))
	return conn, nil
}

// setRecovery has both ends of a queue pair recover from loss as its flow asks for.
func (c *Cluster) setRecovery(f Flow, conn Conn) {
	r := c.NIC.Recovery
	if f.Recovery != nil {
		r = *f.Recovery
		conn.From.Recover(conn.FromQP, r)
		conn.To.Recover(conn.ToQP, r)
	}
	c.waitsFor(r, f.Data.IWARP)
}

// waitsFor has a run go on without progress at least until a queue pair of that recovery has given up.
func (c *Cluster) waitsFor(r rnic.Recovery, iwarp bool) {
	lasts := c.NIC.GiveUpAfter(r)
	if iwarp {
		lasts = c.NIC.IWARP.Lasts()
	}
	if lasts != units.Never {
		c.giveUp = max(c.giveUp, lasts)
	}
}

// cutOf is how messages of a queue pair are cut into packets.
func (c *Cluster) cutOf(conn *Conn) rnic.Cut { return c.NIC.Cut(rnic.Class{IWARP: conn.overTCP}) }

// BDP is the greatest bandwidth-delay product of the queue pairs there are: what their NIC sends
// during the round trip of a full packet through the empty network.
func (c *Cluster) BDP() units.Bytes { return c.bdp }

// LongestBaseRTT is the longest of their round trips.
func (c *Cluster) LongestBaseRTT() units.Time { return c.longestRTT }

// BoundInFlight bounds the packets that a queue pair with selective repeat has in flight: as
// [rnic.SelectiveRepeat.Window], but once the queue pairs are known. It must be called before
// the run.
func (c *Cluster) BoundInFlight(packets int) {
	c.NIC.Selective.Window = packets
	for _, conn := range c.Conns {
		if conn.stream != nil {
			continue
		}
		for _, end := range []struct {
			nic *rnic.NIC
			qp  int
		}{{conn.From, conn.FromQP}, {conn.To, conn.ToQP}} {
			end.nic.Recover(end.qp, end.nic.RecoveryOf(end.qp))
		}
	}
}

// pair is the endpoints whose turn it is.
func (c *Cluster) pair(f Flow) (src, dst int32, err error) {
	nodes, routes, turn := c.Net.Graph.Hosts(), c.Net.Routes, int(max(c.sends[f.Src], c.receives[f.Dst]))
	if f.Path == nil {
		return routes.Pair(nodes[f.Src], nodes[f.Dst], turn)
	}
	from, to, err := c.Net.Graph.PairThrough(nodes[f.Src], nodes[f.Dst], f.Path, f.Back, turn)
	if err != nil {
		return 0, 0, err
	}
	return routes.EndpointsOf(nodes[f.Src])[from], routes.EndpointsOf(nodes[f.Dst])[to], nil
}

// pin keeps what a queue pair sends, and what answers it, on the ways that its flow
// asks for.
func (c *Cluster) pin(conn *Conn, f Flow) {
	routes := c.Net.Routes
	conn.Path, conn.Back = routes.Whole(f.Path, conn.Src, conn.Dst), routes.Whole(f.Back, conn.Dst, conn.Src)
	to, from := rnic.QPN(conn.ToQP), rnic.QPN(conn.FromQP)
	if s := conn.stream; s != nil {
		to, from = s.from.socket.far, s.to.socket.far
	}
	c.Net.Pin(conn.Path, fabric.Address{Dest: routes.Dest(conn.Dst), QPN: to})
	c.Net.Pin(conn.Back, fabric.Address{Dest: routes.Dest(conn.Src), QPN: from})
}

// Ideal is how long a flow would take alone, on the best of its paths; one that is
// pinned has but one.
func (c *Cluster) Ideal(flow int) (lastByte, lastAck units.Time) {
	f := c.Flows[flow]
	return c.idealOf(f.Size, f.Messages, &c.Conns[flow])
}

// baseRTT is the round trip of one full packet through an empty network.
func (c *Cluster) baseRTT(conn *Conn) units.Time {
	_, rtt := c.idealOf(units.Bytes(c.cutOf(conn).MTU), 1, conn)
	return rtt
}

func (c *Cluster) idealOf(size units.Bytes, messages int, conn *Conn) (lastByte, lastAck units.Time) {
	lastByte, lastAck = units.Never, units.Never
	there, back := [][]topology.Hop{c.hops(conn.Path)}, [][]topology.Hop{c.hops(conn.Back)}
	if conn.Path == nil {
		there, back = c.ways(conn.Src, conn.Dst), c.ways(conn.Dst, conn.Src)
	}
	if conn.stream != nil {
		return c.idealOfStream(size*units.Bytes(messages), there, back)
	}
	cut := c.cutOf(conn)
	for _, way := range there {
		b, _ := cut.Ideal(size, messages, c.legs(way), nil)
		lastByte = min(lastByte, b)
	}
	for _, way := range back {
		_, back := cut.Ideal(0, 0, nil, c.legs(way))
		lastAck = min(lastAck, lastByte+back)
	}
	return lastByte, lastAck
}

func (c *Cluster) legs(way []topology.Hop) []rnic.Leg {
	legs := make([]rnic.Leg, len(way))
	for i, hop := range way {
		legs[i] = rnic.Leg{Rate: hop.Rate, Delay: hop.Delay}
		if i == len(way)-1 {
			break
		}
		pipeline, header := c.Net.Forwarding(hop.Switch)
		legs[i].Delay += pipeline
		if hop.Rate >= way[i+1].Rate || hop.Switch == topology.AnySwitch || c.slowed {
			legs[i].Header = header
		}
	}
	return legs
}

// Path is the way a flow's packets take while no link is down: nodes, and the ports
// by which they leave.
func (c *Cluster) Path(flow int) []topology.Step { return c.wayBy(c.Net.Routes, flow) }

// Detours are the ways a flow's packets take after each change of routes; nil for one
// that leaves them none.
func (c *Cluster) Detours(flow int) (ways [][]topology.Step) {
	for _, e := range c.Net.Epochs() {
		ways = append(ways, c.wayBy(e.Routes, flow))
	}
	return ways
}

func (c *Cluster) wayBy(routes *topology.Routes, flow int) []topology.Step {
	conn := c.Conns[flow]
	if conn.Path != nil {
		return conn.Path
	}
	return c.path(routes, conn.Src, conn.Dst, conn.hashes().there)
}

// ReturnPath is the way of a flow's acknowledgements and notifications while no link
// is down.
func (c *Cluster) ReturnPath(flow int) []topology.Step { return c.returnBy(c.Net.Routes, flow) }

func (c *Cluster) returnBy(routes *topology.Routes, flow int) []topology.Step {
	conn := c.Conns[flow]
	if conn.Back != nil {
		return conn.Back
	}
	return c.path(routes, conn.Dst, conn.Src, conn.hashes().back)
}

// hashes are those of the 5-tuples of a flow's packets and of what answers them, from which
// switches choose ways.
func (c *Conn) hashes() struct{ there, back uint32 } {
	if c.stream != nil {
		return struct{ there, back uint32 }{c.stream.from.socket.flow, c.stream.to.socket.flow}
	}
	return struct{ there, back uint32 }{c.From.QueuePairs()[c.FromQP].FlowHash(), c.To.QueuePairs()[c.ToQP].FlowHash()}
}

func (c *Cluster) path(routes *topology.Routes, src, dst int32, hash uint32) []topology.Step {
	return routes.Path(src, dst, func(sw, n int) int {
		return c.Net.Switch(sw).Choose(hash, n)
	})
}

// Transfer is the sender's side of a flow.
func (c *Cluster) Transfer(flow int) *rnic.Transfer {
	conn := c.Conns[flow]
	if conn.stream != nil {
		return conn.stream.transfer(flow)
	}
	return &conn.From.Transfers()[conn.Transfer]
}

func (c *Cluster) name(host int) string {
	return c.Net.Graph.Nodes[c.Net.Graph.Hosts()[host]].Name
}
