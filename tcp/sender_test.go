package tcp

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

const (
	us = units.Microsecond
	ms = units.Millisecond
)

// small has packets of 1000 B, one to a segment.
func small(c *Config) { c.MTU, c.Timestamps, c.TSO = 1040, false, 0 }

// RFC 6298, section 2: the first sample R sets SRTT = R, RTTVAR = R/2; a further one R' RTTVAR =
// 3/4 RTTVAR + 1/4 |SRTT - R'| and SRTT = 7/8 SRTT + 1/8 R'; RTO = SRTT + max(G, 4 RTTVAR), at least
// the minimum.
func TestTimeoutFollowsRoundTrips(t *testing.T) {
	cfg := Defaults()
	cfg.MinRTO, cfg.MaxRTO, cfg.Granularity = 10*ms, 2*units.Second, ms
	steps := []struct{ sample, srtt, rttvar, rto units.Time }{
		{100 * ms, 100 * ms, 50 * ms, 300 * ms},
		{100 * ms, 100 * ms, 37500 * us, 250 * ms},
		{180 * ms, 110 * ms, 48125 * us, 302500 * us},
		{30 * ms, 100 * ms, 56093750 * units.Nanosecond, 324375 * us},
	}
	e := estimator{rto: cfg.InitialRTO}
	for i, s := range steps {
		e.sample(s.sample, 0, &cfg)
		if e.srtt != s.srtt || e.rttvar != s.rttvar || e.rto != s.rto {
			t.Errorf("sample %d: SRTT %v RTTVAR %v RTO %v, want %v %v %v", i, e.srtt, e.rttvar, e.rto, s.srtt, s.rttvar, s.rto)
		}
	}
	e.backOff(&cfg)
	if e.rto != 648750*us {
		t.Errorf("doubled: %v, want 648.75ms", e.rto)
	}
	e.backOff(&cfg)
	e.backOff(&cfg)
	if e.rto != 2*units.Second {
		t.Errorf("doubled to %v, want no more than 2s", e.rto)
	}
	short := estimator{}
	for range 200 {
		short.sample(100*us, 0, &cfg)
	}
	if short.rto != 10*ms {
		t.Errorf("round trips of 100us: %v, want the least, 10ms", short.rto)
	}
	cfg.MinRTO = us
	short.sample(100*us, 0, &cfg)
	if short.rto != 1100*us {
		t.Errorf("without variation: %v, want SRTT and the clock's 1ms", short.rto)
	}
	if short.min != 100*us {
		t.Errorf("least round trip %v, want 100us", short.min)
	}
}

func TestInitialWindowGoesInOneSegment(t *testing.T) {
	s := newScript(t, nil)
	s.end.Write(units.MB)
	s.want("0+14480") // 10 packets of 1448 B (RFC 6928)
}

// A segment is no larger than the adapter takes and ends with a full packet, unless there is no more.
func TestSegmentsAreCutAtPackets(t *testing.T) {
	s := newScript(t, func(c *Config) { c.InitialWindow = 100 })
	s.end.Write(100000)
	s.want("0+65160", "65160+34840") // 45 packets of 1448 B are the most that 64 KiB hold
	s.end.Write(100000)
	seg, ok := s.end.Next(s.now, 5000)
	if !ok || seg.Payload != 3*1448 || seg.Packets != 3 {
		t.Errorf("with a limit of 5000 B: %d B in %d packets, want 3 packets", seg.Payload, seg.Packets)
	}
	if seg, ok := s.end.Next(s.now, 1447); ok {
		t.Errorf("with a limit below a packet: %d B, want nothing", seg.Payload)
	}
}

func TestRetransmissionTimerDoublesUntilTheConnectionIsGivenUp(t *testing.T) {
	s := newScript(t, func(c *Config) { small(c); c.TLP = false })
	s.end.Write(1500)
	s.want("0+1000", "1000+500")
	s.ack(0)
	// RFC 6298 (2.1), (5.5): one second before anything is measured, then twice as much each time, at most 60 s.
	// Linux: tcp_retries2 = 15.
	at, rto := units.Time(0), units.Second
	var want []string
	for range 15 {
		at += rto
		rto = min(2*rto, 60*units.Second)
		want = append(want, at.String()+": 0+1000 again")
	}
	s.wantUntil(at+rto-1, want...)
	if s.end.Failed() != nil {
		t.Fatalf("given up too early: %v", s.end.Failed())
	}
	s.wantUntil(at + rto)
	if s.end.Failed() != ErrTimedOut || s.end.State() != Closed || s.end.Deadline() != units.Never {
		t.Errorf("after 15 retries: %v in state %v, deadline %v; want %v", s.end.Failed(), s.end.State(), s.end.Deadline(), ErrTimedOut)
	}
}

