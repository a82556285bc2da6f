package programs_test

import (
	"context"
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
)

// streams are the random streams of programs.
func streams(name string) programs.Random {
	s := sim.NewStream(1, "programs", name)
	return &s
}

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
	o.Random = streams
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
		if r.UnderWay < 47 || r.UnderWay > 48.1 {
			t.Errorf("%.2f GETs are under way in the mean, want 6 clients' 8", r.UnderWay)
		}
	}
}

// In a closed loop a query follows another at once, so that the sum of their latencies is what all places of queries were taken
// for (Little's law), to the picosecond: by messages and by READs, with think times, chains and PUTs.
func TestLittlesLawIsExactInAClosedLoop(t *testing.T) {
	for _, o := range []programs.KeyValueOptions{
		{Outstanding: 7, Service: 700 * units.Nanosecond},
		{Outstanding: 3, Chain: 3, Think: 300 * units.Nanosecond, Puts: 50},
		{Outstanding: 5, Reads: 2, Bucket: 64, Puts: 30, WritePuts: true},
	} {
		o.Queries, o.Key, o.Value, o.Keys = 60, 32, 96, variate.NewZipf(100, 0.99)
		r := keyValues(t, 4, 2, o)
		if r.Queries != 240 || r.Latencies != r.Held || r.Held == 0 {
			t.Errorf("%d queries of %v together, in places that were taken for %v", r.Queries, r.Latencies, r.Held)
		}
		if r.QueueWait != units.Never { // requests that come at random wait so long, and these do not
			t.Errorf("a wait of %v by the theory of an open loop", r.QueueWait)
		}
		if r.Gets+r.Puts != 240*max(1, o.Chain) || (r.Puts > 0) != (o.Puts > 0) {
			t.Errorf("%d GETs and %d PUTs", r.Gets, r.Puts)
		}
	}
}

// Requests come at random from many clients, and a server's one thread takes 2 us for each: the mean wait is that of M/D/1,
// load/(2(1-load)) of 2 us. Over eight seeds the means of 24,000 requests, which wait because of each other, deviate by 2.6 % and
// 4.8 % at these loads; three times that is allowed.
func TestAnOpenLoopWaitsAsTheoryHasIt(t *testing.T) {
	const service, clients = 2 * units.Microsecond, 8
	for _, tc := range []struct{ load, within float64 }{{0.5, 0.08}, {0.8, 0.15}} {
		r := keyValues(t, clients, 1, programs.KeyValueOptions{
			Queries: 3000, Interval: units.Time(float64(clients*service) / tc.load), Key: 32, Value: 96, Service: service,
		})
		want := tc.load / (2 * (1 - tc.load)) * float64(service)
		if got := float64(r.Wait); math.Abs(got/want-1) > tc.within {
			t.Errorf("at a load of %v GETs wait for %v, want %v", tc.load, r.Wait, units.Time(want))
		}
		if math.Abs(r.Load-tc.load) > 0.03 || math.Abs(r.Offered-tc.load) > 0.001 || math.Abs(float64(r.QueueWait)/want-1) > 0.15 {
			t.Errorf("a load of %.3f, %.3f offered, want %v; theory %v", r.Load, r.Offered, tc.load, r.QueueWait)
		}
	}
}

// A server that is asked for twice as much as it can do falls behind, and latency counts from when a query was to begin: the last of
// some n requests is answered after n times 2 us, when half of that has passed, and the mean is half of what is left. A client that
// measured from when it got to send would not see that.
func TestLatencyOfAnOpenLoopCountsFromTheIntendedStart(t *testing.T) {
	const service, n, clients = 2 * units.Microsecond, 500, 4
	r := keyValues(t, clients, 1, programs.KeyValueOptions{Queries: n, Interval: clients * service / 2, Key: 32, Value: 96, Service: service})
	last := float64(units.Time(r.Queries)*service - n*clients*service/2)
	if got := float64(r.Query.Max); math.Abs(got/last-1) > 0.1 || math.Abs(float64(r.Query.Mean)/(last/2)-1) > 0.1 {
		t.Errorf("the last takes %v and the mean %v, want %v and half of that", r.Query.Max, r.Query.Mean, units.Time(last))
	}
	if r.Offered < 1.9 || r.QueueWait != units.Never {
		t.Errorf("offered %v, theory %v", r.Offered, r.QueueWait)
	}
}

// Keys are drawn by Zipf's law and dealt out by a hash: servers have as much to do as the popularity of their keys says, within
// four standard errors of 8000 draws.
func TestServersHaveToDoWhatTheirKeysArePopularFor(t *testing.T) {
	const n = 8000
	r := keyValues(t, 4, 4, programs.KeyValueOptions{Queries: n / 4, Outstanding: 4, Key: 32, Value: 96, Keys: variate.NewZipf(1000, 0.99), Puts: 50})
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/n) {
			t.Errorf("%s: %.4f, want %.4f", what, got, want)
		}
	}
	near("the most popular key", r.HotShare, r.HotTheory)
	near("PUTs", float64(r.Puts)/n, 0.5)
	sum := 0.0
	for _, s := range r.ByServer {
		near(s.Name, s.Share, s.Theory)
		sum += s.Theory
		if s.Requests != s.Operations {
			t.Errorf("%s answered %d requests for %d operations", s.Name, s.Requests, s.Operations)
		}
	}
	if math.Abs(sum-1) > 1e-9 || math.Abs(r.HotTheory-1/7.7289) > 1e-5 {
		t.Errorf("shares add up to %v; the most popular key has %v", sum, r.HotTheory)
	}
}

// A PUT takes its value to the server: by a message of 32 + 96 B behind a header of 32, 242 B on the wire, or by a WRITE with immediate
// of 128 B, 230; the answer of 8 B is 122. Messages longer than 8 KiB are announced before, a WRITE is not.
func TestAPUTGoesByMessageOrByWriteWithImmediate(t *testing.T) {
	link := (100 * units.Gbps).Serialise
	const way = 2 * units.Microsecond
	put := func(write bool, value units.Bytes) units.Time {
		return keyValues(t, 1, 1, programs.KeyValueOptions{Queries: 20, Puts: 100, WritePuts: write, Key: 32, Value: value}).Put.Min
	}
	for _, tc := range []struct {
		write bool
		wire  int
	}{{false, 82 + 160}, {true, 82 + 16 + 4 + 128}} {
		want := way + 2*link(tc.wire) + 2*link(82+40)
		if got := put(tc.write, 96); got < want || got > want+2*link(86) {
			t.Errorf("by WRITE %v: %v, want %v", tc.write, got, want)
		}
	}
	if more := put(false, 20000) - put(true, 20000); more < way || more > way+units.Microsecond {
		t.Errorf("to announce it takes %v, want a round trip of %v", more, way)
	}
}
