package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// KeyValue is clients of a key-value store of the run, under the label of their workload.
type KeyValue struct {
	Workload string
	*programs.KeyValue
}

// keyValueTable is the name of the table of key-value stores.
const keyValueTable = "key_value"

// keyValueServers is the name of the table of their servers.
const keyValueServers = "key_value_servers"

// KeyValueTable is the table of what clients of key-value stores measured.
func (r *Run) KeyValueTable() *results.Table {
	type result = programs.KeyValueResult
	t := results.NewTable("key_value.csv", "one row a workload of clients of a key-value store")
	workload, via, loop := t.String("workload", "workload it belongs to"), t.String("via", "how a GET is made"), t.String("loop", "closed: a client begins a query when one is done; open: at random times, from which latency counts")
	clients, servers := t.Int("clients", "programs", "programs of all clients"), t.Int("servers", "hosts", "hosts that have the values")
	chain, outstanding := t.Int("gets_per_query", "operations", "operations of a query, one after the other"), t.Int("outstanding", "queries", "queries that each program has under way in a closed loop")
	queries, gets, puts := t.Int("queries", "queries", "queries that were answered"), t.Int("gets", "GETs", "GETs that were answered"), t.Int("puts", "PUTs", "PUTs that were answered")
	rate := t.Float("rate_mgets", "MGET/s", "million operations a second, from the first to the last")
	times := []timeColumn[result]{
		{t.Time("network_us", "what a GET takes when nobody else is there and the server computes nothing: network and what messages take at both ends"), func(m *result) units.Time { return m.Empty }},
		{t.Time("bound_us", "what theory gives for a query: for each of its GETs that, and what server and client compute"), func(m *result) units.Time { return m.Bound }},
		{t.Time("wait_us", "how much longer a GET takes in the mean than network and service; missing of READs and where values are of several sizes"), func(m *result) units.Time { return m.Wait }},
		{t.Time("wait_theory_us", "what theory gives for the line before a thread of a server (M/D/1), by the share of its time for which it works; missing where that is all of it, and in a closed loop"), func(m *result) units.Time { return m.QueueWait }},
	}
	const known = 2 // are so before any query is done
	times = append(times, spreadColumns(t, "get", "GETs, from when the client has made its request until it has the value; in an open loop from when a query was to begin", func(m *result) *programs.Spread { return &m.Get })...)
	times = append(times, spreadColumns(t, "put", "PUTs, likewise, until they are confirmed", func(m *result) *programs.Spread { return &m.Put })...)
	times = append(times, spreadColumns(t, "query", "queries", func(m *result) *programs.Spread { return &m.Query })...)
	underWay := t.Float("under_way", "queries", "rate of queries times their mean latency: by Little's law what is under way in the mean")
	load, offered := t.Float("load", "", "share of their time for which the threads of the busiest server worked on requests"), t.Float("load_offered", "", "share for which those of all servers would have to, to keep up with an open loop")
	hot, hotTheory := t.Float("hot_share", "", "part of the operations on the most popular key"), t.Float("hot_theory", "", "what it is by Zipf's law")
	service := t.Time("service_us", "processor time of the server for a request by the scenario, without messages")
	client, server := t.Time("client_cpu_us", "processor time of the clients for each operation"), t.Time("server_cpu_us", "processor time of the servers for each operation")
	for i := range r.KeyValues {
		k := &r.KeyValues[i]
		m := k.Result()
		workload.Append(k.Workload)
		via.Append(k.via())
		loop.Append(k.loop())
		clients.Append(int64(len(k.Clients)))
		servers.Append(int64(len(k.Servers)))
		chain.Append(int64(k.Chain))
		if k.Interval > 0 {
			outstanding.AppendMissing()
		} else {
			outstanding.Append(int64(k.Outstanding))
		}
		queries.Append(int64(m.Queries))
		gets.Append(int64(m.Gets))
		puts.Append(int64(m.Puts))
		appendKnown(rate, m.PerSecond/1e6, m.Queries > 0)
		for n, c := range times {
			if n >= known && m.Queries == 0 {
				c.to.Append(units.Never)
			} else {
				c.to.Append(c.of(&m))
			}
		}
		appendKnown(underWay, m.UnderWay, m.Queries > 0)
		appendKnown(load, m.Load, m.Queries > 0)
		appendKnown(offered, m.Offered, k.Interval > 0)
		appendKnown(hot, m.HotShare, m.HotTheory > 0)
		appendKnown(hotTheory, m.HotTheory, m.HotTheory > 0)
		service.Append(k.Service)
		each := units.Time(max(1, m.Gets+m.Puts))
		client.Append(m.Client / each)
		server.Append(m.Server / each)
	}
	return t
}

