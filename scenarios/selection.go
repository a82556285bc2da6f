package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Selection names something measured: a metric of the summary, or a column of a table of results with the rows that are
// meant and what to make of them.
type Selection struct {
	Metric *string            `key:"metric" doc:"something measured: one of the metrics below, or TABLE.COLUMN for a column of a table of results, such as flows.fct_us or series.queue_depth.queue_bytes"`
	Run    *string            `key:"run" doc:"the run that is meant: the name of a variant, or base for the file's own"`
	Where  *map[string]string `key:"where" doc:"rows of the table that are meant, by other columns of it: numbers with their units, words or patterns such as leaf*; none: all rows"`
	Take   *string            `key:"take" oneof:"only|first|last|min|max|mean|sum|count|p50|p90|p95|p99|p999" doc:"what to make of these rows; only: there must be exactly one. In a series, whose values hold until the next row, mean and percentiles are over time. Left out: only"`
	From   *units.Time        `key:"from" doc:"of a series, what happens from here on counts; left out: from the beginning"`
	To     *units.Time        `key:"to" doc:"of a series, what happens before this counts; left out: to the end of the run"`
}

// base is the name of the run of the scenario itself, beside its variants.
const base = "base"

// run returns the name of the run that is meant.
func (s *Selection) run() string {
	if s.Run == nil {
		return base
	}
	return *s.Run
}

// take returns what is to be made of the rows.
func (s *Selection) take() string {
	if s.Take == nil {
		return "only"
	}
	return *s.Take
}

// where returns the conditions on rows, in the order of columns.
func (s *Selection) where() (conditions []condition) {
	if s.Where == nil {
		return nil
	}
	for column, value := range *s.Where {
		conditions = append(conditions, condition{column, value})
	}
	slices.SortFunc(conditions, func(a, b condition) int { return strings.Compare(a.column, b.column) })
	return conditions
}

// String describes the selection, such as "mean series.pause.port[node=leaf0] from 1ms in no-cc".
func (s *Selection) String() string {
	text := *s.Metric
	if s.Take != nil {
		text = *s.Take + " " + text
	}
	var conditions []string
	for _, c := range s.where() {
		conditions = append(conditions, c.column+"="+c.value)
	}
	if conditions != nil {
		text += "[" + strings.Join(conditions, " ") + "]"
	}
	if s.From != nil {
		text += " from " + s.From.String()
	}
	if s.To != nil {
		text += " to " + s.To.String()
	}
	if s.Run != nil {
		text += " in " + *s.Run
	}
	return text
}

// blank are the tables without rows.
var blank = sync.OnceValue(record.Blank)

// subject is what a selection is about, once it is known to exist: a metric of the summary or a column of a table.
type subject struct {
	metric *Metric
	table  string
	column *results.Column
	unit   Unit
}

// subject finds what the selection is about. An error has a key relative to the selection.
func (s *Selection) subject() (subject, error) {
	if metric, ok := findMetric(*s.Metric); ok {
		return subject{metric: &metric, unit: metric.Unit}, s.checkPlain()
	}
	if *s.Metric == "outcome" {
		return subject{}, units.Field("metric", *s.Metric, "how a run ends is not measured", "write {outcome: done}")
	}
	table, name := splitColumn(*s.Metric)
	columns := blank()[table]
	if whole := blank()[strings.Replace(*s.Metric, ".", "/", 1)]; whole != nil {
		return subject{}, units.Field("metric", *s.Metric, "a table, not a column of it", "add .COLUMN, one of "+commas(columnNames(whole)))
	}
	if columns == nil {
		return subject{}, units.Field("metric", *s.Metric, "no such metric", s.likely())
	}
	column := columns.Column(name)
	if column == nil {
		return subject{}, units.Field("metric", *s.Metric, "the table has no column "+name, DidYouMean(name, columnNames(columns)))
	}
	found := subject{table: table, column: column, unit: unitOf(column)}
	if s.take() == "count" {
		found.unit = Number
	}
	return found, s.checkRows(found, columns)
}

// splitColumn cuts series.queue_depth.queue_bytes into the table series/queue_depth and the column queue_bytes.
func splitColumn(metric string) (table, column string) {
	at := strings.LastIndexByte(metric, '.')
	if at < 0 {
		return metric, ""
	}
	return strings.Replace(metric[:at], ".", "/", 1), metric[at+1:]
}

// unitOf returns what a column counts.
func unitOf(c *results.Column) Unit {
	switch c.Unit {
	case "us":
		return Time
	case "Gbit/s":
		return Rate
	case "bytes":
		return Bytes
	}
	return Number
}

func columnNames(t *results.Table) (names []string) {
	for _, c := range t.Columns() {
		names = append(names, c.Name)
	}
	return names
}

// dotted is the name of a table as metrics have it.
func dotted(table string) string { return strings.Replace(table, "/", ".", 1) }

// tableNames are the names of all tables as metrics have them, in alphabetical order.
func tableNames() (names []string) {
	for name := range blank() {
		names = append(names, dotted(name))
	}
	slices.Sort(names)
	return names
}

// allColumns are the columns of all tables as metrics name them, table by table.
func allColumns() (names []string) {
	for _, table := range tableNames() {
		for _, column := range columnNames(blank()[strings.Replace(table, ".", "/", 1)]) {
			names = append(names, table+"."+column)
		}
	}
	return names
}

// likely suggests what was meant by a metric that does not exist.
func (s *Selection) likely() string {
	if near := nearest(*s.Metric, append(metricNames(), allColumns()...)); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "want one of " + commas(metricNames()) + ", or a column such as flows.fct_us of one of the tables " + commas(tableNames())
}

// checkPlain refuses what has no meaning for a metric of the summary.
func (s *Selection) checkPlain() error {
	for _, k := range [...]struct {
		key   string
		given bool
	}{{"where", s.Where != nil}, {"take", s.Take != nil}, {"from", s.From != nil}, {"to", s.To != nil}} {
		if k.given {
			return &units.FieldError{Key: k.key, Problem: *s.Metric + " is one value, not a column of a table", Want: "leave it out"}
		}
	}
	return nil
}
