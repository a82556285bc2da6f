package record_test

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// because is a network, and what its summary must say of it, and may not.
type because struct {
	name string
	run  func(t *testing.T) *record.Run
	want []string
	not  string
}

func check(t *testing.T, cases []because) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			said := strings.Join(c.run(t).Summary().Why, "\n")
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("it does not say\n%s\nbut\n%s", want, said)
				}
			}
			if c.not != "" && strings.Contains(said, c.not) {
				t.Errorf("it speaks of %q:\n%s", c.not, said)
			}
		})
	}
}

func TestTheSummarySaysWhatBoundTheRun(t *testing.T) {
	check(t, []because{
		{"a flow alone", lone, []string{
			"The link h0:0 to s0 bound the run: it was busy for 9",
			"PFC never acted: the priority group nearest to it, s0:0, priority 3, reached 0.",
			"ECN is off.",
			"Congestion control is none: nothing but PFC slows a sender.",
		}, "slowest"},
		{"a flow that waits most of the time", func(t *testing.T) *record.Run {
			net := simtest.Chain(2, 100*units.Gbps, 100*units.Microsecond)
			net.NIC.Window = 4096
			return ended(t, net, "none", simtest.Flow(0, 1, 10*4096))
		}, []string{
			"No link was busy throughout: the busiest, h0:0 to s0, was so for 0.1% of the time",
			"The slowest, flow 0 from h0 to h1, took 9.9 times as long as it would alone, though it met no other. For 90% of its life it was bound by the window.",
		}, ""},
		{"an incast that pauses", paused, []string{
			"The link s0:0 to h0 bound the run: it was busy for 9",
			" times as long as it would alone: it shared s0:0 to h0 with 2 others.",
			"pauses held 3 pairs of port and priority; h",
			"of the time flows were under way.",
		}, ""},
		{"flows that never meet", func(t *testing.T) *record.Run {
			net, flows := incast(4, 100*units.KB)
			flows[0].Start, flows[3].Start = units.Millisecond, 2*units.Millisecond
			return ended(t, net, "none", flows...)
		}, []string{"took 1.7 times as long as it would alone: it shared s0:0 to h0 with 1 other."}, ""},
		{"flows that wait for one pause", stuck, []string{
			"2 of the 2 unfinished flows wait for priority 3, paused at h1:0 by s0 since ",
		}, ""},
		{"nothing to send", func(t *testing.T) *record.Run {
			net := simtest.Chain(1, 100*units.Gbps, units.Microsecond)
			late := simtest.Flow(0, 1, units.MB)
			late.Start, net.Run.Limit = units.Millisecond, units.Microsecond
			return ended(t, net, "none", late)
		}, []string{"Nothing was sent."}, ""},
	})
}

func TestTheSummarySaysWhatEachMechanismDid(t *testing.T) {
	check(t, []because{
		{"a pause of a single port", func(t *testing.T) *record.Run {
			return ended(t, narrowing(t), "none", simtest.Flow(0, 1, units.MB))
		}, []string{"pauses held h0:0, priority 3, for "}, "pairs of port"},
		{"nothing through a switch", func(t *testing.T) *record.Run {
			return ended(t, simtest.Chain(1, 100*units.Gbps, units.Microsecond), "none", simtest.Flow(0, 1, units.MB))
		}, []string{"PFC never acted: no packet of a lossless priority went through a switch."}, ""},
		{"room in the minimum", func(t *testing.T) *record.Run {
			net := simtest.Chain(2, 100*units.Gbps, units.Microsecond)
			net.Fabric.PFC.Minimum = 100 * units.KB
			return ended(t, net, "none", simtest.Flow(0, 1, units.MB))
		}, []string{"PFC never acted: no priority group needed more than its guaranteed minimum."}, ""},
		{"a queue below Kmin", func(t *testing.T) *record.Run { return queued(t, 400*units.KB) }, []string{
			"ECN never marked a packet: the queue nearest to it, s0:0 to h0, priority 3, reached 104KB, 26% of Kmin (400KB).",
			"dcqcn never acted: no receiver saw a marked packet.",
		}, ""},
		{"a queue just above Kmin", func(t *testing.T) *record.Run { return queued(t, 95*units.KB) }, []string{
			"reached 104KB, 109% of Kmin (95KB); just above Kmin a mark is a matter of chance.",
		}, ""},
		{"no queue", func(t *testing.T) *record.Run {
			net := simtest.Chain(1, 100*units.Gbps, units.Microsecond)
			net.Fabric.ECN.Pmax = units.Ratio{Num: 1, Den: 1}
			return ended(t, net, "dcqcn", simtest.Flow(0, 1, units.MB))
		}, []string{"ECN never acted: no queue formed."}, ""},
		{"marks and cuts", marked, []string{
			"ECN acted: switches marked ", " of the data packets arrived with a mark.",
			"dcqcn acted: ", " rate cuts on 4 of 4 queue pairs, after ",
		}, "ECN never"},
		{"DCQCN without ECN", func(t *testing.T) *record.Run {
			net, flows := incast(2, units.MB)
			net.NIC.Control = dcqcn.Kind.Params("scaled")
			return ended(t, net, "dcqcn", flows...)
		}, []string{"ECN is off.", "dcqcn never acted: it waits for ECN marks, and ECN is off."}, ""},
		{"a fixed rate", func(t *testing.T) *record.Run {
			net := simtest.Chain(2, 100*units.Gbps, units.Microsecond)
			net.NIC.Control = &cc.FixedParams{Rate: 10 * units.Gbps}
			return ended(t, net, "fixed", simtest.Flow(0, 1, units.MB))
		}, []string{"Congestion control is fixed: every queue pair keeps its rate, whatever happens.", "No link was busy throughout"}, ""},
	})
}

