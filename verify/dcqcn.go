package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fluid"
	"github.com/rdmasim/rdmasim/sim/units"
)

const zhu = "Zhu, Ghobadi, Misra and Padhye, ECN or Delay, CoNEXT 2016, theorem 1"

// fixedPoints are those of the fluid model at 40 Gb/s with packets of 1000 B and the values of DCQCN's paper, as solved
// once by other means than this program: marking probability, α, and the queue in KB with a Pmax of 1 % and 10 %; 0 is
// beyond Kmax.
var fixedPoints = []struct {
	flows              int
	p, alpha, one, ten float64
}{
	{2, .00078, .1014, 20.2, 6.5},
	{4, .00189, .1218, 41.8, 8.7},
	{8, .00455, .1452, 93.8, 13.9},
	{10, .00603, .1533, 122.6, 16.8},
	{16, .01087, .1713, 0, 26.2},
	{32, .02562, .1999, 0, 55.0},
}

// fluidModel holds the solver of the fluid model against its table, by which simulations are judged then.
func fluidModel(context.Context, int) (rows []Row, err error) {
	const last = "half a unit of the last digit of the table"
	for _, want := range fixedPoints {
		m := fluid.OfDCQCN(want.flows, dcqcn.Paper(), 40*units.Gbps, 1000)
		p := m.FixedPoint()
		row := func(what string, expected, found, band float64) {
			rows = append(rows, near(Row{Rule: fmt.Sprintf("DCQCN's fluid model, %d flows: %s", want.flows, what), Source: zhu, Because: last}, expected, found, band))
		}
		row("marking probability p*", want.p, p, 5e-6)
		row("alpha*", want.alpha, m.Alpha(p), 5e-5)
		for _, q := range []struct{ pmax, kb float64 }{{.01, want.one}, {.1, want.ten}} {
			queue, ok := fluid.Queue(p, 5*units.KB, 200*units.KB, q.pmax)
			what := fmt.Sprintf("q* in KB at Pmax %g%%", 100*q.pmax)
			if q.kb == 0 {
				rows = append(rows, equal(Row{Rule: fmt.Sprintf("DCQCN's fluid model, %d flows: %s is beyond Kmax", want.flows, what), Source: zhu}, true, !ok))
				continue
			}
			row(what, q.kb, float64(queue)/1000, .05)
		}
	}
	return rows, nil
}

// trace is a reaction point driven by hand.
type trace struct {
	cc.Controller
	pace cc.Pace
}

// drive returns a reaction point with these parameters on a line of 100 Gb/s.
func drive(c *dcqcn.Config, line cc.Line) *trace {
	t := &trace{Controller: c.New(line)}
	t.pace = t.Start(0)
	return t
}

// until lets time pass, up to and including now.
func (t *trace) until(now units.Time) cc.State {
	for t.pace.Timer <= now {
		t.pace = t.OnTimer(t.pace.Timer)
	}
	return t.State(now)
}

// cnp lets a CNP arrive.
func (t *trace) cnp(now units.Time) {
	t.until(now)
	t.pace = t.OnCNP(now)
}

const (
	gbps = 1e9
	us   = units.Microsecond
)

// dcqcnTraces drives the reaction point of each profile by hand and looks at its rates and α.
func dcqcnTraces(context.Context, int) ([]Row, error) {
	line := cc.Line{Rate: 100 * units.Gbps, MTU: 4096, BaseRTT: 5 * us}
	var rows []Row
	rows = append(rows, paperTrace(line)...)
	rows = append(rows, scaledTrace(line)...)
	return append(rows, firmwareTrace(line)...), nil
}

// rate makes a row of a rate that has to be right to the bit per second.
func rate(rule, source string, gbit float64, found units.Rate) Row {
	r := near(Row{Rule: rule, Source: source, Because: "one bit per second, to which rates are rounded"}, gbit, float64(found)/gbps, 1.0001/gbps)
	r.Expected, r.Found, r.Band = fmt.Sprintf("%.9g Gb/s", gbit), fmt.Sprintf("%.9g Gb/s", float64(found)/gbps), "±1 b/s"
	return r
}

