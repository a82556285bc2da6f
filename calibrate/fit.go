package calibrate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// Figure is a figure of an adapter that the search may move: one or several keys of
// host.nic together.
type Figure struct {
	Name string
	Keys []string
	Doc  string
	// Least and Most bound the factor by which it moves.
	Least, Most float64
}

// Figures are the figures that are fitted.
var Figures = []Figure{
	{"post and doorbell", []string{"post", "doorbell"}, "time of the processor to post, and of its store to reach the adapter", 0.1, 10},
	{"pipeline", []string{"tx_pipeline", "rx_pipeline"}, "time of a packet through the adapter, either way", 0.1, 10},
	{"message rate", []string{"qp_gap"}, "time between two requests of a queue pair", 0.05, 20},
	{"PCIe rate", []string{rateKey}, "share of the bus that is left to the transaction layer", 0.56, 1.08},
}

// Sample is a row of a table, with what the simulator gives in its place.
type Sample struct {
	Table *Table
	Row   *Row
	// Used tells whether the row was fitted; the others were foretold.
	Used bool
	// Before and After are the simulated value with the figures of the profile and with those that were
	// found, in the unit of Measured: bit/s, or picoseconds.
	Before, After float64
}

// Measured is the value of the row: its mean bandwidth in bit/s, or its median latency in
// picoseconds.
func (s *Sample) Measured() float64 {
	if s.Row.Typical > 0 {
		return float64(s.Row.Typical)
	}
	return s.Row.Average
}

// Error is by how much the simulated value is off, as a share of the measured one.
func (s *Sample) Error() float64 { return s.After/s.Measured() - 1 }

// Model gives, for factors of all [Figures], what the simulator measures in the place of
// some samples, in their order.
type Model func(factors []float64, of []*Sample) ([]float64, error)

// Outcome is what was found.
type Outcome struct {
	Samples []*Sample
	Factors []float64 // of the figures
	Moved   []bool    // the figures on which some row depends
	Runs    int       // of the model
}

// sensitive is the least change of a row that comes of a change of a figure, by up to a factor
// of two, for the row to depend on it. What is below could be anything.
const sensitive = 0.01

// loyalty is what it costs to move a figure from the profile, against the squares of
// errors. It matters where rows alone do not decide: the time between posts of a core and that between requests
// on the adapter bound the message rate of one queue pair alike, and posting and pipelines make up one latency.
const loyalty = 1e-5

// mostRuns is how many runs of the model a search may take.
const mostRuns = 160

// Fit looks for the factors of the figures with which the model gives every other row of each
// table best, from its first on, by the simplex of Nelder and Mead. It is the same for the same
// tables. The error is that of the model, or tells that nothing can be fitted.
func Fit(tables []Table, model Model) (*Outcome, error) {
	o := &Outcome{Factors: ones(len(Figures)), Moved: make([]bool, len(Figures))}
	var used []*Sample
	for i := range tables {
		for k := range tables[i].Rows {
			s := &Sample{Table: &tables[i], Row: &tables[i].Rows[k], Used: k%2 == 0}
			o.Samples = append(o.Samples, s)
			if s.Used {
				used = append(used, s)
			}
		}
	}
	before, err := model(o.Factors, o.Samples)
	if err != nil {
		return nil, err
	}
	var base []float64
	for i, s := range o.Samples {
		s.Before = before[i]
		if s.Used {
			base = append(base, before[i])
		}
	}
	if err := o.findSensitive(used, base, model); err != nil {
		return nil, err
	}
	if err := o.search(used, model); err != nil {
		return nil, err
	}
	after, err := model(o.Factors, o.Samples)
	for i, s := range o.Samples {
		if err == nil {
			s.After = after[i]
		}
	}
	return o, err
}

// findSensitive finds the figures on which the rows that are used depend, at or near the
// profile.
func (o *Outcome) findSensitive(used []*Sample, base []float64, model Model) error {
	for f := range Figures {
		for _, step := range []float64{0.9, 1.1, 0.5, 2} {
			if step < Figures[f].Least || step > Figures[f].Most {
				continue
			}
			factors := ones(len(Figures))
			factors[f] = step
			got, err := model(factors, used)
			if err != nil {
				return err
			}
			o.Runs++
			for i := range got {
				if math.Abs(got[i]/base[i]-1) > sensitive {
					o.Moved[f] = true
				}
			}
			if o.Moved[f] {
				break
			}
		}
	}
	for _, moved := range o.Moved {
		if moved {
			return nil
		}
	}
	return errors.New("no row depends on any figure that could be fitted; want tests of latency, of small messages, or of messages that fill the bus")
}

// search moves the figures that matter.
func (o *Outcome) search(used []*Sample, model Model) error {
	var failed error
	all := func(x []float64) []float64 {
		factors, k := ones(len(Figures)), 0
		for f := range Figures {
			if o.Moved[f] {
				factors[f] = min(max(1+x[k], Figures[f].Least), Figures[f].Most)
				k++
			}
		}
		return factors
	}
	problem := optimize.Problem{Func: func(x []float64) float64 {
		factors := all(x)
		got, err := model(factors, used)
		if err != nil {
			failed = errors.Join(failed, err)
			return math.Inf(1)
		}
		o.Runs++
		sum, k := 0.0, 0
		for i, s := range used {
			e := got[i]/s.Measured() - 1
			sum += float64(e * e)
		}
		for f := range Figures { // what lies beyond a bound is not better for it
			if o.Moved[f] {
				over := 1 + x[k] - factors[f]
				sum += float64(over*over) + loyalty*float64(x[k]*x[k])
				k++
			}
		}
		return sum
	}}
	var start []float64
	for _, moved := range o.Moved {
		if moved {
			start = append(start, 0)
		}
	}
	result, err := optimize.Minimize(problem, start, &optimize.Settings{
		FuncEvaluations: mostRuns, Concurrent: 0,
		Converger: &optimize.FunctionConverge{Absolute: 1e-7, Relative: 1e-4, Iterations: 25},
	}, &optimize.NelderMead{SimplexSize: 0.15})
	switch {
	case failed != nil:
		return failed
	case result == nil:
		return fmt.Errorf("the search for the figures failed: %w", err)
	}
	o.Factors = all(result.X)
	return nil
}

// ones are factors that change nothing.
func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// Errors are the mean and the greatest error of the rows that were used, or of the others,
// without sign.
func (o *Outcome) Errors(used bool) (mean, worst float64, rows int) {
	for _, s := range o.Samples {
		if s.Used == used {
			e := math.Abs(s.Error())
			mean += e
			worst = max(worst, e)
			rows++
		}
	}
	return mean / float64(max(1, rows)), worst, rows
}
