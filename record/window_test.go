package record_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// oneAfterTheOther is flows of 100 KB, 200 KB … from host 1 to host 0, one every 100 us, on one queue pair.
func oneAfterTheOther(n int) []host.Flow {
	var flows []host.Flow
	for i := range n {
		f := simtest.Flow(1, 0, units.Bytes(i+1)*100*units.KB)
		f.Start, f.Lane = units.Time(i)*100*units.Microsecond, 7
		flows = append(flows, f)
	}
	return flows
}

// windowed is a run of five of them of which a part is measured.
func windowed(t *testing.T, w record.Window) (*record.Run, *results.Summary) {
	t.Helper()
	n := simtest.Star(2, 100*units.Gbps, units.Microsecond)
	c := n.Cluster(t, oneAfterTheOther(5)...)
	w.Note(c)
	r := finished(t, n, c, "none")
	r.Window = w
	return r, r.Summary()
}

// Of five flows the second and the third start in the window, and are over before it ends: 200 KB and 300 KB, from 100 us to the
// end of the third.
func TestOnlyWhatHappensInTheWindowCounts(t *testing.T) {
	r, s := windowed(t, record.Window{From: 100 * units.Microsecond, To: 300 * units.Microsecond})
	if s.Flows.Done != 5 || s.FCT.Samples != 2 || s.Slowdown.Samples != 2 || s.Goodput.Payload != 500_000 {
		t.Errorf("%d flows are done, %d count, with %d bytes of payload", s.Flows.Done, s.FCT.Samples, s.Goodput.Payload)
	}
	want := results.Gbps(float64(500_000*8) / (r.Cluster.Transfer(2).End - 100*units.Microsecond).Seconds())
	if s.Goodput.Rate != want || s.Goodput.Slowest.Rate != want {
		t.Errorf("goodput %v, of the receiver %v; want %v", s.Goodput.Rate, s.Goodput.Slowest.Rate, want)
	}
	if w := *s.Window; w.Flows != 2 || w.From != results.Micros(100*units.Microsecond) || w.To != results.Micros(300*units.Microsecond) {
		t.Errorf("the window is %+v", w)
	}
	for i, row := range rows(t, r.Flows()) {
		if got, want := row["counted"] == "1", i == 1 || i == 2; got != want {
			t.Errorf("flow %d counts: %v, want %v", i, got, want)
		}
	}
	if groups := rows(t, r.SlowdownBySize()); len(groups) != 2 || groups[0]["largest_bytes"] != "200000" || groups[1]["percent"] != "100" {
		t.Errorf("groups by size %v, want one of 200 KB and one of 300 KB", groups)
	}
}

// A window that opens or closes in the middle of a flow takes what was delivered on its side.
func TestGoodputOfAWindowIsWhatIsDeliveredInIt(t *testing.T) {
	const middle = 110 * units.Microsecond // the second flow is under way
	n := simtest.Star(2, 100*units.Gbps, units.Microsecond)
	n.Run.Limit, n.Run.UntilDone = middle, false
	before := sumPayload(t, ended(t, n, "none", oneAfterTheOther(5)...))
	if before <= 100_000 || before >= 300_000 {
		t.Fatalf("%d bytes are delivered by then, want all of the first flow and a part of the second", before)
	}
	if _, s := windowed(t, record.Window{To: middle}); s.Goodput.Payload != before {
		t.Errorf("until then %d bytes, want %d", s.Goodput.Payload, before)
	}
	r, s := windowed(t, record.Window{From: middle, To: units.Never})
	if want := 1_500_000 - before; s.Goodput.Payload != want {
		t.Errorf("from then on %d bytes, want %d", s.Goodput.Payload, want)
	}
	want := results.Gbps(float64((1_500_000-before)*8) / (r.Cluster.Transfer(4).End - middle).Seconds())
	if s.Goodput.Rate != want {
		t.Errorf("goodput %v, want %v: over the time since the window opened", s.Goodput.Rate, want)
	}
}

func TestWithoutAWindowAllFlowsCount(t *testing.T) {
	_, s := windowed(t, record.Window{})
	if s.Window != nil || s.FCT.Samples != 5 || s.Goodput.Payload != 1_500_000 {
		t.Errorf("window %v, %d flows count, with %d bytes", s.Window, s.FCT.Samples, s.Goodput.Payload)
	}
}

// A window changes what is counted and not what happens.
func TestAWindowDoesNotChangeTheRun(t *testing.T) {
	all, _ := windowed(t, record.Window{})
	part, _ := windowed(t, record.Window{From: 105 * units.Microsecond, To: 210 * units.Microsecond})
	if all.Report.Digest != part.Report.Digest || all.Report.Now != part.Report.Now {
		t.Errorf("digest %v at %v, without a window %v at %v", part.Report.Digest, part.Report.Now, all.Report.Digest, all.Report.Now)
	}
}

// The run ends while the second of three flows on one queue pair is under way: the first has all of its payload, the second what
// the receiver has got beyond that, the third none.
func TestFlowsOnOneQueuePairAreDeliveredOneAfterTheOther(t *testing.T) {
	n := simtest.Star(2, 100*units.Gbps, units.Microsecond)
	n.Run.Limit, n.Run.UntilDone = 115*units.Microsecond, false
	flows := oneAfterTheOther(3)
	flows[0], flows[1] = flows[1], flows[0] // listed in another order than they start
	r := ended(t, n, "none", flows...)
	total := sumPayload(t, r)
	for i, want := range []int64{total - 100_000, 100_000, 0} {
		if got := rows(t, r.Flows())[i].count(t, "delivered_bytes"); got != want {
			t.Errorf("flow %d has %d of the %d bytes that came, want %d", i, got, total, want)
		}
	}
	if total <= 100_000 || total >= 300_000 {
		t.Errorf("%d bytes came, want a part of the second flow", total)
	}
}

// sumPayload is the payload that came to all hosts.
func sumPayload(t *testing.T, r *record.Run) int64 {
	t.Helper()
	return int64(counter(t, r, "payload_delivered"))
}
