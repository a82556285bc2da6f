package tcp

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// RFC 9293, section 3.8.6.3: every second full packet is acknowledged at once, others 40 ms later; a
// segment that was merged of several packets is, too (Linux: __tcp_ack_snd_check).
func TestDelayedAcknowledgements(t *testing.T) {
	s := newScript(t, nil)
	s.data(0, 1448, 1, 0)
	s.want()
	s.later(10 * ms)
	s.data(1448, 1448, 1, 0)
	s.want("ack 2896")
	s.data(2896, 1448, 1, 0)
	s.wantUntil(100*ms, "50ms: ack 4344")
	s.data(4344, 2*1448, 2, 0)
	s.want("ack 7240")
	s.data(7240, 1449, 2, 0)
	s.want("ack 8689")
	s.data(8689, 100, 1, 0)
	s.want()
	s.end.Write(10)
	s.want("0+10") // it travels with data
	s.wantUntil(140 * ms)
}

func TestAcknowledgementsWithoutDelay(t *testing.T) {
	s := newScript(t, func(c *Config) { c.DelayedAck = 0 })
	s.data(0, 10, 1, 0)
	s.want("ack 10")
	s = newScript(t, func(c *Config) { c.AckEvery = 4 })
	for i := range int64(3) {
		s.data(1448*i, 1448, 1, 0)
		s.want()
	}
	s.data(3*1448, 1448, 1, 0)
	s.want("ack 5792")
}

// The first segments of a connection are each acknowledged at once, so that the window of the sender
// grows; a program that answers ends that (Linux: tcp_enter_quickack_mode, pingpong).
func TestQuickAcknowledgements(t *testing.T) {
	s := newScript(t, func(c *Config) { c.QuickAcks = 3 })
	for i := range int64(3) {
		s.data(100*i, 100, 1, 0)
		s.want(fmt.Sprintf("ack %d", 100*(i+1)))
	}
	s.data(300, 100, 1, 0)
	s.want()

	s = newScript(t, func(c *Config) { c.QuickAcks = 3 })
	s.data(0, 100, 1, 0)
	s.end.Write(100)
	s.want("0+100")
	s.data(100, 100, 1, 0)
	s.want()

	// So it is if what came has been acknowledged before the program has its answer ready.
	s = newScript(t, func(c *Config) { c.QuickAcks = 3 })
	s.data(0, 100, 1, 0)
	s.want("ack 100")
	s.end.Write(100)
	s.want("0+100")
	s.data(100, 100, 1, 0)
	s.want()
}

// RFC 2018, section 5: eight segments of 500 B, of which some are lost.
func TestSelectiveAcknowledgements(t *testing.T) {
	type step struct {
		at   int64 // of the segment that comes
		want string
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"the first four come", []step{{0, ""}, {500, "ack 1000"}, {1000, ""}, {1500, "ack 2000"}}},
		{"the first is lost", []step{
			{500, "ack 0 [500,1000)"}, {1000, "ack 0 [500,1500)"}, {1500, "ack 0 [500,2000)"}, {2000, "ack 0 [500,2500)"},
			{2500, "ack 0 [500,3000)"}, {3000, "ack 0 [500,3500)"}, {3500, "ack 0 [500,4000)"},
		}},
		{"every second is lost, and two come late", []step{
			{0, ""}, {1000, "ack 500 [1000,1500)"}, {2000, "ack 500 [2000,2500) [1000,1500)"},
			{3000, "ack 500 [3000,3500) [2000,2500) [1000,1500)"},
			{1500, "ack 500 [1000,2500) [3000,3500)"}, {500, "ack 2500 [3000,3500)"},
		}},
		{"more blocks than there is room for", []step{
			{500, "ack 0 [500,1000)"}, {1500, "ack 0 [1500,2000) [500,1000)"}, {2500, "ack 0 [2500,3000) [1500,2000) [500,1000)"},
			{3500, "ack 0 [3500,4000) [2500,3000) [1500,2000) [500,1000)"}, {4500, "ack 0 [4500,5000) [3500,4000) [2500,3000) [1500,2000)"},
		}},
	} {
		s := newScript(t, func(c *Config) { c.MTU, c.Timestamps = 540, false })
		for _, step := range c.steps {
			s.data(step.at, 500, 1, 0)
			var want []string
			if step.want != "" {
				want = []string{step.want}
			}
			if got := s.sends(); !slices.Equal(got, want) {
				t.Errorf("%s: segment at %d is answered with %q, want %q", c.name, step.at, got, want)
			}
		}
	}
}

