package congestion

import "github.com/rdmasim/rdmasim/sim/units"

// BBR is version 1 of the control that estimates the bottleneck's rate and the round trip without queues.
var BBR = Kind{
	Name: "bbr",
	Doc:  "BBR version 1: sends at the estimated rate of the bottleneck with about two bandwidth-delay products in flight; losses and marks do not slow it",
	Params: func() Params {
		ratio := func(num, den int64) units.Ratio { return units.Ratio{Num: num, Den: den} }
		return &BBRParams{
			HighGain: ratio(289, 100), ProbeGain: ratio(5, 4), YieldGain: ratio(3, 4), WindowGain: ratio(2, 1),
			FullGrowth: ratio(5, 4), FullRounds: 3, BandwidthRounds: 10,
			MinRTTWindow: 10 * units.Second, ProbeRTT: 200 * units.Millisecond, MinWindow: 4,
		}
	},
}

// BBRParams are the parameters of BBR.
type BBRParams struct {
	HighGain        units.Ratio `key:"high_gain" default:"2.89" max:"1000" doc:"gain of rate and window while starting, at least 1; its inverse drains the queue that this leaves" source:"draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.2 (2/ln 2)"`
	ProbeGain       units.Ratio `key:"probe_gain" default:"5/4" max:"1000" doc:"gain of the rate in the phase of a cycle that looks for more" source:"draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.4"`
	YieldGain       units.Ratio `key:"yield_gain" default:"3/4" max:"1" doc:"gain of the rate in the phase after that, which drains the queue it has made" source:"draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.4"`
	WindowGain      units.Ratio `key:"cwnd_gain" default:"2" max:"1000" doc:"bandwidth-delay products in flight at most" source:"draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.4"`
	FullGrowth      units.Ratio `key:"full_growth" default:"5/4" max:"1000" doc:"factor by which the bandwidth must have grown for the pipe not to be full" source:"draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.2.2"`
	FullRounds      int         `key:"full_rounds" default:"3" min:"1" doc:"round trips without such growth after which the pipe is full" source:"draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.2.2"`
	BandwidthRounds int         `key:"bandwidth_rounds" default:"10" min:"1" max:"1000" doc:"round trips of which the bandwidth is the largest sample" source:"draft-cardwell-iccrg-bbr-congestion-control-00, section 4.1.1"`
	MinRTTWindow    units.Time  `key:"rtprop_window" default:"10s" min:"1us" doc:"time after which the least round trip is measured anew" source:"draft-cardwell-iccrg-bbr-congestion-control-00, section 4.1.2"`
	ProbeRTT        units.Time  `key:"probe_rtt_duration" default:"200ms" doc:"time for which almost nothing is in flight to measure it" source:"draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.5"`
	MinWindow       int         `key:"min_pipe_cwnd" default:"4" min:"1" doc:"packets in flight then, and at least" source:"draft-cardwell-iccrg-bbr-congestion-control-00, section 4.2.3"`
}

// Validate refuses gains with which a rate could not be kept. Its error is a *units.FieldError.
func (p *BBRParams) Validate() error {
	one := units.Ratio{Num: 1, Den: 1}
	for _, g := range [...]struct {
		key   string
		value units.Ratio
	}{{"high_gain", p.HighGain}, {"probe_gain", p.ProbeGain}, {"cwnd_gain", p.WindowGain}, {"full_growth", p.FullGrowth}} {
		if g.value.Cmp(one) < 0 {
			return units.Field(g.key, g.value, "the rate would shrink by itself", "at least 1")
		}
	}
	if p.YieldGain.IsZero() {
		return units.Field("yield_gain", p.YieldGain, "nothing would be sent", "greater than 0, such as 3/4")
	}
	return nil
}

// New implements [Params].
func (p *BBRParams) New() Control {
	return &bbr{p: *p, bandwidth: windowedMax{samples: make([]rateSample, 0, p.BandwidthRounds)}}
}

