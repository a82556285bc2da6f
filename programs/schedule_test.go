package programs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

const us = units.Microsecond

func calc(d units.Time) schedule.Op { return schedule.Op{Time: d} }

func send(to int32, tag uint32, size units.Bytes) schedule.Op {
	return schedule.Op{Kind: schedule.Send, Peer: to, Tag: tag, Size: size}
}

func recv(from int32, tag uint32, size units.Bytes) schedule.Op {
	return schedule.Op{Kind: schedule.Recv, Peer: from, Tag: tag, Size: size}
}

func onStream(stream uint8, op schedule.Op) schedule.Op {
	op.Stream = stream
	return op
}

// needs is a dependency: after waits for before, to finish or to start.
type needs struct {
	after, before int
	start         bool
}

func graph(ops []schedule.Op, all ...needs) *schedule.Graph {
	b := schedule.NewBuilder()
	for _, op := range ops {
		b.Add(op)
	}
	for _, n := range all {
		if n.start {
			b.IRequires(n.after, n.before)
		} else {
			b.Requires(n.after, n.before)
		}
	}
	g, err := b.Graph()
	if err != nil {
		panic(err)
	}
	return g
}

// inOrder is operations of which each waits for the one before it; apart is operations that wait for nothing.
func inOrder(ops ...schedule.Op) *schedule.Graph {
	var all []needs
	for i := range max(0, len(ops)-1) {
		all = append(all, needs{after: i + 1, before: i})
	}
	return graph(ops, all...)
}

func apart(ops ...schedule.Op) *schedule.Graph { return graph(ops) }

// scheduled is ranks of a job, one at each host, of which nothing costs time but what is set.
func scheduled(t *testing.T, set func(*programs.JobOptions), graphs ...*schedule.Graph) (*simtest.Net, *host.Cluster, *programs.Job) {
	t.Helper()
	net, c, o := jobHosts(t, len(graphs), 1, 1)
	o.InTurn = true
	if set != nil {
		set(&o)
	}
	s := &schedule.Job{Ranks: graphs}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	j, err := programs.NewJob(c, o, s)
	if err != nil {
		t.Fatal(err)
	}
	return net, c, j
}

