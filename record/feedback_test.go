package record_test

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// congested is the incast of marked with something changed, in the network or once it
// is built.
func congested(t *testing.T, set func(n *simtest.Net), meddle func(c *host.Cluster)) *record.Run {
	t.Helper()
	like := marked(t)
	n, flows := incast(4, units.MB)
	n.Fabric.ECN, n.NIC.Control, n.NIC.CNPLatency = like.Cluster.Net.Config.ECN, like.Cluster.NIC.Control, 500*units.Nanosecond
	n.Run.Limit = 20 * units.Millisecond
	set(n)
	c := n.Cluster(t, flows...)
	meddle(c)
	return finished(t, n, c, "dcqcn")
}

// Where marks or notifications get lost on their way, the summary says so, and the
// likely reason.
func TestMarkedButNoCNPIsRecognised(t *testing.T) {
	nothing := func(*host.Cluster) {}
	for _, c := range []struct {
		name   string
		set    func(n *simtest.Net)
		meddle func(c *host.Cluster)
		want   string
	}{
		{"the notification point is off", func(n *simtest.Net) { n.NIC.CNPsOff = true }, nothing,
			"with CE and sent no notification, since their notification point is off (host.cnp.enabled)."},
		{"notifications are lost on a cable", func(*simtest.Net) {}, func(c *host.Cluster) {
			simtest.Watch(c, 0, 0).Lose = func(p *wire.Packet, _ units.Time) bool { return p.Op == wire.CNP }
		}, " did not reach their senders: cables lost "},
		{"the class of notifications is paused", func(n *simtest.Net) {
			n.Fabric.PFC.Lossless |= 1 << 6
			n.Fabric.PFC.Sticky = true
		}, func(c *host.Cluster) { simtest.PauseAtStart(c, 5, 0, 6) },
			" did not reach their senders: their priority 6 is paused at h0:0."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := congested(t, c.set, c.meddle)
			s := r.Summary()
			if said := strings.Join(s.Why, "\n"); !strings.Contains(said, "Marked but no CNP: ") || !strings.Contains(said, c.want) ||
				!strings.Contains(said, "dcqcn never ") {
				t.Errorf("it does not say\n%s\nbut\n%s", c.want, said)
			}
			if s.Feedback.Handled != 0 || s.Feedback.Received == 0 || s.Feedback.MarkToCut != nil || !strings.HasPrefix(s.Feedback.Broken, "marked but no CNP") {
				t.Errorf("feedback %+v", s.Feedback)
			}
		})
	}
}

// From mark to cut nothing is lost where nothing is wrong, and the ratios are those of
// the counts.
func TestFeedbackIsFollowedFromMarkToCut(t *testing.T) {
	r := congested(t, func(*simtest.Net) {}, func(*host.Cluster) {})
	f := r.Summary().Feedback
	if f.Received != f.Marked || f.Handled != f.Sent || f.Cuts > f.Handled || f.Cuts == 0 || f.Broken != "" ||
		f.CNPsPerCE != float64(f.Sent)/float64(f.Received) || f.HandledPerCNP != 1 {
		t.Errorf("feedback %+v", f)
	}
	// The switch sends a packet and a notification comes back: at least two links of 1 us
	// and the latency of 500 ns lie between.
	if d := f.MarkToCut; units.Time(d.Min) < 2500*units.Nanosecond || d.Mean < d.Min || d.Max < d.Mean {
		t.Errorf("delays %+v", d)
	}
	var handled, cuts int64
	for _, q := range rows(t, r.QPs()) {
		handled += q.count(t, "cnps_handled")
		cuts += q.count(t, "cuts")
	}
	if handled != f.Handled || cuts != f.Cuts {
		t.Errorf("the queue pairs handled %d notifications with %d cuts, the summary has %d and %d", handled, cuts, f.Handled, f.Cuts)
	}
}

// The watermarks of a group and a queue stand in the counters with their names in SAI.
func TestWatermarksBearTheirNamesInSAI(t *testing.T) {
	r := paused(t)
	list := where(rows(t, r.Counters()), "node", "s0")
	group := where(rows(t, r.PFC()), "node", "s0", "port", "1")[0]
	at := func(port, sai string) row {
		found := where(list, "port", port, "sai_name", sai)
		if len(found) != 1 {
			t.Fatalf("%d counters %s of port %q", len(found), sai, port)
		}
		return found[0]
	}
	for sai, want := range map[string]string{
		"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES": group["headroom_peak_bytes"],
		"SAI_INGRESS_PRIORITY_GROUP_STAT_WATERMARK_BYTES":           group["group_peak_bytes"],
	} {
		if got := at("1", sai)["value"]; got != want || want == "0" {
			t.Errorf("%s is %s, pfc.csv has %s", sai, got, want)
		}
	}
	// The shared bytes stop at the threshold of 50 KB; the frame that crosses it goes to
	// the headroom.
	if got := at("1", "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES").count(t, "value"); got > 50_000 || got <= 50_000-4174 {
		t.Errorf("shared watermark %d B", got)
	}
	if at("0", "SAI_QUEUE_STAT_WATERMARK_BYTES")["counter"] != "queue_peak" || at("1", "SAI_PORT_STAT_PFC_3_TX_PKTS")["counter"] != "tx_prio3_pause" {
		t.Error("queue or pause counters bear other names")
	}
	if _, peak := r.Cluster.Net.Switch(4).SharedPool(); at("", "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES").count(t, "value") != int64(peak) {
		t.Errorf("the pool's watermark is not %d B", peak)
	}
	for _, c := range where(rows(t, r.Counters()), "node", "h1") {
		if c["sai_name"] != "" {
			t.Errorf("a NIC has the counter %s of a switch", c["sai_name"])
		}
	}
}
