package programs_test

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// byteTime is a byte at 100 Gb/s.
const byteTime = 80 * units.Picosecond

// Bytes on the wire beside the payload: a packet of a message, one with the header of
// WRITE or READ, one with that of an atomic, an acknowledgement, and one that carries what
// an atomic found.
const (
	bare, withRETH, withAtomic, ack, atomicAck = 82, 98, 110, 86, 94
)

// oneWay is the time of a frame through one switch that has no pipeline, over two links of
// 100 Gb/s and 500 ns.
func oneWay(bytes int) units.Time {
	return 2*units.Time(bytes)*byteTime + units.Microsecond
}

// run runs a test between two hosts on one switch, with processors of those costs and
// adapters that take no time.
func run(t *testing.T, cpu host.CPU, o programs.Options, change ...func(*host.Cluster)) (*programs.Perftest, *host.Cluster, host.Report) {
	t.Helper()
	net := simtest.Star(2, 100*units.Gbps, 500*units.Nanosecond)
	net.NIC.Timeout = 14
	c := net.Cluster(t)
	c.CPU = cpu
	o.Data = simtest.Data
	p, err := programs.New(c, 0, 1, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(c)
	}
	return p, c, net.Finish(t, c)
}

// only is the one result of a test that ended well.
func only(t *testing.T, o programs.Options, cpu host.CPU) programs.Result {
	t.Helper()
	p, _, r := run(t, cpu, o)
	if r.Outcome != host.Done || len(p.Results()) != 1 {
		t.Fatalf("%v: %v at %v with %d results", o.Test, r.Outcome, r.Now, len(p.Results()))
	}
	return p.Results()[0]
}

// With hosts and adapters that take no time, latency is the network's: one way for what
// two ends send each other, there and back for what brings its answer along. Where there is no processor
// between a message and its answer, the acknowledgement of the one has just left before the other.
func TestLatencyOfTheNetworkAlone(t *testing.T) {
	for _, c := range []struct {
		o    programs.Options
		want units.Time
	}{
		{programs.Options{Test: programs.WriteLat, Sizes: []units.Bytes{8}}, oneWay(withRETH+8) + ack*byteTime},
		{programs.Options{Test: programs.WriteLat, Sizes: []units.Bytes{8}, Service: rnic.UC}, oneWay(withRETH + 8)},
		{programs.Options{Test: programs.SendLat, Sizes: []units.Bytes{8}}, oneWay(bare+8) + ack*byteTime},
		{programs.Options{Test: programs.SendLat, Sizes: []units.Bytes{8}, Service: rnic.UC}, oneWay(bare + 8)},
		{programs.Options{Test: programs.ReadLat, Sizes: []units.Bytes{8}}, oneWay(withRETH) + oneWay(ack+8)},
		{programs.Options{Test: programs.AtomicLat, Atomic: rnic.FetchAdd}, oneWay(withAtomic) + oneWay(atomicAck)},
		{programs.Options{Test: programs.AtomicLat, Atomic: rnic.CompareSwap}, oneWay(withAtomic) + oneWay(atomicAck)},
	} {
		c.o.Iterations = 100
		l := only(t, c.o, host.CPU{}).Latency
		if l.Max != c.want || l.Typical != c.want || l.P999 != c.want || l.Stdev > units.Nanosecond {
			t.Errorf("%v %v: %+v, want %v throughout", c.o.Test, c.o.Service, *l, c.want)
		}
	}
}

// A processor adds to each latency what it takes to post and to see the answer. The
// completion of a program's own message comes while the other's is under way.
func TestProcessorsAddPostAndPollToLatency(t *testing.T) {
	cpu := host.CPU{Post: 120 * units.Nanosecond, Poll: 60 * units.Nanosecond, PostMore: 30 * units.Nanosecond}
	for _, c := range []struct {
		test programs.Test
		want units.Time
		// processor time of a message at either end: a program of a pair posts, takes its
		// completion and takes the other's message; a SEND takes a receive too.
		client, server units.Time
	}{
		{programs.WriteLat, oneWay(withRETH+8) + 180*units.Nanosecond, 240 * units.Nanosecond, 240 * units.Nanosecond},
		{programs.SendLat, oneWay(bare+8) + 210*units.Nanosecond, 270 * units.Nanosecond, 270 * units.Nanosecond},
		{programs.ReadLat, oneWay(withRETH) + oneWay(ack+8) + 180*units.Nanosecond, 180 * units.Nanosecond, 0},
	} {
		r := only(t, programs.Options{Test: c.test, Sizes: []units.Bytes{8}, Iterations: 1000, RxDepth: 1}, cpu)
		if r.Latency.Typical != c.want {
			t.Errorf("%v: %v, want %v", c.test, r.Latency.Typical, c.want)
		}
		if got := r.Client.PerMessage(1000); got < c.client-c.client/100 || got > c.client {
			t.Errorf("%v: %v of the client for each message, want %v", c.test, got, c.client)
		}
		if got := r.Server.PerMessage(1000); got < c.server-c.server/100 || got > c.server {
			t.Errorf("%v: %v of the server for each message, want %v", c.test, got, c.server)
		}
		if r.Client.Cores != 1 {
			t.Errorf("%v: a client that looks for completions keeps %v cores", c.test, r.Client.Cores)
		}
	}
}

