package explain

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Options say what to explain.
type Options struct {
	Columns int // of the page, 40 or more
	Slowest int // how many of the slowest flows to tell of
	// Flow, if not nil, is the number of the one flow to tell of, and of nothing else.
	Flow *int64
}

// Write explains the run. The error is that of w, or says that there is no such flow.
func (r *Run) Write(w io.Writer, o Options) error {
	p := &page{columns: o.Columns}
	if o.Flow != nil {
		i := slices.IndexFunc(r.flows, func(f flow) bool { return f.number == *o.Flow })
		if i < 0 {
			return fmt.Errorf("%s: there is no flow %d; flows.csv has %s", r.dir, *o.Flow, results.Plural(int64(len(r.flows)), "flow"))
		}
		r.writeFlow(p, &r.flows[i])
		return p.writeTo(w)
	}
	r.writeHead(p)
	r.writeExpectations(p)
	r.writeBounds(p)
	r.writeSlowest(p, o.Slowest)
	r.writePauses(p)
	r.writeCollisions(p)
	r.writeMechanisms(p)
	return p.writeTo(w)
}

func (r *Run) writeHead(p *page) {
	s := &r.summary
	p.paragraph("", fmt.Sprintf("%s: %s, %s, at %s of simulated time (seed %d, digest %s)", s.Scenario, s.Outcome,
		results.Ended(s.Flows, s.Programs), units.Time(s.SimulatedTime*float64(units.Microsecond)).Human(), s.Seed, s.Digest))
	for _, warning := range s.Warnings {
		p.paragraph("  ", "warning: "+warning)
	}
}

// writeExpectations says which promises were broken and which kept, and where the other runs are that they are about.
func (r *Run) writeExpectations(p *page) {
	if len(r.summary.Variants)+len(r.summary.Expectations)+len(r.summary.Sweeps) == 0 {
		return
	}
	p.section("What was expected, and other runs of the scenario")
	for _, broken := range [...]bool{true, false} {
		for _, e := range r.summary.Expectations {
			if e.Met != broken {
				p.paragraph("  ", e.Line())
			}
		}
	}
	for _, v := range r.summary.Variants {
		p.paragraph("  ", fmt.Sprintf("variant %s: %s; explain %s tells of it", v.Name, v.Outcome, filepath.Join(r.dir, filepath.FromSlash(v.Folder))))
	}
	for _, s := range r.summary.Sweeps {
		for _, c := range s.Levels {
			p.paragraph("  ", fmt.Sprintf("sweep %s: %s", s.Name, c.Text))
		}
		p.paragraph("  ", fmt.Sprintf("sweep %s: %s; explain %s tells of the first of its runs", s.Name, results.Plural(int64(len(s.Points)), "value"),
			filepath.Join(r.dir, filepath.FromSlash(s.Points[0].Folders[0]))))
	}
}

// writeMechanisms repeats the sentences of the summary: for each mechanism how often it acted, or how near it came.
func (r *Run) writeMechanisms(p *page) {
	p.section("Why, and how near each mechanism came to acting")
	for _, sentence := range r.summary.Why {
		p.paragraph("  ", sentence)
	}
}
