package tcp

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// reno is the least congestion control that works: RFC 5681, with a window in bytes.
type reno struct {
	mss, cwnd, ssthresh units.Bytes
	acked               units.Bytes
	losses, timeouts    int
	marks               int
	exact               bool
	pacing              units.Rate
}

func (r *reno) Init(mss, initial units.Bytes, _ units.Time) {
	r.mss, r.cwnd, r.ssthresh = mss, initial, congestion.Unbounded
}

func (r *reno) OnAck(a *congestion.Ack, _ units.Time) {
	if a.Recovery || !a.Limited {
		return
	}
	if r.cwnd < r.ssthresh {
		r.cwnd += a.Acked
		return
	}
	r.acked += a.Acked
	if r.acked >= r.cwnd {
		r.acked -= r.cwnd
		r.cwnd += r.mss
	}
}

func (r *reno) halve(flight units.Bytes) {
	r.ssthresh = max(min(flight, r.cwnd)/2, 2*r.mss)
	r.cwnd = r.ssthresh
}
func (r *reno) OnLoss(flight units.Bytes, _ units.Time) { r.losses++; r.halve(flight) }
func (r *reno) OnECN(flight units.Bytes, _ units.Time)  { r.marks++; r.halve(flight) }
func (r *reno) OnTimeout(flight units.Bytes, _ units.Time) {
	r.timeouts++
	r.halve(flight)
	r.cwnd = r.mss
}
func (r *reno) OnRecovered(units.Time)  {}
func (r *reno) Window() units.Bytes     { return r.cwnd }
func (r *reno) Threshold() units.Bytes  { return r.ssthresh }
func (r *reno) Pacing() units.Rate      { return r.pacing }
func (r *reno) WantsExactMarks() bool   { return r.exact }
func (r *reno) State() congestion.State { return congestion.State{} }

// path is one direction of a network: what it does to each packet.
type path struct {
	delay units.Time
	// pass decides about a packet: how much later than delay it comes, and how many times (0: it is lost).
	pass func(s *Segment) (later units.Time, copies int)
}

// network is two endpoints and the two directions between them, in virtual time.
type network struct {
	now   units.Time
	ends  [2]*Endpoint
	paths [2]path // from end i
	queue []arrival
	count int
	limit units.Bytes // of Next
	merge bool        // packets of one time and direction come in one segment
	trace func(format string, args ...any)
	log   []string
	calls func(now units.Time) units.Time // what the clocks of cores do to times; nil: nothing
}

type arrival struct {
	at      units.Time
	order   int
	to      int
	segment Segment
}

// newNetwork connects two endpoints with the same delay each way.
func newNetwork(a, b *Endpoint, delay units.Time) *network {
	return &network{ends: [2]*Endpoint{a, b}, paths: [2]path{{delay: delay}, {delay: delay}}, limit: 64 * units.KiB}
}

// time is the time of a call.
func (n *network) time() units.Time {
	if n.calls != nil {
		return n.calls(n.now)
	}
	return n.now
}

// flush sends all that the ends have to send.
func (n *network) flush() {
	for i, e := range n.ends {
		for range 1 << 16 {
			s, ok := e.Next(n.time(), n.limit)
			if !ok {
				break
			}
			n.send(i, &s)
		}
		if _, more := e.Next(n.now, n.limit); more {
			panic("an endpoint never stops sending")
		}
	}
}

// send cuts a segment into packets and puts them on their way.
func (n *network) send(from int, s *Segment) {
	if n.trace != nil {
		n.trace("%v %d> %s", n.now, from, describe(n.ends[from], s))
	}
	p := &n.paths[from]
	e := n.ends[from]
	for _, packet := range cut(s, units.Bytes(e.mss)) {
		later, copies := units.Time(0), 1
		if p.pass != nil {
			later, copies = p.pass(&packet)
		}
		for range copies {
			n.count++
			n.queue = append(n.queue, arrival{n.now + p.delay + later, n.count, 1 - from, packet})
		}
	}
}