// alpha makes a row of an α that has to be right to six digits.
func alpha(rule, source string, expected, found float64) Row {
	r := near(Row{Rule: rule, Source: source, Because: "half a unit of the sixth digit, to which it is given"}, expected, found, 5e-7)
	r.Expected, r.Found = fmt.Sprintf("%.6f", expected), fmt.Sprintf("%.6f", found)
	return r
}

func paperTrace(line cc.Line) (rows []Row) {
	const source = "DCQCN, SIGCOMM 2015, section 3.1, equations 1 to 4"
	t := drive(dcqcn.Paper(), line)
	t.cnp(0)
	rows = append(rows,
		rate("paper: the first CNP halves the rate at once", source, 50, t.State(0).Rate),
		rate("paper: and makes the rate before it the target", source, 100, t.State(0).Target))
	for k, want := range []float64{75, 87.5, 93.75, 96.875, 98.4375} {
		rows = append(rows, rate(fmt.Sprintf("paper: after step %d of the timer of 55 us", k+1), source, want, t.until(units.Time(k+1)*55*us).Rate))
	}
	for _, quiet := range []struct {
		timers int
		alpha  float64
	}{{10, .961617}, {100, .676116}, {177, .500194}, {256, .367160}} {
		rows = append(rows, alpha(fmt.Sprintf("paper: alpha after %d timers without a CNP, (255/256)^%d", quiet.timers, quiet.timers), source,
			quiet.alpha, t.until(units.Time(quiet.timers)*55*us).Alpha))
	}
	half := dcqcn.Paper()
	half.InitialAlpha, half.MaxRate = units.Ratio{Num: 1, Den: 2}, 80*units.Gbps
	t = drive(half, line)
	t.cnp(0)
	return append(rows, rate("paper: a CNP at 80 Gb/s with alpha 0.5 takes a quarter off", source, 60, t.State(0).Rate))
}

func scaledTrace(line cc.Line) (rows []Row) {
	const source = "HPCC, SIGCOMM 2019, published simulator, reaction point of Mellanox NICs"
	t := drive(dcqcn.Scaled(), line)
	t.cnp(0)
	rows = append(rows, rate("scaled: nothing before the first look, 4.001 us after the CNP", source, 100, t.until(4*us).Rate))
	cut := 100 * (1 - math.Pow(255./256, 4)/2)
	s := t.until(4*us + units.Nanosecond)
	rows = append(rows,
		alpha("scaled: alpha at the first look, (255/256)^4", source, .984466, s.Alpha),
		rate("scaled: rate after the first look", source, cut, s.Rate),
		rate("scaled: target after the first look", source, 100, s.Target))
	current := cut
	for k := range 2 { // the target is the line, above which it cannot be raised
		current = (current + 100) / 2
		rows = append(rows, rate(fmt.Sprintf("scaled: after step %d of the timer of 300 us", k+1), source, current,
			t.until(4*us+units.Nanosecond+units.Time(k+1)*300*us).Rate))
	}
	return rows
}

func firmwareTrace(line cc.Line) (rows []Row) {
	const source = "ConnectX registers: NVIDIA, DCQCN CC Parameters; alpha/2^(RPG_GD-10), RPG_MIN_DEC_FAC"
	t := drive(dcqcn.Firmware(), line)
	t.cnp(0)
	first := 1023. / 1024 * math.Pow(1019./1024, 4)
	s := t.until(4 * us)
	rows = append(rows,
		rate("firmware: first cut, with INITIAL_ALPHA 1023/1024 after four updates of 1019/1024", source, 100*(1-first/2), s.Rate))
	deep := dcqcn.Firmware()
	deep.GD = 10
	t = drive(deep, line)
	t.cnp(0)
	return append(rows, rate("firmware: with RPG_GD 10 the cut is bounded by RPG_MIN_DEC_FAC, 50 %", source, 50, t.until(4*us).Rate))
}
