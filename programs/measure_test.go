package programs_test

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Of twelve differences of 10, 20, 30 … 120 ps, in any order, perftest leaves out the two longest; the longest of what
// remains counted is none of the ten but the next, 110. Median of the ten is 55, mean 55, and so on;
// where two ends answer each other, all of it is halved.
func TestLatencyIsReckonedAsPerftestDoes(t *testing.T) {
	posted := []units.Time{0}
	for _, d := range []units.Time{120, 10, 110, 20, 100, 30, 90, 40, 80, 50, 70, 60} {
		posted = append(posted, posted[len(posted)-1]+d)
	}
	want := programs.Latency{
		Min: 10, Max: 110, Typical: 55, Average: 55,
		Stdev: 29,  // sqrt of the mean of 45^2, 35^2 … 45^2: 28.72
		P99:   110, // the 10th of them from 0 on, as perftest rounds 9.9 up
		P999:  110,
	}
	if got := programs.NewLatency(posted, true); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := programs.NewLatency(posted, false); got.Min != 5 || got.Max != 55 || got.Average != 28 {
		t.Errorf("half of it: %+v", got)
	}
}

// Defaults are those of perftest.
func TestDefaultsArePerftests(t *testing.T) {
	for _, c := range []struct {
		o                         programs.Options
		size                      units.Bytes
		iterations, tx, rx, cqMod int
		inline                    units.Bytes
	}{
		{programs.Options{Test: programs.WriteLat}, 2, 1000, 1, 512, 1, 220},
		{programs.Options{Test: programs.SendLat}, 2, 1000, 1, 512, 1, 236},
		{programs.Options{Test: programs.ReadLat}, 2, 1000, 1, 512, 1, 0},
		{programs.Options{Test: programs.AtomicLat}, 8, 1000, 1, 512, 1, 0},
		{programs.Options{Test: programs.WriteBW}, 65536, 5000, 128, 512, 1, 0},
		{programs.Options{Test: programs.SendBW, Sizes: []units.Bytes{64}}, 64, 5000, 128, 512, 100, 0},
		{programs.Options{Test: programs.ReadBW, Sizes: programs.AllSizes()}, 2, 5000, 128, 512, 100, 0},
		{programs.Options{Test: programs.WriteBW, Iterations: 50}, 65536, 50, 50, 50, 1, 0},
		{programs.Options{Test: programs.WriteBW, PostList: 32}, 65536, 5000, 128, 512, 32, 0},
	} {
		p, err := programs.New(simtest.Star(2, 100*units.Gbps, 500*units.Nanosecond).Cluster(t), 0, 1, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if p.Sizes[0] != c.size || p.Iterations != c.iterations || p.TxDepth != c.tx || p.RxDepth != c.rx || p.CQMod != c.cqMod || *p.Inline != c.inline {
			t.Errorf("%v: sizes %v, %d iterations, depths %d and %d, a completion for every %d, inline %v",
				p.Test, p.Sizes, p.Iterations, p.TxDepth, p.RxDepth, p.CQMod, *p.Inline)
		}
	}
	if sizes := programs.AllSizes(); len(sizes) != 23 || sizes[0] != 2 || sizes[22] != 8*units.MiB {
		t.Errorf("a sweep over %v", sizes)
	}
}

// Bandwidth is printed in MiB/s, which perftest calls MB/sec, or in Gb/s: of 64 KiB on 100 Gb/s 11684.6 and 98.02.
func TestBandwidthIsPrintedInTheUnitsOfPerftest(t *testing.T) {
	for _, gbits := range []bool{false, true} {
		p, _, _ := run(t, host.CPU{}, programs.Options{Test: programs.WriteBW, Iterations: 2000, Gbits: gbits})
		var text strings.Builder
		if err := p.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		header, average := programs.BandwidthHeader, "1168"
		if gbits {
			header, average = programs.BandwidthHeaderG, "97.9"
		}
		lines := strings.Split(text.String(), "\n")
		for i, line := range lines {
			if line != header {
				continue
			}
			fields := strings.Fields(lines[i+1])
			if len(fields) != 5 || fields[0] != "65536" || fields[1] != "2000" || !strings.HasPrefix(fields[3], average) || !strings.HasPrefix(fields[4], "0.186") {
				t.Errorf("below %q stands %q", header, lines[i+1])
			}
			header = "found"
			break
		}
		if header != "found" {
			t.Errorf("no line %q in\n%s", header, text.String())
		}
	}
}

// Less than 0.1 Gb/s is printed with six digits, as perftest does where it reports Gb/s, and a title names what perftest's does.
func TestSmallBandwidthAndOptionsStandAsInPerftest(t *testing.T) {
	for _, c := range []struct {
		o    programs.Options
		want []string
	}{
		{programs.Options{Test: programs.WriteBW, Sizes: []units.Bytes{2}, TxDepth: 1, Iterations: 100, Gbits: true}, []string{"                    RDMA_Write BW Test\n", "\n 2          100           0.0"}},
		{programs.Options{Test: programs.WriteBW, PostList: 4, Bidirectional: true, Iterations: 100}, []string{"  RDMA_Write Bidirectional Post List BW Test\n", " Post List       : 4\n"}},
		{programs.Options{Test: programs.SendLat, Events: true, Iterations: 10}, []string{"  Send Latency Test\n Test with events.\n"}},
		{programs.Options{Test: programs.AtomicLat, Atomic: rnic.CompareSwap, Iterations: 10}, []string{"  Atomic CMP_AND_SWAP Latency Test\n"}},
	} {
		p, _, _ := run(t, host.CPU{}, c.o)
		var text strings.Builder
		if err := p.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("no %q in\n%s", want, text.String())
			}
		}
	}
}

// Options that perftest refuses are refused, with the key that is at fault.
func TestOptionsThatCannotBeAreRefused(t *testing.T) {
	for _, c := range []struct {
		o    programs.Options
		want string
	}{
		{programs.Options{Test: programs.ReadLat, Service: 1}, "connection"},
		{programs.Options{Test: programs.WriteBW, Service: 2}, "connection"},
		{programs.Options{Test: programs.SendLat, Service: 2, Sizes: []units.Bytes{64, 8192}}, "sizes[1]"},
		{programs.Options{Test: programs.AtomicLat, Sizes: []units.Bytes{4}}, "sizes[0]"},
		{programs.Options{Test: programs.WriteLat, Events: true}, "events"},
		{programs.Options{Test: programs.WriteBW, PostList: 64, TxDepth: 32}, "post_list"},
	} {
		if err := c.o.Check(4096); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v with %+v: %v, want an error about %s", c.o.Test, c.o, err, c.want)
		}
	}
}