// The phases of BBR, as State names them.
const (
	Startup  = "startup"
	Drain    = "drain"
	ProbeBW  = "probe-bw"
	ProbeRTT = "probe-rtt"
)

// cyclePhases is the length of a cycle of gains: one that probes, one that yields, six that cruise.
const cyclePhases = 8

// bbr is the state of the draft's section 4, whose names it has.
type bbr struct {
	p            BBRParams
	mss, initial units.Bytes

	phase      string
	pacingGain units.Ratio
	cwndGain   units.Ratio
	pacing     units.Rate
	cwnd       units.Bytes

	bandwidth windowedMax
	round     int64
	ignore    int64       // round until which a rate below the estimate tells nothing: too little was in flight
	delivered units.Bytes // since the start
	inFlight  units.Bytes // at the last acknowledgement

	minRTT      units.Time // 0 before there is a sample
	minRTTStamp units.Time

	filled     bool // the pipe is full
	fullBW     units.Rate
	fullRounds int

	cycle      int
	cycleStamp units.Time

	probing    bool // in ProbeRTT, what was in flight has drained
	probeRound int64
	probeDone  units.Time

	idleRestart  bool
	recovering   bool
	conservation bool  // in the first round trip of recovery, a packet leaves for each that arrives
	conserve     int64 // round in which that began
	priorCwnd    units.Bytes
}

var _ Restarter = (*bbr)(nil)

func (b *bbr) Init(mss, initialWindow units.Bytes, now units.Time) {
	b.mss, b.initial = mss, initialWindow
	b.cwnd, b.minRTTStamp = bounded(initialWindow, mss), now
	b.start()
	b.pacing = b.nominal(units.Millisecond)
}

// nominal is the rate before there is a sample: the initial window each round trip, with the gain of the phase.
func (b *bbr) nominal(rtt units.Time) units.Rate {
	return gained(rateOf(b.initial, rtt), b.pacingGain)
}

// rateOf is the rate that moves n bytes in d, at least 1 bit/s.
func rateOf(n units.Bytes, d units.Time) units.Rate {
	const bits = 8 * int64(units.Second)
	return max(units.Rate(units.Ratio{Num: bits, Den: int64(max(d, 1))}.Of(n)), 1)
}

func gained(rate units.Rate, gain units.Ratio) units.Rate {
	return units.Rate(gain.Of(units.Bytes(rate)))
}

func (b *bbr) OnAck(a *Ack, now units.Time) {
	if a.RoundStart {
		b.round++
	}
	before := b.bandwidth.best()
	b.delivered += a.Acked
	b.inFlight = a.InFlight
	b.updateBandwidth(a)
	b.checkCycle(a, now)
	b.checkFull(a)
	b.checkDrain(now)
	b.checkProbeRTT(a, b.updateMinRTT(a, now), now)
	if before > 0 || b.bandwidth.best() > 0 {
		b.setPacing(b.pacingGain)
	}
	b.setWindow(a)
}

func (b *bbr) updateBandwidth(a *Ack) {
	limited := a.AppLimited || b.phase == ProbeRTT || b.round < b.ignore
	if a.Rate > 0 && (a.Rate >= b.bandwidth.best() || !limited) {
		b.bandwidth.update(b.round, int64(b.p.BandwidthRounds), a.Rate)
	}
}

// target is what a gain of the bandwidth-delay product has in flight, with three of the bursts that hosts send and merge.
func (b *bbr) target(gain units.Ratio) units.Bytes {
	if b.minRTT == 0 || b.bandwidth.best() == 0 {
		return b.initial
	}
	return gain.Of(b.bandwidth.best().BytesIn(b.minRTT)) + 3*b.quantum()
}

// quantum is what leaves a host in one burst: a millisecond's worth, up to 64 KB.
func (b *bbr) quantum() units.Bytes {
	switch {
	case b.pacing < 1200*units.Kbps:
		return b.mss
	case b.pacing < 24*units.Mbps:
		return 2 * b.mss
	}
	return min(b.pacing.BytesIn(units.Millisecond), 64*units.KiB)
}

