package record

import (
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Perftest is a test of the run, under the label of its workload.
type Perftest struct {
	Workload string
	*programs.Perftest
}

// perftests is the name of the table of tests.
const perftests = "perftest"

// PerftestTable is the table of what tests measured, in units of its own and not of perftest's.
func (r *Run) PerftestTable() *results.Table {
	t := results.NewTable("perftest.csv", "one row a test and size of messages")
	r.perftestIdentity(t)
	r.perftestLatency(t)
	r.perftestBandwidth(t)
	r.perftestLoad(t)
	return t
}

// eachResult calls f for what each test measured with each size.
func (r *Run) eachResult(f func(p *Perftest, m *programs.Result)) {
	for i := range r.Perftests {
		measured := r.Perftests[i].Results()
		for k := range measured {
			f(&r.Perftests[i], &measured[k])
		}
	}
}

func (r *Run) perftestIdentity(t *results.Table) {
	workload, test := t.String("workload", "workload it belongs to"), t.String("test", "program of the perftest suite")
	client, server := t.String("client", "host that measures"), t.String("server", "the other host")
	connection := t.String("connection", "service of its queue pairs; tcp over tcp")
	size := t.Bytes("message_bytes", "payload of a message")
	iterations := t.Int("iterations", "messages", "messages of that size, of all queue pairs")
	qps, depth := t.Int("qps", "queue pairs", "queue pairs"), t.Int("tx_depth", "requests", "requests under way on each queue pair")
	begun := t.Time("begin_us", "when the first message of that size was posted")
	ended := t.Time("end_us", "when the last was complete at the client")
	transport := t.String("transport", "how messages travel: rocev2, infiniband, iwarp or tcp")
	r.eachResult(func(p *Perftest, m *programs.Result) {
		workload.Append(p.Workload)
		test.Append(p.Test.String())
		client.Append(p.Client())
		server.Append(p.Server())
		connection.Append(p.Connection())
		size.Append(m.Size)
		iterations.Append(int64(m.Iterations))
		qps.Append(int64(p.QPs))
		depth.Append(int64(p.TxDepth))
		begun.Append(m.Begun)
		ended.Append(m.Ended)
		transport.Append(p.Transport.String())
	})
}

func (r *Run) perftestLatency(t *results.Table) {
	columns := []struct {
		to *results.Values[units.Time]
		of func(l *programs.Latency) units.Time
	}{
		{t.Time("t_min_us", "shortest latency: half the round trip, or all of it for READ and atomics; empty for tests of bandwidth"), func(l *programs.Latency) units.Time { return l.Min }},
		{t.Time("t_max_us", "longest latency, but for what perftest leaves out"), func(l *programs.Latency) units.Time { return l.Max }},
		{t.Time("t_typical_us", "median of the latency"), func(l *programs.Latency) units.Time { return l.Typical }},
		{t.Time("t_avg_us", "mean of the latency"), func(l *programs.Latency) units.Time { return l.Average }},
		{t.Time("t_stdev_us", "standard deviation of the latency"), func(l *programs.Latency) units.Time { return l.Stdev }},
		{t.Time("t_p99_us", "latency that 99 % do not exceed"), func(l *programs.Latency) units.Time { return l.P99 }},
		{t.Time("t_p999_us", "latency that 99.9 % do not exceed"), func(l *programs.Latency) units.Time { return l.P999 }},
	}
	r.eachResult(func(_ *Perftest, m *programs.Result) {
		for _, c := range columns {
			if m.Latency == nil {
				c.to.Append(units.Never)
			} else {
				c.to.Append(c.of(m.Latency))
			}
		}
	})
}

func (r *Run) perftestBandwidth(t *results.Table) {
	peak := t.Rate("bw_peak_gbps", "greatest bandwidth over any messages that followed each other; empty where it was not worked out")
	average := t.Rate("bw_average_gbps", "payload of all messages by the time from the first post to the last completion; empty for tests of latency")
	messages := t.Float("message_rate_mpps", "Mmsg/s", "million messages a second in that time")
	r.eachResult(func(_ *Perftest, m *programs.Result) {
		b := m.Bandwidth
		if b == nil {
			peak.AppendMissing()
			average.AppendMissing()
			messages.AppendMissing()
			return
		}
		if b.Peak == 0 {
			peak.AppendMissing()
		} else {
			peak.Append(b.Peak)
		}
		average.Append(b.Average)
		messages.Append(b.MessageRate / 1e6)
	})
}

func (r *Run) perftestLoad(t *results.Table) {
	client := t.Time("client_cpu_us", "processor time of the client for each message: to post, to take completions, to wake up; over tcp with what its kernel takes for the test's connections")
	server := t.Time("server_cpu_us", "processor time of the server for each message; 0 where nothing runs there")
	clientCores := t.Float("client_cores", "cores", "cores that the client kept from others while the test ran: a program that looks for completions keeps its whole core")
	serverCores := t.Float("server_cores", "cores", "likewise at the server")
	r.eachResult(func(_ *Perftest, m *programs.Result) {
		client.Append(m.Client.PerMessage(m.Iterations))
		server.Append(m.Server.PerMessage(m.Iterations))
		clientCores.Append(m.Client.Cores)
		serverCores.Append(m.Server.Cores)
	})
}

// countPrograms adds how many programs ended, and what those wait for that have not.
func (r *Run) countPrograms(s *results.Summary) {
	if len(r.Cluster.Threads) == 0 {
		return
	}
	s.Programs = &results.Programs{Total: len(r.Cluster.Threads)}
	waits := r.Cluster.ThreadWaits(r.Report.Now)
	for _, w := range waits {
		if w.Failed {
			s.Programs.Failed++
		}
		s.Reasons = append(s.Reasons, programText(w))
	}
	s.Programs.Done = s.Programs.Total - len(waits)
}

// programText is what became of a program that has not ended well, as a sentence of the report.
func programText(w host.ThreadWait) string {
	if w.Failed {
		return w.Thread.Name() + " " + w.Host + " gave up: " + w.Cause
	}
	return w.Thread.Name() + " " + w.Host + " " + w.Cause
}
