package schedule

import (
	"testing"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/sim/units"
)

// loggops are costs with latency l, overhead o at either end, a time for each byte on the way, and messages of more than eager that
// ask first, as LogGOPS has them with G, l, o and S. A collective takes a second.
type loggops struct {
	l, o, perByte units.Time
	eager         units.Bytes
}

func (c loggops) Collective(*Op) units.Time { return units.Second }

func (c loggops) Message(op *Op, _ int32) Passage {
	p := Passage{Way: op.NIC, Short: op.Size < 5, Busy: c.perByte * units.Time(op.Size)}
	p.Arrives = p.Busy + c.l
	if op.Size > c.eager {
		p.Ask = c.l
	}
	return p
}

func (c loggops) Processor(*Op) (units.Time, bool) { return c.o, true }

func calc(t units.Time) Op { return Op{Time: t} }

// after is a graph of operations of which each waits for the one before it.
func after(ops ...Op) *Graph {
	b := NewBuilder()
	for i, op := range ops {
		if b.Add(op); i > 0 {
			b.Requires(i, i-1)
		}
	}
	g, err := b.Graph()
	if err != nil {
		panic(err)
	}
	return g
}

// at has an operation of another stream.
func at(stream uint8, op Op) Op {
	op.Stream = stream
	return op
}

// onRail has a message go by a rail.
func onRail(nic uint8, op Op) Op {
	op.NIC = nic
	return op
}

