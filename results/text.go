package results

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/rdmasim/rdmasim/sim/units"
)

// shownReasons is the number of reasons shown on the terminal; summary.json has all of them.
const shownReasons = 12

// WriteText writes the summary for a person to read, in lines of at most so many columns (72 to 100). What is wrong comes
// first: an incomplete run, a lossless class that lost packets, a promise not kept. A mechanism that was off is said to be
// off. Colours are used only if w is a terminal. The error is that of w.
func (s *Summary) WriteText(w io.Writer, columns int) error {
	p := newPage(columns, coloured(w))
	s.writeParameters(p)
	s.writeHeadlines(p)
	s.writePercentiles(p)
	s.writeTraffic(p)
	s.writeMechanisms(p)
	s.writePeaks(p)
	p.list("programs", s.gists())
	p.flush()
	p.block("")
	s.writeRemarks(p)
	s.writeCost(p)
	s.writeVariants(p)
	for i := range s.Sweeps {
		s.Sweeps[i].write(p)
	}
	s.writeExpectations(p)
	if err := p.writeTo(w); err != nil {
		return err
	}
	for _, o := range s.Outputs {
		if o.Text == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s:\n%s", o.Name, o.Text); err != nil {
			return err
		}
	}
	return nil
}

func (s *Summary) writeHeadlines(p *page) {
	at := units.Time(s.SimulatedTime).Human()
	if s.Outcome.Complete() {
		p.headline(true, fmt.Sprintf("%s: done, %s in %s", s.Scenario, s.doneText(), s.span()))
	} else {
		p.headline(false, fmt.Sprintf("%s: INCOMPLETE (%s at %s): %s. The figures below cover only what was done.",
			s.Scenario, s.Outcome, at, s.undone()))
		s.writeReasons(p)
	}
	for _, d := range s.Drops {
		if d.Lossless && d.Packets > 0 {
			p.headline(false, fmt.Sprintf("LOSSLESS PROMISE BROKEN: %s dropped in a lossless class (%s)",
				Plural(d.Packets, "packet"), d.Reason))
		}
	}
	if unmet := s.unmet(); unmet > 0 {
		p.headline(false, fmt.Sprintf("EXPECTATIONS NOT MET: %d of %d", unmet, len(s.Expectations)))
	}
	p.block("")
}

// doneText says how much is done.
func (s *Summary) doneText() string { return Ended(s.Flows, s.Programs) }

// Ended says how many flows and programs are done of how many; of programs nothing if there are
// none (nil), and of flows nothing if there are programs only.
func Ended(f Flows, p *Programs) string {
	flows := fmt.Sprintf("%s of %s", Count(int64(f.Done)), Plural(int64(f.Total), "flow"))
	if p == nil {
		return flows
	}
	programs := fmt.Sprintf("%s of %s", Count(int64(p.Done)), Plural(int64(p.Total), "program"))
	if f.Total == 0 {
		return programs
	}
	return flows + " and " + programs
}

// span says how long flows were under way, and from when on if not from the beginning.
func (s *Summary) span() string {
	took := units.Time(s.UnderWay).Human()
	if s.FirstStart == 0 {
		return took
	}
	return took + " from " + units.Time(s.FirstStart).Human() + " on"
}

// undone says how much of the work is missing.
func (s *Summary) undone() string {
	var parts []string
	if n := s.Flows.Unfinished(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d unfinished", n))
	}
	if s.Flows.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", s.Flows.Failed))
	}
	var all []string
	if parts != nil {
		all = append(all, strings.Join(parts, " and ")+" of "+Plural(int64(s.Flows.Total), "flow"))
	}
	if p := s.Programs; p != nil && p.Done < p.Total {
		var parts []string
		if n := p.Unfinished(); n > 0 {
			parts = append(parts, fmt.Sprintf("%d unfinished", n))
		}
		if p.Failed > 0 {
			parts = append(parts, fmt.Sprintf("%d failed", p.Failed))
		}
		all = append(all, strings.Join(parts, " and ")+" of "+Plural(int64(p.Total), "program"))
	}
	if all == nil {
		return "work is left"
	}
	return strings.Join(all, ", ")
}

func (s *Summary) writeReasons(p *page) {
	shown := s.Reasons[:min(len(s.Reasons), shownReasons)]
	for _, reason := range shown {
		p.paragraph("  ", reason)
	}
	if more := len(s.Reasons) - len(shown); more > 0 {
		p.paragraph("  ", fmt.Sprintf("and %d more in summary.json", more))
	}
}

func (s *Summary) unmet() (n int) {
	for _, e := range s.Expectations {
		if !e.Met {
			n++
		}
	}
	return n
}

func (s *Summary) writeRemarks(p *page) {
	p.list("why", s.Why)
	p.list("warning", s.Warnings)
	p.list("note", s.Notes)
	if len(s.Why)+len(s.Warnings)+len(s.Notes) > 0 {
		p.flush()
		p.block("")
	}
}

func (s *Summary) writeCost(p *page) {
	line := fmt.Sprintf("seed %d, digest %s; %s packet-hops", s.Seed, s.Digest, Count(s.PacketHops))
	if wall := s.Cost.WallTime; wall > 0 {
		line += fmt.Sprintf(" in %s (%s/s) with %s", clock(wall), millions(float64(s.PacketHops)/wall.Seconds()),
			Plural(int64(s.Cost.Workers), "worker"))
	}
	if most := s.Cost.Memory; most > 0 {
		line += fmt.Sprintf("; %d MB of memory at most", (most+units.MB/2)/units.MB)
	}
	p.paragraph("  ", line)
}

// clock rounds a time on the clock to what a person wants to know.
func clock(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	default:
		return d.Round(time.Second).String()
	}
}

func millions(x float64) string { return strconv.FormatFloat(x/1e6, 'f', 1, 64) + " M" }