func (b *bbr) start() {
	b.phase, b.pacingGain, b.cwndGain = Startup, b.p.HighGain, b.p.HighGain
}

// checkFull finds that the bandwidth does not grow any more.
func (b *bbr) checkFull(a *Ack) {
	if b.filled || !a.RoundStart || a.AppLimited {
		return
	}
	if best := b.bandwidth.best(); best >= gained(b.fullBW, b.p.FullGrowth) {
		b.fullBW, b.fullRounds = best, 0
		return
	}
	b.fullRounds++
	b.filled = b.fullRounds >= b.p.FullRounds
}

func (b *bbr) checkDrain(now units.Time) {
	if b.phase == Startup && b.filled {
		b.phase = Drain
		b.pacingGain = units.Ratio{Num: b.p.HighGain.Den, Den: b.p.HighGain.Num}
	}
	if b.phase == Drain && b.inFlight <= b.target(unity) {
		b.probeBandwidth(now)
	}
}

var unity = units.Ratio{Num: 1, Den: 1}

// probeBandwidth enters the cycle in any phase but the one that yields. Which one, the instant decides: connections that
// share a bottleneck enter at different ones.
func (b *bbr) probeBandwidth(now units.Time) {
	b.phase, b.cwndGain = ProbeBW, b.p.WindowGain
	b.cycle = cyclePhases - 1 - int(scrambled(uint64(now))%(cyclePhases-1))
	b.advance(now)
}