// After a timeout all that is outstanding counts as lost and is sent again as the window allows, one
// packet first (RFC 5681, section 3.1).
func TestTimeoutStartsSlowlyAgain(t *testing.T) {
	s := newScript(t, func(c *Config) { small(c); c.TLP = false })
	s.end.Write(4000)
	s.want("0+1000", "1000+1000", "2000+1000", "3000+1000")
	s.wantUntil(units.Second, "1s: 0+1000 again")
	if s.ctl.timeouts != 1 || s.ctl.ssthresh != 2000 {
		t.Errorf("%d timeouts, threshold %d; want one, and half of what was in flight", s.ctl.timeouts, s.ctl.ssthresh)
	}
	s.later(100 * us)
	s.ack(1000)
	s.want("1000+1000 again", "2000+1000 again")
	s.later(100 * us)
	s.ack(3000)
	s.want("3000+1000 again")
	s.later(100 * us)
	s.ack(4000)
	s.want()
	if c := s.end.Counters(); c.BytesRetransmitted != 4000 || c.Timeouts != 1 || s.end.Deadline() != units.Never {
		t.Errorf("%+v, deadline %v", *c, s.end.Deadline())
	}
}

// RFC 8985, section 6.2: a packet is lost when one that was sent later has come and its round trip
// has passed, and, before reordering has been seen, three have overtaken it; with fewer a quarter of
// the least round trip must have passed as well.
func TestThreeThatOvertakeMakeALoss(t *testing.T) {
	s := newScript(t, small)
	s.end.Write(10000)
	s.sends()
	s.later(100 * us)
	s.ack(0, 1000, 2000)
	s.want()
	s.ack(0, 1000, 3000)
	s.want()
	s.ack(0, 1000, 4000)
	s.want("0+1000 again")
	if s.ctl.losses != 1 || s.end.Counters().FastRecoveries != 1 {
		t.Errorf("%d losses told, %d recoveries, want 1", s.ctl.losses, s.end.Counters().FastRecoveries)
	}
}

func TestFewThatOvertakeMakeALossAfterAQuarterOfARoundTrip(t *testing.T) {
	s := newScript(t, small)
	s.end.Write(3000)
	s.sends()
	s.later(100 * us)
	s.ack(0, 1000, 2000)
	s.want()
	s.wantUntil(ms, "125us: 0+1000 again") // the round trip of 100 us, and a quarter
}

// Once packets have been seen to overtake each other, three of them are no proof any more.
func TestReorderingIsWaitedFor(t *testing.T) {
	s := newScript(t, small)
	s.end.Write(20000)
	s.sends()
	s.later(100 * us)
	s.ack(0, 1000, 2000) // packet 1 has overtaken packet 0
	s.ack(2000)
	s.ctl.cwnd = 10000
	s.sends()
	s.later(10 * us)
	s.ack(2000, 3000, 7000)
	s.sends()
	s.wantUntil(ms, "135us: 2000+1000 again") // the latest round trip, 110 us, and a quarter of the least
	if c := s.end.Counters(); c.BytesLost != 1000 {
		t.Errorf("%d bytes taken for lost, want a packet", c.BytesLost)
	}
	// It had not been lost: the receiver has it twice. From now on packets have two quarters.
	s.ack(20000, 2000, 3000)
	if c := s.end.Counters(); c.BytesSpurious != 1000 || s.end.rack.multiple != 2 {
		t.Errorf("%d bytes sent again in vain, reordering has %d quarters; want 1000 and 2", c.BytesSpurious, s.end.rack.multiple)
	}
}

// RFC 6675: without RACK three packets' worth above it make a packet lost, however late they were
// sent.
func TestLossByCounting(t *testing.T) {
	s := newScript(t, func(c *Config) { small(c); c.RACK = false })
	s.end.Write(10000)
	s.sends()
	s.later(100 * us)
	s.ack(0, 2000, 4000)
	s.wantUntil(150 * us)
	s.ack(0, 2000, 5000)
	s.want("0+1000 again")
	if c := s.end.Counters(); c.BytesLost != 2000 {
		t.Errorf("%d bytes taken for lost, want two packets", c.BytesLost)
	}
}

