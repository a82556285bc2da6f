package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Sweep is runs of a scenario in which a key has one value after the other, what was measured in each, and where that
// crosses the levels that were asked for.
type Sweep struct {
	Name    string        `json:"name" doc:"name of the sweep"`
	Doc     string        `json:"doc" doc:"what it is about; may be empty"`
	Keys    []string      `json:"keys" doc:"the keys that change together; the first is the axis"`
	Unit    string        `json:"axis_unit" doc:"what the values of the first key are: number, time, rate, size; empty if they are words"`
	Columns []SweepColumn `json:"columns" doc:"what was measured in each run; the first is what crosses levels"`
	Points  []SweepPoint  `json:"points" doc:"the runs, in the order of values"`
	Levels  []Crossing    `json:"crossings" doc:"the levels that were asked for, and where they are crossed"`
}

// SweepColumn is something that is measured in each run of a sweep.
type SweepColumn struct {
	Name string `json:"name" doc:"what is measured, as a scenario names it"`
	Unit string `json:"measure" doc:"number, time, rate or size; values are in ps, bit/s or bytes"`
}

// SweepPoint is what was measured at one value.
type SweepPoint struct {
	Runs    []string   `json:"runs" doc:"names of the runs at this value: one, or one for each run that the metrics are about"`
	Folders []string   `json:"folders" doc:"where their results are, below this directory"`
	Values  []string   `json:"values" doc:"value of each key"`
	At      *float64   `json:"at" doc:"value of the first key, in ps, bit/s, bytes or as it is; null for a word"`
	Default bool       `json:"default" doc:"whether the scenario's own run has these values"`
	Outcome Outcome    `json:"outcome" doc:"how the runs ended: the worst of them"`
	Found   []*float64 `json:"found" doc:"what was measured, a value a column, in ps, bit/s, bytes or as it is; null if nothing was"`
	Why     []string   `json:"why" doc:"why nothing was measured, a text a column; empty if something was"`
}

// Crossing says where a level is crossed, if anywhere.
type Crossing struct {
	Level   string   `json:"level" doc:"the level, as it was written"`
	Value   float64  `json:"level_value" doc:"the level in ps, bit/s, bytes or as it is"`
	Crossed bool     `json:"crossed" doc:"whether what was measured crosses the level or meets it"`
	At      *float64 `json:"at" doc:"value of the axis at which it does, on a straight line between the two runs around it; null if it does not, or if the values are words"`
	From    string   `json:"from" doc:"value of the run before the first crossing; empty if there is none"`
	To      string   `json:"to" doc:"value of the run behind it"`
	Times   int      `json:"times" doc:"how often the level is crossed"`
	Text    string   `json:"text" doc:"the same as a sentence"`
}

// FindCrossing looks for a level among what was measured, in the order of values. Runs in which nothing was measured are
// passed over. axis and measure write values of the axis and of what is measured.
func (s *Sweep) FindCrossing(level string, value float64, axis, measure func(float64) string) Crossing {
	c := Crossing{Level: level, Value: value}
	last := -1
	for i := range s.Points {
		p := &s.Points[i]
		if p.Found[0] == nil {
			continue
		}
		above, before := *p.Found[0]-value, 0.0
		if last >= 0 {
			before = *s.Points[last].Found[0] - value
		}
		meets, passes := above == 0 && (last < 0 || before != 0), above < 0 && before > 0 || above > 0 && before < 0
		if meets || passes {
			if c.Times++; c.Times == 1 {
				c.first(s, last, i)
			}
		}
		last = i
	}
	name := s.Columns[0].Name
	switch c.Crossed = c.Times > 0; {
	case last < 0:
		c.Text = fmt.Sprintf("%s was not measured in any run, so that it cannot be told where it crosses %s", name, level)
	case !c.Crossed:
		low, high := s.extremes()
		if *s.Points[low].Found[0] == *s.Points[high].Found[0] {
			c.Text = fmt.Sprintf("%s does not cross %s: it is %s in all runs", name, level, measure(*s.Points[low].Found[0]))
			break
		}
		side := "above"
		if *s.Points[low].Found[0] < value {
			side = "below"
		}
		c.Text = fmt.Sprintf("%s does not cross %s: it stays %s, between %s (%s) and %s (%s)", name, level, side,
			measure(*s.Points[low].Found[0]), s.where(low), measure(*s.Points[high].Found[0]), s.where(high))
	case c.From == c.To:
		c.Text = fmt.Sprintf("%s meets %s at %s = %s", name, level, s.Keys[0], c.To)
	case c.At == nil:
		c.Text = fmt.Sprintf("%s crosses %s between the runs with %s and %s", name, level, c.From, c.To)
	default:
		c.Text = fmt.Sprintf("%s crosses %s at %s = %s, between the runs with %s and %s", name, level, s.Keys[0], axis(*c.At), c.From, c.To)
	}
	if c.Times > 1 {
		c.Text += fmt.Sprintf("; in all it does %d times, this being the first", c.Times)
	}
	return c
}