// scrambled spreads the bits of x (the finaliser of splitmix64).
func scrambled(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func (b *bbr) advance(now units.Time) {
	b.cycleStamp = now
	b.cycle = (b.cycle + 1) % cyclePhases
	switch b.cycle {
	case 0:
		b.pacingGain = b.p.ProbeGain
	case 1:
		b.pacingGain = b.p.YieldGain
	default:
		b.pacingGain = unity
	}
}

// checkCycle ends a phase after a round trip: the one that probes not before there is more in flight, the one that yields
// as soon as there is no more than the pipe holds.
func (b *bbr) checkCycle(a *Ack, now units.Time) {
	if b.phase != ProbeBW {
		return
	}
	over := now-b.cycleStamp > b.minRTT
	before := a.InFlight + a.Acked + a.Lost
	switch b.cycle {
	case 0:
		over = over && (a.Lost > 0 || before >= b.target(b.pacingGain))
	case 1:
		over = over || before <= b.target(unity)
	}
	if over {
		b.advance(now)
	}
}

func (b *bbr) updateMinRTT(a *Ack, now units.Time) (expired bool) {
	expired = now > b.minRTTStamp+b.p.MinRTTWindow
	if a.RTT > 0 && (b.minRTT == 0 || a.RTT <= b.minRTT || expired) {
		if b.minRTT == 0 && b.bandwidth.best() == 0 {
			b.pacing = b.nominal(a.RTT)
		}
		b.minRTT, b.minRTTStamp = a.RTT, now
	}
	return expired
}

// checkProbeRTT holds the flow at a few packets for a while if the round trip has not been at its least for long.
func (b *bbr) checkProbeRTT(a *Ack, expired bool, now units.Time) {
	if b.phase != ProbeRTT && expired && !b.idleRestart {
		b.save()
		b.phase, b.pacingGain, b.cwndGain, b.probing = ProbeRTT, unity, unity, false
	}
	b.idleRestart = false
	switch {
	case b.phase != ProbeRTT:
	case !b.probing:
		if a.InFlight <= b.least() {
			b.probing, b.probeRound, b.probeDone = true, b.round, now+b.p.ProbeRTT
		}
	case b.round > b.probeRound+1 && now > b.probeDone:
		b.minRTTStamp = now
		b.leaveProbeRTT(now)
	}
}

func (b *bbr) leaveProbeRTT(now units.Time) {
	b.restore()
	b.ignore = b.round + 2 // until what is sent from now on has been acknowledged
	if b.filled {
		b.probeBandwidth(now)
	} else {
		b.start()
	}
}

func (b *bbr) least() units.Bytes { return units.Bytes(b.p.MinWindow) * b.mss }

func (b *bbr) save() {
	if b.recovering || b.phase == ProbeRTT {
		b.priorCwnd = max(b.priorCwnd, b.cwnd)
	} else {
		b.priorCwnd = b.cwnd
	}
}

func (b *bbr) restore() { b.cwnd = max(b.cwnd, b.priorCwnd) }

func (b *bbr) setPacing(gain units.Ratio) {
	rate := max(gained(b.bandwidth.best(), gain), 1)
	if b.filled || rate > b.pacing {
		b.pacing = rate
	}
}

func (b *bbr) setWindow(a *Ack) {
	target := b.target(b.cwndGain)
	if a.Lost > 0 {
		b.cwnd = max(b.cwnd-a.Lost, b.mss)
	}
	if b.conservation && b.round > b.conserve+1 {
		b.conservation = false
	}
	switch {
	case b.conservation:
		b.cwnd = max(b.cwnd, a.InFlight+a.Acked)
	case b.filled:
		b.cwnd = max(min(b.cwnd+a.Acked, target), b.least())
	case b.cwnd < target || b.delivered < b.initial:
		b.cwnd = max(b.cwnd+a.Acked, b.least())
	}
	if b.phase == ProbeRTT {
		b.cwnd = min(b.cwnd, b.least())
	}
	b.cwnd = bounded(b.cwnd, b.mss)
}

func (b *bbr) OnLoss(inFlight units.Bytes, _ units.Time) {
	b.save()
	b.cwnd = bounded(min(inFlight, b.inFlight)+b.mss, b.mss)
	b.recovering, b.conservation, b.conserve = true, true, b.round
}

func (b *bbr) OnECN(units.Bytes, units.Time) {}

func (b *bbr) OnTimeout(units.Bytes, units.Time) {
	b.save()
	b.cwnd = b.mss
	b.recovering, b.conservation = false, false
}

func (b *bbr) OnRecovered(units.Time) {
	if b.recovering {
		b.recovering, b.conservation = false, false
		b.restore()
	}
}

func (b *bbr) OnRestart(_, _, _ units.Time) {
	b.idleRestart = true
	if b.phase == ProbeBW && b.bandwidth.best() > 0 {
		b.setPacing(unity)
	}
}

func (b *bbr) Window() units.Bytes    { return b.cwnd }
func (b *bbr) Threshold() units.Bytes { return Unbounded }
func (b *bbr) Pacing() units.Rate     { return b.pacing }

func (b *bbr) State() State {
	return State{
		Phase: b.phase, Window: b.cwnd, Threshold: Unbounded, Pacing: b.pacing,
		Bandwidth: b.bandwidth.best(), MinRTT: b.minRTT,
	}
}

// rateSample is the rate delivered in a round trip.
type rateSample struct {
	round int64
	rate  units.Rate
}

// windowedMax is the largest of the samples of the last round trips: those that no later one exceeds, the largest first.
type windowedMax struct{ samples []rateSample }

func (w *windowedMax) best() units.Rate {
	if len(w.samples) == 0 {
		return 0
	}
	return w.samples[0].rate
}

// update takes a sample, and forgets those of more than length round trips before.
func (w *windowedMax) update(round, length int64, rate units.Rate) {
	keep := w.samples[:0]
	for _, s := range w.samples {
		if s.round > round-length && s.rate > rate {
			keep = append(keep, s)
		}
	}
	if n := len(keep); n == 0 || keep[n-1].round < round {
		keep = append(keep, rateSample{round, rate})
	}
	w.samples = keep
}
