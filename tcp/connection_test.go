package tcp

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

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

// wire is a network whose segments are noted, each with who sends it.
func wire(n *network) *[]string {
	var lines []string
	n.trace = func(format string, args ...any) {
		if format == "%v %d> %s" {
			lines = append(lines, fmt.Sprintf("%d> %s", args[1], args[2]))
		}
	}
	return &lines
}

func TestHandshakeAndTeardownOnTheWire(t *testing.T) {
	cfg := Defaults()
	a, b := NewEndpoint(&cfg, &reno{}, 7), NewEndpoint(&cfg, &reno{}, 99)
	n := newNetwork(a, b, 10*us)
	lines := wire(n)
	b.Listen()
	a.Connect(0)
	n.run(units.Millisecond)
	a.Close(n.now)
	n.run(2 * units.Millisecond)
	b.Close(n.now)
	n.run(3 * units.Millisecond)
	want := []string{
		"0> S -1", "1> SA -1 ack 0 win 65535", "0> A 0 ack 0 win 3145728",
		"0> FA 0 ack 0 win 3145728", "1> A 0 ack 1 win 3145728",
		"1> FA 0 ack 1 win 3145728", "0> A 1 ack 1 win 3145728",
	}
	if !slices.Equal(*lines, want) {
		t.Errorf("on the wire:\n%q\nwant\n%q", *lines, want)
	}
	if got := a.rtt.srtt; got != 20*us {
		t.Errorf("the handshake measured a round trip of %v, want 20us", got)
	}
}

// A SYN that nobody answers is sent again after 1, 3, 7, 15, 31 and 63 s, and given up after 127 (Linux:
// tcp_syn_retries = 6).
func TestSynIsGivenUp(t *testing.T) {
	cfg := Defaults()
	e := NewEndpoint(&cfg, &reno{}, 0)
	e.Connect(0)
	s := &script{t: t, end: e}
	s.want("S -1")
	s.wantUntil(127*units.Second-1, "1s: S -1 again", "3s: S -1 again", "7s: S -1 again", "15s: S -1 again", "31s: S -1 again", "63s: S -1 again")
	s.wantUntil(200 * units.Second)
	if e.Failed() != ErrTimedOut || e.State() != Closed {
		t.Errorf("%v in state %v, want %v", e.Failed(), e.State(), ErrTimedOut)
	}
}

// After a SYN that was lost the connection starts with one packet (RFC 5681, section 3.1) and a timeout
// of 3 s (RFC 6298 (5.7)).
func TestLostSynMakesCareful(t *testing.T) {
	cfg := Defaults()
	a, b := NewEndpoint(&cfg, &reno{}, 7), NewEndpoint(&cfg, &reno{}, 99)
	n := newNetwork(a, b, 10*us)
	lost := 0
	n.paths[0].pass = func(*Segment) (units.Time, int) { lost++; return 0, min(lost-1, 1) }
	b.Listen()
	a.Connect(0)
	n.run(1500 * ms)
	if a.State() != Established || a.control.Window() != 1448 || a.rtt.rto != 3*units.Second {
		t.Errorf("%v, window %d, timeout %v; want 1448 B and 3s", a.State(), a.control.Window(), a.rtt.rto)
	}
	if b.control.Window() != 14480 {
		t.Errorf("the other end starts with %d, want ten packets: nothing of its was lost", b.control.Window())
	}
}

func TestConnectionIsRefused(t *testing.T) {
	cfg := Defaults()
	a, b := NewEndpoint(&cfg, &reno{}, 7), NewEndpoint(&cfg, &reno{}, 99) // which does not listen
	n := newNetwork(a, b, 10*us)
	a.Connect(0)
	n.run(units.Second)
	if a.Failed() != ErrRefused || a.State() != Closed || b.State() != Closed || b.Failed() != nil || b.Delivered() != 0 {
		t.Errorf("%v (%v), the other end %v; want %v", a.State(), a.Failed(), b.State(), ErrRefused)
	}
}

