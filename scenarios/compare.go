package scenarios

import (
	"errors"
	"io"
	"strings"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/results/plots"
)

// comparedMetrics are the metrics that are set side by side, by what they are about. Those that are 0 in all runs are left out
// of the text, but for the ones that say so.
var comparedMetrics = []struct {
	group, name string
	always      bool
}{
	{"time", "flow.fct.mean", false},
	{"time", "flow.fct.p50", false},
	{"time", "flow.fct.p95", false},
	{"time", "flow.fct.p99", false},
	{"time", "flow.fct.max", false},
	{"time", "flow.slowdown.p99", false},
	{"goodput", "goodput", false},
	{"goodput", "goodput.slowest", false},
	{"goodput", "goodput.fastest", false},
	{"goodput", "goodput.jain", false},
	{"goodput", "moved", true},
	{"loss", "drops", true},
	{"loss", "lossless_drops", false},
	{"loss", "lost", false},
	{"loss", "retransmitted", false},
	{"loss", "timeouts", false},
	{"loss", "tcp.retransmitted", false},
	{"loss", "tcp.timeouts", false},
	{"loss", "tcp.ring_drops", false},
	{"network", "queue.peak", false},
	{"network", "ecn.marked", false},
	{"network", "rate_cuts", false},
	{"network", "pause.frames", false},
	{"network", "pause.time", false},
	{"network", "credits.time", false},
	{"processors", "cpu.cores_busy", true},
	{"processors", "cpu.seconds", false},
	{"processors", "cpu.cycles_per_byte", false},
	{"memory", "cpu.cpu_copies_per_byte", true},
	{"memory", "cpu.dma_crossings_per_byte", true},
	{"memory", "cpu.memory_bus_bytes", false},
	{"cost", "cost.per_gb", false},
}

// Compare sets runs side by side: the metrics that tell them apart, what their programs measured, and what they cost.
func Compare(runs []results.Compared) *results.Comparison {
	c := results.NewComparison(runs)
	for _, m := range comparedMetrics {
		addMetric(c, runs, m.group, m.name, m.always)
		if m.name == "cpu.seconds" {
			for _, each := range Metrics {
				if strings.HasPrefix(each.Name, "cpu.seconds.") {
					addMetric(c, runs, m.group, each.Name, false)
				}
			}
		}
	}
	addPrograms(c, runs)
	addCosts(c, runs)
	return c
}

// addMetric adds a metric. One that is 0 everywhere is not worth a line of text unless it always is.
func addMetric(c *results.Comparison, runs []results.Compared, group, name string, always bool) {
	metric, ok := findMetric(name)
	if !ok {
		panic("scenarios: no metric " + name)
	}
	values := make([]*float64, len(runs))
	some, measured := always, false
	for i, r := range runs {
		if v, ok := metric.Of(r.Summary); ok {
			values[i] = &v
			some, measured = some || v != 0, true
		}
	}
	c.Add(group, name, string(metric.Unit), values)
	if measured && !some {
		c.Hide()
	}
}

// addPrograms adds what programs measured, joined by their names.
func addPrograms(c *results.Comparison, runs []results.Compared) {
	type figure struct {
		name, kind string
		values     []*float64
	}
	var all []*figure
	byName := map[string]*figure{}
	for i, r := range runs {
		for _, f := range r.Summary.Figures {
			kind, size := results.KindOfUnit(f.Unit)
			row := byName[f.Name]
			if row == nil {
				row = &figure{f.Name, kind, make([]*float64, len(runs))}
				byName[f.Name] = row
				all = append(all, row)
			}
			v := float64(f.Value * size)
			row.values[i] = &v
		}
	}
	for _, row := range all {
		c.Add("programs", row.name, row.kind, row.values)
	}
}

// addCosts adds the terms of the cost for each GB that are priced in any run, and says what a reader should know of them.
func addCosts(c *results.Comparison, runs []results.Compared) {
	var names []string // every bill has the same terms
	for _, r := range runs {
		if b := r.Summary.Bill; b != nil && names == nil {
			for _, t := range b.Terms {
				names = append(names, t.Name)
			}
		}
	}
	for k, name := range names {
		values := make([]*float64, len(runs))
		priced := false
		for i, r := range runs {
			if b := r.Summary.Bill; b != nil && k < len(b.Terms) {
				values[i] = b.Terms[k].PerGB
				priced = priced || b.Terms[k].Price != 0
			}
		}
		if priced {
			c.Add("cost", "cost.per_gb of "+name, "number", values)
		}
	}
	for _, r := range runs {
		if b := r.Summary.Bill; b != nil && b.Terms[0].Price > 0 && r.Summary.CPU != nil && r.Summary.CPU.Cores == nil {
			c.Notes = append(c.Notes, r.Name+" has flows over RDMA only, and its adapters take no processor time (host.nic.profile): its cost has no cores in it")
		}
	}
	for _, r := range runs[1:] {
		if a, b := runs[0].Summary.Bill, r.Summary.Bill; a != nil && b != nil && a.Currency != b.Currency {
			c.Notes = append(c.Notes, "costs of "+runs[0].Name+" and "+r.Name+" are in different currencies, so that their ratio means nothing")
		}
	}
}

// compare sets attempts side by side.
func compare(attempts []*attempt) *results.Comparison {
	var runs []results.Compared
	for _, t := range attempts {
		runs = append(runs, results.Compared{Name: t.name, Summary: t.measured.summary, FCTs: t.run.FCTs()})
	}
	return Compare(runs)
}

