package tcp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdmasim/rdmasim/sim/units"
)

// checkBooks holds what an endpoint keeps of what it has sent and received against a count from the
// beginning.
func checkBooks(t interface{ Fatalf(string, ...any) }, e *Endpoint) {
	b := &e.board
	var bytes, sacked, lost, sacks int64
	losts, listed, at, last := 0, 0, max(e.una, 0), int32(0)
	seenLost := false
	for i := b.head; i != 0; i = b.at(i).next {
		c := b.at(i)
		if c.start != at || c.end <= c.start || c.prev != last {
			t.Fatalf("chunk [%d,%d) after %d, una %d", c.start, c.end, at, e.una)
		}
		at, last = c.end, i
		bytes += c.end - c.start
		if c.sacked {
			sacked += c.end - c.start
			sacks += packets(c.end-c.start, e.mss)
		}
		if c.lost {
			lost += c.end - c.start
			losts++
			if !seenLost && b.nextLost != 0 && b.at(b.nextLost).start > c.start {
				t.Fatalf("lost chunk at %d before %d, from which lost ones are looked for", c.start, b.at(b.nextLost).start)
			}
			seenLost = true
		}
		if c.listed {
			listed++
		}
		if c.listed == (c.sacked || c.lost) {
			t.Fatalf("chunk [%d,%d): listed %v, sacked %v, lost %v", c.start, c.end, c.listed, c.sacked, c.lost)
		}
	}
	if b.tail != last || at != max(e.nxt, 0) {
		t.Fatalf("the board ends at %d, what was sent at %d", at, e.nxt)
	}
	if bytes != b.bytes || sacked != b.sacked || lost != b.lost || sacks != b.sacks || losts != b.losts {
		t.Fatalf("the board has %d bytes, %d sacked in %d packets, %d lost in %d chunks; it counts %d, %d, %d, %d, %d",
			bytes, sacked, sacks, lost, losts, b.bytes, b.sacked, b.sacks, b.lost, b.losts)
	}
	sent := units.Time(-1)
	for i := b.first; i != 0; i = b.at(i).later {
		listed--
		if c := b.at(i); c.sent < sent {
			t.Fatalf("chunks are not in the order in which they were sent")
		} else {
			sent = c.sent
		}
	}
	if listed != 0 {
		t.Fatalf("%d chunks are missing in the order of time", listed)
	}
	held, before := int64(0), e.in.next
	for _, s := range e.in.ahead {
		if s.start <= before || s.end <= s.start {
			t.Fatalf("held ranges %v after %d", e.in.ahead, e.in.next)
		}
		before = s.end
		held += s.end - s.start
	}
	if held != e.in.held {
		t.Fatalf("%d bytes are held, %d counted", held, e.in.held)
	}
	c := e.Counters()
	if got := units.Bytes(e.received()) + c.BytesHeld + c.BytesDuplicate + c.BytesRefused; got != c.BytesReceived {
		t.Fatalf("received %d bytes: %d delivered, %d held, %d duplicate, %d refused", c.BytesReceived, e.received(), c.BytesHeld, c.BytesDuplicate, c.BytesRefused)
	}
	if once := units.Bytes(min(max(e.nxt, 0), e.written)); c.BytesSent != once+c.BytesRetransmitted {
		t.Fatalf("sent %d bytes: %d once, %d again", c.BytesSent, once, c.BytesRetransmitted)
	}
	if e.nxt > e.edge && e.nxt > 0 && !(e.closing && e.nxt == e.edge+1) {
		t.Fatalf("sent up to %d, beyond the window's edge %d", e.nxt, e.edge)
	}
}

