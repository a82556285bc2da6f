package host_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// circle is switches in a ring, a host at each, and a flow from each host to the next but
// one.
func circle(size int, routes topology.RoutePolicy, flow units.Bytes) (*simtest.Net, []host.Flow) {
	cable := topology.HostCable{Rate: gbps100, Delay: units.Microsecond}
	n := simtest.Build(&topology.Ring{Switches: size, HostsPerSwitch: 1, NICsPerHost: 1, HostLink: cable, SwitchLink: cable, Routes: routes})
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset, n.NIC.Timeout = 50*units.KB, 10*units.KB, 14
	var flows []host.Flow
	for i := range size {
		flows = append(flows, simtest.Flow(i, (i+2)%size, flow))
	}
	return n, flows
}

// dependencies are those of a cluster's flows.
func dependencies(c *host.Cluster) *topology.Dependencies {
	d := topology.NewDependencies(c.Net.Graph)
	for flow := range c.Flows {
		d.AddPath(c.Path(flow))
	}
	return d
}

// Three, four or five switches in a ring, each with a flow of two hops clockwise, and nothing
// but PFC: the circle of dependencies is there before the run, and in it pauses come to wait
// for each other. The report names the circle as the pauses close it: each group waits for
// the next switch. Retransmission timers run, and cannot help.
func TestPausesInARingDeadlock(t *testing.T) {
	for _, size := range []int{3, 4, 5} {
		n, flows := circle(size, topology.Clockwise, 5*units.MB)
		c := n.Cluster(t, flows...)
		if cycle := dependencies(c).Cycle(); len(cycle) != size {
			t.Errorf("%d switches: dependencies close the circle %v", size, cycle)
		}
		r := n.Finish(t, c)
		mustBe(t, r, host.Stalled)
		if r.Now > 10*units.Millisecond || len(r.Deadlocks) != 1 || r.Deadlocks[0].Until != units.Never {
			t.Fatalf("%d switches: at %v, %+v", size, r.Now, r.Deadlocks)
		}
		cycle := r.Deadlocks[0].Cycle
		if len(cycle) != size {
			t.Errorf("%d switches: deadlock %+v", size, cycle)
		}
		for i, h := range cycle {
			next := cycle[(i+1)%len(cycle)]
			if at := c.Net.Graph.Ports(h.Node)[h.Out]; at.Peer != next.Node || at.PeerPort != next.Port || h.Priority != 3 || h.Bytes == 0 {
				t.Errorf("%+v does not wait for %+v", h, next)
			}
			if c.Net.Graph.Ports(h.Node)[h.Port].Peer < size {
				t.Errorf("%+v is a group of a host: nothing can wait for it", h)
			}
		}
		// Nothing moved from the time it was seen on: no goodput for ever.
		if got := receiver(c, 0).Payload; got == 0 || got == 5_000_000 {
			t.Errorf("%d B delivered", got)
		}
	}
}

// With routes that never go up again once they have gone down the same flows have nothing
// to wait for in a circle, and all end.
func TestUpDownRoutesInARingDoNotDeadlock(t *testing.T) {
	for _, size := range []int{3, 4, 5} {
		n, flows := circle(size, topology.UpDown, 5*units.MB)
		c, r := n.Do(t, flows...)
		mustBe(t, r, host.Done)
		if cycle := dependencies(c).Cycle(); cycle != nil || r.Deadlocks != nil {
			t.Errorf("%d switches: cycle %v, deadlocks %+v", size, cycle, r.Deadlocks)
		}
	}
}

// Flows of one hop around the same ring fill the same cables, and depend on none.
func TestFlowsOfOneHopDoNotDeadlock(t *testing.T) {
	n, flows := circle(5, topology.Clockwise, units.MB)
	for i := range flows {
		flows[i].Dst = (i + 1) % 5
	}
	n.NIC.Ack = simtest.CNP // acknowledgements go the long way around, in a class of their own
	c, r := n.Do(t, flows...)
	mustBe(t, r, host.Done)
	if cycle := dependencies(c).Cycle(); cycle != nil || r.Deadlocks != nil {
		t.Errorf("cycle %v, deadlocks %+v", cycle, r.Deadlocks)
	}
}

