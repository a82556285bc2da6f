package record_test

import (
	"io"
	"strconv"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/sim/units"
)

// sampled is an incast of which some series are recorded.
func sampled(t *testing.T, set func(n *simtest.Net), series ...string) *record.Run {
	t.Helper()
	n, flows := incast(3, 300*units.KB)
	set(n)
	r := finished(t, n, n.Cluster(t, flows...), "none")
	r.Series = map[string]bool{}
	for _, s := range series {
		r.Series[s] = true
	}
	return r
}

// only is the table of a run that has one series.
func only(t *testing.T, r *record.Run) []row {
	t.Helper()
	tables := series(r)
	if len(tables) != 1 {
		t.Fatalf("%d tables", len(tables))
	}
	return rows(t, tables[0])
}

// What a queue is at any instant of a grid is what it last changed to.
func TestChangesAndSamplesTellTheSame(t *testing.T) {
	queue := func(period units.Time) []row {
		return only(t, sampled(t, func(n *simtest.Net) { n.Fabric.QueueSamples = period }, record.QueueDepth))
	}
	changes, samples := queue(fabric.OnChange), queue(700*units.Nanosecond)
	if len(changes) <= len(samples) || len(samples) < 20 {
		t.Fatalf("%d changes, %d samples", len(changes), len(samples))
	}
	for _, s := range samples {
		level := "0"
		for _, c := range where(changes, "node", s["node"], "port", s["port"], "priority", s["priority"]) {
			if c.time(t, "time_us") <= s.time(t, "time_us") {
				level = c["queue_bytes"]
			}
		}
		if level != s["queue_bytes"] {
			t.Errorf("at %s us queue %s:%s is sampled with %s B, and changed to %s B before", s["time_us"], s["node"], s["port"], s["queue_bytes"], level)
		}
	}
}

// A dynamic threshold is an eighth of what is free of the pool (Choudhury and Hahne): the
// pool less what all groups hold. All series of a switch have one clock, so that levels
// at one instant can be added up.
func TestThresholdsMoveWithWhatIsFree(t *testing.T) {
	r := sampled(t, func(n *simtest.Net) { n.Fabric.GroupSamples = fabric.OnChange }, record.PGOccupancy)
	pool, _ := r.Cluster.Net.Switch(r.Cluster.Net.Graph.Switches()[0]).SharedPool()
	list, held := only(t, r), map[string]int64{}
	if len(list) < 100 {
		t.Fatalf("%d rows", len(list))
	}
	for i := 0; i < len(list); {
		from := i
		for ; i < len(list) && list[i]["time_us"] == list[from]["time_us"]; i++ {
			held[list[i]["port"]+"/"+list[i]["priority"]] = list[i].count(t, "held_bytes")
		}
		var all int64
		for _, h := range held {
			all += h
		}
		for _, g := range list[from:i] {
			if want := (int64(pool) - all) / 8; g["priority"] == "3" && g.count(t, "threshold_bytes") != want {
				t.Fatalf("at %s us the threshold of port %s is %s B, want %d", g["time_us"], g["port"], g["threshold_bytes"], want)
			}
		}
	}
	for port, h := range held {
		if h != 0 {
			t.Errorf("group %s holds %d B at the end", port, h)
		}
	}
}

// The buckets of a port add up to the time it was busy, to the picosecond, and none is
// busier than it is long.
func TestUtilisationAddsUpToTheBusyTime(t *testing.T) {
	const bucket = 3 * units.Microsecond
	r := sampled(t, func(n *simtest.Net) { n.Fabric.UsageSamples = bucket }, record.LinkUtilisation)
	list := only(t, r)
	for _, c := range where(rows(t, r.Counters()), "counter", "tx_busy") {
		var sum, level, length, at units.Time
		for _, b := range where(list, "node", c["node"], "port", c["port"]) {
			from := b.time(t, "from_us")
			sum += (from - at) / bucket * level // the buckets in between are like the last one
			level, length, at = b.time(t, "busy_us"), b.time(t, "bucket_us"), from+b.time(t, "bucket_us")
			sum += level
			if level > length || (from+length)%bucket != 0 && from+length != r.Report.Now {
				t.Errorf("%s:%s was busy for %v of %v from %v on", c["node"], c["port"], level, length, from)
			}
		}
		if at < r.Report.Now {
			sum += (r.Report.Now - at + bucket - 1) / bucket * level
		}
		if busy, _ := strconv.ParseFloat(c["value"], 64); sum.Microseconds() != busy {
			t.Errorf("%s:%s was busy for %v us, its buckets for %v", c["node"], c["port"], busy, sum)
		}
	}
}

