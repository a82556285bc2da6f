package programs_test

import (
	"context"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/sim/units"
)

// keyValues has clients get values from servers around one switch without a pipeline, at links of
// 100 Gb/s and 500 ns, with processors that take no time but for what options say.
func keyValues(t *testing.T, clients, servers int, o programs.KeyValueOptions) programs.KeyValueResult {
	t.Helper()
	net := simtest.Star(clients+servers, 100*units.Gbps, 500*units.Nanosecond)
	net.NIC.Timeout = 14
	c := net.Cluster(t)
	for i := range servers {
		o.Servers = append(o.Servers, i)
	}
	for i := range clients {
		o.Clients = append(o.Clients, servers+i)
	}
	o.Threads, o.Chain, o.Outstanding = max(o.Threads, 1), max(o.Chain, 1), max(o.Outstanding, 1)
	o.Channel = programs.DefaultChannel()
	o.Channel.Data = simtest.Data
	k, err := programs.NewKeyValue(c, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(context.Background(), net.Run)
	if err != nil || r.Outcome != host.Done {
		t.Fatalf("%v, %v: %v", r.Outcome, err, c.ThreadWaits(r.Now))
	}
	return k.Result()
}

// A key of 32 B and a value of 96 with headers of 32: 146 and 210 B on the wire. A READ of 96 B:
// a request of 98 B and a response of 182.
func TestAQueryTakesItsGETsOneAfterTheOther(t *testing.T) {
	link := (100 * units.Gbps).Serialise
	const service, think = 3 * units.Microsecond, 200 * units.Nanosecond
	message := 2*link(146) + 2*link(210) + 2*units.Microsecond
	read := 2*link(98) + 2*link(182) + 2*units.Microsecond
	for _, tc := range []struct {
		reads int
		get   units.Time
	}{
		{0, message + service}, {1, read}, {2, 2 * read},
	} {
		r := keyValues(t, 1, 2, programs.KeyValueOptions{
			Chain: 4, Queries: 25, Key: 32, Value: 96, Bucket: 96, Service: service, Think: think, Reads: tc.reads,
		})
		// An acknowledgement may be on the wire when a message wants to be.
		if r.Gets != 100 || r.Get.Min < tc.get || r.Get.Max > tc.get+4*link(86) {
			t.Errorf("%d READs: %d GETs of %v to %v, want %v", tc.reads, r.Gets, r.Get.Min, r.Get.Max, tc.get)
		}
		if r.Query.Median < 4*(tc.get+think) || r.Query.Median > 4*(tc.get+think+4*link(86)) {
			t.Errorf("%d READs: a query takes %v, want 4 times %v and what the client thinks", tc.reads, r.Query.Median, tc.get)
		}
		if r.Bound < r.Query.Min-8*link(86) || r.Bound > r.Query.Min+8*link(86) {
			t.Errorf("%d READs: a bound of %v for what takes %v", tc.reads, r.Bound, r.Query.Min)
		}
	}
}

// With more under way than the server can compute at a time it is the server that bounds the rate,
// and what is under way is the product of rate and latency (Little's law).
func TestAServerAnswersAsManyGETsAsItsThreadsHaveTimeFor(t *testing.T) {
	const service = 2 * units.Microsecond
	for _, threads := range []int{1, 3} {
		r := keyValues(t, 6, 1, programs.KeyValueOptions{Queries: 400, Outstanding: 8, Threads: threads, Key: 32, Value: 96, Service: service})
		bound := float64(threads) / service.Seconds()
		if r.PerSecond < bound*0.98 || r.PerSecond > bound {
			t.Errorf("%d threads answer %.0f GETs a second, want %.0f", threads, r.PerSecond, bound)
		}
		if under := r.PerSecond * r.Get.Mean.Seconds(); under < 47 || under > 48.1 {
			t.Errorf("%.2f GETs are under way in the mean, want 6 clients' 8", under)
		}
	}
}
