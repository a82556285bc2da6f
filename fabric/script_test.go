package fabric

import (
	"cmp"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// actor is a host that does what its script says, in the order of time, and notes when
// packets of each priority come.
type actor struct {
	port     *Port
	arrivals Arrivals
	timers   sim.Timers
	script   []line
	got      [8][]units.Time
}

// line is a frame to send: a pause frame, or else a packet.
type line struct {
	at     units.Time
	pause  *wire.PFC
	packet wire.Packet
}

func (a *actor) NextEvent() units.Time {
	next := min(a.arrivals.Earliest(), a.timers.Next())
	if len(a.script) > 0 {
		next = min(next, a.script[0].at)
	}
	return next
}

func (a *actor) RunUntil(limit units.Time) (events uint64) {
	for now := a.NextEvent(); now < limit; now = a.NextEvent() {
		events++
		switch {
		case a.timers.Next() == now:
			if kind, _ := TimerKind(a.timers.Pop().Key); kind == PauseArrives {
				a.port.Obey(now)
			}
		case len(a.script) > 0 && a.script[0].at == now:
			a.say(&a.script[0])
			a.script = a.script[1:]
		default:
			p := a.port.Receive()
			a.got[p.DSCP>>3] = append(a.got[p.DSCP>>3], now)
		}
	}
	return events
}

func (a *actor) say(l *line) {
	if l.pause != nil {
		a.port.out.sendPFC(l.at, l.pause)
		return
	}
	priority := int(l.packet.DSCP >> 3)
	if a.port.Paused(l.at)&(1<<priority) == 0 {
		a.port.Transmit(l.at, &l.packet, priority)
	}
}

// plays adds lines to the script.
func (a *actor) plays(lines []line) {
	a.script = append(a.script, lines...)
	slices.SortStableFunc(a.script, func(x, y line) int { return cmp.Compare(x.at, y.at) })
}

// every repeats a line from a time until before another.
func every(period, from, to units.Time, l line) (lines []line) {
	for l.at = from; l.at < to; l.at += period {
		lines = append(lines, l)
	}
	return lines
}

// packetTo is a packet of 1000 B to a host of a star.
func packetTo(host, priority int) line {
	return line{packet: wire.Packet{EdgePort: uint16(host), Frame: 1000, Payload: 900, Op: wire.WriteMiddle, DSCP: uint8(priority << 3)}}
}

// xoff asks for a pause of the longest time.
func xoff(classes ...int) line {
	f := &wire.PFC{}
	for _, c := range classes {
		f.Classes |= 1 << c
		f.Quanta[c] = 65535
	}
	return line{pause: f}
}

// xon ends a pause.
func xon(classes ...int) line {
	l := xoff(classes...)
	l.pause.Quanta = [8]uint16{}
	return l
}

// theatre is actors around a switch.
type theatre struct {
	net    *Network
	actors []*actor
}

func stage(t testing.TB, hosts int, change func(*Config)) *theatre {
	t.Helper()
	th := &theatre{net: star(t, hosts, change)}
	for i := range hosts {
		a := &actor{port: &th.net.Ports(i)[0], arrivals: NewArrivals(1)}
		a.port.Bind(&a.arrivals, &a.timers)
		th.actors = append(th.actors, a)
	}
	return th
}

// forever lets a run go on to its limit.
type forever struct{}

func (forever) AtEdge(_, _ units.Time) sim.Verdict { return sim.Continue }

// play runs the scripts up to a time and checks the switch's books.
func (th *theatre) play(t testing.TB, limit units.Time) *Switch {
	t.Helper()
	var nodes []sim.Node
	for _, a := range th.actors {
		nodes = append(nodes, a)
	}
	s := th.net.Switch(len(th.actors))
	plan := th.net.Divide(1, func(int) int64 { return 1 })
	e := sim.New(append(nodes, s), sim.Config{Shares: plan.Shares, Limit: limit})
	th.net.Connect(e)
	if _, err := e.Run(forever{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
	return s
}
