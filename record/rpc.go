package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Calls are remote procedure calls of the run, under the label of their workload.
type Calls struct {
	Workload string
	*programs.Calls
}

// rpcTable is the name of the table of calls.
const rpcTable = "rpc"

// RPC is the table of remote procedure calls.
func (r *Run) RPC() *results.Table {
	t := results.NewTable("rpc.csv", "one row a workload of remote procedure calls")
	workload, server := t.String("workload", "workload they belong to"), t.String("server", "host that is called")
	via := t.String("via", "how a call is made: send, write-imm or read; over tcp socket")
	clients := t.Int("clients", "hosts", "hosts that call")
	connections := t.Int("connections", "queue pairs", "connections of all clients")
	calls := t.Int("calls", "calls", "calls that were answered")
	begun, ended := t.Time("begin_us", "when the first call was made"), t.Time("end_us", "when the last reply was seen")
	rate := t.Float("rate_mcalls", "Mcalls/s", "million calls a second in that time")
	latencies := []struct {
		to *results.Values[units.Time]
		of func(m *programs.CallResult) units.Time
	}{
		{t.Time("t_min_us", "shortest call, from the post of the request to the sight of the reply"), func(m *programs.CallResult) units.Time { return m.Min }},
		{t.Time("t_avg_us", "mean of all calls"), func(m *programs.CallResult) units.Time { return m.Mean }},
		{t.Time("t_median_us", "median of all calls"), func(m *programs.CallResult) units.Time { return m.Median }},
		{t.Time("t_p99_us", "time that 99 % of the calls do not exceed"), func(m *programs.CallResult) units.Time { return m.P99 }},
		{t.Time("t_p999_us", "time that 99.9 % of the calls do not exceed"), func(m *programs.CallResult) units.Time { return m.P999 }},
		{t.Time("t_max_us", "longest call"), func(m *programs.CallResult) units.Time { return m.Max }},
	}
	client := t.Time("client_cpu_us", "processor time of the clients for each call")
	callee := t.Time("server_cpu_us", "processor time of the server for each call; 0 where nothing runs there")
	refused := t.Int("rnr_naks", "packets", "messages that found no receive request at the other end (RNR NAK), each time that they did")
	transport := t.String("transport", "how messages travel: rocev2, infiniband, iwarp or tcp")
	for i := range r.Calls {
		c := &r.Calls[i]
		m := c.Result()
		workload.Append(c.Workload)
		server.Append(c.Server())
		via.Append(c.way())
		clients.Append(int64(m.Clients))
		connections.Append(int64(m.Clients * c.Connections))
		calls.Append(int64(m.Calls))
		begun.Append(m.Begun)
		ended.Append(m.Ended)
		if m.Calls == 0 {
			rate.AppendMissing()
		} else {
			rate.Append(m.PerSecond / 1e6)
		}
		for _, l := range latencies {
			if m.Calls == 0 {
				l.to.Append(units.Never)
			} else {
				l.to.Append(l.of(&m))
			}
		}
		each := units.Time(max(1, m.Calls))
		client.Append(m.Client / each)
		callee.Append(m.Server / each)
		refused.Append(int64(m.Refused))
		transport.Append(c.Transport.String())
	}
	return t
}

// way is how calls are made.
func (c *Calls) way() string {
	if c.Transport == programs.TCP {
		return "socket"
	}
	return c.Via.String()
}

// gist is what calls came to, in a line.
func (c *Calls) gist() string {
	m := c.Result()
	if m.Calls == 0 {
		return "no call was answered"
	}
	return fmt.Sprintf("%s calls a second by %s over %s; median %s, 99 %% within %s; processors %s a call at clients, %s at the server",
		results.Figure(m.PerSecond), c.way(), results.Plural(int64(m.Clients*c.Connections), "connection"), m.Median.Human(), m.P99.Human(),
		(m.Client / units.Time(m.Calls)).Human(), (m.Server / units.Time(m.Calls)).Human())
}

// text is what calls came to, as a person reads it.
func (c *Calls) text() string {
	m := c.Result()
	var b strings.Builder
	fmt.Fprintf(&b, "%d clients call %s by %s over %d connections, %d under way on each\n", m.Clients, c.Server(), c.way(), m.Clients*c.Connections, c.Outstanding)
	fmt.Fprintf(&b, "%10s %12s %12s %12s %12s %12s %12s %12s %10s\n",
		"#calls", "Mcalls/s", "t_min[us]", "median[us]", "99%[us]", "t_max[us]", "client[us]", "server[us]", "RNR NAKs")
	each := units.Time(max(1, m.Calls))
	fmt.Fprintf(&b, "%10d %12.4f %12.3f %12.3f %12.3f %12.3f %12.3f %12.3f %10d\n", m.Calls, m.PerSecond/1e6,
		m.Min.Microseconds(), m.Median.Microseconds(), m.P99.Microseconds(), m.Max.Microseconds(),
		(m.Client / each).Microseconds(), (m.Server / each).Microseconds(), m.Refused)
	return b.String()
}
