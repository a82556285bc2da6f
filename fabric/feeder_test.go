package fabric

import (
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// feeder is a host without a NIC: it sends the frames it is given, back to back, and
// notes when the last bit of each frame comes that is sent to it.
type feeder struct {
	port      *Port
	arrivals  Arrivals
	timers    sim.Timers
	send      []wire.Packet
	starts    []units.Time // when a frame may start at the earliest; nil for at once
	came      []units.Time
	priority  int
	lastFrame wire.Packet
}

func (f *feeder) nextStart() units.Time {
	if len(f.send) == 0 {
		return units.Never
	}
	if f.starts != nil {
		return max(f.port.FreeAt, f.starts[0])
	}
	return f.port.FreeAt
}

func (f *feeder) NextEvent() units.Time {
	return min(f.timers.Next(), f.arrivals.Earliest(), f.nextStart())
}

func (f *feeder) RunUntil(limit units.Time) (events uint64) {
	for now := f.NextEvent(); now < limit; now = f.NextEvent() {
		events++
		switch now {
		case f.timers.Next():
			f.timers.Pop()
		case f.arrivals.Earliest():
			f.lastFrame = *f.port.Receive()
			f.port.CountIn(&f.lastFrame, f.priority)
			f.port.TakeIn(&f.lastFrame, f.priority)
			f.came = append(f.came, now)
		default:
			f.port.Transmit(now, &f.send[0], f.priority)
			f.send = f.send[1:]
			if f.starts != nil {
				f.starts = f.starts[1:]
			}
		}
	}
	return events
}

// always is a supervisor that lets a run go on until nothing is left to do.
type always struct{}

func (always) AtEdge(_, _ units.Time) sim.Verdict { return sim.Continue }

// rig is a line of switches between two feeders, all cables 100 m long.
type rig struct {
	net      *Network
	from, to *feeder
}

// rigOf joins two feeders by links of these rates, with a switch between any two.
func rigOf(t testing.TB, cfg Config, rates ...units.Rate) *rig {
	t.Helper()
	nodes := []topology.Node{{Name: "h0"}, {Name: "h1"}}
	var links []topology.Link
	at := 0
	for i, rate := range rates {
		next := 1
		if i < len(rates)-1 {
			next = len(nodes)
			nodes = append(nodes, topology.Node{Name: "s" + string(rune('0'+i)), Kind: topology.Switch})
		}
		links = append(links, topology.Link{A: at, B: next, Rate: rate * units.Gbps, Delay: 500 * units.Nanosecond})
		at = next
	}
	g, err := topology.New(nodes, links)
	if err != nil {
		t.Fatal(err)
	}
	n, err := New(g, topology.NewRoutes(g), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{net: n}
	for node, f := range []**feeder{&r.from, &r.to} {
		*f = &feeder{port: &n.Ports(node)[0], arrivals: NewArrivals(1), priority: 3}
		(*f).port.Bind(&(*f).arrivals, &(*f).timers)
	}
	return r
}

// frame is a frame of that L2 size from the first feeder to the second.
func (r *rig) frame(size int) wire.Packet {
	d := r.net.Routes.Dest(r.net.Routes.EndpointsOf(1)[0])
	return wire.Packet{Edge: uint16(d.Edge), EdgePort: d.Port, Frame: uint16(size), DSCP: 26, ECN: wire.ECT0, Op: wire.WriteMiddle}
}

// run runs until nothing moves, and checks the books of the switches.
func (r *rig) run(t testing.TB) {
	t.Helper()
	nodes := []sim.Node{r.from, r.to}
	for i := range r.net.Graph.Nodes[2:] {
		nodes = append(nodes, r.net.Switch(2+i))
	}
	plan := r.net.Divide(1, func(int) int64 { return 1 })
	e := sim.New(nodes, sim.Config{Shares: plan.Shares, Limit: units.Second, Mail: r.net})
	r.net.Connect(e)
	if _, err := e.Run(always{}); err != nil {
		t.Fatal(err)
	}
	for i := range r.net.Graph.Nodes[2:] {
		if err := r.net.Switch(2 + i).Audit(); err != nil {
			t.Error(err)
		}
	}
}
