package host_test

import (
	"reflect"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// outcome is all that can be told of a run from outside.
type outcome struct {
	report    host.Report
	transfers []rnic.Transfer
	sent      []rnic.RequesterCounters
	received  []rnic.ResponderCounters
	ports     []books
}

// outcomeOf builds and runs a network with that many workers.
func outcomeOf(t simtest.TB, n simtest.Net, workers int, flows []host.Flow) outcome {
	n.Run.Workers, n.Run.Together = workers, simtest.InTurns()
	c, r := n.Do(t, flows...)
	r.Workers = 0
	o := outcome{report: r}
	for flow := range c.Flows {
		o.transfers = append(o.transfers, *c.Transfer(flow))
		o.sent, o.received = append(o.sent, sender(c, flow)), append(o.received, receiver(c, flow))
	}
	for node := range c.Net.Graph.Nodes {
		for port := range c.Net.Ports(node) {
			o.ports = append(o.ports, booksOf(&c.Net.Ports(node)[port]))
		}
	}
	return o
}

// busy is a fat-tree of 16 hosts in which all send half the network away and to host
// 0, with PFC, ECN and DCQCN acting.
func busy() (*simtest.Net, []host.Flow) {
	n, flows := permutation(4, 1024, 200*units.KB)
	n.Fabric.ECN = fabric.ECN{Kmin: 20 * units.KB, Kmax: 100 * units.KB, Pmax: units.Ratio{Num: 1, Den: 10}}
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 60*units.KB, 20*units.KB
	return n, append(flows, incast(15, 100*units.KB)...)
}

// goldenDigest is the fingerprint of every event of the run below. It stands here so
// that a change of it is noticed: something in the order or the time of events
// changed, and with it the results of every scenario.
const goldenDigest sim.Digest = 0x2e8c9a89d3f202da

// The same events at the same times, and the same books, on 1, 2, 3 and 8 workers, and
// on every machine.
func TestAnyNumberOfWorkersGivesTheSameBits(t *testing.T) {
	n, flows := busy()
	want := outcomeOf(t, *n, 1, flows)
	if c, _ := n.Do(t, flows...); xoffs(c, 3) == 0 || sender(c, 16).CNPs == 0 {
		t.Errorf("%d pauses, %d CNPs: PFC or DCQCN did not act", xoffs(c, 3), sender(c, 16).CNPs)
	}
	if got := want.report.Digest; got != goldenDigest {
		t.Errorf("digest %#x, want %#x", uint64(got), uint64(goldenDigest))
	}
	for _, workers := range []int{2, 3, 8} {
		if got := outcomeOf(t, *n, workers, flows); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: %+v, one worker: %+v", workers, got.report, want.report)
		}
	}
}

// A network that outgrows a cache asks for memory ahead; that of other workers it must
// leave alone, which only the race detector sees.
func TestWorkersDoNotShowInALargeNetwork(t *testing.T) {
	n, flows := permutation(16, 1024, 20*units.KB)
	want := outcomeOf(t, *n, 1, flows)
	if got := outcomeOf(t, *n, 2, flows); !reflect.DeepEqual(got, want) {
		t.Errorf("2 workers: %+v, one worker: %+v", got.report, want.report)
	}
}

func TestWorkersDoNotShowInAnyNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("links of a picosecond make windows of some nanoseconds, and a barrier in each")
	}
	rapid.Check(t, func(t *rapid.T) {
		n := drawNet(t)
		flows := drawFlows(t, n)
		want := outcomeOf(t, *n, 1, flows)
		for _, workers := range []int{2, 3, 8} {
			if got := outcomeOf(t, *n, workers, flows); !reflect.DeepEqual(got, want) {
				t.Fatalf("%d workers: %+v, one worker: %+v", workers, got.report, want.report)
			}
		}
	})
}

// Cables to hosts that are much shorter than others, and hosts that run in the same
// windows as their leaves, show as little; nor do switches that cut through, and links
// that fail.
func TestWorkersDoNotShowOverShortCables(t *testing.T) {
	for name, change := range map[string]func(*simtest.Net){
		"store and forward": func(*simtest.Net) {},
		"cut-through":       func(n *simtest.Net) { n.Fabric.Header = 64 },
		"no pipeline":       func(n *simtest.Net) { n.Fabric.Pipeline = 0 },
		"instant pauses":    func(n *simtest.Net) { n.Fabric.PFC.Response = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			n, flows := realistic(4, 1024, 60*units.KB)
			n.Fabric.ECN = fabric.ECN{Kmin: 20 * units.KB, Kmax: 100 * units.KB, Pmax: units.Ratio{Num: 1, Den: 10}}
			n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 30*units.KB, 10*units.KB
			change(n)
			flows = append(flows, incast(15, 30*units.KB)...)
			want := outcomeOf(t, *n, 1, flows)
			for _, workers := range []int{2, 3, 8} {
				if got := outcomeOf(t, *n, workers, flows); !reflect.DeepEqual(got, want) {
					t.Errorf("%d workers: %+v, one worker: %+v", workers, got.report, want.report)
				}
			}
		})
	}
}

// A resume is all that is on its way, and the next thing to come is 300 us off. The
// windows wait for it: the sender that it lets go is told in time when it has to stop
// again before a link of a quarter of its rate.
func TestAResumeBetweenWorkersIsWaitedFor(t *testing.T) {
	var digests []sim.Digest
	for _, workers := range []int{1, 3} {
		n := line(units.Microsecond, 100, 25)
		n.Run.Workers = workers
		n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 100*units.KB, 20*units.KB
		n.Fabric.PFC.Refresh = units.Ratio{Num: int64(10 * units.Microsecond), Den: int64(longestPause)}
		flow := simtest.Flow(0, 1, units.MB)
		flow.Start = 2 * units.Microsecond
		c := n.Cluster(t, flow)
		simtest.PauseAtStart(c, 2, 0, 3)
		r := n.Finish(t, c)
		mustBe(t, r, host.Done)
		if dropped(c, 3) != 0 || xoffs(c, 3) < 2 {
			t.Errorf("%d workers: %d packets dropped, %d pauses", workers, dropped(c, 3), xoffs(c, 3))
		}
		digests = append(digests, r.Digest)
	}
	if digests[0] != digests[1] {
		t.Errorf("digest %#x with one worker, %#x with three", uint64(digests[0]), uint64(digests[1]))
	}
}

// Another seed throws other ECN coins, another path seed chooses other paths: the
// runs differ, and each of them repeats.
func TestSeedsMatterAndRepeat(t *testing.T) {
	n, flows := busy()
	first := outcomeOf(t, *n, 1, flows)
	if again := outcomeOf(t, *n, 1, flows); !reflect.DeepEqual(again, first) {
		t.Error("the same seeds give another run")
	}
	for name, change := range map[string]func(*fabric.Config){
		"seed":      func(c *fabric.Config) { c.Seed = 2 },
		"path seed": func(c *fabric.Config) { c.PathSeed = 2 },
	} {
		other := *n
		change(&other.Fabric)
		if got := outcomeOf(t, other, 1, flows); got.report.Digest == first.report.Digest {
			t.Errorf("another %s gives the same run", name)
		}
	}
}