// configs draws configurations of endpoints.
func configs(t *rapid.T) *Config {
	c := Defaults()
	c.MTU = rapid.SampledFrom([]units.Bytes{576, 1500, 9000}).Draw(t, "mtu")
	c.Timestamps = rapid.Bool().Draw(t, "timestamps")
	c.TSO = rapid.SampledFrom([]units.Bytes{0, 16 * units.KiB, 64 * units.KiB}).Draw(t, "tso")
	c.TSODefer = rapid.Bool().Draw(t, "tso defer")
	c.SACK = rapid.IntRange(0, 3).Draw(t, "sack") > 0
	c.RACK = rapid.IntRange(0, 3).Draw(t, "rack") > 0
	c.TLP = rapid.Bool().Draw(t, "tlp")
	c.PRR = rapid.Bool().Draw(t, "prr")
	c.MinRTO = rapid.SampledFrom([]units.Time{100 * units.Microsecond, 5 * units.Millisecond, 200 * units.Millisecond}).Draw(t, "min rto")
	c.Granularity = rapid.SampledFrom([]units.Time{units.Microsecond, units.Millisecond}).Draw(t, "granularity")
	c.DelayedAck = rapid.SampledFrom([]units.Time{0, units.Millisecond, 40 * units.Millisecond}).Draw(t, "delayed ack")
	c.AckEvery = rapid.IntRange(1, 4).Draw(t, "ack every")
	c.QuickAcks = rapid.SampledFrom([]int{0, 16}).Draw(t, "quick acks")
	c.Nagle = rapid.Bool().Draw(t, "nagle")
	c.ReceiveBuffer = rapid.SampledFrom([]units.Bytes{4 * units.KiB, 30000, units.MiB}).Draw(t, "receive buffer")
	c.SendBuffer = rapid.SampledFrom([]units.Bytes{4 * units.KiB, 50000, units.MiB}).Draw(t, "send buffer")
	c.WindowScaling = rapid.Bool().Draw(t, "window scaling")
	c.ECN = rapid.Bool().Draw(t, "ecn")
	c.Pacing = rapid.Bool().Draw(t, "pacing")
	c.TimeWait = 10000 * units.Second
	c.SynRetries = 15
	if err := c.Validate(); err != nil {
		t.Fatalf("%v", err)
	}
	return &c
}

// program is what runs at one end: it writes so much in pieces, reads, and closes when all is written
// and, if it waits, all is read.
type program struct {
	end         *Endpoint
	left        units.Bytes // to be written
	piece       units.Bytes
	slowness    units.Time // between two reads
	nextRead    units.Time
	afterPeer   bool
	read, wrote units.Bytes
}

func (p *program) act(now units.Time) {
	for p.left > 0 {
		n := p.end.Write(min(p.left, p.piece))
		p.left -= n
		p.wrote += n
		if n < p.piece {
			break
		}
	}
	if now >= p.nextRead {
		p.read += p.end.Read(now, p.piece)
		p.nextRead = now + p.slowness
	}
	if p.left == 0 && p.end.State().Synchronised() && (!p.afterPeer || p.end.Ended()) {
		p.end.Close(now)
	}
}