// An incast through a Clos is full of pauses that wait for pauses, and none of them in a
// circle: nothing is reported, however often it is looked.
func TestAPauseTreeIsNoDeadlock(t *testing.T) {
	n := simtest.Build(&topology.LeafSpine{
		Leaves: 3, Spines: 2, HostsPerLeaf: 4, NICsPerHost: 1,
		HostLink: topology.HostCable{Rate: gbps100, Delay: 500 * units.Nanosecond}, FabricLink: topology.FabricCable{Rate: gbps100, Delay: 500 * units.Nanosecond},
	})
	n.Fabric.PFC.XOFF = 50 * units.KB
	var flows []host.Flow
	for src := 1; src < 12; src++ {
		flows = append(flows, simtest.Flow(src, 0, 4*units.MB), simtest.Flow(src, (src+5)%12, units.MB))
	}
	c, r := n.Do(t, flows...)
	mustBe(t, r, host.Done)
	if r.Now < 3*units.Millisecond || xoffs(c, 3) < 100 {
		t.Errorf("%d pauses up to %v: not the pauses that were meant", xoffs(c, 3), r.Now)
	}
	if cycle := dependencies(c).Cycle(); cycle != nil || r.Deadlocks != nil {
		t.Errorf("cycle %v, deadlocks %+v", cycle, r.Deadlocks)
	}
}

// A flow beside the ring goes on and ends, however long that takes; then the run has
// stalled, with the deadlock of long before in its report.
func TestADeadlockIsReportedWhileOthersGoOn(t *testing.T) {
	n, flows := circle(5, topology.Clockwise, 5*units.MB)
	beside := simtest.Flow(0, 1, 100*units.MB) // by s0 and s1, in other classes
	n.Fabric.Priorities, n.NIC.Ack = []int{1, 3, 6}, simtest.CNP
	c, r := n.Do(t, append(flows, inClass(beside, 1))...)
	mustBe(t, r, host.Stalled)
	if end := c.Transfer(5).End; end < 8*units.Millisecond || r.Now < end {
		t.Errorf("the flow beside ended at %v, the run at %v", end, r.Now)
	}
	if len(r.Deadlocks) != 1 || r.Deadlocks[0].Since > 3*units.Millisecond {
		t.Errorf("deadlocks %+v, want one within 3ms", r.Deadlocks)
	}
}

// The watchdog throws away what waits in the circle. The deadlock is over, and comes again
// as long as the flows that make it do.
func TestAWatchdogBreaksADeadlockUp(t *testing.T) {
	n, flows := circle(4, topology.Clockwise, units.MB)
	n.NIC.Timeout = 10
	n.Fabric.Watchdog = fabric.Watchdog{
		Enabled: true, Poll: units.Millisecond, Detection: 4 * units.Millisecond, Restoration: units.Millisecond,
	}
	c, r := n.Do(t, flows...)
	mustBe(t, r, host.Done)
	if len(r.Deadlocks) == 0 || r.Deadlocks[0].Until == units.Never {
		t.Fatalf("deadlocks %+v, want one that was broken up", r.Deadlocks)
	}
	first := r.Deadlocks[0]
	var storms []fabric.WatchdogEvent
	for sw := range 4 {
		storms = append(storms, c.Net.Switch(4+sw).WatchdogEvents()...)
	}
	acted := slices.MinFunc(storms, func(a, b fabric.WatchdogEvent) int { return int(a.At - b.At) })
	if first.Until < acted.At || first.Until > acted.At+2*units.Millisecond {
		t.Errorf("the watchdogs act at %v, the deadlock is seen to be over at %v", acted.At, first.Until)
	}
}

// Pauses that never expire are not repeated, so that nothing at all happens any more: the
// deadlock is in the report all the same.
func TestADeadlockOfPausesWithoutExpiryIsNamed(t *testing.T) {
	n, flows := circle(5, topology.Clockwise, 5*units.MB)
	n.Fabric.PFC.Sticky, n.NIC.Timeout = true, 0
	_, r := n.Do(t, flows...)
	mustBe(t, r, host.Stalled)
	if len(r.Deadlocks) != 1 || len(r.Deadlocks[0].Cycle) != 5 {
		t.Errorf("deadlocks %+v", r.Deadlocks)
	}
}