// With timestamps there is room for three blocks (RFC 2018, section 3).
func TestTimestampsLeaveRoomForThreeBlocks(t *testing.T) {
	s := newScript(t, nil)
	for i := range int64(4) {
		s.data(3000*i+3000, 1448, 1, 0)
	}
	s.want("ack 0 [12000,13448) [9000,10448) [6000,7448)")
}

// RFC 2883, section 4: duplicates are reported in the first block.
func TestDuplicatesAreReported(t *testing.T) {
	for _, c := range []struct {
		name     string
		segments []int64 // 500 B each
		want     string  // answer to the last
	}{
		{"4.1.1: of what is acknowledged", []int64{0, 500, 0}, "ack 1000 [0,500)"},
		{"4.1.2: beside a gap", []int64{0, 500, 1500, 0}, "ack 1000 [0,500) [1500,2000)"},
		{"4.1.3: behind a gap", []int64{0, 500, 1500, 2000, 2000}, "ack 1000 [2000,2500) [1500,2500)"},
	} {
		s := newScript(t, nil)
		for _, at := range c.segments[:len(c.segments)-1] {
			s.data(at, 500, 1, 0)
			s.sends()
		}
		s.data(c.segments[len(c.segments)-1], 500, 1, 0)
		if got := s.sends(); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		s.ack(0)
		if got := s.sends(); got != nil {
			t.Errorf("%s: told again: %q", c.name, got)
		}
	}
}

// What tells of gaps goes by itself, before data: a full packet has no room for it.
func TestGapsAreToldApartFromData(t *testing.T) {
	s := newScript(t, nil)
	s.end.Write(100)
	s.data(1448, 1448, 1, 0)
	s.want("ack 0 [1448,2896)", "0+100")
}

// Windows: half the buffer (Linux: tcp_adv_win_scale 1), in units of the scale on the wire.
func TestWindowIsWhatTheBufferHasRoomFor(t *testing.T) {
	window := func(s *script) units.Bytes {
		seg := s.end.segment(0, ACK)
		return seg.Window
	}
	s := newScript(t, nil)
	if got := s.end.Shift(); got != 6 {
		t.Errorf("3 MiB are scaled by %d bits, want 6: 3145728 / 64 = 49152 is the first below 65536", got)
	}
	if got := window(s); got != 3*units.MiB {
		t.Errorf("window %v, want 3MiB", got)
	}
	s.data(0, 14480, 10, 0)
	if got := window(s); got != 3*units.MiB-14464 { // 14480 less what makes it a multiple of 64
		t.Errorf("with 14480 B unread: %d, want %d", got, 3*units.MiB-14464)
	}
	s.read()
	if got := window(s); got != 3*units.MiB {
		t.Errorf("all read: %v, want 3MiB", got)
	}
	s = newScript(t, func(c *Config) { c.WindowScaling = false })
	if got := window(s); got != 65535 || s.end.Shift() != 0 {
		t.Errorf("without scaling %d with a shift of %d, want 65535 and 0", got, s.end.Shift())
	}
}

// RFC 9293, section 3.8.6.2.2: a window that has closed opens by a packet at least; the peer is told
// when it can double.
func TestReceiverAvoidsSillyWindows(t *testing.T) {
	s := newScript(t, func(c *Config) { c.ReceiveBuffer = 20 * 1448; c.QuickAcks = 1000 })
	for i := range int64(10) {
		s.data(1448*i, 1448, 1, 0)
		s.sends()
	}
	if got := s.end.offerEnd - s.end.in.next; got != 0 {
		t.Fatalf("window %d, want a closed one", got)
	}
	s.end.Read(0, 1000)
	s.want()
	s.end.Read(0, 448)
	seg, ok := s.end.Next(0, 0)
	if !ok || seg.Window != 1448 {
		t.Errorf("a packet read: %v, window %d; want to be told of 1448", ok, seg.Window)
	}
	s.end.Read(0, 1448)
	seg, ok = s.end.Next(0, 0)
	if !ok || seg.Window != 2*1448 {
		t.Errorf("a second one: %v, window %d; want to be told of 2896", ok, seg.Window)
	}
	s.end.Read(0, 1448)
	s.want()
}

