package record_test

import (
	"strconv"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// TestWhatLeavesAPortArrivesAtItsPeer adds up ports.csv: without loss, what one end
// of a cable has sent the other has received.
func TestWhatLeavesAPortArrivesAtItsPeer(t *testing.T) {
	net, flows := incast(4, 200*units.KB)
	run := ended(t, net, "none", flows...)
	list := rows(t, run.Ports())
	if len(list) != 10 {
		t.Fatalf("%d ports, want 4+1 cables with two ends", len(list))
	}
	byName := map[string]row{}
	for _, r := range list {
		byName[r["node"]+":"+r["port"]] = r
	}
	for name, r := range byName {
		peer := byName[r["peer"]]
		if r["tx_packets"] != peer["rx_packets"] || r["tx_bytes"] != peer["rx_bytes"] {
			t.Errorf("%s sent %s packets of %s bytes, %s received %s of %s", name, r["tx_packets"], r["tx_bytes"],
				r["peer"], peer["rx_packets"], peer["rx_bytes"])
		}
	}
	// 200 KB are 49 packets, and one ACK each way back.
	if got := byName["s0:0"].count(t, "tx_packets"); got != 4*49 {
		t.Errorf("%d packets went to h0, want %d", got, 4*49)
	}
	if got := byName["h0:0"].count(t, "tx_packets"); got != 4 {
		t.Errorf("h0 sent %d acknowledgements, want 4", got)
	}
}

func TestUtilisationIsOfTheTimeFlowsWereUnderWay(t *testing.T) {
	net, flows := incast(2, units.MB)
	for i := range flows {
		flows[i].Start = 10 * units.Millisecond // long after the beginning
	}
	run := ended(t, net, "none", flows...)
	// The receiver's link carries 2 MB back to back in 163 us; one round trip of
	// 4 us, half a packet's time and the headers are all that is left.
	for _, r := range where(rows(t, run.Ports()), "node", "s0", "port", "0") {
		if use, _ := strconv.ParseFloat(r["utilisation"], 64); use < 0.97 || use > 1 {
			t.Errorf("utilisation %v, want 0.97 to 1", use)
		}
	}
	s := run.Summary()
	if start, took := units.Time(s.FirstStart), units.Time(s.UnderWay); start != 10*units.Millisecond || start+took != run.Cluster.Transfer(1).End {
		t.Errorf("flows were under way for %v from %v on", took, start)
	}
	if got := units.Rate(s.Goodput.Rate); got < 95*units.Gbps || got > 100*units.Gbps {
		t.Errorf("goodput %v, want near 100Gbps", got)
	}
}

// Drops and marks of ports add up to those of the summary.
func TestPortsAddUpToTheSummary(t *testing.T) {
	net, flows := incast(4, 500*units.KB)
	net.Fabric.Buffer, net.Fabric.PFC.Lossless = 100*units.KB, 0
	net.Fabric.ECN.Kmin, net.Fabric.ECN.Kmax, net.Fabric.ECN.Pmax = 10*units.KB, 20*units.KB, units.Ratio{Num: 1, Den: 1}
	net.NIC.Timeout = 8
	run := ended(t, net, "none", flows...)
	list, s := rows(t, run.Ports()), run.Summary()
	var dropped int64
	for _, d := range s.Drops {
		dropped += d.Packets
	}
	if got := sum(t, list, "dropped_packets"); got != dropped || got == 0 {
		t.Errorf("ports dropped %d packets, the summary has %d", got, dropped)
	}
	if got := sum(t, list, "marked_packets"); got != s.ECN.Marked || got == 0 {
		t.Errorf("ports marked %d packets, the summary has %d", got, s.ECN.Marked)
	}
	if got := sum(t, rows(t, run.Flows()), "retransmitted_bytes"); got != s.Recovery.Retransmitted || got == 0 {
		t.Errorf("flows sent %d bytes again, the summary has %d", got, s.Recovery.Retransmitted)
	}
}