// cut is what an adapter makes of a segment.
func cut(s *Segment, mss units.Bytes) []Segment {
	if s.Packets <= 1 {
		return []Segment{*s}
	}
	var out []Segment
	for at := units.Bytes(0); at < s.Payload; at += mss {
		p := *s
		p.Seq += uint32(at)
		p.Payload = min(mss, s.Payload-at)
		p.Packets = 1
		if at+mss < s.Payload {
			p.Flags &^= FIN | PSH
		}
		if at > 0 {
			p.Flags &^= CWR
		}
		out = append(out, p)
	}
	return out
}

// next is the time of the next event; units.Never if nothing will happen.
func (n *network) next() units.Time {
	at := min(n.ends[0].Deadline(), n.ends[1].Deadline())
	for i := range n.queue {
		at = min(at, n.queue[i].at)
	}
	return at
}

// step lets the next thing happen, if that is before a time, and reports whether there was one.
func (n *network) step(until units.Time) bool {
	n.flush()
	at := n.next()
	if at == units.Never || at > until {
		return false
	}
	n.now = max(n.now, at)
	slices.SortFunc(n.queue, func(a, b arrival) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })
	for len(n.queue) > 0 && n.queue[0].at <= n.now {
		a := n.queue[0]
		n.queue = slices.Delete(n.queue, 0, 1)
		for n.merge && len(n.queue) > 0 && n.queue[0].at <= n.now && mergeInto(&a, &n.queue[0]) {
			n.queue = slices.Delete(n.queue, 0, 1)
		}
		if n.trace != nil {
			n.trace("%v >%d %s", n.now, a.to, describe(n.ends[1-a.to], &a.segment))
		}
		n.ends[a.to].Receive(&a.segment, n.time())
		for range 1 << 16 {
			s, ok := n.ends[a.to].Next(n.time(), n.limit)
			if !ok {
				break
			}
			n.send(a.to, &s)
		}
	}
	for _, e := range n.ends {
		if e.Deadline() <= n.now {
			e.OnTimer(n.time())
		}
	}
	n.flush()
	return true
}

// mergeInto is what GRO does: it appends b to a if b follows it.
func mergeInto(a, b *arrival) bool {
	s, t := &a.segment, &b.segment
	const same = SYN | RST | FIN | ECE | CWR
	if a.to != b.to || s.Payload == 0 || t.Payload == 0 || t.Seq != s.Seq+uint32(s.Payload) || t.Ack != s.Ack ||
		s.Flags&same != 0 || t.Flags&same != 0 || s.Payload+t.Payload > 64*units.KiB || s.SackCount+t.SackCount > 0 || s.ECT != t.ECT {
		return false
	}
	s.Payload += t.Payload
	s.Packets += t.Packets
	s.Marked += t.Marked
	s.Flags |= t.Flags
	s.Window = t.Window
	return true
}

// describe prints a segment with offsets in place of sequence numbers.
func describe(from *Endpoint, s *Segment) string {
	text := ""
	for i, name := range [...]string{"F", "S", "R", "P", "A", "U", "E", "W"} {
		if s.Flags&(1<<i) != 0 {
			text += name
		}
	}
	text += fmt.Sprintf(" %d", int32(s.Seq-from.isn-1))
	if s.Payload > 0 {
		text += fmt.Sprintf("+%d", s.Payload)
	}
	if s.Flags&ACK != 0 {
		text += fmt.Sprintf(" ack %d win %d", int32(s.Ack-from.irs-1), s.Window)
	}
	for _, r := range s.Sacks[:s.SackCount] {
		text += fmt.Sprintf(" [%d,%d)", int32(r.Start-from.irs-1), int32(r.End-from.irs-1))
	}
	if s.Retransmission {
		text += " again"
	}
	return text
}

// run runs the network until nothing happens any more, or a time has come.
func (n *network) run(until units.Time) {
	n.flush()
	for n.step(until) {
	}
	n.now = max(n.now, until)
	if until == units.Never {
		panic("run needs a time")
	}
}