func TestDataOutsideTheWindowAreRefused(t *testing.T) {
	s := newScript(t, func(c *Config) { c.ReceiveBuffer = 20 * 1448; c.QuickAcks = 1000 })
	s.data(0, 12*1448, 12, 0)
	s.want("ack 14480")
	s.data(11*1448, 1448, 1, 0)
	s.want("ack 14480")
	if c := s.end.Counters(); c.BytesRefused != 3*1448 || s.end.Readable() != 10*1448 {
		t.Errorf("%d refused, %d readable; want 4344 and 14480", c.BytesRefused, s.end.Readable())
	}
}

// RFC 3168, section 6.1.3: marks are echoed until CWR comes.
func TestClassicEcho(t *testing.T) {
	s := newScript(t, func(c *Config) { c.ECN = true; c.DelayedAck = 0 })
	at := int64(0)
	for i, c := range []struct {
		marked int
		flags  Flags
		echo   bool
	}{{0, 0, false}, {1, 0, true}, {0, 0, true}, {0, CWR, false}, {1, CWR, true}, {0, CWR, false}} {
		s.end.Receive(&Segment{Seq: s.end.peerNumber(at), Ack: s.end.number(0), Flags: ACK | c.flags, Payload: 100, Packets: 1, Marked: c.marked, Window: 1000}, 0)
		at += 100
		seg, _ := s.end.Next(0, 0)
		if got := seg.Flags.Has(ECE); got != c.echo {
			t.Errorf("segment %d: echo %v, want %v", i, got, c.echo)
		}
	}
	if c := s.end.Counters(); c.PacketsMarked != 2 || c.EchoesSent != 3 {
		t.Errorf("%d marks, %d echoes; want 2 and 3", c.PacketsMarked, c.EchoesSent)
	}
}

// RFC 8257, section 3.2: as long as marks do not change acknowledgements are delayed as ever and echo
// what came; when they change, what came before is acknowledged first, with the echo of before.
func TestExactEcho(t *testing.T) {
	type segment struct{ packets, marked int }
	for _, c := range []struct {
		name     string
		segments []segment
		want     []string
	}{
		{"none", []segment{{1, 0}, {1, 0}}, []string{"ack 2"}},
		{"all", []segment{{1, 1}, {1, 1}, {1, 1}}, []string{"E ack 1", "E ack 3"}},
		{"one after one", []segment{{1, 0}, {1, 1}}, []string{"ack 1", "E ack 2"}},
		{"in turns", []segment{{1, 1}, {1, 0}, {1, 0}, {1, 1}}, []string{"E ack 1", "ack 2", "ack 3", "E ack 4"}},
		{"merged, the last ones marked", []segment{{4, 1}}, []string{"ack 3", "E ack 4"}},
		{"merged, after a marked one", []segment{{2, 2}, {4, 1}}, []string{"E ack 2", "E ack 3", "ack 6"}},
	} {
		cfg := Defaults()
		cfg.QuickAcks, cfg.MTU, cfg.Timestamps = 0, 1040, false
		e := NewEndpoint(&cfg, &reno{exact: true}, 0)
		e.Establish(NewEndpoint(&cfg, &reno{exact: true}, 0))
		s := &script{t: t, end: e, edge: 1000000}
		at := int64(0)
		var got []string
		for _, segment := range c.segments {
			s.data(at, units.Bytes(1000*segment.packets), segment.packets, segment.marked)
			at += 1000 * int64(segment.packets)
			for {
				seg, ok := e.Next(0, 0)
				if !ok {
					break
				}
				line := fmt.Sprintf("ack %d", int32(seg.Ack-e.irs-1)/1000)
				if seg.Flags.Has(ECE) {
					line = "E " + line
				}
				if !seg.ECT {
					t.Errorf("%s: an acknowledgement is not ECN-capable", c.name)
				}
				got = append(got, line)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
