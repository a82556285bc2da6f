package host_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// ring is five switches in a ring with a host each, and a flow from each host to the
// next but one: the shortest way is always clockwise, and each cable of the ring
// carries a flow that enters the ring there and one that leaves it behind.
func ring() (*simtest.Net, []host.Flow) {
	const size = 5
	var nodes []topology.Node
	var links []topology.Link
	var flows []host.Flow
	for i := range size {
		nodes = append(nodes, topology.Node{Name: fmt.Sprint("h", i)})
		links = append(links, topology.Link{A: i, B: size + i, Rate: gbps100, Delay: units.Microsecond},
			topology.Link{A: size + i, B: size + (i+1)%size, Rate: gbps100, Delay: units.Microsecond})
		flows = append(flows, simtest.Flow(i, (i+2)%size, units.MB))
	}
	for i := range size {
		nodes = append(nodes, topology.Node{Name: fmt.Sprint("s", i), Kind: topology.Switch})
	}
	g, err := topology.New(nodes, links)
	if err != nil {
		panic(err)
	}
	return simtest.On(g), flows
}

// Each switch of the ring waits for the next one to make room, and repeats its pause
// for ever. Repeated pauses are no progress: the run ends, and each flow names a port
// of the ring. Without PFC nothing waits, and the flows finish.
func TestADeadlockOfPausesIsReported(t *testing.T) {
	n, flows := ring()
	n.Fabric.PFC.XOFF = 50 * units.KB
	c, r := n.Do(t, flows...)
	mustBe(t, r, host.Stalled)
	waits := c.Waits(r.Now)
	if len(waits) != len(flows) {
		t.Fatalf("%d flows wait, want all: %+v", len(waits), waits)
	}
	for _, w := range waits {
		if !strings.Contains(w.Cause, "priority 3, paused at") || w.Left != units.MB {
			t.Errorf("flow %d has %v left and waits for %s", w.Flow, w.Left, w.Cause)
		}
	}
	n, flows = ring()
	n.Fabric.PFC.Lossless = 0
	_, r = n.Do(t, flows...)
	mustBe(t, r, host.Done)
}
