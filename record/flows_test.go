package record_test

import (
	"strconv"
	"testing"

	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// TestFlowsBearTheTimesOfBothEnds compares flows.csv with what the NICs know.
func TestFlowsBearTheTimesOfBothEnds(t *testing.T) {
	net, flows := incast(3, 100*units.KB)
	for i := range flows {
		flows[i].Start = units.Time(i) * units.Microsecond
	}
	run := ended(t, net, "none", flows...)
	arrived := map[int]units.Time{}
	for _, h := range run.Cluster.Hosts {
		h.NICs()[0].Deliveries(func(flow int, at units.Time) { arrived[flow] = at })
	}
	list := rows(t, run.Flows())
	if len(list) != 3 {
		t.Fatalf("%d rows, want 3", len(list))
	}
	for i, r := range list {
		end, start := run.Cluster.Transfer(i).End, flows[i].Start
		_, ideal := run.Cluster.Ideal(i)
		for column, want := range map[string]units.Time{
			"start_us": start, "last_byte_us": arrived[i], "last_ack_us": end,
			"fct_us": end - start, "fct_last_byte_us": arrived[i] - start, "ideal_fct_us": ideal,
		} {
			if got := r.time(t, column); got != want {
				t.Errorf("flow %d: %s is %v, want %v", i, column, got, want)
			}
		}
		if slowdown, _ := strconv.ParseFloat(r["slowdown"], 64); slowdown != float64(end-start)/float64(ideal) {
			t.Errorf("flow %d: slowdown %v", i, slowdown)
		}
		if r["status"] != "SUCCESS" || r["waits_for"] != "" || r["payload_bytes"] != "100000" {
			t.Errorf("flow %d: %v", i, r)
		}
	}
}

// TestAFlowAloneTakesItsIdealTime: 2 links of 100 Gb/s and 1 us, MTU 4096. A packet
// of 1000 B has 1000+78+20 B on each wire, 87.84 ns; with the RETH of a WRITE it is
// 16 B more; the ACK has 86 B, 6.88 ns.
func TestAFlowAloneTakesItsIdealTime(t *testing.T) {
	run := ended(t, simtest.Chain(2, 100*units.Gbps, units.Microsecond), "none", simtest.Flow(0, 1, 1000))
	r := rows(t, run.Flows())[0]
	there := 2 * (units.Microsecond + (1000+82+16)*80*units.Picosecond)
	back := 2 * (units.Microsecond + 86*80*units.Picosecond)
	if got := r.time(t, "last_byte_us"); got != there {
		t.Errorf("the last byte came at %v, want %v", got, there)
	}
	if got := r.time(t, "fct_us"); got != there+back || r["slowdown"] != "1" || r["path"] != "h0>s0>h1" {
		t.Errorf("it took %v over %s, slowdown %s; want %v", got, r["path"], r["slowdown"], there+back)
	}
	// 8000 bits in 4.18944 us, rounded down.
	if got := r["goodput_gbps"]; got != "1.909563091" {
		t.Errorf("goodput %s", got)
	}
}

// Flows on one queue pair follow each other in the order in which they start, not
// in that of the list; each has its own times.
func TestFlowsThatShareAQueuePairAreToldApart(t *testing.T) {
	late, early := simtest.Flow(0, 1, 100*units.KB), simtest.Flow(0, 1, 50*units.KB)
	late.Start, late.Lane, early.Lane = units.Millisecond, 1, 1
	early.Messages = 2
	run := ended(t, simtest.Chain(2, 100*units.Gbps, units.Microsecond), "none", late, early)
	list := rows(t, run.Flows())
	if list[0]["qpn"] != list[1]["qpn"] {
		t.Fatal("they have queue pairs of their own")
	}
	for i, r := range list {
		if took := r.time(t, "fct_last_byte_us"); took < 10*units.Microsecond || took > 11*units.Microsecond {
			t.Errorf("flow %d: its last byte came %v after its start, want 10 to 11us for 100 KB", i, took)
		}
	}
}

func TestAnUnfinishedFlowHasNoEnd(t *testing.T) {
	net := simtest.Chain(2, 100*units.Gbps, units.Microsecond)
	net.Run.Limit = 50 * units.Microsecond
	run := ended(t, net, "none", simtest.Flow(0, 1, units.MB))
	r := rows(t, run.Flows())[0]
	for _, column := range []string{"last_byte_us", "last_ack_us", "fct_us", "fct_last_byte_us", "slowdown"} {
		if r[column] != "" {
			t.Errorf("%s is %s though the flow has not ended", column, r[column])
		}
	}
	if got, want := r["goodput_gbps"], strconv.FormatFloat(float64(r.count(t, "delivered_bytes"))*8/50e3, 'f', -1, 64); got != want {
		t.Errorf("goodput %s Gb/s, want that of 50 us: %s", got, want)
	}
	if r["status"] != "UNFINISHED" || r["waits_for"] != "its turn at the port" || r["ideal_fct_us"] == "" {
		t.Errorf("status %s, waits for %s, ideal %s", r["status"], r["waits_for"], r["ideal_fct_us"])
	}
}
