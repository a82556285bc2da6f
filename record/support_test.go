package record_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// ended is a run of flows over a network, with all series.
func ended(t testing.TB, n *simtest.Net, control string, flows ...host.Flow) *record.Run {
	t.Helper()
	n.Fabric.RecordPauses, n.Fabric.QueueSamples, n.NIC.RateSamples = true, units.Microsecond, units.Microsecond
	return finished(t, n, n.Cluster(t, flows...), control)
}

// finished is the run of a cluster.
func finished(t testing.TB, n *simtest.Net, c *host.Cluster, control string) *record.Run {
	t.Helper()
	return &record.Run{
		Cluster: c, Report: n.Finish(t, c), Workloads: make([]string, len(c.Flows)), Control: control,
		Series: map[string]bool{record.QueueDepth: true, record.QPRate: true, record.Pause: true},
	}
}

// tables are all tables of a run.
func tables(r *record.Run) (all []*results.Table) {
	for _, name := range r.TableNames() {
		all = append(all, r.Table(name))
	}
	return all
}

// series are those of them that hold series.
func series(r *record.Run) []*results.Table {
	return slices.DeleteFunc(tables(r), func(t *results.Table) bool { return !strings.HasPrefix(t.Name(), record.SeriesFolder) })
}

// incast is hosts 1 to n of a star that send to host 0 at the same time, 100G each
// and 1 us apart.
func incast(n int, size units.Bytes) (*simtest.Net, []host.Flow) {
	var flows []host.Flow
	for i := range n {
		flows = append(flows, simtest.Flow(i+1, 0, size))
	}
	return simtest.Star(n+1, 100*units.Gbps, units.Microsecond), flows
}

// row is a row of a table by column, as a reader of the CSV file has it.
type row map[string]string

// rows reads a table through its CSV form.
func rows(t testing.TB, table *results.Table) []row {
	t.Helper()
	var text bytes.Buffer
	if err := table.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []row
	for _, line := range lines[1:] {
		r := row{}
		for i, name := range lines[0] {
			r[name] = line[i]
		}
		list = append(list, r)
	}
	return list
}

// where picks the rows with some values, given as column and value by turns.
func where(list []row, pairs ...string) []row {
	var found []row
	for _, r := range list {
		fits := true
		for i := 0; i < len(pairs); i += 2 {
			fits = fits && r[pairs[i]] == pairs[i+1]
		}
		if fits {
			found = append(found, r)
		}
	}
	return found
}

// count is a column of whole numbers.
func (r row) count(t testing.TB, column string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(r[column], 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", column, err)
	}
	return n
}

// time is a column of microseconds, exact.
func (r row) time(t testing.TB, column string) units.Time {
	t.Helper()
	var at units.Time
	if err := at.UnmarshalText([]byte(r[column] + "us")); err != nil || !strings.HasSuffix(column, "_us") {
		t.Fatalf("%s: %v", column, err)
	}
	return at
}

// sum adds up a column of whole numbers.
func sum(t testing.TB, list []row, column string) (total int64) {
	t.Helper()
	for _, r := range list {
		total += r.count(t, column)
	}
	return total
}

// counter is the sum of a counter over all ports and priorities.
func counter(t testing.TB, r *record.Run, name string) (total float64) {
	t.Helper()
	for _, c := range where(rows(t, r.Counters()), "counter", name) {
		v, err := strconv.ParseFloat(c["value"], 64)
		if err != nil {
			t.Fatal(err)
		}
		total += v
	}
	return total
}
