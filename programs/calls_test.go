package programs_test

import (
	"context"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// calls has h1, h2 … call h0 over one switch without a pipeline, links of 100 Gb/s and
// 500 ns, with processors that take no time.
func calls(t *testing.T, clients int, o programs.CallOptions, change ...func(*host.Cluster)) programs.CallResult {
	t.Helper()
	net := simtest.Star(clients+1, 100*units.Gbps, 500*units.Nanosecond)
	net.NIC.Timeout = 14
	c := net.Cluster(t)
	for _, f := range change {
		f(c)
	}
	o.Data = simtest.Data
	o.Connections, o.Outstanding, o.Threads, o.Refill = max(o.Connections, 1), max(o.Outstanding, 1), max(o.Threads, 1), max(o.Refill, 1)
	who := make([]int, clients)
	for i := range who {
		who[i] = i + 1
	}
	all, err := programs.NewCalls(c, who, 0, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(context.Background(), net.Run)
	if err != nil || r.Outcome != host.Done {
		t.Fatalf("%v, %v: %v", r.Outcome, err, c.ThreadWaits(r.Now))
	}
	return all.Result()
}

// A call takes the way there and back and what the server thinks; one that READs does not
// ask the server.
func TestACallTakesTheWayThereAndBack(t *testing.T) {
	link := (100 * units.Gbps).Serialise
	for _, tc := range []struct {
		via  programs.Via
		want units.Time
	}{
		// SEND of 64 B: 146 B on the wire. WRITE with immediate: 16 and 4 more. READ: a
		// request of 98 B, a response of 146 and 4.
		{programs.BySend, 4*link(146) + 2*units.Microsecond + 300*units.Nanosecond},
		{programs.ByWriteImm, 4*link(166) + 2*units.Microsecond + 300*units.Nanosecond},
		{programs.ByRead, 2*link(98) + 2*link(150) + 2*units.Microsecond},
	} {
		r := calls(t, 1, programs.CallOptions{Via: tc.via, Calls: 10, Request: 64, Reply: 64, Think: 300 * units.Nanosecond})
		// An acknowledgement may be on the wire when the next message wants to be.
		if r.Calls != 10 || r.Min != tc.want || r.Max > tc.want+link(86) {
			t.Errorf("%v: %d calls of %v to %v, want %v", tc.via, r.Calls, r.Min, r.Max, tc.want)
		}
		think := 10 * 300 * units.Nanosecond
		if tc.via == programs.ByRead {
			think = 0
		}
		if r.Server != think {
			t.Errorf("%v: the server worked for %v, want %v", tc.via, r.Server, think)
		}
	}
}

// A server that thinks bounds the calls of all clients: one each 300 ns, twice as many with
// two threads.
func TestAServerIsBoundByWhatItThinks(t *testing.T) {
	for _, threads := range []int{1, 2} {
		r := calls(t, 8, programs.CallOptions{Calls: 500, Outstanding: 4, Connections: 2, Threads: threads, Request: 64, Reply: 64, Think: 300 * units.Nanosecond})
		want := float64(threads) / 300e-9
		if r.Calls != 8000 || r.PerSecond < 0.98*want || r.PerSecond > want {
			t.Errorf("%d threads: %d calls, %.0f a second, want some %.0f", threads, r.Calls, r.PerSecond, want)
		}
	}
}

// More calls than receive requests: clients are told to wait, and nothing is lost. How
// long they wait is the code of the timer.
func TestCallsWithoutReceiveRequestsWait(t *testing.T) {
	took := map[int]units.Time{}
	for _, code := range []int{1, 12} {
		r := calls(t, 8, programs.CallOptions{
			Calls: 50, Outstanding: 4, Request: 64, Reply: 64, Think: units.Microsecond, Shared: true, Receives: 8, Refill: 4,
			MinRNR: code, RNRRetries: rnic.Infinite,
		})
		if r.Calls != 400 || r.Refused == 0 {
			t.Errorf("code %d: %d calls, refused %d times", code, r.Calls, r.Refused)
		}
		took[code] = r.Ended - r.Begun
	}
	if took[12] < 5*took[1] {
		t.Errorf("with timers of 10 us all calls took %v, with 640 us %v", took[1], took[12])
	}
}

// A client whose message may find no receive request gives up when its retries are
// spent, and says so.
func TestACallerGivesUpWhenNobodyIsReady(t *testing.T) {
	net := simtest.Star(2, 100*units.Gbps, 500*units.Nanosecond)
	c := net.Cluster(t)
	if _, err := programs.NewCalls(c, []int{1}, 0, programs.CallOptions{
		Connections: 1, Outstanding: 8, Calls: 100, Threads: 1, Receives: 1, Refill: 1, Think: 100 * units.Microsecond, MinRNR: 1, RNRRetries: 2, Data: simtest.Data,
	}); err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(context.Background(), net.Run)
	if err != nil || r.Outcome == host.Done {
		t.Fatalf("%v, %v", r.Outcome, err)
	}
	found := false
	for _, w := range c.ThreadWaits(r.Now) {
		found = found || w.Cause == "a SEND ended with RNR_RETRY_EXC_ERR; 0 of 100 calls done" || w.Cause == "a SEND ended with RNR_RETRY_EXC_ERR; 1 of 100 calls done"
	}
	if !found {
		t.Error("nobody says that retries have run out")
	}
}

// Programs of hosts that different workers run, with words of memory, headers and replies
// that travel beside packets, give the same bits on any number of workers.
func TestCallsGiveTheSameBitsOnAnyNumberOfWorkers(t *testing.T) {
	for _, via := range []programs.Via{programs.BySend, programs.ByWriteImm, programs.ByRead} {
		var want programs.CallResult
		for workers := 1; workers <= 4; workers++ {
			net := simtest.Star(9, 100*units.Gbps, 500*units.Nanosecond)
			net.NIC.Timeout, net.NIC.Hardware = 8, hardware.New("connectx6")
			net.Run.Workers = workers
			c := net.Cluster(t)
			for node := range 2 {
				k := 0
				simtest.Watch(c, node, 0).Lose = func(*wire.Packet, units.Time) bool { k++; return k%50 == 0 }
			}
			all, err := programs.NewCalls(c, []int{1, 2, 3, 4, 5, 6, 7, 8}, 0, programs.CallOptions{
				Via: via, Connections: 3, Outstanding: 4, Calls: 40, Request: 64, Reply: 3000, Think: 300 * units.Nanosecond,
				Threads: 2, Shared: true, Receives: 32, Refill: 4, MinRNR: 1, RNRRetries: rnic.Infinite, Data: simtest.Data,
			})
			if err != nil {
				t.Fatal(err)
			}
			for h := range 9 { // words for messages to carry
				for _, at := range []uint64{1 << 40, 1<<40 + 2048} {
					c.Hosts[h].NIC(0).Memory().Store(at, uint64(h+1))
				}
			}
			r := net.Finish(t, c)
			if r.Outcome != host.Done || r.Workers != workers {
				t.Fatalf("%v on %d workers, want %d", r.Outcome, r.Workers, workers)
			}
			switch got := all.Result(); {
			case workers == 1:
				want = got
			case got != want:
				t.Errorf("%v on %d workers: %+v, on one %+v", via, workers, got, want)
			}
		}
	}
}
