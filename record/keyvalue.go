package record

import (
	"fmt"

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

// KeyValueTable is the table of what clients of key-value stores measured.
func (r *Run) KeyValueTable() *results.Table {
	t := results.NewTable("key_value.csv", "one row a workload of clients of a key-value store")
	workload, via := t.String("workload", "workload it belongs to"), t.String("via", "how a GET is made")
	clients, servers := t.Int("clients", "programs", "programs of all clients"), t.Int("servers", "hosts", "hosts that have the values")
	chain, outstanding := t.Int("gets_per_query", "GETs", "GETs of a query, one after the other"), t.Int("outstanding", "queries", "queries that each program has under way")
	queries, gets := t.Int("queries", "queries", "queries that were answered"), t.Int("gets", "GETs", "GETs that were answered")
	rate := t.Float("rate_mgets", "MGET/s", "million GETs a second, from the first to the last")
	times := []timeColumn[programs.KeyValueResult]{
		{t.Time("network_us", "what a GET takes when nobody else is there and the server computes nothing: network and what messages take at both ends"), func(m *programs.KeyValueResult) units.Time { return m.Empty }},
		{t.Time("bound_us", "what theory gives for a query: for each of its GETs that, and what server and client compute"), func(m *programs.KeyValueResult) units.Time { return m.Bound }},
	}
	times = append(times, spreadColumns(t, "get", "GETs, from when the client has made its request until it has the value", func(m *programs.KeyValueResult) *programs.Spread { return &m.Get })...)
	times = append(times, spreadColumns(t, "query", "queries", func(m *programs.KeyValueResult) *programs.Spread { return &m.Query })...)
	service := t.Time("service_us", "processor time of the server for a GET by the scenario, without messages")
	client, server := t.Time("client_cpu_us", "processor time of the clients for each GET"), t.Time("server_cpu_us", "processor time of the servers for each GET")
	for i := range r.KeyValues {
		k := &r.KeyValues[i]
		m := k.Result()
		workload.Append(k.Workload)
		via.Append(k.via())
		clients.Append(int64(len(k.Clients)))
		servers.Append(int64(len(k.Servers)))
		chain.Append(int64(k.Chain))
		outstanding.Append(int64(k.Outstanding))
		queries.Append(int64(m.Queries))
		gets.Append(int64(m.Gets))
		appendKnown(rate, m.PerSecond/1e6, m.Queries > 0)
		for n, c := range times {
			if n > 1 && m.Queries == 0 {
				c.to.Append(units.Never)
			} else {
				c.to.Append(c.of(&m))
			}
		}
		service.Append(k.Service)
		each := units.Time(max(1, m.Gets))
		client.Append(m.Client / each)
		server.Append(m.Server / each)
	}
	return t
}

// spreadColumns are the columns of a distribution of times.
func spreadColumns[T any](t *results.Table, prefix, what string, of func(*T) *programs.Spread) []timeColumn[T] {
	return []timeColumn[T]{
		{t.Time(prefix+"_min_us", "shortest of "+what), func(m *T) units.Time { return of(m).Min }},
		{t.Time(prefix+"_avg_us", "mean of "+what), func(m *T) units.Time { return of(m).Mean }},
		{t.Time(prefix+"_median_us", "median of "+what), func(m *T) units.Time { return of(m).Median }},
		{t.Time(prefix+"_p99_us", "what 99 % do not exceed of "+what), func(m *T) units.Time { return of(m).P99 }},
		{t.Time(prefix+"_p999_us", "what 99.9 % do not exceed of "+what), func(m *T) units.Time { return of(m).P999 }},
		{t.Time(prefix+"_max_us", "longest of "+what), func(m *T) units.Time { return of(m).Max }},
	}
}

// via is how a GET is made.
func (k *KeyValue) via() string {
	if k.Reads > 0 {
		return "read"
	}
	return "message"
}

// gist is what clients measured, in a line.
func (k *KeyValue) gist() string {
	m := k.Result()
	if m.Queries == 0 {
		return "no query was answered"
	}
	text := fmt.Sprintf("GET in %s (median), 99 %% within %s: %s network, %s service; %s GETs a second", m.Get.Median.Human(), m.Get.P99.Human(),
		m.Empty.Human(), k.Service.Human(), results.Figure(m.PerSecond))
	if k.Chain > 1 {
		text = fmt.Sprintf("query of %d GETs in %s (median; theory %s); ", k.Chain, m.Query.Median.Human(), m.Bound.Human()) + text
	}
	return text
}
