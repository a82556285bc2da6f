package record_test

import (
	"maps"
	"testing"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// marked is an incast under DCQCN with thresholds that it exceeds.
func marked(t *testing.T) *record.Run {
	net, flows := incast(4, units.MB)
	net.Fabric.ECN.Kmin, net.Fabric.ECN.Kmax, net.Fabric.ECN.Pmax = 20*units.KB, 80*units.KB, units.Ratio{Num: 1, Den: 5}
	net.NIC.Control, net.NIC.CNPLatency = dcqcn.Kind.Params("scaled"), 500*units.Nanosecond
	return ended(t, net, "dcqcn", flows...)
}

// The names that dashboards of production networks look for are there.
func TestCountersBearTheNamesOfProduction(t *testing.T) {
	list := rows(t, marked(t).Counters())
	for _, name := range []string{
		"rx_prio3_packets", "rx_prio3_bytes", "tx_prio3_packets", "tx_prio3_bytes",
		"rx_prio3_pause", "rx_prio3_pause_duration", "tx_prio3_pause", "tx_prio3_pause_duration",
		"np_ecn_marked_roce_packets", "np_cnp_sent", "rp_cnp_handled", "out_of_sequence", "duplicate_request",
		"packet_seq_err", "local_ack_timeout_err",
	} {
		if len(where(list, "node", "h0", "port", "0", "counter", name)) != 1 {
			t.Errorf("h0:0 has no counter %s, or several", name)
		}
	}
	for _, name := range []string{"ecn_marked", "dropped", "queue_peak", "tx_prio6_packets"} {
		if len(where(list, "node", "s0", "port", "0", "counter", name)) == 0 {
			t.Errorf("s0:0 has no counter %s", name)
		}
	}
	seen := map[[4]string]bool{}
	for _, r := range list {
		key := [4]string{r["node"], r["port"], r["priority"], r["counter"]}
		if seen[key] {
			t.Errorf("%v stands in the table twice", key)
		}
		seen[key] = true
		if r["unit"] == "" || r["value"] == "" {
			t.Errorf("%v has value %q in unit %q", key, r["value"], r["unit"])
		}
	}
}

// Each mark is seen once, and each notification sent is handled: nothing is lost.
func TestMarksAndNotificationsAreCountedAtBothEnds(t *testing.T) {
	run := marked(t)
	s := run.Summary()
	at := func(name string) int64 { return int64(counter(t, run, name)) }
	if seen := at("np_ecn_marked_roce_packets"); seen != at("ecn_marked") || seen != s.ECN.MarkedData || seen == 0 {
		t.Errorf("switches marked %d packets, receivers saw %d, the summary has %d", at("ecn_marked"), seen, s.ECN.MarkedData)
	}
	if sent := at("np_cnp_sent"); sent != at("rp_cnp_handled") || sent != s.CongestionControl.CNPsSent || sent == 0 || sent > s.ECN.MarkedData {
		t.Errorf("%d notifications were sent for %d marks, %d handled, %d in the summary", sent, s.ECN.MarkedData,
			at("rp_cnp_handled"), s.CongestionControl.CNPsSent)
	}
	for node, want := range map[string][2]bool{"h0": {true, false}, "h1": {false, true}} {
		for i, name := range []string{"np_cnp_sent", "rp_cnp_handled"} {
			if got := where(rows(t, run.Counters()), "node", node, "counter", name)[0]["value"] != "0"; got != want[i] {
				t.Errorf("%s has counted %s: %v", node, name, got)
			}
		}
	}
	if sent := at("tx_prio6_packets"); sent != 2*s.CongestionControl.CNPsSent {
		t.Errorf("%d packets were sent in the priority of notifications, want two hops each for %d", sent, s.CongestionControl.CNPsSent)
	}
	if data := at("data_packets_sent"); data != 4*245 || data != s.ECN.Data {
		t.Errorf("%d data packets were sent, %d arrived; 4 MB are 980", data, s.ECN.Data)
	}
}

// TestLossShowsInTheCountersOfRecovery loses the third of ten packets once, and the
// last of them once: a gap that a NAK reports, and one that only the timer finds.
func TestLossShowsInTheCountersOfRecovery(t *testing.T) {
	net := simtest.Chain(2, 100*units.Gbps, units.Microsecond)
	net.NIC.Timeout = 4 // 65.536 us
	c := net.Cluster(t, simtest.Flow(0, 1, 10*4096))
	lost := map[wire.PSN]bool{}
	simtest.Watch(c, c.Net.Graph.Hosts()[0], 0).Lose = func(p *wire.Packet, _ units.Time) bool {
		first := (p.PSN == 2 || p.PSN == 9) && p.Op.IsData() && !lost[p.PSN]
		lost[p.PSN] = true
		return first
	}
	run := finished(t, net, c, "none")
	// PSNs 3 to 8 come behind the gap; 9 is lost the first time, so that after
	// going back to 2 nothing is missing, or it is lost then.
	for name, want := range map[string]float64{"packet_seq_err": 1, "lost_on_cable": 2, "duplicate_request": 0} {
		if got := counter(t, run, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got := counter(t, run, "out_of_sequence"); got != 6 {
		t.Errorf("out_of_sequence is %v, want 6", got)
	}
	s := run.Summary()
	if got := counter(t, run, "data_packets_retransmitted"); got != 8 || s.Recovery.Retransmitted != 8*4096 {
		t.Errorf("%v packets of %d bytes were sent again, want the 8 from PSN 2 on", got, s.Recovery.Retransmitted)
	}
}

func TestATimeoutIsCounted(t *testing.T) {
	net := simtest.Chain(2, 100*units.Gbps, units.Microsecond)
	net.NIC.Timeout = 4
	c := net.Cluster(t, simtest.Flow(0, 1, 1000))
	lost := false
	simtest.Watch(c, c.Net.Graph.Hosts()[0], 0).Lose = func(*wire.Packet, units.Time) bool {
		first := !lost
		lost = true
		return first
	}
	run := finished(t, net, c, "none")
	if got := counter(t, run, "local_ack_timeout_err"); got != 1 || run.Summary().Recovery.Timeouts != 1 {
		t.Errorf("%v timeouts, want 1", got)
	}
}

// Of ports at which nothing happened all counters are 0. The table knows them, so that an expectation can ask for them;
// the file would be of little else in a large network of which few hosts talk.
func TestPortsAtWhichNothingHappenedAreLeftOutOfTheFileOfCounters(t *testing.T) {
	run := ended(t, simtest.Star(4, 100*units.Gbps, units.Microsecond), "none", simtest.Flow(0, 1, units.MB))
	written := map[string]bool{}
	for _, r := range rows(t, run.Counters()) {
		written[r["node"]+":"+r["port"]] = true
	}
	if want := map[string]bool{"h0:0": true, "h1:0": true, "s0:0": true, "s0:1": true, "s0:": true}; !maps.Equal(written, want) {
		t.Errorf("ports %v are written, want %v", written, want)
	}
	table := run.Counters()
	all, err := table.Rows()
	if err != nil {
		t.Fatal(err)
	}
	idle := 0
	for row := range all {
		if table.Column("node").Cell(row) != "h3" {
			continue
		}
		idle++
		if value, ok := table.Column("value").Number(row); !ok || value != 0 {
			t.Errorf("%s of h3 is %v", table.Column("counter").Cell(row), value)
		}
	}
	if idle == 0 {
		t.Error("the table has no counter of h3")
	}
}
