package record_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Each receiver's goodput is over its own time of work, that of all over the time
// of all.
func TestGoodputIsOverTheTimeOfWork(t *testing.T) {
	net := simtest.Star(4, 100*units.Gbps, units.Microsecond)
	early, late := simtest.Flow(0, 1, units.MB), simtest.Flow(2, 3, units.MB)
	late.Start = 900 * units.Microsecond
	g := ended(t, net, "none", early, late).Summary().Goodput
	if g.Payload != 2_000_000 || g.Receivers != 2 {
		t.Errorf("%d bytes to %d receivers", g.Payload, g.Receivers)
	}
	// 1 MB in 81.6 us of wire, 4 us of round trip and half a packet: 93 Gb/s. Both
	// in 986 us: 16.2 Gb/s.
	if own := units.Rate(g.Slowest.Rate); g.Slowest.Rate != g.Fastest.Rate || own < 92*units.Gbps || own > 94*units.Gbps {
		t.Errorf("receivers had %v to %v, want 93Gbps", own, units.Rate(g.Fastest.Rate))
	}
	if all := units.Rate(g.Rate); all < 16*units.Gbps || all > 17*units.Gbps {
		t.Errorf("both had %v, want 16.2Gbps", all)
	}
}

// A receiver that got nothing is one all the same: it is the slowest.
func TestAReceiverOfNothingIsTheSlowest(t *testing.T) {
	net := simtest.Star(4, 100*units.Gbps, units.Microsecond)
	late := simtest.Flow(2, 3, units.MB)
	late.Start, net.Run.Limit = units.Millisecond, 500*units.Microsecond
	s := ended(t, net, "none", simtest.Flow(0, 1, units.MB), late).Summary()
	if g := s.Goodput; g.Receivers != 2 || g.Slowest.Name != "h3" || g.Slowest.Rate != 0 || g.Fastest.Name != "h1" {
		t.Errorf("%d receivers, the slowest %+v", g.Receivers, g.Slowest)
	}
	if s.Outcome != results.TimeLimit || s.Flows != (results.Flows{Total: 2, Done: 1}) {
		t.Errorf("outcome %s, flows %+v", s.Outcome, s.Flows)
	}
	want := []string{"flow 1 from h2 to h3: 1MB left, waits for its start at 1ms"}
	if !slices.Equal(s.Reasons, want) {
		t.Errorf("reasons %q, want %q", s.Reasons, want)
	}
}

func TestAFailedFlowIsNotAnUnfinishedOne(t *testing.T) {
	s := faulty(t, 2, always).Summary()
	if s.Outcome != results.Failed || s.Flows != (results.Flows{Total: 1, Failed: 1}) || s.FCT != nil || s.Slowdown != nil {
		t.Errorf("outcome %s, flows %+v, FCT %v", s.Outcome, s.Flows, s.FCT)
	}
	want := "flow 0 from h0 to h1: 41KB left; its queue pair gave up with RETRY_EXC_ERR"
	if len(s.Reasons) != 1 || s.Reasons[0] != want {
		t.Errorf("reasons %q, want %q", s.Reasons, want)
	}
}

// TestPeaksAreComparedWithTheirThresholds: an incast of three against a static XOFF
// of 50 KB, with Kmin at 30 KB and Kmax at 60 KB.
func TestPeaksAreComparedWithTheirThresholds(t *testing.T) {
	net, flows := incast(3, 500*units.KB)
	net.Fabric.PFC.XOFF = 50 * units.KB
	net.Fabric.ECN.Kmin, net.Fabric.ECN.Kmax, net.Fabric.ECN.Pmax = 30*units.KB, 60*units.KB, units.Ratio{Num: 1, Den: 5}
	s := ended(t, net, "none", flows...).Summary()
	if p := s.PeakQueue; p.Where != "s0:0 to h0, priority 3" || len(p.Limits) != 2 || p.Limits[0].Name != "Kmin" || p.Limits[0].Bytes != 30_000 ||
		p.Limits[1].Name != "Kmax" || p.Limits[1].Bytes != 60_000 || p.Limits[0].Share != float64(p.Bytes)/30_000 {
		t.Errorf("peak queue %+v", p)
	}
	if p := s.PeakIngress; !strings.HasPrefix(p.Where, "s0:") || p.Limits[0].Name != "XOFF" || p.Limits[0].Bytes != 50_000 || p.Limits[0].Share != 1 {
		t.Errorf("peak ingress %+v", p)
	}
	if p := s.PeakHeadroom; p == nil || p.Limits[0].Name != "headroom" || p.Limits[0].Share <= 0 || p.Limits[0].Share > 1 {
		t.Errorf("peak headroom %+v", p)
	}
}

