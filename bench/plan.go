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
	// Runs of each case with each number of Workers by each of the Programs, at least 1.
	Runs int
	// Workers are the numbers of workers, each different and 0 or more; 0 leaves the number
	// to the program.
	Workers []int
	// Programs are what is measured: this program, and others to compare it with.
	Programs []Program
	// Show, if not nil, is told what comes next.
	Show func(what string)

	speeds func() calibration.Speeds // measures the machine; nil for the real one
}

// Program is a build of rdmasim.
type Program struct {
	Version string
	Runner  Runner
}

// calibrate is for how long the machine is measured before and after each run.
const calibrate = 100 * time.Millisecond

// Run measures the cases one after the other and makes a report for each program. The runs
// of a case with different numbers of workers and by different programs take turns, so that
// what happens to the machine meanwhile happens to all of them. It is an error if runs of a
// case by one program differ in what they did. When ctx is done, and after any other
// error, the reports are of the cases that were complete.
func (p *Plan) Run(ctx context.Context) ([]*Report, error) {
	speeds, err := p.speedometer()
	if err != nil {
		return nil, err // of the machine: nothing was measured
	}
	reports := make([]*Report, len(p.Programs))
	for i, program := range p.Programs {
		reports[i] = newReport(program.Version)
	}
	var all []calibration.Speeds
	for i := range p.Cases {
		m := measurement{plan: p, c: &p.Cases[i], speed: speeds}
		cases, err := m.report(ctx)
		if err != nil {
			return reports, err
		}
		all = append(all, m.speeds...)
		for k, r := range reports {
			r.Cases = append(r.Cases, cases[k])
			r.Calibration.Speeds = calibration.Median(all)
			r.Calibration.Score = r.Calibration.Speeds.Score()
		}
	}
	return reports, nil
}

// newReport is a report without cases.
func newReport(version string) *Report {
	return &Report{
		Format: format, Program: version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Processor: usage.Processor(), Cores: runtime.GOMAXPROCS(0), Calibration: Calibration{Version: calibration.Version},
	}
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
	runs   []rows                    // by program
}

// rows are the runs of a case by one program, by place in the plan's list of workers and by
// round.
type rows [][]run

// run is one run, and how fast the machine was before and after it.
type run struct {
	Timing
	speed calibration.Speeds
}

// report measures the case, and reports on each program.
func (m *measurement) report(ctx context.Context) (cases []CaseReport, err error) {
	for range m.plan.Programs {
		m.runs = append(m.runs, make(rows, len(m.plan.Workers)))
	}
	m.speeds = append(m.speeds, m.speed())
	for round := range m.plan.Runs {
		for i, workers := range m.plan.Workers {
			m.show(fmt.Sprintf("%s, %s, run %d of %d", m.c.Name, asked(workers), round+1, m.plan.Runs))
			if err := m.turn(ctx, i); err != nil {
				return nil, err
			}
		}
	}
	m.show(m.c.Name + ", memory") // with one worker: what starting many of them takes is no part of a hop
	for k, program := range m.plan.Programs {
		survey, err := program.Runner.Survey(ctx, m.c, 1, m.runs[k][0][0].Simulated/2)
		if err != nil {
			return nil, err
		}
		cases = append(cases, m.runs[k].report(m.c, m.plan.Workers, survey.memory()))
	}
	return cases, nil
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

// turn makes one run by each program, with the i-th number of workers.
func (m *measurement) turn(ctx context.Context, i int) error {
	for k, program := range m.plan.Programs {
		t, err := program.Runner.Time(ctx, m.c, m.plan.Workers[i])
		if err != nil {
			return err
		}
		before, after := m.speeds[len(m.speeds)-1], m.speed()
		m.speeds = append(m.speeds, after)
		m.runs[k][i] = append(m.runs[k][i], run{t, calibration.Mean(before, after)})
		if first := m.runs[k][0][0]; t.Work != first.Work {
			return fmt.Errorf("%s: digest %016x after %d events with %d workers, %016x after %d with %d: runs must not differ",
				m.c.Name, uint64(first.Digest), first.Events, first.Workers, uint64(t.Digest), t.Events, t.Workers)
		}
	}
	return nil
}

// report puts together what was measured of a case.
func (r rows) report(c *Case, workers []int, memory Memory) CaseReport {
	first := r[0][0]
	report := CaseReport{
		Name: c.Name, Hosts: c.Hosts, Flow: c.Flow, MTU: c.MTU, Hops: first.Hops, Events: first.Events,
		Digest: fmt.Sprintf("%016x", uint64(first.Digest)), Simulated: int64(first.Simulated), Memory: memory,
	}
	for i, asked := range workers {
		report.Rows = append(report.Rows, newRow(asked, r[i]))
	}
	for i, asked := range workers {
		if asked == 1 {
			r.speedUps(report.Rows, i)
		}
	}
	return report
}

// speedUps says how much faster the rows are than that of one worker.
func (r rows) speedUps(of []Row, one int) {
	for i := range of {
		var ratios []float64
		for round, t := range r[i] {
			ratios = append(ratios, r[one][round].Wall.Seconds()/t.Wall.Seconds())
		}
		of[i].SpeedUp = newSpread(ratios).Median
	}
}

// newRow puts together the runs with one number of workers.
func newRow(workers int, runs []run) Row {
	row := Row{Workers: workers, Used: runs[0].Workers}
	var rate, cpuRate, normalised, build, peak []float64
	for _, t := range runs {
		hops, score := float64(t.Hops), t.speed.Score()
		rate = append(rate, hops/t.Wall.Seconds())
		if t.CPU > 0 {
			cpuRate = append(cpuRate, hops/t.CPU.Seconds())
		}
		normalised = append(normalised, hops/t.processor().Seconds()/score)
		build, peak = append(build, t.Build.Seconds()), append(peak, float64(t.Peak))
		row.Runs = append(row.Runs, Run{
			Wall: t.Wall.Seconds(), CPU: t.CPU.Seconds(), Build: t.Build.Seconds(), Peak: int64(t.Peak), Score: score, Speed: t.speed,
		})
	}
	row.Rate, row.CPURate, row.Normalised = newSpread(rate), newSpread(cpuRate), newSpread(normalised)
	row.Build, row.Peak = newSpread(build).Median, int64(newSpread(peak).Median)
	return row
}

// processor is the processor time of a run; where it is not known, as much as its workers
// would have used if they had been busy all the time.
func (t *Timing) processor() time.Duration {
	if t.CPU > 0 {
		return t.CPU
	}
	return t.Wall * time.Duration(t.Workers)
}
