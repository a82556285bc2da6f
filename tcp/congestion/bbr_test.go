package congestion_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// path is a bottleneck of a rate behind a round trip, in virtual time: one connection that always has data sends packets
// over it, paced and bound by its window as its control says. Nothing is lost.
type path struct {
	control congestion.Control
	rate    units.Rate
	rtt     units.Time
	call    func(a *congestion.Ack, now units.Time) // after each acknowledgement

	now, next, free units.Time // now; when the next packet may leave; when the bottleneck is free
	flight          []flying
	delivered       units.Bytes
	deliveredAt     units.Time
	firstSent       units.Time
	roundEnd        units.Bytes
	ack             congestion.Ack
}

// flying is a packet under way, with what a sender notes of it to sample the rate (draft-cheng-iccrg-delivery-rate-estimation).
type flying struct {
	sent, back             units.Time
	delivered              units.Bytes
	deliveredAt, firstSent units.Time
}

func newPath(control congestion.Control, rate units.Rate, rtt units.Time) *path {
	control.Init(mss, 10*mss, 0)
	return &path{control: control, rate: rate, rtt: rtt}
}

// until runs the path up to a time.
func (p *path) until(end units.Time) {
	for p.now < end {
		if mayGo := units.Bytes(len(p.flight)+1)*mss <= p.control.Window(); mayGo && (len(p.flight) == 0 || p.next <= p.flight[0].back) {
			p.now = max(p.now, p.next)
			p.send()
		} else {
			p.now = p.flight[0].back
			p.receive()
		}
	}
}

func (p *path) send() {
	if len(p.flight) == 0 {
		p.firstSent, p.deliveredAt = p.now, p.now
	}
	p.free = max(p.free, p.now) + p.rate.Serialise(int(mss))
	p.flight = append(p.flight, flying{p.now, p.free + p.rtt, p.delivered, p.deliveredAt, p.firstSent})
	p.next = p.now
	if rate := p.control.Pacing(); rate > 0 {
		p.next += rate.Serialise(int(mss))
	}
}

func (p *path) receive() {
	f := p.flight[0]
	p.flight = p.flight[1:]
	p.delivered += mss
	p.deliveredAt = p.now
	p.firstSent = f.sent
	interval := max(f.sent-f.firstSent, p.now-f.deliveredAt)
	p.ack = congestion.Ack{
		Acked: mss, RTT: p.now - f.sent, InFlight: units.Bytes(len(p.flight)) * mss, Limited: true,
		Rate: units.Rate(float64(8*(p.delivered-f.delivered)) / interval.Seconds()),
	}
	if p.ack.RoundStart = f.delivered >= p.roundEnd; p.ack.RoundStart {
		p.roundEnd = p.delivered
	}
	p.control.OnAck(&p.ack, p.now)
	if p.call != nil {
		p.call(&p.ack, p.now)
	}
}

func newBBR(change func(*congestion.BBRParams)) congestion.Control {
	params := congestion.BBR.Params().(*congestion.BBRParams)
	if change != nil {
		change(params)
	}
	return params.New()
}

// bbrDraft is a transcription of the pseudo-code of draft-cardwell-iccrg-bbr-congestion-control-00, section 4, without
// recovery and restarts, in packets and seconds. The phase in which a cycle begins is given: there it is drawn.
type bbrDraft struct {
	state                           string
	pacingGain, cwndGain            float64
	pacingRate, cwnd                float64 // packets per second, packets
	samples                         map[int]float64
	btlBw, fullBw                   float64
	rtProp, rtPropStamp             units.Time
	cycleStamp, doneStamp           units.Time
	round, fullCount, index, packet int
	filled                          bool
	priorCwnd                       float64
	probeRound, ignore              int
}

const highGain = 2.89

func newDraft() *bbrDraft {
	return &bbrDraft{
		state: "startup", pacingGain: highGain, cwndGain: highGain, pacingRate: highGain * 10 / 1e-3, cwnd: 10,
		samples: map[int]float64{}, rtProp: units.Never,
	}
}

func (m *bbrDraft) inflight(gain float64) float64 {
	if m.rtProp == units.Never {
		return 10
	}
	rate := m.pacingRate * float64(mss) * 8
	quantum := float64(mss)
	switch {
	case rate >= 24e6:
		quantum = min(m.pacingRate*float64(mss)*1e-3, 65536)
	case rate >= 1.2e6:
		quantum *= 2
	}
	return gain*m.btlBw*m.rtProp.Seconds() + 3*quantum/float64(mss)
}

