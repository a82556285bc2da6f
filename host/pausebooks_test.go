package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// pausesFrom works out from the PFC frames that left a port when its peer was
// paused in priority 3: from the arrival of a pause to that of a resume, or until
// the quanta of the latest pause have run out.
func pausesFrom(tap *simtest.Tap, flight, lasts units.Time) (sum units.Time, pauses int) {
	var since, until units.Time
	for _, f := range tap.Pauses {
		at := f.At + flight
		if end := min(at, until); end > since && (f.Quanta[3] == 0 || until < at) {
			sum, since, until = sum+end-since, 0, 0
		}
		if f.Quanta[3] != 0 {
			if until == 0 {
				since, pauses = at, pauses+1
			}
			until = at + lasts
		}
	}
	return sum + until - since, pauses
}

// Pauses of 200 quanta, 1.024 us, in an incast of four. What the switch counts as sent
// the host counts as received; the time a host was paused is the sum of the pauses in
// its log, and both are what the frames on the wire make of it, to the picosecond.
func TestPausedTimeIsWhatTheFramesOnTheWireMakeOfIt(t *testing.T) {
	const flight, lasts = pfcFrame + units.Microsecond, 200 * 5120
	n := simtest.Star(5, gbps100, units.Microsecond)
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset, n.Fabric.PFC.Quanta = 100*units.KB, 20*units.KB, 200
	n.Fabric.RecordPauses = true
	c := n.Cluster(t, incast(4, units.MB)...)
	var taps []*simtest.Tap
	for i := range 4 {
		taps = append(taps, simtest.Watch(c, 5, i+1))
	}
	r := n.Finish(t, c)
	mustBe(t, r, host.Done)
	for i, tap := range taps {
		sw, port := c.Net.Ports(5)[i+1].Counters, &c.Net.Ports(i + 1)[0]
		if sw.PauseTx != port.Counters.PauseRx || sw.PFCTx != port.Counters.PFCRx {
			t.Errorf("host %d: sent %+v, received %+v", i+1, sw.PauseTx[3], port.Counters.PauseRx[3])
		}
		got := sw.PauseTx[3]
		want := fabric.PauseCount{XON: uint64(len(tap.XONs(3))), XOFF: got.XOFF, Refresh: uint64(len(tap.XOFFs(3))) - got.XOFF}
		if got != want || got.XOFF == 0 || got.Refresh == 0 {
			t.Errorf("host %d: counted %+v, on the wire %d pauses and %d resumes", i+1, got, len(tap.XOFFs(3)), len(tap.XONs(3)))
		}
		var logged units.Time
		for _, p := range port.Pauses() {
			logged += p.To - p.From
		}
		sum, pauses := pausesFrom(tap, flight, lasts)
		if total := port.PausedFor(3, r.Now); total != sum || logged != sum || len(port.Pauses()) != pauses {
			t.Errorf("host %d: paused for %v, by its log of %d pauses %v; want %v in %d", i+1, total, len(port.Pauses()), logged, sum, pauses)
		}
	}
}