// pair returns two endpoints with one configuration, established.
func pair(cfg *Config) (a, b *Endpoint) {
	a = NewEndpoint(cfg, &reno{}, 1000)
	b = NewEndpoint(cfg, &reno{}, 4294967000)
	a.Establish(b)
	return a, b
}

// lossy returns a path that loses packets with a chance.
func lossy(rng *rand.Rand, delay units.Time, loss float64) path {
	return path{delay, func(*Segment) (units.Time, int) {
		if rng.Float64() < loss {
			return 0, 0
		}
		return 0, 1
	}}
}

func TestBytesWrittenComeAtTheOtherEnd(t *testing.T) {
	cfg := Defaults()
	a, b := pair(&cfg)
	n := newNetwork(a, b, 10*units.Microsecond)
	total := units.Bytes(0)
	for b.Consumed() < 20*units.MB {
		if total < 20*units.MB {
			total += a.Write(20*units.MB - total)
		}
		b.Read(n.now, 64*units.KiB)
		if !n.step(10*units.Second) && b.Consumed() < 20*units.MB {
			if b.Readable() == 0 {
				t.Fatalf("stuck at %v of %v at %v: sender waits for %s, receiver for %s", b.Consumed(), total, n.now, a.Cause(), b.Cause())
			}
		}
	}
	if c := a.Counters(); c.SegmentsRetransmitted != 0 || c.Timeouts != 0 {
		t.Errorf("nothing was lost, but %+v", *c)
	}
}

func TestConnectionOpensAndCloses(t *testing.T) {
	cfg := Defaults()
	a, b := NewEndpoint(&cfg, &reno{}, 7), NewEndpoint(&cfg, &reno{}, 99)
	n := newNetwork(a, b, 10*units.Microsecond)
	b.Listen()
	a.Connect(0)
	a.Write(100)
	n.run(units.Millisecond)
	if a.State() != Established || b.State() != Established {
		t.Fatalf("states %v and %v", a.State(), b.State())
	}
	if got := b.Read(n.now, 1000); got != 100 {
		t.Errorf("read %d bytes, want 100", got)
	}
	a.Close(n.now)
	n.run(2 * units.Millisecond)
	if a.State() != FinWait2 || b.State() != CloseWait || !b.Ended() {
		t.Fatalf("half closed: %v and %v", a.State(), b.State())
	}
	b.Close(n.now)
	n.run(3 * units.Millisecond)
	if a.State() != TimeWait || b.State() != Closed {
		t.Fatalf("closed: %v and %v", a.State(), b.State())
	}
	n.run(61 * units.Second)
	if a.State() != Closed || a.Failed() != nil || b.Failed() != nil {
		t.Errorf("after TIME-WAIT: %v, %v, %v", a.State(), a.Failed(), b.Failed())
	}
}

func TestLossIsRepaired(t *testing.T) {
	for seed := range uint64(20) {
		cfg := Defaults()
		cfg.SACK = seed%4 != 0
		cfg.RACK = seed%3 != 0
		rng := rand.New(rand.NewPCG(seed, 1))
		a, b := pair(&cfg)
		n := newNetwork(a, b, 0)
		n.paths[0] = lossy(rng, 10*units.Microsecond, 0.02)
		n.paths[1] = lossy(rng, 10*units.Microsecond, 0.02)
		n.merge = seed%2 == 0
		total, want := units.Bytes(0), 2*units.MB
		for b.Consumed() < want {
			if total < want {
				total += a.Write(want - total)
			}
			b.Read(n.now, 64*units.KiB)
			if !n.step(1000*units.Second) && b.Readable() == 0 {
				t.Fatalf("seed %d: stuck at %v of %v at %v: sender waits for %s, receiver for %s", seed, b.Consumed(), total, n.now, a.Cause(), b.Cause())
			}
		}
		c := a.Counters()
		t.Logf("seed %d sack %v rack %v: %v, lost %v, again %v, spurious %v, recoveries %d, timeouts %d, probes %d", seed, cfg.SACK, cfg.RACK, n.now.Human(), c.BytesLost, c.BytesRetransmitted, c.BytesSpurious, c.FastRecoveries, c.Timeouts, c.TailProbes)
	}
}