// A retransmission that is lost as well is noticed by RACK, and not by counting.
func TestLostRetransmissionIsSentAgain(t *testing.T) {
	s := newScript(t, small)
	s.end.Write(10000)
	s.sends()
	s.later(100 * us)
	s.ack(0, 1000, 4000)
	s.want("0+1000 again")
	s.later(10 * us)
	s.ctl.ssthresh = 20000
	s.end.Write(1000)
	s.ack(0, 1000, 10000)
	s.want("10000+1000")
	s.later(100 * us)
	s.ack(0, 1000, 11000) // what was sent after the retransmission has come
	s.want("0+1000 again")
	if s.ctl.losses != 1 {
		t.Errorf("%d reductions, want one for the window", s.ctl.losses)
	}
}

// RFC 6937: with 20 packets in flight, of which one is lost, and a threshold of 10, every second
// acknowledgement lets a packet go, after two that limited transmit sends and the retransmission. The
// last waits until what is in flight is below the threshold.
func TestProportionalRateReduction(t *testing.T) {
	s := newScript(t, func(c *Config) { small(c); c.InitialWindow = 20 })
	s.ctl.ssthresh = 20000
	s.end.Write(100000)
	s.sends()
	s.later(100 * us)
	pattern := ""
	for i := int64(2); i <= 20; i++ {
		s.later(us)
		s.ack(0, 1000, 1000*i)
		for _, line := range s.sends() {
			if line == "0+1000 again" {
				pattern += "R"
			} else {
				pattern += "N"
			}
		}
		pattern += "."
	}
	const want = "N.N.R...N..N..N..N..N..N...N."
	if pattern != want {
		t.Errorf("sends\n%s, want\n%s", pattern, want)
	}
	s.ack(22000, 22000, 22000)
	if got := s.end.inFlight(); got > 10000 || s.end.Control().Window() != 10000 {
		t.Errorf("after recovery %d B in flight, window %d; want the threshold of 10000 B", got, s.end.Control().Window())
	}
}

// Without it the window is the threshold at once: nothing goes until half has drained.
func TestReductionAtOnce(t *testing.T) {
	s := newScript(t, func(c *Config) { small(c); c.InitialWindow = 20; c.PRR = false })
	s.ctl.ssthresh = 20000
	s.end.Write(100000)
	s.sends()
	s.later(100 * us)
	sent := 0
	for i := int64(2); i <= 12; i++ {
		s.ack(0, 1000, 1000*i)
		sent += len(s.sends())
	}
	// Two by limited transmit, and the retransmission; then 22 are out, of which 11 have come and 1 is lost.
	if sent != 3 {
		t.Errorf("%d packets sent while half of the flight drained, want 3", sent)
	}
}

// RFC 8985, section 7: twice the round trip after the last packet it is sent again, before the
// timeout.
func TestTailProbe(t *testing.T) {
	s := newScript(t, small)
	s.end.Write(5000)
	s.sends()
	s.later(100 * us)
	s.ack(2000)
	s.wantUntil(ms, "300us: 4000+1000 again")
	// It has come, 700 us after it was sent; the two before it were sent 1 ms ago, and so were lost.
	s.ack(2000, 4000, 5000)
	s.want("2000+1000 again")
	s.ack(3000, 4000, 5000)
	s.want("3000+1000 again")
	if c := s.end.Counters(); c.TailProbes != 1 || c.Timeouts != 0 {
		t.Errorf("%d probes, %d timeouts; want 1 and 0", c.TailProbes, c.Timeouts)
	}
}

func TestTailProbeWaitsForADelayedAcknowledgement(t *testing.T) {
	s := newScript(t, small)
	s.end.Write(1000)
	s.sends()
	s.later(100 * us)
	s.ack(1000)
	s.end.Write(500)
	s.want("1000+500")
	s.wantUntil(100*ms, "40.3ms: 1000+500 again") // two round trips and 40 ms
}

// Where the timeout is shorter than what a delayed acknowledgement may take the probe goes at its time,
// and the timeout only after that.
func TestTailProbeGoesBeforeAShortTimeout(t *testing.T) {
	s := newScript(t, func(c *Config) { small(c); c.MinRTO = ms; c.Granularity = us })
	s.end.Write(1000)
	s.sends()
	s.later(100 * us)
	s.ack(1000)
	s.end.Write(1000)
	s.sends()
	s.wantUntil(4*ms, "1.1ms: 1000+1000 again", "2.1ms: 1000+1000 again")
	if c := s.end.Counters(); c.TailProbes != 1 || c.Timeouts != 1 {
		t.Errorf("%d probes, %d timeouts; want one each", c.TailProbes, c.Timeouts)
	}
}