// Two ends agree on what both can do.
func TestOptionsAreAgreedOn(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(a, b *Config)
		check  func(a, b *Endpoint) bool
	}{
		{"the smaller packet", func(a, b *Config) { b.MTU = 9000 },
			func(a, b *Endpoint) bool { return a.MSS() == 1448 && b.MSS() == 1448 }},
		{"no timestamps if one has none", func(a, b *Config) { b.Timestamps = false },
			func(a, b *Endpoint) bool { return a.MSS() == 1460 && b.MSS() == 1460 && !a.stamps && !b.stamps }},
		{"no SACK if one has none", func(a, b *Config) { a.SACK = false },
			func(a, b *Endpoint) bool { return !a.sack && !b.sack }},
		{"no scaling if one has none", func(a, b *Config) { a.WindowScaling = false },
			func(a, b *Endpoint) bool {
				return a.Shift() == 0 && b.Shift() == 0 && a.edge <= 65535 && b.edge <= 65535
			}},
		{"scaling by each end's own buffer", func(a, b *Config) { b.ReceiveBuffer = 100 * units.KiB },
			func(a, b *Endpoint) bool {
				return a.Shift() == 6 && b.Shift() == 0 && b.edge == int64(3*units.MiB) && a.edge == int64(50*units.KiB)
			}},
		{"ECN if both have it", func(a, b *Config) { a.ECN, b.ECN = true, true },
			func(a, b *Endpoint) bool { return a.ecn && b.ecn }},
		{"no ECN if one has none", func(a, b *Config) { b.ECN = true },
			func(a, b *Endpoint) bool { return !a.ecn && !b.ecn }},
	} {
		for _, opening := range []string{"handshake", "established"} {
			ca, cb := Defaults(), Defaults()
			c.change(&ca, &cb)
			a, b := NewEndpoint(&ca, &reno{}, 7), NewEndpoint(&cb, &reno{}, 99)
			if opening == "established" {
				a.Establish(b)
			} else {
				b.Listen()
				a.Connect(0)
				n := newNetwork(a, b, 10*us)
				n.run(units.Second)
			}
			if a.State() != Established || b.State() != Established || !c.check(a, b) {
				t.Errorf("%s, %s: %v, %v; packets of %d and %d, shifts %d and %d, edges %d and %d, SACK %v and %v, ECN %v and %v", c.name, opening,
					a.State(), b.State(), a.MSS(), b.MSS(), a.Shift(), b.Shift(), a.edge, b.edge, a.sack, b.sack, a.ecn, b.ecn)
			}
		}
	}
}

// RFC 9293, figures 7 and 12: both open, and both close, at the same time.
func TestBothAtOnce(t *testing.T) {
	cfg := Defaults()
	a, b := NewEndpoint(&cfg, &reno{}, 7), NewEndpoint(&cfg, &reno{}, 99)
	n := newNetwork(a, b, 10*us)
	a.Connect(0)
	b.Connect(0)
	n.run(15 * us)
	if a.State() != SynReceived || b.State() != SynReceived {
		t.Errorf("half open: %v and %v", a.State(), b.State())
	}
	n.run(ms)
	if a.State() != Established || b.State() != Established {
		t.Fatalf("open: %v and %v", a.State(), b.State())
	}
	a.Close(n.now)
	b.Close(n.now)
	n.run(n.now + 15*us)
	if a.State() != Closing || b.State() != Closing {
		t.Errorf("half closed: %v and %v", a.State(), b.State())
	}
	n.run(2 * ms)
	if a.State() != TimeWait || b.State() != TimeWait {
		t.Errorf("closed: %v and %v", a.State(), b.State())
	}
}

// The FIN of an end whose acknowledgement was lost comes again, and begins TIME-WAIT anew.
func TestTimeWaitAnswersAgain(t *testing.T) {
	cfg := Defaults()
	a, b := pair(&cfg)
	n := newNetwork(a, b, 10*us)
	a.Close(0)
	b.Close(0)
	n.run(ms)
	end := a.endAt
	fin := Segment{Seq: b.number(0), Ack: b.peerNumber(1), Flags: FIN | ACK, Packets: 1}
	a.Receive(&fin, 2*ms)
	if a.endAt != 2*ms+cfg.TimeWait || a.endAt <= end || !a.Ready(2*ms) {
		t.Errorf("TIME-WAIT ends at %v, want %v, and an answer", a.endAt, 2*ms+cfg.TimeWait)
	}
}

