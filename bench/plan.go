package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/rdmasim/rdmasim/bench/calibration"
	"github.com/rdmasim/rdmasim/bench/usage"
)

// Plan says what to measure.
type Plan struct {
	Cases []Case
	// Runs of each case with each number of Workers, at least 1.
	Runs int
	// Workers are the numbers of workers, each different and 0 or more; 0 leaves the number
	// to the program.
	Workers []int
	Runner  Runner
	// Version is that of the program, for the report.
	Version string
	// Show, if not nil, is told what comes next.
	Show func(what string)

	speeds func() calibration.Speeds // measures the machine; nil for the real one
}

// calibrate is for how long the machine is measured before and after each run.
const calibrate = 100 * time.Millisecond

// Run measures the cases one after the other. The runs of a case with different numbers of
// workers take turns, so that what happens to the machine meanwhile happens to all of them.
// It is an error if runs of a case differ in what they did. When ctx is done, the report is
// of the cases that were complete.
func (p *Plan) Run(ctx context.Context) (*Report, error) {
	speeds, err := p.speedometer()
	if err != nil {
		return nil, err
	}
	r := &Report{
		Format: format, Program: p.Version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Processor: usage.Processor(), Cores: runtime.GOMAXPROCS(0), Calibration: Calibration{Version: calibration.Version},
	}
	var all []calibration.Speeds
	for i := range p.Cases {
		m := &measurement{plan: p, c: &p.Cases[i], speed: speeds}
		c, err := m.report(ctx)
		if err != nil {
			return r, err
		}
		r.Cases = append(r.Cases, c)
		all = append(all, m.speeds...)
		r.Calibration.Speeds = calibration.Median(all)
		r.Calibration.Score = r.Calibration.Speeds.Score()
	}
	return r, nil
}

// speedometer is what measures the machine.
func (p *Plan) speedometer() (func() calibration.Speeds, error) {
	if p.speeds != nil {
		return p.speeds, nil
	}
	machine, err := calibration.New(clock)
	return func() calibration.Speeds { return machine.Measure(calibrate) }, err
}

// clock is the processor time of this process, or the time on the clock where that is not
// known.
func clock() time.Duration {
	if used, known := usage.CPU(); known {
		return used
	}
	return time.Since(started)
}

// started is any instant before the first use of the clock.
var started = time.Now()

// measurement is a case being measured.
type measurement struct {
	plan   *Plan
	c      *Case
	speed  func() calibration.Speeds // measures the machine
	speeds []calibration.Speeds      // what it has found
	first  *Timing
	rows   [][]Timing             // by place in plan.Workers, and round
	during [][]calibration.Speeds // of the machine, likewise
}

func (m *measurement) report(ctx context.Context) (CaseReport, error) {
	m.rows = make([][]Timing, len(m.plan.Workers))
	m.during = make([][]calibration.Speeds, len(m.plan.Workers))
	m.speeds = append(m.speeds, m.speed())
	for round := range m.plan.Runs {
		for i, workers := range m.plan.Workers {
			m.show(fmt.Sprintf("%s, %s, run %d of %d", m.c.Name, asked(workers), round+1, m.plan.Runs))
			if err := m.time(ctx, i, workers); err != nil {
				return CaseReport{}, err
			}
		}
	}
	m.show(m.c.Name + ", memory")
	survey, err := m.plan.Runner.Survey(ctx, m.c, m.plan.Workers[0], m.first.Simulated/2)
	if err != nil {
		return CaseReport{}, err
	}
	return m.made(&survey), nil
}

func (m *measurement) show(what string) {
	if m.plan.Show != nil {
		m.plan.Show(what)
	}
}

// asked is a number of workers in words.
func asked(workers int) string {
	switch workers {
	case 0:
		return "workers as the program chooses"
	case 1:
		return "1 worker"
	}
	return fmt.Sprint(workers, " workers")
}

// time makes one run.
func (m *measurement) time(ctx context.Context, i, workers int) error {
	t, err := m.plan.Runner.Time(ctx, m.c, workers)
	if err != nil {
		return err
	}
	if m.first == nil {
		m.first = &t
	}
	if t.Work != m.first.Work {
		return fmt.Errorf("%s: digest %016x after %d events with %d workers, %016x after %d with %d: runs must not differ",
			m.c.Name, uint64(m.first.Digest), m.first.Events, m.first.Workers, uint64(t.Digest), t.Events, t.Workers)
	}
	before := m.speeds[len(m.speeds)-1]
	after := m.speed()
	m.speeds = append(m.speeds, after)
	m.rows[i] = append(m.rows[i], t)
	m.during[i] = append(m.during[i], calibration.Mean(before, after))
	return nil
}

// made puts together what was measured.
func (m *measurement) made(v *Survey) CaseReport {
	r := CaseReport{
		Name: m.c.Name, Hosts: m.c.Hosts, Flow: m.c.Flow, MTU: m.c.MTU,
		Hops: m.first.Hops, Events: m.first.Events, Digest: fmt.Sprintf("%016x", uint64(m.first.Digest)),
		Simulated: int64(m.first.Simulated), Memory: v.memory(*m.first),
	}
	for i, workers := range m.plan.Workers {
		r.Rows = append(r.Rows, m.row(i, workers))
	}
	return r
}

func (m *measurement) row(i, workers int) Row {
	var rate, cpuRate, normalised, build, peak []float64
	row := Row{Workers: workers, Used: m.rows[i][0].Workers}
	for k, t := range m.rows[i] {
		speed := m.during[i][k]
		run := Run{
			Wall: t.Wall.Seconds(), CPU: t.CPU.Seconds(), Build: t.Build.Seconds(), Peak: int64(t.Peak),
			Score: speed.Score(), Speed: speed,
		}
		row.Runs = append(row.Runs, run)
		hops := float64(t.Hops)
		rate = append(rate, hops/run.Wall)
		if run.CPU > 0 {
			cpuRate = append(cpuRate, hops/run.CPU)
		}
		normalised = append(normalised, hops/t.processor().Seconds()/run.Score)
		build, peak = append(build, run.Build), append(peak, float64(run.Peak))
	}
	row.Rate, row.CPURate, row.Normalised = newSpread(rate), newSpread(cpuRate), newSpread(normalised)
	row.Build, row.Peak = newSpread(build).Median, int64(newSpread(peak).Median)
	row.SpeedUp = m.speedUp(i)
	return row
}

// speedUp is how much faster a row is than that of one worker, 0 if there is none.
func (m *measurement) speedUp(i int) float64 {
	for one, workers := range m.plan.Workers {
		if workers != 1 {
			continue
		}
		var ratios []float64
		for k, t := range m.rows[i] {
			ratios = append(ratios, m.rows[one][k].Wall.Seconds()/t.Wall.Seconds())
		}
		return newSpread(ratios).Median
	}
	return 0
}

// processor is the processor time of a run; where it is not known, as much as its workers
// would have used if they had been busy all the time.
func (t *Timing) processor() time.Duration {
	if t.CPU > 0 {
		return t.CPU
	}
	return t.Wall * time.Duration(t.Workers)
}
