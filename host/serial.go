package host

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

var _ sim.Handler = (*Host)(nil)

// Handle implements [sim.Handler].
func (h *Host) Handle(key uint64, now units.Time) {
	h.awake.Say()
	h.events++
	kind, id := fabric.TimerKind(key)
	if kind >= fabric.OwnerTimers {
		if nic := rnic.TimerNIC(id); h.nics[nic].HandleSerially(kind, id, now) {
			h.kickSerially(nic, now)
		}
		return
	}
	port, _ := fabric.TimerPort(id)
	switch kind {
	case fabric.FrameArrives:
		p, _ := h.receive(port, now)
		h.nics[port].Receive(p, now)
		h.kickSerially(port, now)
		h.ports[port].Await()
		return
	case fabric.TransmitterFree:
		h.ports[port].Release(now)
	case fabric.PauseArrives:
		if !h.ports[port].Obey(now) {
			return
		}
	default:
		h.onPortTimer(kind, id, now)
	}
	h.kickSerially(port, now)
}

// kickSerially has a port send if it is free and has anything to send.
func (h *Host) kickSerially(port int, now units.Time) {
	p := &h.ports[port]
	if p.FreeAt <= now && h.nics[port].TransmitSerially(now) {
		h.hops++
		p.Occupy()
	}
}

// serial makes the cluster's nodes one, whose events happen in the order in which they
// were scheduled; flows of equal start begin in the order of the list.
func (c *Cluster) serial() *sim.Serial {
	s := &sim.Serial{Handlers: make([]sim.Handler, len(c.Net.Graph.Nodes))}
	for i, conn := range c.Conns {
		s.Add(c.Flows[i].Start, c.Hosts[c.Flows[i].Src].node, conn.From.StartKey(conn.Transfer))
	}
	for node := range s.Handlers {
		if sw := c.Net.Switch(node); sw != nil {
			s.Handlers[node] = sw
		}
	}
	for _, h := range c.Hosts {
		s.Handlers[h.node] = h
		h.timers.Divert(&s.Agenda, h.node, rnic.IsStart)
	}
	c.Net.ConnectSerially(&s.Agenda)
	return s
}

// firstSourcePort is the UDP source port of the first queue pair of two hosts in the
// simulator published with HPCC, and destinationPort the other one if a flow names none.
const firstSourcePort, destinationPort = 10000, 100

// number gives the packets of a queue pair, both ways, the numbers of their tuples.
func (c *Cluster) number(f Flow, conn Conn) {
	pair := pairKey{src: f.Src, dst: f.Dst}
	forth := fabric.Tuple{
		Src: addressNS3(c.Hosts[f.Src].node), Dst: addressNS3(c.Hosts[f.Dst].node),
		SrcPort: uint16(firstSourcePort + c.pairs[pair]), DstPort: destinationPort,
	}
	if f.SourcePort != 0 {
		forth.SrcPort = uint16(f.SourcePort)
	}
	if f.DestinationPort != 0 {
		forth.DstPort = uint16(f.DestinationPort)
	}
	back := fabric.Tuple{Src: forth.Dst, Dst: forth.Src, SrcPort: forth.DstPort, DstPort: forth.SrcPort}
	c.pairs[pair]++
	conn.From.UseFlow(conn.FromQP, c.Net.Number(forth))
	conn.To.UseFlow(conn.ToQP, c.Net.Number(back))
}

// addressNS3 is the IP address that the simulator gives to a node.
func addressNS3(node int) uint32 {
	return 0x0b000001 + uint32(node/256)<<16 + uint32(node%256)<<8
}