func TestTailProbeSendsNewDataIfThereAreAny(t *testing.T) {
	s := newScript(t, small)
	s.end.Write(20000)
	s.sends()
	s.later(100 * us)
	s.ack(0, 0, 0)
	s.ack(1000)
	s.sends()
	s.wantUntil(ms, "300us: 12000+1000")
}

// Section 7.4.2: a probe that came in place of what was lost is a loss that nobody else would notice.
func TestTailProbeThatRepairsIsALoss(t *testing.T) {
	for _, c := range []struct {
		name   string
		block  []int64 // of the acknowledgement
		losses int
	}{
		{"repaired", nil, 1},
		{"the first had come too", []int64{4000, 5000}, 0},
	} {
		s := newScript(t, small)
		s.end.Write(5000)
		s.sends()
		s.later(100 * us)
		s.ack(4000)
		s.wantUntil(50*ms, "40.3ms: 4000+1000 again")
		s.ack(5000, c.block...)
		s.end.Write(1000)
		s.sends()
		s.later(100 * us)
		s.ack(6000)
		if s.ctl.losses != c.losses {
			t.Errorf("%s: %d losses told, want %d", c.name, s.ctl.losses, c.losses)
		}
	}
}

// RFC 6582: without SACK the third duplicate acknowledgement means a loss, and one that brings a part
// of what was outstanding then, another.
func TestNewRenoWithoutSACK(t *testing.T) {
	s := newScript(t, func(c *Config) { small(c); c.SACK = false })
	s.end.Write(10000)
	s.sends()
	s.later(100 * us)
	s.ack(0)
	s.ack(0)
	s.want()
	s.ack(0)
	s.want("0+1000 again")
	s.later(100 * us)
	s.ack(3000)
	s.want("3000+1000 again")
	s.later(100 * us)
	s.ack(10000)
	s.want()
	if s.ctl.losses != 1 || s.end.Recovering() {
		t.Errorf("%d reductions, recovering %v; want 1 and no more", s.ctl.losses, s.end.Recovering())
	}
}

// What brings data or a window is no duplicate acknowledgement (RFC 5681, section 2).
func TestWhatIsNoDuplicate(t *testing.T) {
	s := newScript(t, func(c *Config) { small(c); c.SACK = false })
	s.end.Write(10000)
	s.sends()
	for i := range int64(3) {
		s.data(100*i, 100, 1, 0)
	}
	for range 3 {
		s.edge += 5000
		s.ack(0)
	}
	for _, line := range s.sends() {
		if line == "0+1000 again" {
			t.Errorf("data and windows were taken for a loss")
		}
	}
}

// RFC 896 with Minshall's change: a packet that is not full waits for another such, and not for full
// ones.
func TestNagle(t *testing.T) {
	for _, nagle := range []bool{false, true} {
		s := newScript(t, func(c *Config) { small(c); c.Nagle = nagle })
		s.end.Write(100)
		s.want("0+100")
		s.end.Write(100)
		if nagle {
			s.want()
			s.end.Write(950)
			s.want("100+1000")
			s.ack(1100)
			s.want("1100+50")
		} else {
			s.want("100+100")
		}
	}
	s := newScript(t, func(c *Config) { small(c); c.Nagle = true })
	s.end.Write(2500)
	s.want("0+1000", "1000+1000", "2000+500")
	s.end.Write(100)
	s.want()
	s.end.SetNagle(false)
	s.want("2500+100")
}

// RFC 9293, section 3.8.6.2.1: less than a packet goes only if it is all there is or half of the
// largest window, or when the timer overrides.
func TestSenderAvoidsSillyWindows(t *testing.T) {
	s := newScript(t, small)
	s.edge = 10000
	s.end.edge, s.end.maxWindow = 10000, 10000
	s.end.Write(30000)
	s.sends()
	s.ctl.cwnd = 100000
	s.edge = 10500
	s.ack(10000)
	s.want()
	s.wantUntil(210*ms, "200ms: 10000+500") // the least timeout
}