// KeyValueServersTable is the table of what each server of a key-value store had to do.
func (r *Run) KeyValueServersTable() *results.Table {
	t := results.NewTable("key_value_servers.csv", "one row a server of a key-value store")
	workload, server := t.String("workload", "workload it belongs to"), t.String("server", "host that has the values")
	operations := t.Int("operations", "operations", "operations on its keys, whoever did them")
	share, theory := t.Float("share", "", "their part of all"), t.Float("share_theory", "", "what it is by the popularity of the keys that it has")
	requests, each := t.Int("requests", "requests", "requests that its threads answered"), t.Time("request_us", "for which a thread works on a request, softirqs of its kernel left out")
	load, wait := t.Float("load", "", "share of their time for which its threads worked on requests"), t.Time("wait_theory_us", "mean wait in the line before one of its threads by theory (M/D/1); missing where it works all the time, and in a closed loop")
	for i := range r.KeyValues {
		k := &r.KeyValues[i]
		m := k.Result()
		for _, s := range m.ByServer {
			workload.Append(k.Workload)
			server.Append(s.Name)
			operations.Append(int64(s.Operations))
			share.Append(s.Share)
			theory.Append(s.Theory)
			requests.Append(int64(s.Requests))
			each.Append(s.Each)
			load.Append(s.Load)
			wait.Append(s.QueueWait)
		}
	}
	return t
}

// spreadColumns are the columns of a distribution of times, which are missing where there are none.
func spreadColumns[T any](t *results.Table, prefix, what string, of func(*T) *programs.Spread) []timeColumn[T] {
	column := func(name, doc string, v func(*programs.Spread) units.Time) timeColumn[T] {
		return timeColumn[T]{t.Time(prefix+name, doc+what), func(m *T) units.Time {
			if s := of(m); s.Count > 0 {
				return v(s)
			}
			return units.Never
		}}
	}
	return []timeColumn[T]{
		column("_min_us", "shortest of ", func(s *programs.Spread) units.Time { return s.Min }),
		column("_avg_us", "mean of ", func(s *programs.Spread) units.Time { return s.Mean }),
		column("_median_us", "median of ", func(s *programs.Spread) units.Time { return s.Median }),
		column("_p99_us", "what 99 % do not exceed of ", func(s *programs.Spread) units.Time { return s.P99 }),
		column("_p999_us", "what 99.9 % do not exceed of ", func(s *programs.Spread) units.Time { return s.P999 }),
		column("_max_us", "longest of ", func(s *programs.Spread) units.Time { return s.Max }),
	}
}

// via is how a GET is made.
func (k *KeyValue) via() string {
	if k.Reads > 0 {
		return "read"
	}
	return "message"
}

// loop is how clients go on.
func (k *KeyValue) loop() string {
	if k.Interval > 0 {
		return "open"
	}
	return "closed"
}

// gist is what clients measured, in a line.
func (k *KeyValue) gist() string {
	m := k.Result()
	if m.Queries == 0 {
		return "no query was answered"
	}
	var parts []string
	if k.Chain > 1 {
		parts = append(parts, fmt.Sprintf("query of %d GETs in %s (median; theory %s)", k.Chain, m.Query.Median.Human(), m.Bound.Human()))
	}
	if m.Gets > 0 {
		parts = append(parts, fmt.Sprintf("GET in %s (median), 99 %% within %s: %s network, %s service", m.Get.Median.Human(), m.Get.P99.Human(), m.Empty.Human(), k.Service.Human()))
	}
	if m.Puts > 0 {
		parts = append(parts, fmt.Sprintf("PUT in %s, 99 %% within %s", m.Put.Median.Human(), m.Put.P99.Human()))
	}
	what := "GETs"
	if m.Puts > 0 {
		what = "operations"
	}
	parts = append(parts, fmt.Sprintf("%s %s a second, %s under way", results.Figure(m.PerSecond), what, results.Figure(m.UnderWay)))
	if m.Load > 0 {
		text := "load of the busiest server " + results.Percent(m.Load)
		if k.Interval > 0 && m.Wait != units.Never && m.QueueWait != units.Never {
			text += fmt.Sprintf(", wait %s (theory %s)", max(0, m.Wait).Human(), m.QueueWait.Human())
		}
		parts = append(parts, text)
	}
	if m.HotTheory > 0 && k.Keys.Share(0) > 1/float64(k.Keys.Len()) {
		parts = append(parts, fmt.Sprintf("hottest key %s of them (theory %s)", results.Percent(m.HotShare), results.Percent(m.HotTheory)))
	}
	return strings.Join(parts, "; ")
}
