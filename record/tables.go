package record

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/tcp"
)

// tableMaker is a table by its name: that of its file without the extension.
type tableMaker struct {
	name string
	make func(*Run) *results.Table
}

// makers are all tables, in the order in which they are written.
var makers = []tableMaker{
	{"flows", (*Run).Flows},
	{"slowdown_by_size", (*Run).SlowdownBySize},
	{"tiers", (*Run).Tiers},
	{"qps", (*Run).QPs},
	{"ports", (*Run).Ports},
	{"pfc", (*Run).PFC},
	{creditTable, (*Run).Credits},
	{"pause_causes", (*Run).PauseCauses},
	{"counters", (*Run).Counters},
	{cpuTable, (*Run).CPU},
	{tcpTable, (*Run).TCP},
	{perftests, (*Run).PerftestTable},
	{rpcTable, (*Run).RPC},
	{shortConnections, (*Run).ShortConnectionsTable},
	{distributedLocks, (*Run).DistributedLockTable},
	{mpiTable, (*Run).MPITable},
	{keyValueTable, (*Run).KeyValueTable},
	{keyValueServers, (*Run).KeyValueServersTable},
	{fanOutTable, (*Run).FanOutTable},
	{fanOutTails, (*Run).FanOutTailTable},
	{mediaTable, (*Run).MediaTable},
	{storageTable, (*Run).StorageTable},
	{jobTable, (*Run).JobTable},
	{collectiveTable, (*Run).CollectiveTable},
	{SeriesFolder + QueueDepth, (*Run).queueTable},
	{SeriesFolder + PGOccupancy, (*Run).occupancyTable},
	{SeriesFolder + QPRate, (*Run).rateTable},
	{SeriesFolder + QPAlpha, (*Run).alphaTable},
	{SeriesFolder + TCPWindow, (*Run).windowTable},
	{SeriesFolder + LinkUtilisation, (*Run).usageTable},
	{SeriesFolder + Pause, (*Run).pauseTable},
}

// SeriesFolder is where the tables of series lie.
const SeriesFolder = "series/"

// SeriesNames are the series that can be asked for.
func SeriesNames() []string {
	return []string{QueueDepth, PGOccupancy, QPRate, QPAlpha, TCPWindow, LinkUtilisation, Pause}
}

// TableNames are the names of the tables of this run: all that there are, those of programs and of credits if there are any,
// and the series that were asked for.
func (r *Run) TableNames() (names []string) {
	for _, m := range makers {
		series, is := seriesOf(m.name)
		if is && !r.Series[series] || r.lacks(m.name) {
			continue
		}
		names = append(names, m.name)
	}
	return names
}

// optional are the tables of what a run may not have.
var optional = []struct {
	name string
	has  func(*Run) bool
	// why it can have no rows, and what would fill it.
	why, want string
}{
	{creditTable, (*Run).onCredits, "links of this run have no credits", "host.transport: infiniband"},
	{tcpTable, func(r *Run) bool { return len(r.tcpEnds()) > 0 }, "nothing of this run goes over TCP", "host.transport: tcp or iwarp, or a workload with such a transport"},
	{cpuTable, (*Run).hasCores, "nothing of this run takes a core any time", "a workload that is a program, such as ib_write_lat, or goes over TCP, or an adapter that is posted to (host.nic.profile)"},
	{perftests, func(r *Run) bool { return len(r.Perftests) > 0 }, "no workload of this run is a test of perftest", "a workload such as ib_write_bw"},
	{rpcTable, func(r *Run) bool { return len(r.Calls) > 0 }, leavesNone, "a workload of kind rpc"},
	{shortConnections, func(r *Run) bool { return len(r.ShortConnections) > 0 }, leavesNone, "a workload of kind short-connections"},
	{distributedLocks, func(r *Run) bool { return len(r.Locks) > 0 }, leavesNone, "a workload of kind distributed-lock"},
	{mpiTable, func(r *Run) bool { return len(r.Collectives) > 0 }, leavesNone, "a workload of kind mpi-allreduce or mpi-barrier"},
	{keyValueTable, func(r *Run) bool { return len(r.KeyValues) > 0 }, leavesNone, "a workload of kind key-value"},
	{keyValueServers, func(r *Run) bool { return len(r.KeyValues) > 0 }, leavesNone, "a workload of kind key-value"},
	{fanOutTable, func(r *Run) bool { return len(r.FanOuts) > 0 }, leavesNone, "a workload of kind fan-out"},
	{fanOutTails, func(r *Run) bool { return len(r.FanOuts) > 0 }, leavesNone, "a workload of kind fan-out"},
	{mediaTable, func(r *Run) bool { return len(r.Medias) > 0 }, leavesNone, "a workload of kind media"},
	{storageTable, func(r *Run) bool { return len(r.Storages) > 0 }, leavesNone, "a workload of kind storage"},
	{jobTable, func(r *Run) bool { return len(r.Jobs) > 0 }, leavesNone, "a workload of ranks, such as training or all_reduce_perf"},
	{collectiveTable, func(r *Run) bool { return len(r.Jobs) > 0 }, leavesNone, "a workload of ranks, such as training or all_reduce_perf"},
}