// RFC 5961: RST counts only with the number that is expected; another one in the window, and a SYN, are
// challenged, and what is outside is ignored.
func TestResets(t *testing.T) {
	for _, c := range []struct {
		name   string
		offset int64
		flags  Flags
		state  State
		answer []string
	}{
		{"exact", 0, RST, Closed, nil},
		{"in the window", 100, RST, Established, []string{"ack 0"}},
		{"outside", -5, RST, Established, nil},
		{"SYN in the window", 100, SYN, Established, []string{"ack 0"}},
		{"SYN of the connection again", -1, SYN | ACK, Established, []string{"ack 0"}},
		{"without ACK", 0, 0, Established, nil},
	} {
		s := newScript(t, nil)
		s.end.Receive(&Segment{Seq: s.end.peerNumber(c.offset), Ack: s.end.number(0), Flags: c.flags, Packets: 1}, 0)
		if got := s.sends(); s.end.State() != c.state || !slices.Equal(got, c.answer) {
			t.Errorf("%s: %v and %q, want %v and %q", c.name, s.end.State(), got, c.state, c.answer)
		}
		if (s.end.Failed() == ErrReset) != (c.state == Closed) {
			t.Errorf("%s: %v", c.name, s.end.Failed())
		}
	}
}

func TestAbortResetsThePeer(t *testing.T) {
	cfg := Defaults()
	a, b := pair(&cfg)
	n := newNetwork(a, b, 10*us)
	a.Write(50000)
	n.run(5 * us)
	a.Abort(n.now)
	n.run(ms)
	if a.Failed() != ErrAborted || b.Failed() != ErrReset || a.State() != Closed || b.State() != Closed || a.Write(1) != 0 || b.Write(1) != 0 {
		t.Errorf("%v and %v; want %v and %v", a.Failed(), b.Failed(), ErrAborted, ErrReset)
	}
	if b.Read(n.now, 1<<30) != 14480 {
		t.Errorf("what has come cannot be read any more")
	}
}

// An acknowledgement of what was never sent is answered and has no effect (RFC 9293, section 3.10.7.4).
func TestAcknowledgementOfTheFutureIsChallenged(t *testing.T) {
	s := newScript(t, nil)
	s.end.Write(1000)
	s.want("0+1000")
	s.ack(1001)
	s.want("ack 0")
	if s.end.Acked() != 0 {
		t.Errorf("acknowledged up to %d", s.end.Acked())
	}
}

// Acknowledgements that were overtaken are not each answered, or a network that reorders would be full
// of answers; the question after a window is.
func TestOldAcknowledgementsAreAnsweredRarely(t *testing.T) {
	s := newScript(t, nil)
	s.data(0, 1000, 1, 0)
	s.wantUntil(50*ms, "40ms: ack 1000")
	old := func(offset int64) {
		s.end.Receive(&Segment{Seq: s.end.peerNumber(offset), Ack: s.end.number(0), Flags: ACK, Packets: 1, Window: 1000}, s.now)
	}
	old(500)
	s.want("ack 1000")
	old(500)
	s.want()
	old(999)
	s.want("ack 1000")
	s.wantUntil(600 * ms)
	old(500)
	s.want("ack 1000")
}

// What an endpoint waits for, in words.
func TestCauses(t *testing.T) {
	cfg := Defaults()
	e := NewEndpoint(&cfg, &reno{}, 0)
	check := func(e *Endpoint, want string) {
		t.Helper()
		if got := e.Cause(); got != want {
			t.Errorf("waits for %q, want %q", got, want)
		}
	}
	check(e, "nothing: the connection is closed")
	e.Connect(0)
	e.Next(0, 0)
	check(e, "the answer to its SYN; it is sent again at 1s")
	e.Abort(0)
	check(e, "nothing: connection aborted")
	s := newScript(t, small)
	check(s.end, "its program to write, or its peer to send")
	s.edge, s.end.edge = 500, 500
	s.end.Write(5000)
	s.want()
	check(s.end, "its peer's window to open; it is asked at 1s")
	s.edge = 3000
	s.ack(0)
	s.sends()
	s.later(100 * us)
	check(s.end, "its peer's window, and an acknowledgement; the retransmission timer runs until 1s")
	s.edge = 100000
	s.ack(3000)
	s.sends()
	s.later(us)
	check(s.end, "an acknowledgement of byte 3000; the retransmission timer runs until 300us")
	s.ack(5000)
	s.end.Close(0)
	s.sends()
	s.ack(5001)
	check(s.end, "its peer to close")
}