// A program that sleeps is slower by an interrupt on the way to each message, and leaves its core to
// others.
func TestEventsCostAnInterruptAndFreeTheCore(t *testing.T) {
	cpu := host.DefaultCPU()
	o := programs.Options{Test: programs.ReadLat, Sizes: []units.Bytes{8}, Iterations: 100}
	looks := only(t, o, cpu)
	o.Events = true
	sleeps := only(t, o, cpu)
	if got, want := sleeps.Latency.Typical-looks.Latency.Typical, cpu.InterruptDelay+cpu.Interrupt+cpu.Wake; got != want {
		t.Errorf("sleeping takes %v longer, want %v", got, want)
	}
	busy := cpu.Post + cpu.Poll + cpu.Interrupt + cpu.Wake
	if got := sleeps.Client.PerMessage(100); got != busy {
		t.Errorf("%v of processor for each message, want %v", got, busy)
	}
	want := float64(busy) / float64(sleeps.Latency.Typical)
	if got := sleeps.Client.Cores; got < 0.99*want || got > 1.01*want {
		t.Errorf("the client keeps %.3f of a core, want %.3f", got, want)
	}
}

// Messages of 64 KiB on a link of 100 Gb/s: 98.02 Gb/s at MTU 4096, what 16 packets with 82 bytes around
// each and a header of 16 bytes leave of it.
func TestBandwidthOfLongMessagesIsThatOfTheLink(t *testing.T) {
	const size = 64 * units.KiB
	want := float64(size) / float64(15*(4096+bare)+4096+withRETH) * 100e9
	for _, o := range []programs.Options{
		{Test: programs.WriteBW},
		{Test: programs.WriteBW, QPs: 4},
		{Test: programs.WriteBW, Service: rnic.UC},
		{Test: programs.SendBW},
		{Test: programs.ReadBW},
	} {
		o.Iterations = 1000
		b := only(t, o, host.DefaultCPU()).Bandwidth
		if got := float64(b.Average); got < 0.99*want || got > 1.002*want {
			t.Errorf("%v %v, %d queue pairs: %.2f Gb/s, want %.2f", o.Test, o.Service, max(1, o.QPs), got/1e9, want/1e9)
		}
		if b.Peak < b.Average {
			t.Errorf("%v: peak %v below the average %v", o.Test, b.Peak, b.Average)
		}
	}
}

// Both ends of a bidirectional test send at once, and the result is the sum.
func TestBidirectionalBandwidthIsTheSum(t *testing.T) {
	for _, test := range []programs.Test{programs.WriteBW, programs.SendBW, programs.ReadBW} {
		one := only(t, programs.Options{Test: test, Iterations: 500}, host.DefaultCPU()).Bandwidth
		both := only(t, programs.Options{Test: test, Iterations: 500, Bidirectional: true}, host.DefaultCPU()).Bandwidth
		// The acknowledgements of one direction take up to 2 % of the other; READ has none.
		if ratio := float64(both.Average) / float64(one.Average); ratio < 1.94 || ratio > 2.001 {
			t.Errorf("%v: %v both ways, %v one way", test, both.Average, one.Average)
		}
	}
}

// The message rate of small messages from one thread is what its core can post: one in
// 120 ns and a completion of 60 ns for every hundred; lists of 32 under one doorbell take 120 + 31 x 30 ns.
func TestMessageRateOfAThreadIsWhatItsCoreCanPost(t *testing.T) {
	cpu := host.DefaultCPU()
	for _, c := range []struct {
		list int
		each float64 // ns
	}{{1, 120.6}, {32, (120 + 31*30 + 60) / 32.0}} {
		r := only(t, programs.Options{Test: programs.WriteBW, Sizes: []units.Bytes{64}, PostList: c.list}, cpu)
		want := 1e9 / c.each
		if got := r.Bandwidth.MessageRate; got < 0.98*want || got > 1.02*want {
			t.Errorf("lists of %d: %.3f Mpps, want %.3f", c.list, got/1e6, want/1e6)
		}
	}
}