// first notes where the first crossing is: between two runs, or at the second of them.
func (c *Crossing) first(s *Sweep, before, behind int) {
	p := &s.Points[behind]
	c.From, c.To, c.At = p.Values[0], p.Values[0], p.At
	if *p.Found[0] == c.Value {
		return
	}
	b := &s.Points[before]
	c.From = b.Values[0]
	if b.At == nil || p.At == nil {
		c.At = nil
		return
	}
	share := (c.Value - *b.Found[0]) / (*p.Found[0] - *b.Found[0])
	at := *b.At + float64(share*(*p.At-*b.At))
	if s.Unit != "" && s.Unit != "number" {
		at = math.Round(at) // to the picosecond, the bit per second or the byte
	}
	c.At = &at
}

// extremes are the runs with the least and the greatest of what was measured.
func (s *Sweep) extremes() (low, high int) {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range s.Points {
		if v := s.Points[i].Found[0]; v != nil {
			if *v < least {
				low, least = i, *v
			}
			if *v > most {
				high, most = i, *v
			}
		}
	}
	return low, high
}

func (s *Sweep) where(point int) string { return s.Keys[0] + " = " + s.Points[point].Values[0] }

// HumanIn writes a value in the base unit of what it counts (time, rate, size, else a plain number) as a person would.
func HumanIn(unit string, value float64) string {
	switch rounded := math.Round(value); {
	case unit == "time" && rounded != 0:
		return units.Time(rounded).Human()
	case unit == "rate" && rounded != 0:
		return units.Rate(rounded).Human()
	case unit == "size" && rounded != 0:
		return units.Bytes(rounded).Human()
	case value == math.Trunc(value) && math.Abs(value) < 1e9:
		return Count(int64(value))
	}
	if value < 0 {
		return "-" + Figure(-value)
	}
	return Figure(value)
}

// write sets the runs of the sweep one below the other, and says where levels are crossed.
func (s *Sweep) write(p *page) {
	p.flush()
	p.block("")
	title := "sweep " + s.Name + " of " + s.Keys[0]
	if s.Doc != "" {
		title += ": " + s.Doc
	}
	p.paragraph("  ", title)
	if len(s.Keys) > 1 {
		p.paragraph("  ", "together with it "+strings.Join(s.Keys[1:], ", ")+", in the order of the columns")
	}
	for i, c := range s.Columns[1:] {
		if len(s.Columns) > 2 || len(c.Name) > 30 {
			p.paragraph("  ", fmt.Sprintf("(%d) %s", i+1, c.Name))
		}
	}
	if slices.ContainsFunc(s.Points, func(p SweepPoint) bool { return p.Default }) {
		p.paragraph("  ", "* marks what the scenario itself has")
	}
	head := table.Row{"  " + s.Keys[0]}
	for _, key := range s.Keys[1:] {
		head = append(head, last(key))
	}
	head = append(head, fitHead(s.Columns[0].Name))
	for i, c := range s.Columns[1:] {
		name := c.Name
		if len(s.Columns) > 2 || len(name) > 30 {
			name = fmt.Sprintf("(%d)", i+1)
		}
		head = append(head, name)
	}
	head = append(head, "outcome")
	rows := []table.Row{head}
	for i := range s.Points {
		rows = append(rows, s.Points[i].row(s))
	}
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	var columns []table.ColumnConfig
	for i := range head {
		c := table.ColumnConfig{Number: i + 1}
		for _, row := range rows {
			c.WidthMin = max(c.WidthMin, len(fmt.Sprint(row[i]))+2)
		}
		if i > 0 && i < len(head)-1 {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		} else if i > 0 {
			for k := range rows {
				rows[k][i] = "  " + fmt.Sprint(rows[k][i])
			}
		}
		columns = append(columns, c)
	}
	t.AppendHeader(rows[0])
	t.AppendRows(rows[1:])
	t.SetColumnConfigs(columns)
	p.block(t.Render())
	for _, c := range s.Levels {
		p.paragraph("  ", c.Text)
	}
}

