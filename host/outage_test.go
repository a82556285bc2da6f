package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// frameStart is when the k-th full frame of a flow alone on its wire is sent, from 0.
func frameStart(k int) units.Time {
	if k == 0 {
		return 0
	}
	return firstFrame + units.Time(k-1)*fullFrame
}

// lost is what all ports lost of a kind for a reason.
func lost(c *host.Cluster, why fabric.Reason, kind fabric.Frame) (packets uint64) {
	for node := range c.Net.Graph.Nodes {
		for port := range c.Net.Ports(node) {
			packets += c.Net.Ports(node)[port].Lost(why, kind).Packets
		}
	}
	return packets
}

// linkBetween is the index of the cable between two nodes.
func linkBetween(t *testing.T, g *topology.Graph, a, b int) int {
	t.Helper()
	for i, l := range g.Links {
		if l.A == a && l.B == b || l.A == b && l.B == a {
			return i
		}
	}
	t.Fatalf("no cable between %d and %d", a, b)
	return 0
}

// down is an outage of a link whose routes never follow.
func down(link int, from, to units.Time) host.Faults {
	return host.Faults{Faults: fabric.Faults{Outages: []fabric.Outage{
		{Link: link, Span: fabric.Span{From: from, To: to}, Convergence: units.Never},
	}}}
}

// The outage begins the moment the last bit of frame 10 is in, and ends the moment
// frame 20 starts: the nine frames between are lost, on the cable or sent onto it. Frame
// 20 shows the receiver the gap.
func TestADeadLinkLosesWhatIsOnItAndWhatIsSentOntoIt(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	n.NIC.Timeout = 8
	from := frameStart(10) + fullFrame + units.Microsecond
	last := 13 // frames 11 to 13 are sent before the outage begins, and are on the cable then
	if frameStart(last) >= from || frameStart(last+1) < from {
		t.Fatalf("frame %d is not the last before the outage", last)
	}
	for _, tc := range []struct {
		from, to units.Time
		want     uint64
	}{
		{from, frameStart(20), 9},
		{from - 1, frameStart(20), 10},
		{from, frameStart(20) + 1, 10},
		{from, from + 1, 3},
	} {
		c := injected(t, n, down(0, tc.from, tc.to), simtest.Flow(0, 1, units.MB))
		mustBe(t, n.Finish(t, c), host.Done)
		if got := lost(c, fabric.LinkDown, fabric.DataFrame); got != tc.want {
			t.Errorf("down from %v to %v: %d frames lost, want %d", tc.from, tc.to, got, tc.want)
		}
		if sent := sender(c, 0); sent.Naks != 1 || sent.Timeouts != 0 {
			t.Errorf("recovered by %+v, want one NAK", sent)
		}
	}
}

// twoWays is two racks of one host, joined over two spines, and a flow from one to the
// other; and the spine that ECMP chooses for it.
func twoWays(t *testing.T) (n *simtest.Net, flow host.Flow, leaf, spine int) {
	link := topology.HostCable{Rate: gbps100, Delay: units.Microsecond}
	n = simtest.Build(&topology.LeafSpine{
		Leaves: 2, Spines: 2, HostsPerLeaf: 1, NICsPerHost: 1, HostLink: link,
		FabricLink: topology.FabricCable{Rate: 4 * gbps100, Delay: units.Microsecond},
	})
	n.NIC.Timeout = 8
	flow = simtest.Flow(0, 1, units.MB)
	path := n.Cluster(t, flow).Path(0)
	return n, flow, path[1].Node, path[2].Node
}

// The uplink that the flow takes goes down for good at 30 us, and routes follow 20 us
// later. What is sent that way until then is lost: a frame each 334 ns, for 20 us and
// the way from the leaf on. Then the flow goes on over the other spine.
func TestRoutesFollowAFailureAfterTheirDelay(t *testing.T) {
	n, flow, leaf, spine := twoWays(t)
	link := linkBetween(t, n.Graph, leaf, spine)
	const at, delay = 30 * units.Microsecond, 20 * units.Microsecond
	faults := down(link, at, units.Never)
	faults.Outages[0].Convergence = delay
	c := injected(t, n, faults, flow)
	mustBe(t, n.Finish(t, c), host.Done)
	// On the uplink a frame takes a quarter of the time, and 1 us: some 63 frames.
	want := uint64((delay + units.Microsecond + fullFrame/4) / fullFrame)
	if got := lost(c, fabric.LinkDown, fabric.DataFrame); got < want || got > want+1 {
		t.Errorf("%d frames lost, want %d or one more", got, want)
	}
	if got := sender(c, 0); got.Timeouts != 0 || got.Naks != 1 {
		t.Errorf("recovered by %+v, want one NAK", got)
	}
	if e := c.Net.Epochs(); len(e) != 1 || e[0].At != at+delay || c.Net.RoutesAt(at+delay-1) != c.Net.Routes || c.Net.RoutesAt(at+delay) != e[0].Routes {
		t.Errorf("epochs %v", e)
	}
	for _, port := range c.Net.Ports(spine) {
		if got := port.Counters.Class[3].Rx.Packets; got > 100 {
			t.Errorf("%d packets came by the spine of the dead link", got)
		}
	}
}

