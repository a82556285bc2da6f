package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// No switch is needed: on a cable of its own every flow takes its ideal time, both ways at once.
func TestHostsWithoutASwitchReachEachOther(t *testing.T) {
	link := topology.HostCable{Rate: gbps100, Delay: 500 * units.Nanosecond}
	for name, network := range map[string]topology.Builder{
		"back to back": &topology.Pair{Link: link}, "mesh of eight": &topology.FullMesh{Hosts: 8, Link: link},
	} {
		n := simtest.Build(network)
		hosts := len(n.Graph.Hosts())
		var flows []host.Flow
		for i := range hosts { // the neighbours of a ring
			flows = append(flows, simtest.Flow(i, (i+1)%hosts, units.MB))
		}
		c, r := n.Do(t, flows...)
		mustBe(t, r, host.Done)
		for flow := range flows {
			bytes, acks := c.Ideal(flow)
			if hosts > 2 { // on a pair, acknowledgements and data of the two flows share the wires
				mustTake(t, c, flow, bytes, acks)
			} else if got := c.Transfer(flow).End; got < acks || got > acks+2*firstFrame {
				t.Errorf("%s: flow %d ends at %v, want %v and a frame or two", name, flow, got, acks)
			}
		}
	}
}

// All-to-all over a full mesh: 7 cables a host, none of which two flows share.
func TestAnAllToAllOverAFullMeshTakesAsLongAsOneFlow(t *testing.T) {
	n := simtest.Build(&topology.FullMesh{Hosts: 8, Link: topology.HostCable{Rate: gbps100, Delay: 500 * units.Nanosecond}})
	var flows []host.Flow
	for a := range 8 {
		for b := range 8 {
			if a != b {
				flows = append(flows, simtest.Flow(a, b, 200*units.KB))
			}
		}
	}
	c, r := n.Do(t, flows...)
	mustBe(t, r, host.Done)
	for flow := range flows {
		_, acks := c.Ideal(flow)
		if got := c.Transfer(flow).End; got < acks || got > acks+2*firstFrame {
			t.Errorf("flow %d ends at %v, want %v and a frame or two of the other direction", flow, got, acks)
		}
	}
}
