package host

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Host is a server with one NIC behind each of its ports.
type Host struct {
	arrivals    fabric.Arrivals // by port: next frame to come in
	transmits   sim.Timetable   // by port: transmitter free, or a pace due
	timers      sim.Timers
	lastArrival int
	digest      sim.Digest
	events      uint64
	hops        uint64 // packets sent
	ports       []fabric.Port
	nics        []*rnic.NIC
	priorityOf  *[64]uint8
	node        int
	awake       fabric.Awake
	absence     absence
	threads     []*Thread
	cores       []*core
	cpu         *CPU       // what threads cost; not nil if there are any
	stepped     units.Time // when a thread last took a step
	posted      bool       // threads have posted something that no port has looked at
	stack       *stack
	weights     *[pfc.Priorities]int // by which the classes share a port; 0 for strict ones
	routes      *topology.Routes
}

var _ sim.Node = (*Host)(nil)

// New makes the host at a node of a network, with one NIC for each port.
func New(net *fabric.Network, node int, cfg *rnic.Config) *Host {
	ports := net.Ports(node)
	h := &Host{
		arrivals:   fabric.NewArrivals(len(ports)),
		transmits:  sim.NewTimetable(len(ports)),
		ports:      ports,
		priorityOf: &net.Config.PriorityOf,
		node:       node,
		awake:      net.Awake(node),
		weights:    &net.Config.Schedule.Weights,
		routes:     net.Routes,
	}
	for i, endpoint := range net.Routes.EndpointsOf(node) {
		ports[i].Bind(&h.arrivals, &h.timers)
		h.nics = append(h.nics, rnic.New(cfg, i, endpoint, net.Routes.Dest(endpoint), &ports[i], &h.timers))
	}
	return h
}

// NIC is the NIC behind a port.
func (h *Host) NIC(port int) *rnic.NIC { return h.nics[port] }

// NICs are the host's NICs, by port.
func (h *Host) NICs() []*rnic.NIC { return h.nics }

// NextEvent implements [sim.Node].
func (h *Host) NextEvent() units.Time {
	return min(h.timers.Next(), h.transmits.Earliest(), h.arrivals.Earliest())
}

// RunUntil implements [sim.Node]. At equal times timers, pauses among them, come
// before transmissions and these before arrivals.
func (h *Host) RunUntil(limit units.Time) uint64 {
	h.awake.Say()
	before := h.events
	for {
		timer, send, arrive := h.timers.Next(), h.transmits.Earliest(), h.arrivals.Earliest()
		now := min(timer, send, arrive)
		if now >= limit {
			return h.events - before
		}
		h.events++
		if now < h.absence.until {
			h.postpone(now, timer, send)
			continue
		}
		switch now {
		case timer:
			h.onTimer(h.timers.Pop())
		case send:
			h.kick(h.transmits.First(), now)
		default:
			h.lastArrival = h.arrivals.FirstAfter(h.lastArrival)
			h.arrive(h.lastArrival, now)
		}
	}
}

func (h *Host) arrive(port int, now units.Time) {
	p, priority := h.receive(port, now)
	h.hand(port, p, priority, now)
}

// receive gets the frame that has come in by a port, and its priority.
func (h *Host) receive(port int, now units.Time) (p *wire.Packet, priority int) {
	p = h.ports[port].Receive()
	priority = int(h.priorityOf[p.DSCP])
	h.ports[port].CountIn(p, priority)
	if h.ports[port].Watched() {
		h.ports[port].TakeIn(p, priority)
	}
	h.digest.Fold(uint64(now), uint64(port)<<32^uint64(p.PSN)<<8^uint64(p.Op)^uint64(p.QPN)<<20)
	return p, priority
}

// hand hands a frame to the NIC behind a port.
func (h *Host) hand(port int, p *wire.Packet, priority int, now units.Time) {
	if p.Op.IsTCP() && p.QPN >= wire.FirstSocket {
		h.stack.came(p, now)
		if h.posted {
			h.kickPosted(now)
		}
		return
	}
	if nic := h.nics[port]; nic.Limited() {
		nic.Take(p, priority, now)
	} else {
		frame := units.Bytes(p.Frame)
		nic.Receive(p, now)
		if h.ports[port].Watched() {
			h.ports[port].Freed(priority, frame, now)
		}
	}
	h.kick(port, now)
}

func (h *Host) onTimer(t sim.Timer) {
	kind, id := fabric.TimerKind(t.Key)
	if kind >= fabric.OwnerTimers {
		h.onNICTimer(kind, id, t.At)
		return
	}
	switch kind {
	case fabric.NodePauses:
		h.pause(id, t.At)
	case fabric.NodeResumes:
		h.resume(t.At)
	default:
		h.kick(h.onPortTimer(kind, id, t.At), t.At)
	}
}

func (h *Host) onNICTimer(kind int, id uint64, now units.Time) {
	if kind >= moderatedTimer {
		h.onStackTimer(kind, id, now)
	} else if kind >= coreTimer {
		h.onThreadTimer(kind, id, now)
	} else {
		nic := rnic.TimerNIC(id)
		h.nics[nic].OnTimer(kind, id, now)
		h.kick(nic, now)
	}
	if h.posted {
		h.kickPosted(now)
	}
}

// onPortTimer handles the timer of a port, and tells which port it is.
func (h *Host) onPortTimer(kind int, id uint64, now units.Time) (port int) {
	port, k := fabric.TimerPort(id)
	switch kind {
	case fabric.PauseArrives:
		h.ports[port].Obey(now)
	case fabric.PauseRefresh:
		h.nics[port].OnRefresh(k, now)
	case fabric.LinkChanges:
		h.ports[port].ChangeLink(k, now)
	case fabric.CreditsArrive, fabric.CreditsCount, fabric.CreditsDue:
		h.ports[port].OnCreditTimer(kind, k, now)
	}
	return port
}

// kick has a port send if it can, or wakes it when it can. A pause that the NIC asks
// for goes before all else.
func (h *Host) kick(port int, now units.Time) {
	h.nics[port].Advance(now)
	switch p := &h.ports[port]; {
	case p.FreeAt > now && !p.PausesAtOnce():
	case p.Owes():
		p.Speak(now)
	case p.FreeAt <= now && h.transmit(port, now):
		h.hops++
	}
	h.wake(port, now)
}

// wake sets when a port is to look again for something to send: when it is free,
// if something waits, or when a queue pair's pace lets it.
func (h *Host) wake(port int, now units.Time) {
	p := &h.ports[port]
	at := units.Never
	if h.nics[port].Waiting()&^p.Paused(now) != 0 || p.Owes() {
		at = p.FreeAt
	} else if paced := h.nics[port].NextPaced(); paced != units.Never {
		at = max(paced, p.FreeAt)
	}
	at = min(at, h.nics[port].NextPick())
	if h.stack != nil {
		at = min(at, h.stack.next(port, now))
	}
	if h.transmits.At(port) != at {
		h.transmits.Set(port, at)
	}
}

// flush closes the host's books at the end of a run.
func (h *Host) flush(now units.Time) {
	for i := range h.nics {
		h.nics[i].Flush(now)
		h.ports[i].Flush(now)
	}
	if h.stack != nil {
		h.stack.flush(now)
	}
}
