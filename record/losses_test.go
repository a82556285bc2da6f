package record_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// hurt is a flow of 100 frames from h0 over s0 to h1: the tenth is lost by rule on the
// first link and the twentieth comes with a wrong checksum over the second; the third
// acknowledgement is lost on its way from h1.
func hurt(t *testing.T) *record.Run {
	t.Helper()
	net := simtest.Star(2, 100*units.Gbps, units.Microsecond)
	net.NIC.Timeout, net.NIC.AckEvery = 8, 1
	c := net.Cluster(t, simtest.Flow(0, 1, 100*4096))
	pick := func(node, port int, kind fabric.Frame, nth int64, corrupts bool) fabric.Loss {
		return fabric.Loss{
			Node: node, Port: port, Span: fabric.Span{To: units.Never}, Frames: 1 << kind, Corrupts: corrupts,
			Pick: &fabric.Pick{First: nth, Every: 1, Count: 1},
		}
	}
	err := c.Inject(host.Faults{Faults: fabric.Faults{Losses: []fabric.Loss{
		pick(0, 0, fabric.DataFrame, 10, false), pick(2, 1, fabric.DataFrame, 20, true), pick(1, 0, fabric.AckFrame, 3, false),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return finished(t, net, c, "none")
}

func TestWhatIsLostIsToldByWhyAndWhatItWas(t *testing.T) {
	run := hurt(t)
	s := run.Summary()
	want := []results.Loss{
		{Reason: "lost by rule", Frame: "data", Frames: 1, Bytes: 4158}, {Reason: "lost by rule", Frame: "ack", Frames: 1, Bytes: 66},
		{Reason: "corrupted on a cable (FCS error)", Frame: "data", Frames: 1, Bytes: 4158},
	}
	if !slices.Equal(s.Losses, want) {
		t.Errorf("losses %+v, want %+v", s.Losses, want)
	}
	var reasons []string
	for _, d := range s.Drops {
		if d.Packets > 0 {
			reasons = append(reasons, d.Reason)
		}
		if d.Lossless && d.Packets > 0 {
			t.Errorf("%+v: what a cable loses, PFC has not promised to keep", d)
		}
	}
	if got := strings.Join(reasons, "; "); got != "lost by rule; corrupted on a cable (FCS error)" {
		t.Errorf("drops for %s", got)
	}
	why := strings.Join(s.Why, "\n")
	for _, sentence := range []string{"Rules of the scenario took 2 frames: 1 data, 1 ack.", "1 frame came with a wrong checksum: 1 data."} {
		if !strings.Contains(why, sentence) {
			t.Errorf("it does not say %q:\n%s", sentence, why)
		}
	}
}

// A loss stands at the port that sent, an FCS error at the port that received.
func TestLossesStandAtTheirPorts(t *testing.T) {
	run := hurt(t)
	for _, tc := range []struct {
		node, port string
		lost, fcs  int64
	}{{"h0", "0", 1, 0}, {"h1", "0", 1, 1}, {"s0", "0", 0, 0}, {"s0", "1", 1, 0}} {
		r := where(rows(t, run.Ports()), "node", tc.node, "port", tc.port)[0]
		if lost, fcs := r.count(t, "lost_packets"), r.count(t, "fcs_errors"); lost != tc.lost || fcs != tc.fcs || r.count(t, "no_route_packets") != 0 {
			t.Errorf("%s:%s lost %d and had %d FCS errors, want %d and %d", tc.node, tc.port, lost, fcs, tc.lost, tc.fcs)
		}
	}
	for name, want := range map[string]float64{
		"lost_by_rule_data": 1, "lost_by_rule_ack": 1, "lost_corrupted_data": 1, "rx_crc_errors_phy": 1, "lost_on_cable": 3, "no_route": 0,
	} {
		if got := counter(t, run, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// The receiver is cut off: what is sent onto the dead link and what finds no route are
// different things.
func TestADeadLinkAndNoRouteAreDifferentThings(t *testing.T) {
	net := simtest.Star(2, 100*units.Gbps, units.Microsecond)
	net.NIC.Timeout, net.NIC.Retries = 4, 1
	c := net.Cluster(t, simtest.Flow(0, 1, units.MB))
	err := c.Inject(host.Faults{Faults: fabric.Faults{Outages: []fabric.Outage{
		{Link: 1, Span: fabric.Span{From: 10 * units.Microsecond, To: units.Never}, Convergence: 10 * units.Microsecond},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	run := finished(t, net, c, "none")
	s := run.Summary()
	if s.Outcome != results.Failed {
		t.Errorf("outcome %s", s.Outcome)
	}
	byReason := map[string]int64{}
	for _, d := range s.Drops {
		byReason[d.Reason] = d.Packets
	}
	if dead := counter(t, run, "lost_link_down_data"); dead == 0 || float64(byReason["sent onto a dead link"]) != dead+counter(t, run, "lost_link_down_ack") {
		t.Errorf("%v onto the dead link, drops %v", dead, byReason)
	}
	if none := sum(t, rows(t, run.Ports()), "no_route_packets"); none == 0 || byReason[record.NoRoute] != none {
		t.Errorf("%d without a route, drops %v", none, byReason)
	}
	why := strings.Join(s.Why, "\n")
	for _, sentence := range []string{"Switches changed their routes 1 time, the last one at 20us.", "went onto dead links", "Switches had no route for"} {
		if !strings.Contains(why, sentence) {
			t.Errorf("it does not say %q:\n%s", sentence, why)
		}
	}
}

func TestRestartsAreToldOf(t *testing.T) {
	net := simtest.Star(2, 100*units.Gbps, units.Microsecond)
	net.NIC.Recovery = rnic.GoBackZero
	c := net.Cluster(t, simtest.Flow(0, 1, 100*4096))
	err := c.Inject(host.Faults{Faults: fabric.Faults{Losses: []fabric.Loss{{
		Node: 0, Span: fabric.Span{To: units.Never}, Frames: fabric.AllFrames, Pick: &fabric.Pick{First: 50, Every: 1, Count: 1},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	s := finished(t, net, c, "none").Summary()
	if s.Recovery.Restarts != 1 || !strings.Contains(strings.Join(s.Why, "\n"), "a whole message was begun again (go-back-0), 1 time.") {
		t.Errorf("%d restarts: %v", s.Recovery.Restarts, s.Why)
	}
}
