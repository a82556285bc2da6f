package record_test

import (
	"strconv"
	"testing"

	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/sim/units"
)

// paused is an incast with a static threshold so low that PFC is all that keeps it
// from loss. A pause of 500 quanta lasts 2.56 us and has to be repeated.
func paused(t *testing.T) *record.Run {
	net, flows := incast(3, 500*units.KB)
	net.Fabric.PFC.XOFF, net.Fabric.PFC.XONOffset, net.Fabric.PFC.Quanta = 50*units.KB, 20*units.KB, 500
	net.Fabric.PFC.Response = -1
	return ended(t, net, "none", flows...)
}

func TestAPauseSentIsAPauseReceived(t *testing.T) {
	run := paused(t)
	list := rows(t, run.PFC())
	ports := run.Cluster.Net.Ports(run.Cluster.Net.Graph.Switches()[0])
	for _, host := range []string{"1", "2", "3"} {
		at, far := where(list, "node", "s0", "port", host)[0], where(list, "node", "h"+host)[0]
		sent := ports[at.count(t, "port")].Counters.PauseTx[3]
		for kind, n := range map[string]uint64{"xoff": sent.XOFF, "refresh": sent.Refresh, "xon": sent.XON} {
			if got := at.count(t, kind+"_tx"); got != int64(n) || got == 0 || far.count(t, kind+"_rx") != got || far[kind+"_tx"] != "0" {
				t.Errorf("s0:%s sent %d %s, of which the table has %d; h%s received %s", host, n, kind, got, host, far[kind+"_rx"])
			}
		}
		if at.count(t, "group_peak_bytes") < 50_000 || at["group_nearest_xoff"] != "1" || at.count(t, "headroom_peak_bytes") == 0 {
			t.Errorf("s0:%s paused h%s, and yet %v", host, host, at)
		}
	}
}

// TestPausedTimeIsTheSumOfThePauses holds to the picosecond, wherever it is told.
func TestPausedTimeIsTheSumOfThePauses(t *testing.T) {
	run := paused(t)
	intervals, counters := rows(t, series(run)[2]), rows(t, run.Counters())
	var all units.Time
	for _, r := range where(rows(t, run.PFC()), "priority", "3") {
		var total units.Time
		for _, p := range where(intervals, "node", r["node"], "port", r["port"], "priority", "3") {
			total += p.time(t, "to_us") - p.time(t, "from_us")
		}
		all += total
		if got := r.time(t, "paused_us"); got != total {
			t.Errorf("%s:%s was paused for %v, its pauses last %v", r["node"], r["port"], got, total)
		}
		for _, c := range where(counters, "node", r["node"], "port", r["port"], "counter", "rx_prio3_pause_duration") {
			if us, _ := strconv.ParseFloat(c["value"], 64); us != total.Microseconds() || c["unit"] != "us" {
				t.Errorf("%s:%s: rx_prio3_pause_duration is %s %s, want %v", r["node"], r["port"], c["value"], c["unit"], total)
			}
		}
	}
	if got := units.Time(run.Summary().Pause.PausedTime); got != all || all == 0 {
		t.Errorf("the summary has %v of pause, the pauses last %v", got, all)
	}
}

// What the switch's port says of the pauses it asked for is what the host's port
// says of those it obeyed.
func TestPauseCountersOfBothEndsAgree(t *testing.T) {
	run := paused(t)
	for tx, rx := range map[string]string{
		"tx_prio3_pause": "rx_prio3_pause", "pfc_xoff_tx": "pfc_xoff_rx", "pfc_xon_tx": "pfc_xon_rx",
		"tx_prio3_pause_duration": "rx_prio3_pause_duration", "pfc_frames_tx": "pfc_frames_rx",
	} {
		if a, b := counter(t, run, tx), counter(t, run, rx); a != b || a == 0 {
			t.Errorf("%s is %v, %s is %v", tx, a, rx, b)
		}
	}
}

// A pause that lasts when the run ends counts up to the end.
func TestAPauseAtTheEndCountsUpToTheEnd(t *testing.T) {
	net, flows := incast(3, units.MB)
	net.Fabric.PFC.XOFF, net.Fabric.PFC.XONOffset = 50*units.KB, 40*units.KB
	net.Run.Limit = 10 * units.Microsecond
	run := ended(t, net, "none", flows...)
	for _, host := range []string{"h1", "h2", "h3"} {
		pauses := where(rows(t, series(run)[2]), "node", host)
		if len(pauses) != 1 || pauses[0].time(t, "to_us") != net.Run.Limit {
			t.Fatalf("%s: %v, want one pause that lasts to the end", host, pauses)
		}
		want := net.Run.Limit - pauses[0].time(t, "from_us")
		r := where(rows(t, run.PFC()), "node", host)[0]
		if got := r.time(t, "paused_us"); got != want || r["xoff_rx"] != "1" || r["xon_rx"] != "0" {
			t.Errorf("%s was paused for %v by %s XOFF and %s XON, want %v by one XOFF", host, got, r["xoff_rx"], r["xon_rx"], want)
		}
	}
}