// What was off is told apart from what had nothing to do.
func TestWhatIsOffHasNoFigures(t *testing.T) {
	net := simtest.Chain(2, 100*units.Gbps, units.Microsecond)
	net.Fabric.PFC.Lossless = 0
	if s := ended(t, net, "none", simtest.Flow(0, 1, units.MB)).Summary(); s.Pause != nil || s.ECN != nil || s.PeakIngress != nil || s.PeakHeadroom != nil {
		t.Errorf("pause %v, ECN %v, ingress %v, headroom %v", s.Pause, s.ECN, s.PeakIngress, s.PeakHeadroom)
	}
	if s := lone(t).Summary(); s.Pause == nil || s.Pause.XOFF+s.Pause.XON+s.Pause.Refresh != 0 || s.Pause.PausedPorts != 0 || len(s.Pause.Roots) != 0 {
		t.Errorf("PFC is on and did nothing, pause %+v", s.Pause)
	}
}

// Every plot that was asked for is drawn, or it is said why not.
func TestPlotsAreDrawnOrExplained(t *testing.T) {
	drawn := map[string]string{}
	write := func(name string, content func(io.Writer) error) error {
		var b bytes.Buffer
		err := content(&b)
		drawn[name] = b.String()
		return err
	}
	missing, err := marked(t).Plots("marked", write)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"fct_cdf": "flow completion time", "queue_depth": "s0:0 to h0, priority 3", "qp_rate": "h1 QP 17",
	} {
		if !strings.Contains(drawn["plots/"+name+".svg"], text) || !strings.HasPrefix(drawn["plots/"+name+".png"], "\x89PNG") {
			t.Errorf("%s is not drawn, or does not say %q", name, text)
		}
	}
	if want := []string{"no plot pause: no port was paused"}; !slices.Equal(missing, want) || drawn["plots/pause.svg"] != "" {
		t.Errorf("missing %q, want %q", missing, want)
	}
}

// TestSeriesFollowWhatTheyMeasure: the queue of an incast of two grows and is empty
// at the end; the rates of DCQCN never exceed the line.
func TestSeriesFollowWhatTheyMeasure(t *testing.T) {
	run := marked(t)
	tables := series(run)
	queue := where(rows(t, tables[0]), "node", "s0", "port", "0", "priority", "3")
	var highest int64
	for i, r := range queue {
		highest = max(highest, r.count(t, "queue_bytes"))
		if i > 0 && r.time(t, "time_us") <= queue[i-1].time(t, "time_us") {
			t.Fatalf("times do not ascend at %s", r["time_us"])
		}
		if r.time(t, "time_us")%units.Microsecond != 0 {
			t.Fatalf("sample at %s, want whole microseconds", r["time_us"])
		}
	}
	peak := run.Summary().PeakQueue.Bytes
	if last := queue[len(queue)-1]; last["queue_bytes"] != "0" || highest > peak || 10*highest < 9*peak {
		t.Errorf("the queue ends at %s B and its highest sample is %d B, peak %d B", last["queue_bytes"], highest, peak)
	}
	rates := rows(t, tables[1])
	for _, r := range rates {
		var rate units.Rate
		if err := rate.UnmarshalText([]byte(r["rate_gbps"] + "Gbps")); err != nil || rate > 100*units.Gbps {
			t.Fatalf("rate %s: %v", r["rate_gbps"], err)
		}
	}
	if len(where(rates, "rate_gbps", "100")) == 0 || len(rates) < 20 {
		t.Errorf("%d samples of rates, none at the line", len(rates))
	}
}
