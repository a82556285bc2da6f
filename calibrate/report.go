package calibrate

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes for each row what was measured, what the profile gives and what the
// figures that were found give; how far the rows that were used and the others are off; and what
// was found.
func (o *Outcome) WriteText(w io.Writer, m *Simulator) error {
	before, err := m.Values(ones(len(Figures)))
	if err != nil {
		return err
	}
	after, err := m.Values(o.Factors)
	if err != nil {
		return err
	}
	var b strings.Builder
	var at *Table
	for _, s := range o.Samples {
		if s.Table != at {
			at = s.Table
			fmt.Fprintf(&b, "%s: %s\n%10s %16s %12s %12s %8s  %s\n", at.File, at.Name(), "bytes", "measured", "profile", "fitted", "error", "row")
		}
		fmt.Fprintf(&b, "%10d %16s %12s %12s %+7.1f%%  %s\n", int64(s.Row.Size), s.text(s.Measured()), s.text(s.Before), s.text(s.After), 100*s.Error(), use(s.Used))
	}
	for _, used := range []bool{true, false} {
		mean, worst, rows := o.Errors(used)
		fmt.Fprintf(&b, "rows %-9s %d, mean error %.1f%%, worst %.1f%%\n", use(used)+":", rows, 100*mean, 100*worst)
	}
	fmt.Fprintf(&b, "links of %v, profile %s; %d rounds of simulation\n", m.Setting.Rate, m.Setting.Profile, o.Runs)
	for f, k := 0, 0; f < len(Figures); f++ {
		for _, key := range Figures[f].Keys {
			note := ""
			if !o.Moved[f] {
				note = "  (no row depends on it: as in the profile)"
			}
			fmt.Fprintf(&b, "host.nic.%-16s %12s -> %-12s%s\n", key, before[k].Text, after[k].Text, note)
			k++
		}
	}
	if o.Moved[0] && !o.onQueuePairs() {
		b.WriteString("One core posts as often as it can, so that host.nic.post may stand for host.nic.qp_gap: rows with several queue pairs would tell them apart.\n")
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// onQueuePairs tells whether there are rows of one queue pair and of several, or none of message rates.
func (o *Outcome) onQueuePairs() bool {
	one, several := false, false
	for _, s := range o.Samples {
		if !s.Table.Test.MeasuresLatency() {
			one, several = one || s.Table.QPs == 1, several || s.Table.QPs > 1
		}
	}
	return one == several
}

// use is what became of a row.
func use(used bool) string {
	if used {
		return "fitted"
	}
	return "foretold"
}

// text writes a value in the unit of its row: microseconds, million messages a second for small
// messages, or Gb/s.
func (s *Sample) text(value float64) string {
	switch {
	case s.Row.Typical > 0:
		return fmt.Sprintf("%.3f us", value/1e6)
	case s.Row.Size < 1024:
		return fmt.Sprintf("%.3f Mpps", value/8/float64(s.Row.Size)/1e6)
	}
	return fmt.Sprintf("%.2f Gb/s", value/1e9)
}

// WriteYAML writes what was found as the value of host.nic in scenarios, with where it comes from.
func (o *Outcome) WriteYAML(w io.Writer, m *Simulator) error {
	values, err := m.Values(o.Factors)
	if err != nil {
		return err
	}
	var b strings.Builder
	mean, worst, rows := o.Errors(true)
	b.WriteString("# An adapter for scenarios: the value of host.nic. Written by rdmasim calibrate.\n")
	fmt.Fprintf(&b, "# Fitted to %d rows of %s: mean error %.1f%%, worst %.1f%%", rows, strings.Join(o.files(), ", "), 100*mean, 100*worst)
	if mean, worst, rows := o.Errors(false); rows > 0 {
		fmt.Fprintf(&b, ";\n# of %d rows that were foretold %.1f%% and %.1f%%", rows, 100*mean, 100*worst)
	}
	b.WriteString(".\n")
	fmt.Fprintf(&b, "profile: %s\n", m.Setting.Profile)
	pcie := ""
	for i, v := range values {
		if !o.Moved[figureOf(i)] {
			continue
		}
		if key, nested := strings.CutPrefix(v.Key, "pcie."); nested {
			pcie += fmt.Sprintf("  %s: %s\n", key, v.Text)
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", v.Key, v.Text)
	}
	if pcie != "" {
		b.WriteString("pcie:\n" + pcie)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// files are the names of the files, each once.
func (o *Outcome) files() (names []string) {
	for _, s := range o.Samples {
		if len(names) == 0 || names[len(names)-1] != s.Table.File {
			names = append(names, s.Table.File)
		}
	}
	return names
}