// A message that an unreliable connection loses is one for which both ends wait for ever. The report says
// who waits for what, and how far each is.
func TestALostMessageStallsATestAndTheReportSaysHow(t *testing.T) {
	pings := 0
	p, c, r := run(t, host.CPU{}, programs.Options{Test: programs.SendLat, Service: rnic.UC}, func(c *host.Cluster) {
		simtest.Watch(c, c.Net.Graph.Hosts()[0], 0).Lose = func(p *wire.Packet, _ units.Time) bool {
			pings++
			return pings == 4
		}
	})
	if r.Outcome != host.Stalled || len(p.Results()) != 0 {
		t.Fatalf("%v with %d results, want a stall with none", r.Outcome, len(p.Results()))
	}
	var told []string
	for _, w := range c.ThreadWaits(r.Now) {
		told = append(told, w.Thread.Name()+" "+w.Host+" "+w.Cause)
	}
	want := "ib_send_lat client h0 waits for a receive completion; 3 of 1000 iterations done\n" +
		"ib_send_lat server h1 waits for a receive completion; 3 of 1000 iterations done"
	if got := strings.Join(told, "\n"); got != want {
		t.Errorf("the report says\n%s\nwant\n%s", got, want)
	}
}

// A peer that is not there any more ends a test with the status of verbs.
func TestADeadPeerEndsATestWithTheStatusOfVerbs(t *testing.T) {
	p, c, r := run(t, host.CPU{}, programs.Options{Test: programs.ReadLat}, func(c *host.Cluster) {
		simtest.Watch(c, c.Net.Graph.Hosts()[1], 0).Lose = func(p *wire.Packet, now units.Time) bool { return now > 10*units.Microsecond }
	})
	if r.Outcome != host.Failed || len(p.Results()) != 0 {
		t.Fatalf("%v with %d results, want a failure with none", r.Outcome, len(p.Results()))
	}
	// A round trip takes 2022.88 ns: the fifth answer is sent after 9.1 us, the sixth would be after
	// 10 us, and the client sends its request 8 times.
	want := "a RDMA_READ ended with RETRY_EXC_ERR; 5 of 1000 iterations done"
	if w := c.ThreadWaits(r.Now); len(w) != 1 || !w[0].Failed || w[0].Cause != want {
		t.Errorf("the report says %+v, want %q", w, want)
	}
}

// The sizes of a sweep follow each other on the same queue pairs, each measured as alone.
func TestSizesOfASweepAreMeasuredOneAfterTheOther(t *testing.T) {
	for _, test := range []programs.Test{programs.WriteLat, programs.SendLat, programs.ReadLat, programs.SendBW} {
		p, _, r := run(t, host.DefaultCPU(), programs.Options{Test: test, Sizes: []units.Bytes{2, 4096, 16384}, Iterations: 50, RxDepth: 8})
		results := p.Results()
		if r.Outcome != host.Done || len(results) != 3 {
			t.Fatalf("%v: %v with %d results", test, r.Outcome, len(results))
		}
		for i, m := range results {
			if i > 0 && m.Begun < results[i-1].Ended+programs.Pause {
				t.Errorf("%v: %v begun at %v, %v ended at %v", test, m.Size, m.Begun, results[i-1].Size, results[i-1].Ended)
			}
			alone := only(t, programs.Options{Test: test, Sizes: []units.Bytes{m.Size}, Iterations: 50, RxDepth: 8}, host.DefaultCPU())
			if m.Latency != nil && m.Latency.Typical != alone.Latency.Typical {
				t.Errorf("%v: %v takes %v in the sweep and %v alone", test, m.Size, m.Latency.Typical, alone.Latency.Typical)
			}
		}
	}
}

// A datagram has one packet, and no acknowledgement.
func TestDatagramsAreMeasured(t *testing.T) {
	l := only(t, programs.Options{Test: programs.SendLat, Service: rnic.UD, Sizes: []units.Bytes{8}, Iterations: 50}, host.CPU{}).Latency
	if want := oneWay(bare + 8 + 8); l.Typical != want { // DETH: 8 bytes
		t.Errorf("SEND of 8 B on UD: %v, want %v", l.Typical, want)
	}
}