// What schedules take that can be worked out by hand, in terms of what a message takes through the empty network, with the costs of
// LogGOPS. It is what the bound says as well.
func TestSchedulesTakeWhatCanBeWorkedOutByHand(t *testing.T) {
	_, c, o := jobHosts(t, 3, 1, 1)
	l := func(size units.Bytes) units.Time {
		_, d, err := c.Takes(host.Alone{Size: size + programs.MessageHeader, Class: o.Channel.Data, Sends: true}, 0, 1, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	costs := func(o *programs.JobOptions) {
		o.SendTime, o.ReceiveTime, o.ByteTime = us, 2*us, units.Nanosecond
	}
	gap := func(o *programs.JobOptions) { o.Gap = 5 * us }
	const long = 100_000
	for _, tc := range []struct {
		what   string
		set    func(*programs.JobOptions)
		graphs []*schedule.Graph
		want   units.Time
		crowd  bool
	}{
		{what: "a message", graphs: []*schedule.Graph{apart(send(1, 0, 8)), apart(recv(0, 0, 8))}, want: l(8)},
		{what: "o and O of a message of 1000 bytes", set: costs, graphs: []*schedule.Graph{apart(send(1, 0, 1000)), apart(recv(0, 0, 1000))}, want: us + 999*units.Nanosecond + l(1000) + 2*us + 999*units.Nanosecond},
		{what: "there and back", set: costs, graphs: []*schedule.Graph{inOrder(send(1, 0, 1), recv(1, 0, 1)), inOrder(recv(0, 0, 1), send(0, 0, 1))}, want: 2 * (3*us + l(1))},
		{what: "two messages at once, their processor apart", set: costs, graphs: []*schedule.Graph{apart(send(1, 0, 1), send(1, 1, 1)), apart(recv(0, 0, 1), recv(0, 1, 1))}, want: us + l(1) + 4*us},
		{what: "a send after a calc of its processor", graphs: []*schedule.Graph{apart(calc(10*us), send(1, 0, 8)), apart(recv(0, 0, 8))}, want: 10*us + l(8)},
		{what: "and beside one of another", graphs: []*schedule.Graph{apart(calc(us), onStream(1, send(1, 0, 8))), apart(recv(0, 0, 8))}, want: l(8)},
		{what: "a receive whose processor computes", set: costs, graphs: []*schedule.Graph{apart(send(1, 0, 1)), apart(recv(0, 0, 1), calc(100*us))}, want: 102 * us},
		{what: "calcs of one processor one after the other, of two at once", graphs: []*schedule.Graph{apart(calc(10*us), calc(20*us), onStream(1, calc(25*us))), apart()}, want: 30 * us},
		{what: "what waits for the end of a calc", graphs: []*schedule.Graph{graph([]schedule.Op{calc(10 * us), onStream(1, send(1, 0, 8))}, needs{after: 1, before: 0}), apart(recv(0, 0, 8))}, want: 10*us + l(8)},
		{what: "and for its start", graphs: []*schedule.Graph{graph([]schedule.Op{calc(us), onStream(1, send(1, 0, 8))}, needs{after: 1, before: 0, start: true}), apart(recv(0, 0, 8))}, want: l(8)},
		{what: "a calc that waits for the start of a receive does not wait for its message", graphs: []*schedule.Graph{inOrder(calc(50*us), send(1, 0, 8)), graph([]schedule.Op{recv(0, 0, 8), calc(30 * us)}, needs{after: 1, before: 0, start: true})}, want: 50*us + l(8)},
		{what: "and one that waits for its end does", graphs: []*schedule.Graph{inOrder(calc(50*us), send(1, 0, 8)), inOrder(recv(0, 0, 8), calc(30*us))}, want: 50*us + l(8) + 30*us},
		{what: "a message that nobody has asked for yet", graphs: []*schedule.Graph{apart(send(1, 0, 8)), inOrder(calc(70*us), recv(0, 0, 8))}, want: 70 * us},
		{what: "several of them, taken by tag", set: costs, graphs: []*schedule.Graph{inOrder(send(1, 3, 1), send(1, 4, 1)), inOrder(calc(70*us), recv(0, 4, 1), recv(0, 3, 1))}, want: 74 * us},
		{what: "a wildcard takes the earlier one", graphs: []*schedule.Graph{inOrder(calc(20*us), send(2, 0, 8)), apart(send(2, 0, 8)), inOrder(recv(schedule.Any, 0, 8), calc(40*us), recv(schedule.Any, schedule.AnyTag, 8))}, want: l(8) + 40*us},
		{what: "a long message asks, is answered and comes", graphs: []*schedule.Graph{apart(send(1, 0, long)), apart(recv(0, 0, long))}, want: 2*l(0) + l(long) + l(0)},
		{what: "once there is a receive for it", graphs: []*schedule.Graph{apart(send(1, 0, long)), inOrder(calc(300*us), recv(0, 0, long))}, want: 300*us + l(0) + l(long) + l(0)},
		{what: "another one does not wait behind it", graphs: []*schedule.Graph{apart(send(1, 0, long), send(1, 1, 8)), inOrder(recv(0, 1, 8), calc(300*us), recv(0, 0, long))}, want: l(8) + 300*us + l(0) + l(long) + l(0)},
		{what: "g between messages of a NIC", set: gap, graphs: []*schedule.Graph{apart(send(1, 0, 8), send(1, 1, 8), send(1, 2, 8)), apart(recv(0, 0, 8), recv(0, 1, 8), recv(0, 2, 8))}, want: 10*us + l(8)},
		{what: "g between those that it receives", set: gap, graphs: []*schedule.Graph{apart(send(2, 0, 8)), apart(send(2, 1, 8)), apart(recv(0, 0, 8), recv(1, 1, 8))}, want: l(8) + 5*us, crowd: true},
	} {
		net, c, j := scheduled(t, tc.set, tc.graphs...)
		finish(t, net, c)
		got := j.Result().Step
		// A long message has no header of 32 bytes and is followed by an acknowledgement, which is not quite as long as a question.
		if d := got - tc.want; d < -20*units.Nanosecond || d > 20*units.Nanosecond {
			t.Errorf("%s: %v, want %v", tc.what, got, tc.want)
		}
		// The bound knows nothing of what different senders do to each other at a receiver.
		if d := got - j.Bound; d < -20*units.Nanosecond || d > 20*units.Nanosecond && !tc.crowd {
			t.Errorf("%s: %v, and the bound is %v", tc.what, got, j.Bound)
		}
	}
}

// Ranks that wait for each other say who waits for what.
func TestRanksThatWaitForEachOtherSayForWhat(t *testing.T) {
	const long = 100_000
	for _, tc := range []struct {
		what   string
		graphs []*schedule.Graph
		says   []string
	}{
		{"everyone receives before sending", []*schedule.Graph{inOrder(recv(1, 7, 8), send(1, 7, 8)), inOrder(recv(0, 7, 8), send(0, 7, 8))}, []string{
			"rank 0, 0 of 2 operations done, waits for the message of line 10, operation 0 (recv of 8 bytes from rank 1, tag 7)",
			"rank 1, 0 of 2 operations done, waits for the message of line 20, operation 0 (recv of 8 bytes from rank 0, tag 7)",
		}},
		{"everyone sends a long message before receiving", []*schedule.Graph{inOrder(send(1, 7, long), recv(1, 7, long)), inOrder(send(0, 7, long), recv(0, 7, long))}, []string{
			"rank 0, 0 of 2 operations done, waits for rank 1 to receive line 10, operation 0 (send of 100000 bytes to rank 1, tag 7)",
			"rank 1, 0 of 2 operations done, waits for rank 0 to receive line 20, operation 0 (send of 100000 bytes to rank 0, tag 7)",
		}},
		{"a wildcard has taken the message that another receive waits for", []*schedule.Graph{inOrder(send(2, 1, 8)), inOrder(calc(50*us), send(2, 2, 8)),
			apart(recv(schedule.Any, schedule.AnyTag, 8), recv(0, 1, 8))}, []string{
			"rank 2, 1 of 2 operations done, waits for the message of line 31, operation 1 (recv of 8 bytes from rank 0, tag 1), has a message of rank 1 with tag 2 that it has not asked for",
		}},
	} {
		net, c, j := scheduled(t, func(o *programs.JobOptions) {
			o.Where = func(rank, op int) string { return fmt.Sprintf("line %d", 10*(rank+1)+op) }
		}, tc.graphs...)
		r, err := c.Run(context.Background(), net.Run)
		if err != nil || r.Outcome == host.Done || j.Result().Outcome != programs.Unfinished {
			t.Errorf("%s: %v, %v", tc.what, r.Outcome, err)
		}
		var all []string
		for _, w := range c.ThreadWaits(r.Now) {
			all = append(all, w.Cause)
		}
		for _, text := range tc.says {
			if !strings.Contains(strings.Join(all, "\n"), text) {
				t.Errorf("%s:\ngot  %s\nwant %s", tc.what, strings.Join(all, "\n     "), text)
			}
		}
	}
}

// Messages of a schedule go by the rail that it names: two at once by two rails, and by one of them one after the other.
func TestMessagesGoByTheRailThatTheScheduleNames(t *testing.T) {
	const size = 8 * units.MiB
	rail := func(nic uint8, op schedule.Op) schedule.Op {
		op.NIC = nic
		return op
	}
	for _, tc := range []struct {
		second uint8
		want   float64
	}{{2, 1}, {1, 2}} {
		net, c, o := jobHosts(t, 2, 2, 1)
		j, err := programs.NewJob(c, o, &schedule.Job{Ranks: []*schedule.Graph{
			apart(rail(1, send(1, 0, size)), rail(tc.second, send(1, 1, size))), apart(rail(1, recv(0, 0, size)), rail(tc.second, recv(0, 1, size))),
		}})
		if err != nil {
			t.Fatal(err)
		}
		finish(t, net, c)
		one := (100 * units.Gbps).Serialise(int(float64(size) / goodput))
		if got := float64(j.Result().Step) / float64(one); got < tc.want || got > tc.want*1.01 {
			t.Errorf("by rails 1 and %d: %.3f times what one message takes, want %v", tc.second, got, tc.want)
		}
	}
}

// Whatever ranks send and compute in whatever order, they end if the bound says that they do, and wait for each other for good if it
// says so. There are no wildcards, so that it does not matter who is earlier. NICs send packets of several messages in turn, not one message after the
// other, and some nanoseconds decide which of two operations has a processor first: that is up to 0.7 us for each of 8 messages and up to 1 us for
// each of their ends, earlier or later.
func TestRanksEndIfTheBoundSaysSo(t *testing.T) {
	ends := map[bool]int{}
	rapid.Check(t, func(rt *rapid.T) {
		const ranks = 3
		type item struct {
			op   schedule.Op
			rank int
		}
		var items []item
		for k := range rapid.IntRange(1, 8).Draw(rt, "messages") {
			from := rapid.IntRange(0, ranks-1).Draw(rt, "from")
			to := (from + rapid.IntRange(1, ranks-1).Draw(rt, "to")) % ranks
			size, tag := rapid.SampledFrom([]units.Bytes{0, 8, 8192, 8193}).Draw(rt, "size"), uint32(k%2)
			items = append(items, item{send(int32(to), tag, size), from}, item{recv(int32(from), tag, 8193), to},
				item{onStream(uint8(k%3), calc(units.Time(rapid.IntRange(0, 20).Draw(rt, "calc"))*us)), from})
		}
		var graphs []*schedule.Graph
		strictly := rapid.Bool().Draw(rt, "strictly in order")
		order := rapid.Permutation(items).Draw(rt, "order")
		for rank := range ranks {
			b := schedule.NewBuilder()
			for _, i := range order {
				if i.rank != rank {
					continue
				}
				if at := b.Add(i.op); at > 0 && strictly {
					b.Requires(at, at-1)
				} else if at > 0 && rapid.IntRange(0, 4).Draw(rt, "waits") > 0 {
					if before := rapid.IntRange(max(0, at-2), at-1).Draw(rt, "for"); rapid.Bool().Draw(rt, "to start") {
						b.IRequires(at, before)
					} else {
						b.Requires(at, before)
					}
				}
			}
			g, err := b.Graph()
			if err != nil {
				rt.Fatal(err)
			}
			graphs = append(graphs, g)
		}
		net, c, j := scheduled(t, func(o *programs.JobOptions) { o.SendTime, o.ReceiveTime = us, us/2 }, graphs...)
		r, err := c.Run(context.Background(), net.Run)
		if err != nil {
			rt.Fatal(err)
		}
		ended := r.Outcome == host.Done
		if ends[ended]++; ended != (j.Bound > 0) {
			rt.Fatalf("%v, with a bound of %v: %v", r.Outcome, j.Bound, c.ThreadWaits(r.Now))
		}
		if got := j.Result().Step; ended && (got < j.Bound-15*us || got > j.Bound+15*us) {
			rt.Fatalf("%v, and the bound is %v", got, j.Bound)
		}
	})
	if few := testing.Short(); !few && (ends[true] == 0 || ends[false] == 0) { // a short suite draws 20
		t.Errorf("all of them ended, or none: %v", ends)
	}
}