// RFC 9293, section 3.8.6.1: a closed window is asked after, at the timeout and then at twice the time
// each time, and as long as it is answered there is no end to it.
func TestClosedWindowIsAskedAfter(t *testing.T) {
	s := newScript(t, small)
	s.edge = 4000
	s.end.edge, s.end.maxWindow = 4000, 4000
	s.end.Write(30000)
	s.want("0+1000", "1000+1000", "2000+1000", "3000+1000")
	s.later(100 * us)
	s.ack(4000)
	s.want()
	if c := s.end.Counters(); c.ZeroWindows != 1 {
		t.Errorf("%d closed windows counted, want 1", c.ZeroWindows)
	}
	at, wait := s.now, 200*ms
	for i := range 30 {
		at += wait
		wait = min(2*wait, 60*units.Second)
		s.wantUntil(at, at.String()+": ack 0")
		if i < 20 {
			s.ack(4000)
		}
		if s.end.Failed() != nil {
			t.Fatalf("given up after %d questions", i)
		}
	}
	s.edge = 9000
	s.ack(4000)
	s.want("4000+1000", "5000+1000", "6000+1000", "7000+1000", "8000+1000")
}

func TestPeerThatNoLongerAnswersQuestionsIsGivenUp(t *testing.T) {
	s := newScript(t, small)
	s.edge = 1000
	s.end.edge = 1000
	s.end.Write(30000)
	s.sends()
	s.later(100 * us)
	s.ack(1000)
	s.want()
	for range 20 {
		s.now = s.end.Deadline()
		if s.now == units.Never {
			break
		}
		s.end.OnTimer(s.now)
		s.sends()
	}
	if c := s.end.Counters(); s.end.Failed() != ErrTimedOut || c.WindowProbes != 16 {
		t.Errorf("%v after %d questions, want %v after 16", s.end.Failed(), c.WindowProbes, ErrTimedOut)
	}
}

// RFC 3168, section 6.1: one reduction for each window in which marks are echoed, told by CWR with the
// next new data; what is sent again is not ECN-capable.
func TestEchoReducesOncePerWindow(t *testing.T) {
	s := newScript(t, func(c *Config) { small(c); c.ECN = true })
	s.end.Write(100000)
	seg, _ := s.end.Next(0, 64*units.KiB)
	if !seg.ECT {
		t.Errorf("data are not ECN-capable")
	}
	s.sends()
	s.later(100 * us)
	s.answer(ACK|ECE, 1000)
	s.want()
	s.answer(ACK|ECE, 2000)
	s.answer(ACK|ECE, 6000)
	s.want("W 10000+1000", "11000+1000")
	s.answer(ACK|ECE, 10000)
	if s.ctl.marks != 1 {
		t.Errorf("%d reductions in one window, want 1", s.ctl.marks)
	}
	s.sends()
	s.answer(ACK|ECE, 11000)
	if c := s.end.Counters(); s.ctl.marks != 2 || c.Reductions != 2 || c.Echoes != 5 {
		t.Errorf("%d reductions in two windows, %d counted, %d echoes; want 2, 2, 5", s.ctl.marks, c.Reductions, c.Echoes)
	}
	s.later(100 * us)
	s.ack(11000, 12000, 15000)
	for {
		seg, ok := s.end.Next(s.now, 64*units.KiB)
		if !ok {
			break
		}
		if seg.Retransmission == seg.ECT {
			t.Errorf("sent again %v, ECN-capable %v", seg.Retransmission, seg.ECT)
		}
	}
}

// A connection that is paced sends a segment and then waits as long as it takes at its rate, headers
// included.
func TestPace(t *testing.T) {
	s := newScript(t, func(c *Config) { c.MTU, c.Timestamps, c.TSO, c.InitialWindow = 1040, false, 4000, 30 })
	s.ctl.pacing = units.Gbps
	s.later(units.Second)
	s.end.Write(10000)
	// 1 Gb/s for a millisecond would be more than the 4 packets that the adapter takes: 4160 B in 33.28 us; the first may
	// use half of that from before (Linux: tcp_update_skb_after_send).
	s.want("0+4000")
	s.wantUntil(units.Second+100*us, "1.00001664s: 4000+4000", "1.00004992s: 8000+2000")
}

func TestSlowPaceMakesSmallSegments(t *testing.T) {
	s := newScript(t, func(c *Config) { c.MTU, c.Timestamps = 1040, false })
	s.end.Write(20000)
	for _, c := range []struct {
		pace units.Rate
		want int64
	}{{units.Mbps, 2000}, {40 * units.Mbps, 5000}, {100 * units.Gbps, 65000}} { // a millisecond's worth, at least two packets
		s.ctl.pacing = c.pace
		if got := s.end.largest(); got != c.want {
			t.Errorf("paced at %v: segments of %d, want %d", c.pace, got, c.want)
		}
	}
}