// Series of some ports are recorded and of the others not.
func TestSeriesAreRecordedOfThePortsAskedFor(t *testing.T) {
	r := sampled(t, func(n *simtest.Net) {
		n.Fabric.QueueSamples, n.Fabric.GroupSamples, n.Fabric.UsageSamples = units.Microsecond, units.Microsecond, units.Microsecond
		n.Fabric.RecordPauses, n.Fabric.PFC.XOFF = true, 50*units.KB
		n.Fabric.Sampled = func(node, port int) bool { return node == 2 || node == 4 && port%2 == 0 } // h2, s0:0 and s0:2
		n.NIC.RateSamples, n.NIC.AlphaSamples = units.Microsecond, units.Microsecond
		n.NIC.Sampled = func(endpoint int32) bool { return endpoint == 2 }
	}, record.QueueDepth, record.PGOccupancy, record.QPRate, record.LinkUtilisation)
	for _, table := range series(r) {
		list := rows(t, table)
		if len(list) == 0 {
			t.Errorf("%s is empty", table.Name())
		}
		for _, x := range list {
			if x["node"] != "h2" && (x["node"] != "s0" || x["port"] == "1" || x["port"] == "3") {
				t.Errorf("%s has %v", table.Name(), x)
				break
			}
		}
	}
	if n := len(r.Cluster.Net.Ports(1)[0].Pauses()); n != 0 {
		t.Errorf("%d pauses of h1 are recorded", n)
	}
}

// DCQCN's alpha begins at 1, falls while no notification comes, and is never outside 0
// and 1; each plot that is asked for is drawn.
func TestAlphaIsSampledAndDrawn(t *testing.T) {
	net, flows := incast(4, units.MB)
	net.Fabric.ECN.Kmin, net.Fabric.ECN.Kmax, net.Fabric.ECN.Pmax = 20*units.KB, 80*units.KB, units.Ratio{Num: 1, Den: 5}
	net.NIC.Control, net.NIC.AlphaSamples = marked(t).Cluster.NIC.Control, units.Microsecond
	net.Fabric.GroupSamples, net.Fabric.UsageSamples = units.Microsecond, 5*units.Microsecond
	r := finished(t, net, net.Cluster(t, flows...), "dcqcn")
	r.Series = map[string]bool{record.QPAlpha: true}
	list := only(t, r)
	if list[0]["alpha"] != "1" || list[0]["time_us"] != "0" || len(list) < 20 {
		t.Errorf("%d rows, the first %v", len(list), list[0])
	}
	for _, x := range list {
		if a, err := strconv.ParseFloat(x["alpha"], 64); err != nil || a < 0 || a > 1 {
			t.Errorf("alpha %s", x["alpha"])
		}
	}
	r.Series[record.PGOccupancy], r.Series[record.LinkUtilisation] = true, true
	drawn := map[string]bool{}
	missing, err := r.Plots("test", func(name string, _ func(io.Writer) error) error { drawn[name] = true; return nil })
	if err != nil || len(missing) > 0 || !drawn["plots/qp_alpha.svg"] || !drawn["plots/pg_occupancy.png"] || !drawn["plots/link_utilisation.svg"] {
		t.Errorf("drawn %v, missing %v, %v", drawn, missing, err)
	}
}