func (m *bbrDraft) onAck(rate, inFlight float64, roundStart bool, rtt, now units.Time, phase int) {
	// BBRUpdateBtlBw
	if roundStart {
		m.round++
	}
	if rate >= m.btlBw || m.state != "probe-rtt" && m.round >= m.ignore {
		m.samples[m.round] = max(m.samples[m.round], rate)
		m.btlBw = 0
		for r := m.round - 9; r <= m.round; r++ {
			m.btlBw = max(m.btlBw, m.samples[r])
		}
	}
	// BBRCheckCyclePhase
	if m.state == "probe-bw" {
		full := now-m.cycleStamp > m.rtProp
		switch {
		case m.pacingGain > 1:
			full = full && inFlight+1 >= m.inflight(m.pacingGain)
		case m.pacingGain < 1:
			full = full || inFlight+1 <= m.inflight(1)
		}
		if full {
			m.advance(now)
		}
	}
	// BBRCheckFullPipe
	if !m.filled && roundStart {
		if m.btlBw >= m.fullBw*1.25 {
			m.fullBw, m.fullCount = m.btlBw, 0
		} else {
			m.fullCount++
			m.filled = m.fullCount >= 3
		}
	}
	// BBRCheckDrain
	if m.state == "startup" && m.filled {
		m.state, m.pacingGain = "drain", 1/highGain
	}
	if m.state == "drain" && inFlight <= m.inflight(1) {
		m.probeBW(now, phase)
	}
	// BBRUpdateRTprop
	expired := now > m.rtPropStamp+10*units.Second
	if rtt <= m.rtProp || expired {
		if m.rtProp == units.Never && m.btlBw == 0 {
			m.pacingRate = highGain * 10 / rtt.Seconds()
		}
		m.rtProp, m.rtPropStamp = rtt, now
	}
	// BBRCheckProbeRTT
	if m.state != "probe-rtt" && expired {
		m.priorCwnd, m.state, m.pacingGain, m.cwndGain, m.doneStamp = m.cwnd, "probe-rtt", 1, 1, 0
	}
	if m.state == "probe-rtt" {
		switch {
		case m.doneStamp == 0 && inFlight <= 4:
			m.doneStamp, m.probeRound = now+200*ms, m.round
		case m.doneStamp != 0 && m.round > m.probeRound+1 && now > m.doneStamp:
			m.rtPropStamp, m.cwnd, m.ignore = now, max(m.cwnd, m.priorCwnd), m.round+2
			m.probeBW(now, phase)
		}
	}
	// BBRSetPacingRate, BBRSetCwnd
	if rate := m.pacingGain * m.btlBw; m.filled || rate > m.pacingRate {
		m.pacingRate = rate
	}
	m.packet++
	target := m.inflight(m.cwndGain)
	switch {
	case m.filled:
		m.cwnd = min(m.cwnd+1, target)
	case m.cwnd < target || m.packet < 10:
		m.cwnd++
	}
	m.cwnd = max(m.cwnd, 4)
	if m.state == "probe-rtt" {
		m.cwnd = min(m.cwnd, 4)
	}
}

func (m *bbrDraft) probeBW(now units.Time, phase int) {
	m.state, m.cwndGain, m.index = "probe-bw", 2, (phase+7)%8
	m.advance(now)
}

func (m *bbrDraft) advance(now units.Time) {
	m.cycleStamp, m.index = now, (m.index+1)%8
	m.pacingGain = [8]float64{1.25, 0.75, 1, 1, 1, 1, 1, 1}[m.index]
}

// Window, rate, state and estimates follow the draft's pseudo-code acknowledgement by acknowledgement, through start,
// draining, cycles and two measurements of the round trip.
func TestBBRFollowsItsDraftStepByStep(t *testing.T) {
	for _, tc := range []struct {
		rate units.Rate
		rtt  units.Time
	}{{20 * units.Mbps, 20 * ms}, {units.Gbps, ms}} {
		control := newBBR(nil)
		p, m := newPath(control, tc.rate, tc.rtt), newDraft()
		seen := map[string]int{}
		p.call = func(a *congestion.Ack, now units.Time) {
			s := control.State()
			m.onAck(float64(a.Rate)/8/float64(mss), float64(a.InFlight/mss), a.RoundStart, a.RTT, now, congestion.BBRPhase(control))
			if seen[s.Phase]++; s.Phase != m.state || congestion.BBRPhase(control) != m.index && s.Phase == "probe-bw" {
				t.Fatalf("%v, at %v: state %s %d, by the draft %s %d", tc.rate, now, s.Phase, congestion.BBRPhase(control), m.state, m.index)
			}
			near(t, "bandwidth", float64(s.Bandwidth), m.btlBw*float64(mss)*8, 1e-9*float64(tc.rate)+16)
			near(t, "round trip", float64(s.MinRTT), float64(m.rtProp), 0)
			near(t, "rate", float64(s.Pacing), m.pacingRate*float64(mss)*8, 1e-6*float64(tc.rate)+64)
			near(t, "window", float64(s.Window)/float64(mss), m.cwnd, 0.01)
			if t.Failed() {
				t.Fatalf("%v, round trip %v, at %v: %+v", tc.rate, tc.rtt, now, s)
			}
		}
		p.until(21 * units.Second)
		for _, state := range []string{"startup", "drain", "probe-bw", "probe-rtt"} {
			if seen[state] == 0 {
				t.Errorf("%v: never in %s", tc.rate, state)
			}
		}
	}
}

