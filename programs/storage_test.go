package programs_test

import (
	"context"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/sim/units"
)

// storage has jobs at one initiator each give commands to a target over one switch without a pipeline, at
// links of 100 Gb/s and 500 ns.
func storage(t *testing.T, jobs int, o programs.StorageOptions, change ...func(*host.Cluster)) programs.StorageResult {
	t.Helper()
	net := simtest.Star(jobs+1, 100*units.Gbps, 500*units.Nanosecond)
	net.NIC.Timeout = 14
	c := net.Cluster(t)
	for _, f := range change {
		f(c)
	}
	for i := range jobs {
		o.Initiators = append(o.Initiators, i+1)
	}
	o.Cores, o.Depth, o.Block = max(o.Cores, 1), max(o.Depth, 1), 4096
	o.Device.Channels = max(o.Device.Channels, 1)
	o.Channel.Data = simtest.Data
	s, err := programs.NewStorage(c, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(context.Background(), net.Run)
	if err != nil || r.Outcome != host.Done {
		t.Fatalf("%v, %v: %v", r.Outcome, err, c.ThreadWaits(r.Now))
	}
	return s.Result()
}

// With MTU 4096 on the wire: a command of 64 B 146 B; 4 KiB of a READ 4194, of a response to a READ 4178 and 4
// more; an answer of 16 B 98; a command with 4 KiB in it 146 and 4178, in two packets; a READ request 98.
func TestACommandTakesItsMessagesAndTheDevice(t *testing.T) {
	link := (100 * units.Gbps).Serialise
	const hop = 500 * units.Nanosecond
	const device = 80 * units.Microsecond
	for _, tc := range []struct {
		what  string
		reads int
		in    units.Bytes
		want  units.Time
	}{
		// Data and answer follow each other: the second link sends the data when it has it all, and the answer behind.
		{"read", 100, 0, 2*link(146) + 2*hop + 2*link(4194) + link(98) + 2*hop},
		{"write", 0, 0, 2*link(146) + 2*hop + 2*link(98) + 2*hop + 2*link(4182) + 2*hop + 2*link(98) + 2*hop},
		{"write with its data", 0, 4096, link(4178) + link(4178) + link(146) + 2*hop + 2*link(98) + 2*hop},
	} {
		r := storage(t, 1, programs.StorageOptions{
			Commands: 20, Reads: tc.reads, InCapsule: tc.in, Device: programs.Device{Read: device, Write: device},
		})
		want := device + tc.want
		if r.Latency.Min < want || r.Latency.Max > want+4*link(86) {
			t.Errorf("%s: %v to %v, want %v and acknowledgements at most", tc.what, r.Latency.Min, r.Latency.Max, want)
		}
		if rate := 1 / r.Latency.Mean.Seconds(); r.PerSecond < rate*0.999 || r.PerSecond > rate*1.001 {
			t.Errorf("%s: %.0f commands a second one after the other, want %.0f", tc.what, r.PerSecond, rate)
		}
	}
}

// A device of k channels does k/S commands a second, if enough are under way; and what is under way is
// rate times latency.
func TestADeviceBoundsTheRateByItsChannels(t *testing.T) {
	const service = 50 * units.Microsecond
	for _, channels := range []int{1, 8, 32} {
		r := storage(t, 4, programs.StorageOptions{
			Commands: 1000, Depth: 16, Reads: 100, Cores: 2, Device: programs.Device{Channels: channels, Read: service},
		})
		bound := float64(channels) / service.Seconds()
		if r.ByDevice != bound || r.PerSecond < bound*0.97 || r.PerSecond > bound*1.0001 {
			t.Errorf("%d channels: %.0f a second, want %.0f", channels, r.PerSecond, bound)
		}
		if r.UnderWay < 62 || r.UnderWay > 64.1 {
			t.Errorf("%d channels: %.2f under way in the mean, want 4 jobs' 16", channels, r.UnderWay)
		}
	}
}

// A target's cores do as many as they have time for.
func TestATargetsCoresBoundTheRate(t *testing.T) {
	cost := func(c *host.Cluster) { c.CPU = host.DefaultCPU() }
	for _, tc := range []struct {
		events bool
		most   units.Time // beside the software, for a command
	}{
		// Poll a command, post its receive, post data and answer under one doorbell; and now and then poll what has been sent.
		{false, 60*units.Nanosecond + 30*units.Nanosecond + 150*units.Nanosecond + 20*units.Nanosecond},
		// Where there is always something to do nobody sleeps.
		{true, 60*units.Nanosecond + 30*units.Nanosecond + 150*units.Nanosecond + 120*units.Nanosecond},
	} {
		r := storage(t, 8, programs.StorageOptions{
			Commands: 2000, Depth: 32, Reads: 100, Cores: 2, Events: tc.events, TargetSoftware: 4 * units.Microsecond,
			Device: programs.Device{Channels: 256, Read: 10 * units.Microsecond},
		}, cost)
		least, most := 4*units.Microsecond+240*units.Nanosecond, 4*units.Microsecond+tc.most
		if r.Target < least || r.Target > most {
			t.Errorf("a command takes %v of the target, want %v to %v", r.Target, least, most)
		}
		if r.TargetLoad < 0.97 || r.PerSecond < 0.97*r.ByCores || r.PerSecond > 1.001*r.ByCores {
			t.Errorf("%.0f a second at %.0f %% load, want %.0f and all of it", r.PerSecond, 100*r.TargetLoad, r.ByCores)
		}
	}
}