const leavesNone = "no workload of this run leaves this table"

// Lacks tells why a table can have no rows in this run, and what would fill it; empty if it can.
func (r *Run) Lacks(table string) (why, want string) {
	for _, o := range optional {
		if o.name == table && !o.has(r) {
			return o.why, o.want
		}
	}
	return "", ""
}

// lacks tells whether a table is that of something that this run has not: credits, or programs of a kind.
func (r *Run) lacks(table string) bool {
	why, _ := r.Lacks(table)
	return why != ""
}

func seriesOf(table string) (name string, is bool) {
	if len(table) <= len(SeriesFolder) || table[:len(SeriesFolder)] != SeriesFolder {
		return "", false
	}
	return table[len(SeriesFolder):], true
}

// Table makes the table of a name; nil if there is none.
func (r *Run) Table(name string) *results.Table {
	for _, m := range makers {
		if m.name == name {
			return m.make(r)
		}
	}
	return nil
}

// Blank returns all tables by name without any rows: what columns there are is known before a run.
func Blank() map[string]*results.Table {
	none := &Run{Cluster: &host.Cluster{Net: &fabric.Network{Graph: new(topology.Graph), Config: new(fabric.Config)}}}
	tables := map[string]*results.Table{}
	for _, m := range makers {
		tables[m.name] = m.make(none)
	}
	return tables
}

// Steps says of a series what its rows are: a value of something, from an instant on until the next row of the same thing.
type Steps struct {
	At     string   // column of the instant
	Of     []string // columns that name the thing
	Values []string // columns that hold until the next row, and are 0 before the first
	Known  []string // columns that hold likewise, and are not known before the first
}

// StepsOf returns what the rows of a table are if it is a series of steps.
func StepsOf(table string) (s Steps, ok bool) {
	queue := []string{"node", "port", "priority"}
	switch name, _ := seriesOf(table); name {
	case QueueDepth:
		return Steps{At: "time_us", Of: queue, Values: []string{"queue_bytes"}}, true
	case PGOccupancy:
		return Steps{At: "time_us", Of: queue, Values: []string{"held_bytes"}, Known: []string{"threshold_bytes"}}, true
	case QPRate:
		return Steps{At: "time_us", Of: []string{"node", "qpn"}, Values: []string{"rate_gbps"}}, true
	case TCPWindow:
		return Steps{At: "time_us", Of: []string{"node", "connection"}, Values: []string{"window_bytes"}, Known: []string{"threshold_bytes"}}, true
	case QPAlpha:
		return Steps{At: "time_us", Of: []string{"node", "qpn"}, Values: []string{"alpha"}}, true
	case LinkUtilisation:
		return Steps{At: "from_us", Of: []string{"node", "port"}, Values: []string{"utilisation"}}, true
	}
	return Steps{}, false
}

// Fixed returns the columns of a table whose values follow from the scenario alone, in rows that it has whatever happens.
// Of a series, they are those that say what a row can be about, as in the table of ports.
func Fixed(table string) []string {
	switch series, is := seriesOf(table); {
	case series == QPRate, series == QPAlpha, series == TCPWindow:
		return []string{"node"}
	case is:
		return []string{"node", "port"}
	}
	switch table {
	case "flows":
		return []string{"flow", "workload", "src", "dst", "source_port", "priority", "message_bytes", "messages", "payload_bytes", "start_us", "counted"}
	case "ports":
		return []string{"node", "port", "peer", "rate_gbps", "delay_us"}
	case "pfc":
		return []string{"node", "port", "priority"}
	case creditTable:
		return []string{"node", "port", "vl"}
	case "tiers":
		return []string{"from_tier", "to_tier"}
	case "counters":
		return []string{"node", "port"}
	}
	return nil
}

// Words returns the words that a column of a table may hold, if they are known whatever the scenario is; nil otherwise.
func Words(table, column string) (words []string) {
	switch {
	case table == "flows" && column == "status":
		return []string{rnic.Success.String(), rnic.RetryExceeded.String(), rnic.FlushError.String(), unfinished}
	case table == "flows" && column == "bound_by":
		for _, text := range causeTexts() {
			words = append(words, text.name)
		}
	case table == perftests && column == "test":
		return programs.TestNames()
	case table == perftests && column == "connection":
		return []string{rnic.RC.String(), rnic.UC.String(), rnic.UD.String()}
	case table == rpcTable && column == "via":
		return programs.Ways
	case table == tcpTable && column == "state":
		for state := tcp.Closed; state <= tcp.TimeWait; state++ {
			words = append(words, state.String())
		}
	case table == cpuTable && column == "kind":
		return cpuKindNames()
	case table == mpiTable && column == "algorithm":
		return programs.MPIAlgorithms
	case table == jobTable && column == "outcome":
		return programs.Outcomes
	}
	return words
}

// OfSwitches tells whether a table is about switches only.
func OfSwitches(table string) bool {
	return table == SeriesFolder+QueueDepth || table == SeriesFolder+PGOccupancy
}