// On a path that is its own BBR comes to know rate and round trip, and holds two bandwidth-delay products and three bursts
// at most while delivering at the bottleneck's rate.
func TestBBRFindsBandwidthAndRoundTrip(t *testing.T) {
	const rate, rtt = 100 * units.Mbps, 20 * ms
	control := newBBR(nil)
	p := newPath(control, rate, rtt)
	p.until(2 * units.Second)
	start := p.delivered
	p.until(9 * units.Second)
	s := control.State()
	near(t, "bandwidth in Mb/s", float64(s.Bandwidth)/1e6, 100, 0.5)
	near(t, "round trip in ms", s.MinRTT.Seconds()*1e3, 20.1168, 1e-6) // 116.8 us of them are a packet's own
	near(t, "goodput in Mb/s", float64(8*(p.delivered-start))/7/1e6, 100, 1)
	// 12.5 ms·100 Mb/s a burst: one millisecond's worth.
	most := 2*float64(rate.BytesIn(s.MinRTT)) + 3*1.25*12500
	if float64(s.Window) > most*1.01 {
		t.Errorf("window %v, want at most %v", s.Window, units.Bytes(most))
	}
}

// Ten seconds after the least round trip was seen BBR drains the path for 200 ms and a round trip: four packets in flight.
func TestBBRMeasuresTheRoundTripEveryTenSeconds(t *testing.T) {
	const rtt = 10 * ms
	control := newBBR(nil)
	p := newPath(control, 50*units.Mbps, rtt)
	var began, ended, drained units.Time
	var bandwidth units.Rate
	p.call = func(a *congestion.Ack, now units.Time) {
		switch s := control.State(); {
		case s.Phase != congestion.ProbeRTT && began > 0 && ended == 0:
			ended = now
			near(t, "bandwidth", float64(s.Bandwidth), float64(bandwidth), 0.01*float64(bandwidth))
		case s.Phase != congestion.ProbeRTT:
			bandwidth = s.Bandwidth
		case began == 0:
			began = now
		case s.Window != 4*mss:
			t.Fatalf("window %v", s.Window)
		case drained == 0 && a.InFlight <= 4*mss:
			drained = now
		}
	}
	p.until(13 * units.Second)
	if began < 10*units.Second || began > 12*units.Second {
		t.Errorf("began at %v", began)
	}
	// It lasts 200 ms from the moment at which four packets are in flight, and what acknowledgement comes next.
	if lasted := ended - drained; lasted < 200*ms || lasted > 200*ms+2*rtt {
		t.Errorf("lasted %v", lasted)
	}
}

// Marks and losses do not slow BBR: in recovery it keeps as many packets in flight as arrive, and has its window back after.
func TestBBRHasItsWindowBackAfterRecovery(t *testing.T) {
	control := newBBR(nil)
	p := newPath(control, 100*units.Mbps, 20*ms)
	p.until(2 * units.Second)
	before := control.State()
	control.OnECN(before.Window, p.now)
	if control.State() != before {
		t.Error("a mark has changed something")
	}
	inFlight := p.ack.InFlight
	control.OnLoss(before.Window, p.now)
	if got := control.Window(); got != inFlight+mss {
		t.Errorf("window at the loss %v, want %v", got, inFlight+mss)
	}
	control.OnAck(&congestion.Ack{Acked: mss, InFlight: inFlight - 10*mss, Lost: 9 * mss, Recovery: true, Rate: before.Bandwidth}, p.now)
	if got := control.Window(); got > inFlight || got < inFlight-9*mss {
		t.Errorf("window after ten packets fewer %v, with %v in flight", got, inFlight)
	}
	control.OnRecovered(p.now)
	if got := control.State(); got.Window != before.Window || got.Bandwidth != before.Bandwidth {
		t.Errorf("after recovery %+v, before %+v", got, before)
	}
	control.OnTimeout(before.Window, p.now)
	if got := control.Window(); got != mss {
		t.Errorf("window after a timeout %v", got)
	}
}

func TestBBRRefusesGainsThatStopIt(t *testing.T) {
	small := units.Ratio{Num: 1, Den: 2}
	for want, change := range map[string]func(*congestion.BBRParams){
		`high_gain: "50%": the rate would shrink by itself; at least 1`:       func(p *congestion.BBRParams) { p.HighGain = small },
		`cwnd_gain: "50%": the rate would shrink by itself; at least 1`:       func(p *congestion.BBRParams) { p.WindowGain = small },
		`yield_gain: "0": nothing would be sent; greater than 0, such as 3/4`: func(p *congestion.BBRParams) { p.YieldGain = units.Ratio{} },
	} {
		params := congestion.BBR.Params().(*congestion.BBRParams)
		change(params)
		if err := params.Validate(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if err := congestion.BBR.Params().(*congestion.BBRParams).Validate(); err != nil {
		t.Error(err)
	}
}