// row is a run in a line.
func (p *SweepPoint) row(s *Sweep) table.Row {
	mark := "  "
	if p.Default {
		mark = "* "
	}
	row := table.Row{mark + p.Values[0]}
	for _, value := range p.Values[1:] {
		row = append(row, value)
	}
	for i, value := range p.Found {
		if value == nil {
			row = append(row, "-")
			continue
		}
		row = append(row, HumanIn(s.Columns[i].Unit, *value))
	}
	return append(row, string(p.Outcome))
}

// last is the last part of a key.
func last(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// fitHead shortens the name of what is measured to what can stand over its column.
func fitHead(name string) string {
	const most = 44
	if len(name) <= most {
		return name
	}
	return name[:most-2] + ".."
}

// Table is the sweep as a table: a row a value.
func (s *Sweep) Table() *Table {
	t := NewTable(s.File(), "one row a value of "+s.Keys[0]+" in the sweep "+s.Name+"; a level is crossed where summary.json says, under sweeps")
	for i, key := range s.Keys {
		column := t.String(fmt.Sprintf("key_%d", i+1), "value of "+key)
		for _, p := range s.Points {
			column.Append(p.Values[i])
		}
	}
	outcome := t.String("outcome", "how the runs at this value ended: the worst of them")
	runs := t.String("runs", "folders of their results")
	for _, p := range s.Points {
		outcome.Append(string(p.Outcome))
		runs.Append(strings.Join(p.Folders, " "))
	}
	for i, c := range s.Columns {
		name, doc := fmt.Sprintf("measured_%d", i+1), c.Name
		add, missing := t.measured(name, c.Unit, doc)
		for _, p := range s.Points {
			if p.Found[i] == nil {
				missing()
			} else {
				add(*p.Found[i])
			}
		}
	}
	return t
}

// measured adds a column of what is counted in a base unit, under the name with the suffix of its unit.
func (t *Table) measured(name, unit, doc string) (add func(float64), missing func()) {
	switch unit {
	case "time":
		v := t.Time(name+"_us", doc)
		return func(x float64) { v.Append(units.Time(math.Round(x))) }, v.AppendMissing
	case "rate":
		v := t.Rate(name+"_gbps", doc)
		return func(x float64) { v.Append(units.Rate(math.Round(x))) }, v.AppendMissing
	case "size":
		v := t.Bytes(name+"_bytes", doc)
		return func(x float64) { v.Append(units.Bytes(math.Round(x))) }, v.AppendMissing
	}
	v := t.Float(name, "", doc)
	return func(x float64) { v.Append(x) }, v.AppendMissing
}

// SweepFolder is where the results of the runs of sweeps stand below those of their scenario, and their tables.
const SweepFolder = "sweeps"

// File is the name of the sweep's table.
func (s *Sweep) File() string { return SweepFolder + "/" + s.Name + ".csv" }

// SweepRunFolder is where the results of a run of a sweep stand.
func SweepRunFolder(run string) string { return SweepFolder + "/" + run }