func TestTheSummarySaysWhatWasLost(t *testing.T) {
	check(t, []because{
		{"PFC off", lossy, []string{
			"PFC is off.", "Congestion control is none and PFC is off: nothing slows a sender.",
			"The buffer had no room for 1 packet of lossy priorities (1 at s0:3, priority 3).",
		}, "PFC did not keep"},
		{"too little headroom", func(t *testing.T) *record.Run {
			net, flows := incast(4, 100*units.KB)
			net.Fabric.PFC.XOFF, net.Fabric.PFC.Headroom, net.NIC.Timeout = 20*units.KB, 5*units.KB, 8
			return ended(t, net, "none", flows...)
		}, []string{
			"PFC did not keep its promise: ", " of a lossless priority found the headroom full (",
			// There and back, a cable of 1 us holds 25000 B; on top come 84 B of PFC frame,
			// three frames of 4174 B, and 20 B around two of them.
			", priority 3, which has 5KB of it; the worst case of its link needs 37.6KB).",
			"Loss was repaired by sending ",
		}, ""},
		{"loss on a cable", func(t *testing.T) *record.Run {
			return faulty(t, 7, func(p *wire.Packet) bool { return p.PSN == 3 })
		}, []string{"Cables lost 1 frame: 1 data.", "Loss was repaired by sending ", " again, after 1 NAK and 0 timeouts."}, ""},
		{"a dead cable", func(t *testing.T) *record.Run {
			return faulty(t, 2, always)
		}, []string{
			"1 flow failed: a queue pair gives up when a packet is still unacknowledged after 2 retransmissions (host.retries), here of 16.4us each.",
		}, "wait for"},
	})
}

func lone(t *testing.T) *record.Run {
	return ended(t, simtest.Chain(2, 100*units.Gbps, units.Microsecond), "none", simtest.Flow(0, 1, units.MB))
}

// lossy has room for one frame of 4 KB more than the wire takes: of three that come
// at once, one is lost, and no timer is set.
func lossy(t *testing.T) *record.Run {
	net, flows := incast(3, 4000)
	net.Fabric.Buffer, net.Fabric.PFC.Lossless = 5*units.KB, 0
	return ended(t, net, "none", flows...)
}

// queued has 25 packets each come from two hosts at once. When the last two come,
// half of the 50 have gone: 25 frames of 4158 B and less wait, 104 KB. Pmax is so low
// that none of them is marked just above Kmin.
func queued(t *testing.T, kmin units.Bytes) *record.Run {
	net, flows := incast(2, 100*units.KB)
	net.Fabric.ECN.Kmin, net.Fabric.ECN.Kmax, net.Fabric.ECN.Pmax = kmin, 2*units.MB, units.Ratio{Num: 1, Den: 1000}
	net.NIC.Control = dcqcn.Kind.Params("scaled")
	return ended(t, net, "dcqcn", flows...)
}

// faulty is a flow of 10 packets whose cable loses the data packets it is told to,
// each the first time only unless all are meant.
func faulty(t *testing.T, retries int, loses func(p *wire.Packet) bool) *record.Run {
	net := simtest.Chain(2, 100*units.Gbps, units.Microsecond)
	net.NIC.Timeout, net.NIC.Retries = 2, retries
	c := net.Cluster(t, simtest.Flow(0, 1, 10*4096))
	seen := map[wire.PSN]int{}
	simtest.Watch(c, c.Net.Graph.Hosts()[0], 0).Lose = func(p *wire.Packet, _ units.Time) bool {
		seen[p.PSN]++
		return loses(p) && (retries < 7 || seen[p.PSN] == 1)
	}
	return finished(t, net, c, "none")
}

// stuck is two flows of one host whose pause does not expire and whose XON is lost.
func stuck(t *testing.T) *record.Run {
	net, flows := incast(2, units.MB)
	net.Fabric.PFC.XOFF, net.Fabric.PFC.Sticky = 50*units.KB, true
	c := net.Cluster(t, flows[0], flows[0], flows[1])
	simtest.Watch(c, c.Net.Graph.Switches()[0], 1).LosePFC = func(f *wire.PFC, _ units.Time) bool { return f.Quanta[3] == 0 }
	return finished(t, net, c, "none")
}

// narrowing is a link of 100 Gb/s into a switch and one of 25 Gb/s out of it.
func narrowing(t *testing.T) *simtest.Net {
	graph, err := topology.New(
		[]topology.Node{{Name: "h0"}, {Name: "h1"}, {Name: "s0", Kind: topology.Switch}},
		[]topology.Link{
			{A: 0, B: 2, Rate: 100 * units.Gbps, Delay: units.Microsecond},
			{A: 1, B: 2, Rate: 25 * units.Gbps, Delay: units.Microsecond},
		})
	if err != nil {
		t.Fatal(err)
	}
	net := simtest.On(graph)
	net.Fabric.PFC.XOFF = 100 * units.KB
	return net
}

func always(*wire.Packet) bool { return true }
