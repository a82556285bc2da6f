package fabric

import (
	"math/bits"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Watchdog is the PFC watchdog of every switch. Times of 0 are SONiC's defaults for
// the ports of the switch: 200 ms for each 32 of them begun.
type Watchdog struct {
	Enabled                      bool
	Poll, Detection, Restoration units.Time
	Action                       WatchdogAction
	// HostPorts has it look after ports to hosts only.
	HostPorts bool
}

// WatchdogAction is what a watchdog does while a storm lasts.
type WatchdogAction uint8

// Actions of a watchdog.
const (
	// WatchdogDrop discards what is queued and what arrives for the queue, and
	// packets of its priority that come in by its port.
	WatchdogDrop WatchdogAction = iota
	// WatchdogForward sends in spite of the pauses.
	WatchdogForward
	// WatchdogAlert does nothing but say so.
	WatchdogAlert
)

// watchdogUnit is the time SONiC gives each of a watchdog's times, times the number
// of steps of watchdogPorts that the ports of a switch begin.
const (
	watchdogUnit  = 200 * units.Millisecond
	watchdogPorts = 32
)

// Times are the watchdog's times at a switch of so many ports.
func (w Watchdog) Times(ports int) pfc.WatchdogTimes {
	auto := watchdogUnit * units.Time(max(1, (ports-1)/watchdogPorts+1))
	or := func(t units.Time) units.Time {
		if t == 0 {
			return auto
		}
		return t
	}
	return pfc.WatchdogTimes{Poll: or(w.Poll), Detection: or(w.Detection), Restoration: or(w.Restoration)}
}

// watchdogPoll is the timer of a switch's watchdog. It is no work: a run in which
// nothing else is left does not go on for it.
const watchdogPoll = OwnerTimers

// watchdog looks after the lossless queues of a switch.
type watchdog struct {
	times      pfc.WatchdogTimes
	action     WatchdogAction
	lossless   uint8
	ports      []int     // looked after
	classes    []watched // by port, then priority
	discarding []uint8   // by port: priorities of which frames are discarded
	storms     int       // under way
	events     []WatchdogEvent
}

// watched is a queue under the watchdog's eyes, with what was counted at the last poll.
type watched struct {
	pfc.Watchdog
	sent, xoffs   uint64
	held          units.Time
	discarded     ClassCount
	discardedData uint64
}

// WatchdogEvent is the beginning or end of a storm at a port.
type WatchdogEvent struct {
	At             units.Time
	Port, Priority int
	Begins         bool
}

// newWatchdog makes the watchdog of a switch, nil if it has none.
func (n *Network) newWatchdog(node int) *watchdog {
	cfg, ports := n.ConfigOf(node), len(n.ports[node])
	if !cfg.Watchdog.Enabled || cfg.PFC.Lossless == 0 {
		return nil
	}
	w := &watchdog{
		times: cfg.Watchdog.Times(ports), action: cfg.Watchdog.Action, lossless: cfg.PFC.Lossless,
		classes: make([]watched, ports*pfc.Priorities), discarding: make([]uint8, ports),
	}
	for i, port := range n.Graph.Ports(node) {
		if !cfg.Watchdog.HostPorts || n.Graph.Nodes[port.Peer].Kind == topology.Host {
			w.ports = append(w.ports, i)
		}
	}
	return w
}

// pollWatchdog looks at every lossless queue of the switch.
func (s *Switch) pollWatchdog(now units.Time) {
	s.timers.Add(now+s.watchdog.times.Poll, OwnerTimer(watchdogPoll, 0))
	for _, port := range s.watchdog.ports {
		for set := s.watchdog.lossless; set != 0; set &= set - 1 {
			s.watch(port, bits.TrailingZeros8(set), now)
		}
	}
}

// watch looks at one queue and acts.
func (s *Switch) watch(port, priority int, now units.Time) {
	w := s.watchdog
	switch w.at(port, priority).Poll(&w.times, s.observe(port, priority, now)) {
	case pfc.StormBegins:
		w.storms++
		w.events = append(w.events, WatchdogEvent{now, port, priority, true})
		s.mitigate(port, priority, now)
	case pfc.StormEnds:
		w.storms--
		w.events = append(w.events, WatchdogEvent{now, port, priority, false})
		w.discarding[port] &^= 1 << priority
		s.ports[port].ignored &^= 1 << priority
	}
}

func (w *watchdog) at(port, priority int) *watched {
	return &w.classes[port*pfc.Priorities+priority]
}

// observe is what has happened to a queue since the last poll.
func (s *Switch) observe(port, priority int, now units.Time) pfc.Observation {
	p, w := &s.ports[port], s.watchdog.at(port, priority)
	bit := uint8(1) << priority
	sent, held := p.Counters.Class[priority].Tx.Packets, p.PausedFor(priority, now)
	xoffs := p.Counters.PauseRx[priority].XOFF + p.Counters.PauseRx[priority].Refresh
	o := pfc.Observation{
		Queued: s.backlog[port]&bit != 0, Sent: sent > w.sent,
		Held: held - w.held, Paused: p.Paused(now)&bit != 0, XOFFs: xoffs > w.xoffs,
	}
	w.sent, w.held, w.xoffs = sent, held, xoffs
	return o
}

// WatchdogEvents are the storms that the switch's watchdog has seen, in the order of
// time.
func (s *Switch) WatchdogEvents() []WatchdogEvent {
	if s.watchdog == nil {
		return nil
	}
	return s.watchdog.events
}

// WatchdogWillAct tells whether a switch's watchdog is about to end a standstill: a
// queue is held up that it has not done anything about yet, and will.
func (n *Network) WatchdogWillAct(now units.Time) bool {
	for s := range n.ActiveSwitches() {
		if s.watchdog == nil || s.watchdog.action == WatchdogAlert {
			continue
		}
		for _, port := range s.watchdog.ports {
			if s.backlog[port]&s.ports[port].Paused(now)&s.watchdog.lossless != 0 {
				return true
			}
		}
	}
	return false
}

// WatchdogTime is the longest that the watchdog of any switch takes to notice a storm
// and to let go after it; 0 if it is off.
func (n *Network) WatchdogTime() (longest units.Time) {
	for _, node := range n.Graph.Switches() {
		if w := n.switches[node].watchdog; w != nil {
			longest = max(longest, w.times.Detection+w.times.Restoration+2*w.times.Poll)
		}
	}
	return longest
}