// Down for 10 us every 40 us, three times: routes go back and forth, each time 5 us
// later.
func TestRoutesFollowEveryFlap(t *testing.T) {
	n, flow, leaf, spine := twoWays(t)
	var faults host.Faults
	for k := range units.Time(3) {
		from := 20*units.Microsecond + k*40*units.Microsecond
		faults.Outages = append(faults.Outages, fabric.Outage{
			Link: linkBetween(t, n.Graph, leaf, spine), Convergence: 5 * units.Microsecond,
			Span: fabric.Span{From: from, To: from + 10*units.Microsecond},
		})
	}
	c := injected(t, n, faults, flow)
	mustBe(t, n.Finish(t, c), host.Done)
	epochs := c.Net.Epochs()
	if len(epochs) != 6 {
		t.Fatalf("%d changes of routes, want 6", len(epochs))
	}
	for i, e := range epochs {
		want := units.Time(25+40*(i/2)+10*(i%2)) * units.Microsecond
		if e.At != want || (e.Routes == c.Net.Routes) != (i%2 == 1) || e.Routes != epochs[i%2].Routes {
			t.Errorf("change %d at %v, want %v, away and back by turns", i, e.At, want)
		}
	}
}

// The cable of the receiver is cut for good. First its switch sends onto it, then it has
// no way and drops; the queue pair gives up, and the report says why.
func TestAHostThatIsCutOffHasNoRoute(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	n.NIC.Timeout, n.NIC.Retries = 1, 2
	faults := down(1, 10*units.Microsecond, units.Never)
	faults.Outages[0].Convergence = 10 * units.Microsecond
	c := injected(t, n, faults, simtest.Flow(0, 1, units.MB), simtest.Flow(0, 2, units.MB))
	mustBe(t, n.Finish(t, c), host.Failed)
	if got := c.Transfer(0).Status; got != rnic.RetryExceeded {
		t.Errorf("the flow to it ends with %v", got)
	}
	if got := c.Transfer(1).Status; got != rnic.Success {
		t.Errorf("the flow to its neighbour ends with %v", got)
	}
	if got := c.Net.Ports(3)[0].Counters.NoRoute; got.Packets == 0 {
		t.Errorf("%d packets without a route", got.Packets)
	}
	mustWait(t, c, host.Report{Now: units.Second}, units.MB-units.Bytes(acknowledged(c, 0)), "RETRY_EXC_ERR", "a way to h1, of which switches know none")
}

// acknowledged is the payload of a flow's queue pair that was.
func acknowledged(c *host.Cluster, flow int) int {
	conn := c.Conns[flow]
	return int(conn.From.Acknowledged(conn.FromQP))
}

// Without routes that follow, the dead link itself is named.
func TestADeadLinkIsNamed(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	c := injected(t, n, down(1, 10*units.Microsecond, units.Never), simtest.Flow(0, 1, units.MB))
	r := n.Finish(t, c)
	mustBe(t, r, host.Stalled)
	mustWait(t, c, r, units.MB, "the link at s0:1, which is down")
}

// A switch has h1 paused when their link goes down. Both ends forget: h1 sends into the
// void, the switch asks in vain, and again as soon as the link is up.
func TestALinkThatComesUpIsToldAgainWhatToPause(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.Fabric.PFC.Sticky, n.Fabric.PFC.XOFF = true, 100*units.KB
	const from, to = 50 * units.Microsecond, 60 * units.Microsecond
	c := injected(t, n, down(1, from, to), simtest.Flow(1, 0, units.MB))
	simtest.PauseAtStart(c, 0, 0, 3) // so that nothing leaves the switch
	r := n.Finish(t, c)
	mustBe(t, r, host.Stalled)
	asked, told := c.Net.Ports(2)[1].Counters, c.Net.Ports(1)[0]
	if asked.PauseTx[3].XOFF != 3 || asked.LostPFC != 1 || told.Counters.PauseRx[3].XOFF != 2 {
		t.Errorf("asked %d times, %d lost, told %d times; want 3, 1, 2", asked.PauseTx[3].XOFF, asked.LostPFC, told.Counters.PauseRx[3].XOFF)
	}
	if since := told.PausedSince(3); since < to || since > to+2*units.Microsecond {
		t.Errorf("paused again at %v, want soon after %v", since, to)
	}
	// Frames on the cable at the beginning of the outage, none: h1 was paused. So those
	// that started in its 10 us.
	if got, want := told.Lost(fabric.LinkDown, fabric.DataFrame).Packets, uint64((to-from)/fullFrame)+1; got != want {
		t.Errorf("%d frames into the void, want %d", got, want)
	}
}

// The frame that would have let h1 go on is lost, and pauses do not expire: h1 would
// stand still for ever. A flap of its link lets it go.
func TestAFlapEndsAPauseThatNobodyWouldHaveEnded(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	n.Fabric.PFC.Sticky, n.NIC.AckEvery = true, 1
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 100*units.KB, 20*units.KB
	const from, to = 400 * units.Microsecond, 401 * units.Microsecond
	faults := down(1, from, to)
	faults.Losses = []fabric.Loss{{
		Node: 3, Port: 1, Span: fabric.Span{To: units.Never}, Frames: 1 << fabric.ResumeFrame,
		Pick: &fabric.Pick{First: 1, Every: 1, Count: 1},
	}}
	n.NIC.Timeout = 1
	c := injected(t, n, faults, incast(2, units.MB)...)
	mustBe(t, n.Finish(t, c), host.Done)
	if got := c.Transfer(0).End; got < to {
		t.Errorf("h1 is done at %v, before the flap", got)
	}
}
