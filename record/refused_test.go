package record_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// refusing is an incast in a class without PFC, whose queues hold 50 kB.
func refusing(t *testing.T) *record.Run {
	net, flows := incast(3, units.MB)
	net.Fabric.PFC.Lossless, net.NIC.Timeout = 0, 8
	net.Fabric.Egress.Limit = 50 * units.KB
	return ended(t, net, "none", flows...)
}

// sparing is an incast of data that cannot be marked, and that RED therefore drops.
func sparing(t *testing.T, lossless uint8) *record.Run {
	net, flows := incast(3, units.MB)
	net.Fabric.PFC.Lossless, net.NIC.Timeout, net.NIC.NotECT = lossless, 8, true
	net.Fabric.ECN.Kmin, net.Fabric.ECN.Kmax, net.Fabric.ECN.Pmax = 20*units.KB, 40*units.KB, units.Ratio{Num: 1, Den: 2}
	net.Fabric.ECN.DropNotECT = true
	return ended(t, net, "none", flows...)
}

// oversubscribed is an incast of three whose groups draw from headroom for one.
func oversubscribed(t *testing.T) *record.Run {
	net, flows := incast(3, units.MB)
	net.NIC.Timeout = 8
	net.Fabric.PFC.XOFF, net.Fabric.PFC.Headroom, net.Fabric.PFC.HeadroomPool = 50*units.KB, 60*units.KB, 60*units.KB
	return ended(t, net, "none", flows...)
}

func dropsOf(s *results.Summary) map[string]results.Drop {
	by := map[string]results.Drop{}
	for _, d := range s.Drops {
		by[d.Reason] = d
	}
	return by
}

// What queues refuse is told apart from what the buffer has no room for, with the
// queue that refused most.
func TestRefusalsHaveTheirReasons(t *testing.T) {
	r := refusing(t)
	s := r.Summary()
	d := dropsOf(s)
	full := d["egress queue at its limit, lossy priority"]
	if full.Packets == 0 || full.Lossless || d["buffer full, lossy priority"].Packets != 0 {
		t.Errorf("drops %+v", s.Drops)
	}
	ports := where(rows(t, r.Ports()), "node", "s0", "port", "0")[0]
	if ports.count(t, "refused_packets") != full.Packets || ports.count(t, "refused_bytes") != full.Bytes || ports.count(t, "dropped_packets") != 0 {
		t.Errorf("row of the port: %v", ports)
	}
	check(t, []because{
		{"queues at their limit", refusing, []string{
			"Egress queues of lossy priorities at their limit refused ", " at s0:0 to h0, priority 3).",
		}, "had no room"},
		{"data that cannot be marked", func(t *testing.T) *record.Run { return sparing(t, 0) }, []string{
			"RED dropped ", " packets that it would have marked, had they been ECN-capable (",
		}, "had no room"},
		{"headroom that is over-subscribed", oversubscribed, []string{
			"PFC did not keep its promise: ", " Headroom is over-subscribed: s0:", ", priority 3 had some left for ",
			", but the pool of 60KB that it is drawn from was empty.",
		}, ""},
	})
}

// A drop by RED in a lossless class is a loss of that class.
func TestADropByREDBreaksTheLosslessPromise(t *testing.T) {
	for lossless, reason := range map[uint8]string{
		0: "dropped by RED since it could not be marked, lossy priority", 1 << 3: "dropped by RED since it could not be marked, lossless priority",
	} {
		d := dropsOf(sparing(t, lossless).Summary())[reason]
		if d.Packets == 0 || d.Lossless != (lossless != 0) {
			t.Errorf("lossless %08b: %+v", lossless, d)
		}
	}
}