// writeComparison writes the files of a comparison: the table, the document and the figures, whose names begin with a prefix. A
// schema, if there is one, gets what is in them.
func writeComparison(dir *results.Dir, c *results.Comparison, title, prefix string, schema *results.Schema) error {
	table := c.Table()
	if schema != nil {
		schema.AddTable(table)
		schema.AddDocument("compare.json", "the runs side by side", results.Comparison{})
	}
	if err := dir.Write(table.Name(), table.WriteCSV); err != nil {
		return err
	}
	if err := dir.Write("compare.json", c.WriteJSON); err != nil {
		return err
	}
	return drawComparison(c, title, prefix, dir.Write)
}

// write makes a file of a name with content.
type write = func(name string, content func(io.Writer) error) error

// drawComparison draws what there is to draw of runs side by side.
func drawComparison(c *results.Comparison, title, prefix string, write write) error {
	var samples []plots.Sample
	for _, r := range c.Source() {
		samples = append(samples, plots.Sample{Name: r.Name, FCTs: r.FCTs})
	}
	o := plots.Options{Title: title}
	for _, f := range [...]struct {
		name string
		draw func() (*plots.Figure, error)
	}{
		{"fct_cdf", func() (*plots.Figure, error) { return plots.FCTCDFs(samples, o) }},
		{"goodput", func() (*plots.Figure, error) { return drawGoodput(c, o) }},
		{"processors", func() (*plots.Figure, error) { return drawProcessors(c, o) }},
		{"memory", func() (*plots.Figure, error) { return drawMemory(c, o) }},
		{"cost", func() (*plots.Figure, error) { return drawCost(c, o) }},
	} {
		figure, err := f.draw()
		var none *plots.NoDataError
		if errors.As(err, &none) {
			continue
		}
		if err == nil {
			err = figure.Save(prefix+f.name, write)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func drawGoodput(c *results.Comparison, o plots.Options) (*plots.Figure, error) {
	var bars []plots.Stack
	for _, r := range c.Source() {
		bars = append(bars, plots.Stack{Name: r.Name, Parts: []float64{float64(r.Summary.Goodput.Rate)}})
	}
	return plots.Stacks("goodput of flows", string(Rate), []string{"goodput"}, bars, o)
}

// drawProcessors draws the cores that were busy, by kind.
func drawProcessors(c *results.Comparison, o plots.Options) (*plots.Figure, error) {
	var kinds []string
	at := map[string]int{}
	for _, r := range c.Source() {
		if r.Summary.CPU == nil {
			continue
		}
		for _, k := range r.Summary.CPU.Kinds {
			if _, is := at[k.Kind]; !is {
				at[k.Kind] = len(kinds)
				kinds = append(kinds, k.Kind)
			}
		}
	}
	var bars []plots.Stack
	for _, r := range c.Source() {
		bar := plots.Stack{Name: r.Name, Parts: make([]float64, len(kinds))}
		if s := r.Summary; s.CPU != nil && s.UnderWay > 0 {
			for _, k := range s.CPU.Kinds {
				bar.Parts[at[k.Kind]] = float64(k.Time) / float64(s.UnderWay)
			}
		}
		bars = append(bars, bar)
	}
	return plots.Stacks("cores busy", string(Number), kinds, bars, o)
}

// drawMemory draws how often each byte was copied and crossed the bus of an adapter.
func drawMemory(c *results.Comparison, o plots.Options) (*plots.Figure, error) {
	var bars []plots.Stack
	for _, r := range c.Source() {
		bar := plots.Stack{Name: r.Name, Parts: make([]float64, 2)}
		if cpu := r.Summary.CPU; cpu != nil && cpu.Copies != nil {
			bar.Parts[0], bar.Parts[1] = *cpu.Copies, *cpu.Crossings
		}
		bars = append(bars, bar)
	}
	return plots.Stacks("times each byte", string(Number), []string{"copied by processors", "crossed the bus of an adapter"}, bars, o)
}

// drawCost draws the cost for each GB, by terms.
func drawCost(c *results.Comparison, o plots.Options) (*plots.Figure, error) {
	var names []string
	label := "cost for each GB delivered"
	for _, b := range c.Bills {
		if b == nil || names != nil {
			continue
		}
		for _, t := range b.Terms {
			names = append(names, t.Name)
		}
		if b.Currency != "" {
			label += " (" + b.Currency + ")"
		}
	}
	var bars []plots.Stack
	for i, b := range c.Bills {
		bar := plots.Stack{Name: c.Runs[i].Name, Parts: make([]float64, len(names))}
		for k := range names {
			if b != nil && b.Terms[k].PerGB != nil {
				bar.Parts[k] = *b.Terms[k].PerGB
			}
		}
		bars = append(bars, bar)
	}
	return plots.Stacks(label, string(Number), names, bars, o)
}

// drawSweep draws a sweep. What cannot be drawn is told.
func drawSweep(s *results.Sweep, title string, write write) (missing []string, err error) {
	figure, err := plots.SweepCurve(s, plots.Options{Title: title})
	var none *plots.NoDataError
	if errors.As(err, &none) {
		return []string{"no plot of sweep " + s.Name + ": " + none.Reason}, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, figure.Save("plots/sweep_"+s.Name, write)
}