// Whatever a network loses, doubles, delays and marks, and however slowly the programs read: all bytes
// come, both ends close, and the books of both are right at every step.
func TestAllBytesComeOverAnyNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := [2]*Config{configs(t), nil}
		cfg[1] = cfg[0]
		if rapid.Bool().Draw(t, "unlike") {
			cfg[1] = configs(t)
		}
		exact := rapid.IntRange(0, 3).Draw(t, "exact") == 0
		var ends [2]*Endpoint
		for i := range ends {
			isn := rapid.OneOf(rapid.Uint32(), rapid.Uint32Range(1<<32-100000, 1<<32-1), rapid.Uint32Range(1<<31-100000, 1<<31)).Draw(t, "isn")
			control := &reno{exact: exact}
			if rapid.IntRange(0, 3).Draw(t, "paced") == 0 {
				control.pacing = rapid.SampledFrom([]units.Rate{10 * units.Mbps, units.Gbps, 100 * units.Gbps}).Draw(t, "pacing")
			}
			ends[i] = NewEndpoint(cfg[i], control, isn)
		}
		n := newNetwork(ends[0], ends[1], 0)
		n.model = true
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		loss := rapid.SampledFrom([]float64{0, 0.01, 0.1, 0.25}).Draw(t, "loss")
		dark := rapid.SampledFrom([]units.Time{0, 0, 50 * ms, 5 * units.Second}).Draw(t, "dark")
		darkAt := units.Time(rapid.Int64Range(0, int64(5*ms)).Draw(t, "dark at"))
		if loss > 0.1 || dark > 0 {
			// Fifteen timeouts in a row are rare enough otherwise: 0.19^15 at a loss of 10 % each way.
			cfg[0].Retries, cfg[0].SynRetries, cfg[1].Retries, cfg[1].SynRetries = 40, 40, 40, 40
		}
		double := rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "double")
		mark := rapid.SampledFrom([]float64{0, 0.2, 1}).Draw(t, "mark")
		spread := rapid.SampledFrom([]units.Time{0, 1, 10 * units.Microsecond, 10 * units.Millisecond}).Draw(t, "spread")
		delay := rapid.SampledFrom([]units.Time{units.Microsecond, 100 * units.Microsecond, 20 * units.Millisecond}).Draw(t, "delay")
		for i := range n.paths {
			n.paths[i] = path{delay, func(s *Segment) (units.Time, int) {
				copies := 1
				if rng.Float64() < loss || n.now >= darkAt && n.now < darkAt+dark {
					copies = 0
				} else if rng.Float64() < double {
					copies = 2
				}
				if s.ECT && rng.Float64() < mark {
					s.Marked = s.Packets
				}
				return units.Time(rng.Int64N(int64(spread) + 1)), copies
			}}
		}
		n.merge = rapid.Bool().Draw(t, "merge")
		n.limit = rapid.SampledFrom([]units.Bytes{9000, 64 * units.KiB}).Draw(t, "limit")
		if rapid.Bool().Draw(t, "clocks") {
			n.calls = func(now units.Time) units.Time { return max(now-units.Time(rng.Int64N(int64(5*units.Microsecond))), 0) }
		}
		var programs [2]program
		for i := range programs {
			programs[i] = program{
				end:       ends[i],
				left:      units.Bytes(rapid.SampledFrom([]int{0, 1, 5000, 100000, 400000}).Draw(t, "bytes")),
				piece:     units.Bytes(rapid.SampledFrom([]int{97, 1448, 65536, 1 << 20}).Draw(t, "piece")),
				slowness:  rapid.SampledFrom([]units.Time{0, 10 * units.Microsecond, 100 * units.Millisecond}).Draw(t, "slowness"),
				afterPeer: i == 1 && rapid.Bool().Draw(t, "after peer"),
			}
			if programs[i].piece == 97 {
				programs[i].left = min(programs[i].left, 20000)
			}
			if programs[i].slowness > units.Millisecond {
				programs[i].piece = max(programs[i].piece, 1448)
				programs[i].left = min(programs[i].left, 100000)
			}
		}
		want := [2]units.Bytes{programs[0].left, programs[1].left}
		switch rapid.IntRange(0, 2).Draw(t, "opening") {
		case 0:
			ends[0].Establish(ends[1])
		case 1:
			ends[1].Listen()
			ends[0].Connect(0)
		case 2:
			ends[0].Connect(0)
			ends[1].Connect(0)
		}
		steps := 0
		for ends[0].State() != Closed || ends[1].State() != Closed || steps == 0 {
			if steps++; steps > 2_000_000 {
				t.Fatalf("no end: %s", n.report(programs[:]))
			}
			wake := units.Never
			for i := range programs {
				programs[i].act(n.now)
				if programs[i].end.Readable() > 0 {
					wake = min(wake, programs[i].nextRead)
				}
			}
			n.flush()
			if n.next() > wake {
				n.now = max(n.now, wake)
				continue
			}
			if !n.step(units.Never - 1) {
				t.Fatalf("nothing happens any more: %s", n.report(programs[:]))
			}
			if n.fault != "" {
				t.Fatalf("%s: %s", n.fault, n.report(programs[:]))
			}
			for i := range ends {
				if steps%16 == 0 || steps < 64 {
					checkBooks(t, ends[i])
				}
				if ends[i].Failed() != nil {
					t.Fatalf("end %d: %v: %s", i, ends[i].Failed(), n.report(programs[:]))
				}
			}
		}
		for i := range programs {
			programs[i].read += ends[i].Read(n.now, 1<<40)
			if programs[i].read != want[1-i] || ends[i].Acked() != want[i] || !ends[i].Ended() {
				t.Fatalf("end %d has read %d of %d, ended %v: %s", i, programs[i].read, want[1-i], ends[i].Ended(), n.report(programs[:]))
			}
			checkBooks(t, ends[i])
		}
	})
}

func (n *network) report(programs []program) string {
	s := fmt.Sprintf("at %v, %d segments on their way", n.now, len(n.queue))
	for i := range programs {
		e := programs[i].end
		s += fmt.Sprintf("; end %d (%v, %d left to write, %d written, acknowledged up to %d, sent up to %d of window %d, delivered %d, read %d) waits for %s",
			i, e.State(), programs[i].left, e.written, e.una, e.nxt, e.edge, e.Delivered(), e.consumed, e.Cause())
	}
	return s
}
