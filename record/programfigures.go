package record

import (
	"strings"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// programTable says which columns of a table of programs are of interest where runs are set side by side. Rows of one workload,
// and of one case of it where of names a column, become one value: the mean, or the greatest of a column that is a maximum.
type programTable struct {
	table, of string
	show      []string
}

// programTables are the tables of programs. A new one is one entry here.
var programTables = []programTable{
	{perftests, "message_bytes", []string{"t_typical_us", "t_p99_us", "t_p999_us", "bw_average_gbps", "message_rate_mpps", "client_cpu_us", "server_cpu_us", "client_cores", "server_cores"}},
	{rpcTable, "", []string{"rate_mcalls", "t_median_us", "t_p99_us", "t_p999_us", "client_cpu_us", "server_cpu_us"}},
	{shortConnections, "", []string{"connect_us", "first_connect_us", "request_us", "end_us", "session_us", "sessions_per_s"}},
	{distributedLocks, "", []string{"wait_us", "held_us", "acquisitions_per_s"}},
	{mpiTable, "operation", []string{"t_op_us", "t_median_us", "t_p99_us", "period_us", "cpu_us", "noise_slowest_us", "lost"}},
	{keyValueTable, "", []string{"network_us", "get_median_us", "get_p99_us", "put_median_us", "put_p99_us", "query_median_us", "query_p99_us", "rate_mgets", "wait_us", "wait_theory_us", "load", "client_cpu_us", "server_cpu_us"}},
	{keyValueServers, "server", []string{"share", "load"}},
	{fanOutTable, "", []string{"query_avg_us", "query_median_us", "query_p99_us", "query_p999_us", "answer_median_us", "answer_p99_us", "independent_us", "rate_kqueries", "load", "root_cpu_us", "leaf_cpu_us"}},
	{fanOutTails, "percentile", []string{"queries", "queries_theory"}},
	{mediaTable, "", []string{"latency_median_us", "latency_p99_us", "latency_p999_us", "jitter_median_us", "jitter_p99_us", "jitter_p999_us", "late_share", "sender_cpu_us", "receiver_cpu_us"}},
	{storageTable, "", []string{"iops", "payload_gbps", "t_median_us", "t_p99_us", "target_load", "target_kept", "target_cpu_us", "initiator_cpu_us"}},
	{jobTable, "", []string{"step_us", "step_max_us", "exchange_us", "exposed_us", "exchange_share", "slowdown", "busy_cores", "kept_cores"}},
	{collectiveTable, "collective", []string{"t_us", "busbw_gbps"}},
}

// programFigures are what the programs of the run measured, by names that are the same in all runs of one workload.
func (r *Run) programFigures() (all []results.ProgramFigure) {
	for _, p := range programTables {
		if !r.lacks(p.table) {
			all = append(all, p.figures(r.Table(p.table))...)
		}
	}
	return all
}

// figures makes the values out of the rows of the table.
func (p *programTable) figures(t *results.Table) (all []results.ProgramFigure) {
	rows, err := t.Rows()
	if err != nil {
		panic(err) // the tables are our own
	}
	var names []string
	var members [][]int
	for row := range rows {
		name := t.Column("workload").Cell(row)
		if p.of != "" {
			name += " " + caseOf(t.Column(p.of), row)
		}
		i := indexOf(names, name)
		if i < 0 {
			i = len(names)
			names, members = append(names, name), append(members, nil)
		}
		members[i] = append(members[i], row)
	}
	for i, name := range names {
		for _, show := range p.show {
			column := t.Column(show)
			if v, ok := together(column, members[i]); ok {
				_, size := results.KindOfUnit(column.Unit)
				all = append(all, results.ProgramFigure{Name: name + " " + results.WithoutUnit(show), Unit: column.Unit, Value: v / size})
			}
		}
	}
	return all
}

// caseOf is a case of a workload as names have it.
func caseOf(c *results.Column, row int) string {
	if v, ok := c.Number(row); ok && c.Unit == "bytes" {
		return units.Bytes(v).String()
	}
	return c.Cell(row)
}

// together is what a column comes to in some rows; false if it is empty in all of them.
func together(c *results.Column, rows []int) (float64, bool) {
	var sum, most float64
	n := 0
	for _, row := range rows {
		if v, ok := c.Number(row); ok {
			sum += v
			most = max(most, v)
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	if strings.Contains(c.Name, "_p99") || strings.Contains(c.Name, "max") {
		return most, true
	}
	return sum / float64(n), true
}

func indexOf(names []string, name string) int {
	for i := len(names) - 1; i >= 0; i-- { // most often it is the last
		if names[i] == name {
			return i
		}
	}
	return -1
}
