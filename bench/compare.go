package bench

import (
	"fmt"
	"io"
	"strings"
)

// Comparison is what two reports say of the same rows, the one to compare with first.
type Comparison struct{ Old, New *Report }

// Write writes row by row what the speeds were and by what factor they differ: on the clock,
// by processor time, and with the speed of the machine taken out; further, by what factor the
// time to build and the memory do. It says of which cases the work itself is another one, and
// which rows only one report has.
func (c Comparison) Write(w io.Writer, style Style) error {
	t := &table{
		title:   "Compared with " + c.Old.Program + ": millions of packet-hops a second, and new over old",
		columns: []string{"case", "workers", "old", "new", "ratio", "per CPU s", "normalised", "built in", "peak MB"},
	}
	var remarks, added []string
	for i := range c.New.Cases {
		now := &c.New.Cases[i]
		before := c.Old.find(now.Name)
		remarks = append(remarks, now.differs(before)...)
		added = append(added, now.missing(before)...)
		c.compare(t, now, before)
	}
	remarks = append(remarks, listed("Not in the other report", added)...)
	remarks = append(remarks, listed("Only in the other report", c.gone())...)
	if !c.comparable() {
		remarks = append(remarks, fmt.Sprintf("The other report has calibration %d, this one %d: normalised speeds cannot be compared.",
			c.Old.Calibration.Version, c.New.Calibration.Version))
	}
	if c.Old.Calibration != c.New.Calibration { // the two were not measured together
		remarks = append(remarks, fmt.Sprintf("Machine: %.2f then, %.2f now.", c.Old.Calibration.Score, c.New.Calibration.Score))
	}
	if err := t.write(w, style); err != nil {
		return err
	}
	for _, remark := range remarks {
		if _, err := fmt.Fprintln(w, remark); err != nil {
			return err
		}
	}
	return nil
}

// compare adds the rows of a case to the table that both reports have.
func (c Comparison) compare(t *table, now, before *CaseReport) {
	for i := range now.Rows {
		row := &now.Rows[i]
		old := before.row(row.Workers)
		if old == nil {
			continue
		}
		normalised := "-"
		if c.comparable() {
			normalised = ratio(row.Normalised.Median, old.Normalised.Median)
		}
		t.add(now.Name, row.workers(), millions(old.Rate.Median), millions(row.Rate.Median),
			ratio(row.Rate.Median, old.Rate.Median), ratio(row.CPURate.Median, old.CPURate.Median), normalised,
			ratio(row.Build, old.Build), ratio(float64(row.Peak), float64(old.Peak)))
	}
}

// comparable tells whether scores of the two reports mean the same.
func (c Comparison) comparable() bool {
	return c.Old.Calibration.Version == c.New.Calibration.Version
}

// gone lists the rows that only the earlier report has.
func (c Comparison) gone() (rows []string) {
	for i := range c.Old.Cases {
		before := &c.Old.Cases[i]
		rows = append(rows, before.missing(c.New.find(before.Name))...)
	}
	return rows
}

// missing lists the rows of a case that it does not have in another report; nil is one
// without the case.
func (c *CaseReport) missing(other *CaseReport) (rows []string) {
	for _, row := range c.Rows {
		if other.row(row.Workers) == nil {
			rows = append(rows, c.Name+" with "+asked(row.Workers))
		}
	}
	return rows
}

// listed is a sentence about some rows, if there are any.
func listed(what string, rows []string) []string {
	if len(rows) == 0 {
		return nil
	}
	return []string{what + ": " + strings.Join(rows, ", ") + "."}
}

// differs tells what is different in the work of a case that both reports have.
func (c *CaseReport) differs(old *CaseReport) (remarks []string) {
	if old == nil {
		return nil
	}
	if c.Digest != old.Digest {
		remarks = append(remarks, fmt.Sprintf("%s: ANOTHER DIGEST, %s before and %s now: the speeds are of different work.", c.Name, old.Digest, c.Digest))
	}
	if c.Events != old.Events || c.Hops != old.Hops {
		remarks = append(remarks, fmt.Sprintf("%s: %d events for %d packet-hops before, %d for %d now.", c.Name, old.Events, old.Hops, c.Events, c.Hops))
	}
	return remarks
}

// ratio is the new value over the old one; of values that are not known, a dash.
func ratio(now, old float64) string {
	if now == 0 || old == 0 {
		return "-"
	}
	return decimals(now/old, 3)
}