func TestBoundsOfSchedulesThatCanBeWorkedOutByHand(t *testing.T) {
	const l, o, perByte = 1000, 100, 2
	costs := loggops{l, o, perByte, 50}
	apart := func(ops ...Op) *Graph { return job(ops).Ranks[0] }
	for _, c := range []struct {
		what  string
		ranks []*Graph
		want  units.Time
	}{
		{"one message: o, its bytes, l, o", []*Graph{after(send(1, 0, 50)), after(recv(0, 0, 50))}, o + 50*perByte + l + o},
		{"the receiver computes longer: its processor is free for the message then only", []*Graph{after(send(1, 0, 50)), apart(recv(0, 0, 50), calc(5000))}, 5000 + o},
		{"with another processor it does not wait", []*Graph{after(send(1, 0, 50)), apart(at(1, recv(0, 0, 50)), calc(1150))}, o + 50*perByte + l + o},
		{"two messages, of which the processor is the bottleneck", []*Graph{apart(send(1, 0, 1), send(1, 1, 1)), apart(recv(0, 0, 1), recv(0, 1, 1))}, 2*o + 1*perByte + l + o},
		{"two messages, of which the wire is", []*Graph{apart(at(0, send(1, 0, 50)), at(1, send(1, 1, 50))), apart(recv(0, 0, 50), at(1, recv(0, 1, 50)))}, o + 2*50*perByte + l + o},
		{"a short one goes in between the packets of a long one", []*Graph{apart(send(1, 0, 50), at(1, send(2, 1, 4))), after(recv(0, 0, 50)), after(recv(0, 1, 4), calc(7000))}, o + 4*perByte + l + o + 7000},
		{"by two rails they go at once", []*Graph{apart(onRail(1, send(1, 0, 50)), at(1, onRail(2, send(1, 1, 50)))), apart(recv(0, 0, 50), at(1, recv(0, 1, 50)))}, o + 50*perByte + l + o},
		{"there and back", []*Graph{after(send(1, 0, 10), recv(1, 0, 10)), after(recv(0, 0, 10), send(0, 0, 10))}, 2 * (o + 10*perByte + l + o)},
		{"what comes unexpected waits", []*Graph{after(send(1, 0, 10)), after(calc(9000), recv(0, 0, 10))}, 9000 + o},
		{"a longer one asks, is answered, comes", []*Graph{after(send(1, 0, 51)), after(recv(0, 0, 51))}, o + 2*l + 51*perByte + l + o},
		{"and has asked when it is answered late", []*Graph{after(send(1, 0, 51)), after(calc(7000), recv(0, 0, 51))}, 7000 + l + 51*perByte + l + o},
		{"its send is over when it has come", []*Graph{after(send(1, 0, 51), calc(3)), after(recv(0, 0, 51))}, o + 2*l + 51*perByte + l + o},
		{"its send is over when it has come, and what follows then begins", []*Graph{after(send(1, 0, 51), calc(333)), after(recv(0, 0, 51))}, o + 2*l + 51*perByte + l + 333},
		{"both ask each other before they receive: for good", []*Graph{after(send(1, 0, 51), recv(1, 0, 51)), after(send(0, 0, 51), recv(0, 0, 51))}, units.Never},
		{"short ones do not ask", []*Graph{after(send(1, 0, 50), recv(1, 0, 50)), after(send(0, 0, 50), recv(0, 0, 50))}, o + 50*perByte + l + o},
		{"a ring in which everyone receives first: for good", []*Graph{after(recv(1, 0, 1), send(1, 0, 1)), after(recv(0, 0, 1), send(0, 0, 1))}, units.Never},
		{"a wildcard takes what comes first, from the nearer one", []*Graph{after(calc(500), send(2, 7, 1)), after(send(2, 7, 1)), after(recv(Any, 7, 1), recv(Any, 7, 1))}, 500 + o + perByte + l + o},
		{"of operations that are ready at once the first has its turn first", []*Graph{apart(calc(10), send(1, 0, 1), calc(90)), after(recv(0, 0, 1))}, 10 + o + perByte + l + o},
	} {
		s := &Job{Ranks: c.ranks}
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if got := Bound(s, costs); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// An operation that waits for the start of another one begins with it: with a calc, before that is over, and with a send when
// it has got its processor.
func TestWhatWaitsForAStartBeginsWithIt(t *testing.T) {
	for _, c := range []struct {
		first   Op
		onStart bool
		want    units.Time
	}{
		{calc(1000), false, 300 + 1000 + 700}, {calc(1000), true, 300 + 1000},
		{send(1, 0, 1), false, 300 + 100 + 700}, {send(1, 0, 1), true, 300 + 700},
	} {
		b := NewBuilder()
		b.Add(calc(300))
		b.Add(c.first)
		b.Add(at(1, calc(700)))
		b.Requires(1, 0)
		if c.onStart {
			b.IRequires(2, 1)
		} else {
			b.Requires(2, 1)
		}
		g, _ := b.Graph()
		s := &Job{Ranks: []*Graph{g, after()}}
		if c.first.Kind == Send {
			s.Ranks[1] = after(recv(0, 0, 1))
		}
		if got := Bound(s, loggops{l: 0, o: 100, eager: 50}); got != c.want {
			t.Errorf("%v, on start %v: %v, want %v", &c.first, c.onStart, got, c.want)
		}
	}
}

func TestCollectivesOfAGroupFollowEachOtherInTheBound(t *testing.T) {
	both := []Op{together(collective.Broadcast, 0, 8), together(collective.Broadcast, 0, 8)}
	s := grouped(job(both, append([]Op{calc(10)}, both...)), []int32{0, 1})
	s.Ranks[1] = after(calc(10), both[0], both[1])
	if got, want := Bound(s, loggops{}), 10+2*units.Second; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// BenchmarkBound is a ring of 100 ranks, and of each of which 10,000 times a message of an own tag goes to the next one.
func BenchmarkBound(b *testing.B) {
	const ranks, steps = 100, 3333
	s := new(Job)
	for r := range int32(ranks) {
		build := NewBuilder()
		for k := range uint32(steps) {
			i := build.Add(calc(1000))
			build.Add(send((r+1)%ranks, k, 100))
			build.Add(recv((r+ranks-1)%ranks, k, 100))
			build.Requires(i+1, i)
			if k > 0 {
				build.Requires(i, i-2)
				build.Requires(i, i-1)
			}
		}
		g, _ := build.Graph()
		s.Ranks = append(s.Ranks, g)
	}
	for b.Loop() {
		if got := Bound(s, loggops{l: 1000, o: 10, perByte: 1, eager: 50}); got == units.Never {
			b.Fatal(got)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*s.Ops()), "ns/operation")
}
