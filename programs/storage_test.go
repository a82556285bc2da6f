package programs_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
	"github.com/rdmasim/rdmasim/storage"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// stored has jobs at one initiator each give commands to targets, host 0 if none are named, over one switch without a pipeline, at
// links of 100 Gb/s and 500 ns.
func stored(t *testing.T, jobs int, o programs.StorageOptions, change ...func(*host.Cluster)) programs.StorageResult {
	t.Helper()
	if o.Targets == nil {
		o.Targets = []int{0}
	}
	others := slices.Clone(o.Targets)
	if o.Rebuild != nil {
		others = append(others, o.Rebuild.Spare)
	}
	net := simtest.Star(jobs+len(others), 100*units.Gbps, 500*units.Nanosecond)
	net.NIC.Timeout = 14
	c := net.Cluster(t)
	if o.Channel.Transport == programs.TCP {
		c.UseTCP(&host.TCP{Config: tcp.Defaults(), Control: congestion.CUBIC.Params().New}, kernel.New("ideal"))
	}
	for _, f := range change {
		f(c)
	}
	for i := range jobs + len(others) {
		if !slices.Contains(others, i) {
			o.Initiators = append(o.Initiators, i)
		}
	}
	o.Cores, o.Depth = max(o.Cores, 1), max(o.Depth, 1)
	if o.Blocks == nil {
		o.Blocks = []programs.BlockShare{{4096, 1}}
	}
	if o.Protocol.Protocol == nil {
		o.Protocol.Protocol = storage.Named("nvmeof")
	}
	o.Protocol.Pieces = o.Protocol.Protocol.Pieces
	o.Random = func(name string) variate.Source { s := sim.NewStream(1, "test", name); return &s }
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
		r := stored(t, 1, programs.StorageOptions{
			Commands: 20, Reads: tc.reads, InCapsule: tc.in, Device: storage.Device{Read: device, Write: device},
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
		r := stored(t, 4, programs.StorageOptions{
			Commands: 1000, Depth: 16, Reads: 100, Cores: 2, Device: storage.Device{Channels: channels, Read: service},
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
		r := stored(t, 8, programs.StorageOptions{
			Commands: 2000, Depth: 32, Reads: 100, Cores: 2, Events: tc.events, TargetSoftware: 4 * units.Microsecond,
			Device: storage.Device{Channels: 256, Read: 10 * units.Microsecond},
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

// What goes over a connection is the protocol's units, to the byte: what opens the session once, and then those of each
// operation.
func TestAnOperationOverTCPIsItsProtocolsUnits(t *testing.T) {
	const n, kib = 10, units.KiB
	const all = n + programs.Pings // as many go before to measure
	for _, tc := range []struct {
		what     string
		protocol string
		reads    int
		block    units.Bytes
		change   func(*programs.StorageOptions)
		open     [2]units.Bytes // from the initiator, and to it
		each     [2]units.Bytes
		messages float64
	}{
		{"NVMe read", "nvmeof", 100, 64 * kib, nil, [2]units.Bytes{128, 128}, [2]units.Bytes{72, 24 + 64*kib + 24}, 3},
		{"NVMe read with SUCCESS", "nvmeof", 100, 64 * kib, func(o *programs.StorageOptions) { o.Protocol.Collapsed = true }, [2]units.Bytes{128, 128}, [2]units.Bytes{72, 24 + 64*kib}, 2},
		{"NVMe write in the capsule", "nvmeof", 0, 4 * kib, func(o *programs.StorageOptions) { o.InCapsule = 4 * kib }, [2]units.Bytes{128, 128}, [2]units.Bytes{72 + 4*kib, 24}, 2},
		{"NVMe write by R2T", "nvmeof", 0, 300 * kib, nil, [2]units.Bytes{128, 128}, [2]units.Bytes{72 + 300*kib + 3*24, 24 + 24}, 1 + 1 + 3 + 1},
		{"NVMe write with digests", "nvmeof", 0, 300 * kib, func(o *programs.StorageOptions) { o.Protocol.HeaderDigest, o.Protocol.DataDigest = true, true },
			[2]units.Bytes{128, 128}, [2]units.Bytes{76 + 300*kib + 3*32, 28 + 28}, 6},
		{"iSCSI read", "iscsi", 100, 512 * kib, func(o *programs.StorageOptions) { o.Protocol.Collapsed = true }, [2]units.Bytes{432, 368}, [2]units.Bytes{48, 512*kib + 2*48}, 3},
		{"iSCSI write", "iscsi", 0, 512 * kib, nil, [2]units.Bytes{432, 368}, [2]units.Bytes{48 + 512*kib + 2*48, 48 + 48}, 5},
		{"NFS read", "nfs", 100, 64 * kib, nil, [2]units.Bytes{}, [2]units.Bytes{116, 132 + 64*kib}, 2},
		{"NFS write", "nfs", 0, 64 * kib, nil, [2]units.Bytes{}, [2]units.Bytes{124 + 64*kib, 164}, 2},
	} {
		o := programs.StorageOptions{Commands: n, Reads: tc.reads, Blocks: []programs.BlockShare{{Size: tc.block, Share: 1}}}
		o.Channel.Transport = programs.TCP
		o.Protocol.Protocol = storage.Named(tc.protocol)
		if tc.change != nil {
			tc.change(&o)
		}
		var moved [2]units.Bytes
		var c *host.Cluster
		r := stored(t, 1, o, func(of *host.Cluster) { c = of })
		for _, s := range c.Sockets() {
			moved[s.Host()] += s.Endpoint().Consumed()
		}
		bye := o.Protocol.CommandSize(false, 0)
		toTarget, back := tc.open[0]+all*tc.each[0]+bye, tc.open[1]+all*tc.each[1]
		nodes := c.Net.Graph.Hosts()
		if moved[nodes[0]] != toTarget || moved[nodes[1]] != back {
			t.Errorf("%s: %d bytes to the target and %d back, want %d and %d", tc.what, moved[nodes[0]], moved[nodes[1]], toTarget, back)
		}
		if r.Messages != tc.messages {
			t.Errorf("%s: %.2f messages, want %.0f", tc.what, r.Messages, tc.messages)
		}
	}
}

// The bound that links set over TCP has the headers of full segments: on hosts that take no time, and without devices, operations come
// within 2 % of it, which is what begins and ends a run.
func TestTheBoundOfALinkOverTCPHasItsHeaders(t *testing.T) {
	o := programs.StorageOptions{Commands: 300, Depth: 32, Reads: 100, Blocks: []programs.BlockShare{{Size: 64 * units.KiB, Share: 1}}, Device: storage.Device{Channels: 64}}
	o.Channel.Transport = programs.TCP
	r := stored(t, 2, o)
	const wire = 64*1024 + 24 + 24 // a read's data with its header, and its answer, in segments of 1448 B that are 1538 on the wire
	if want := 12.5e9 / (wire * 1538.0 / 1448); math.Abs(r.ByLink/want-1) > 1e-3 || r.PerSecond > r.ByLink || r.PerSecond < 0.98*r.ByLink {
		t.Errorf("%.0f a second of %.0f, want the bound %.0f", r.PerSecond, r.ByLink, want)
	}
}

// By RDMA a read is a command, a WRITE and an answer; a write a command, a READ and an answer, or two messages if its data goes with the
// command. No processor copies anything.
func TestAnOperationByRDMAIsItsMessagesWithoutCopies(t *testing.T) {
	for _, tc := range []struct {
		reads    int
		in       units.Bytes
		messages float64
	}{{100, 0, 3}, {0, 0, 3}, {0, 4096, 2}} {
		for _, protocol := range []string{"nvmeof", "iscsi", "nfs"} {
			o := programs.StorageOptions{Commands: 20, Depth: 4, Reads: tc.reads, InCapsule: tc.in}
			o.Protocol.Protocol = storage.Named(protocol)
			if r := stored(t, 1, o); r.Messages != tc.messages || r.Copies != 0 {
				t.Errorf("%s with %d %% reads and %d bytes in the capsule: %.2f messages, %.2f copies, want %.0f and none", protocol, tc.reads, tc.in, r.Messages, r.Copies, tc.messages)
			}
		}
	}
}

// Little's law: the sum of all latencies is the integral of what is under way, to the last picosecond; and as long as jobs have more to
// do, that is as deep as their queues.
func TestLatenciesSumUpToWhatIsUnderWay(t *testing.T) {
	loops := map[string]programs.StorageOptions{
		"closed": {Commands: 300, Depth: 7, Reads: 60, Device: storage.Device{Channels: 3, Read: 20 * units.Microsecond, Write: 5 * units.Microsecond, Times: storage.LogNormal, Sigma: 0.3}},
		"open":   {Commands: 300, Depth: 7, Reads: 60, Every: 30e6, Poisson: true, Device: storage.Device{Channels: 3, Read: 70 * units.Microsecond}},
		"parts": {Commands: 100, Depth: 3, Reads: 50, Layout: programs.StorageLayout{Data: 2, Parity: 1}, Targets: []int{0, 4, 5},
			Device: storage.Device{Channels: 2, Read: 20 * units.Microsecond, Times: storage.Exponential}},
	}
	for name, o := range loops {
		for _, transport := range []programs.Transport{programs.RoCEv2, programs.TCP} {
			o.Channel.Transport = transport
			o.InitiatorSoftware = 700 * units.Nanosecond
			r := stored(t, 3, o)
			if r.Sum != r.Area || r.IOs != 3*o.Commands {
				t.Errorf("%s over %v: latencies of %d operations are %d ps together, want the %d of what was under way", name, transport, r.IOs, r.Sum, r.Area)
			}
			if law := r.PerSecond * (float64(r.Sum) / float64(r.IOs)) / 1e12; law < r.UnderWay*(1-1e-12) || law > r.UnderWay*(1+1e-12) {
				t.Errorf("%s over %v: rate times latency is %v, want %v", name, transport, law, r.UnderWay)
			}
		}
	}
	o := loops["closed"]
	r := stored(t, 3, o)
	if want := 7 * r.FullSpan; r.FullArea != want {
		t.Errorf("while jobs have more to do, the integral is %d ps, want the depth of their queues all the time: %d", r.FullArea, want)
	}
}

// A write that targets pass on takes the way to the first, and then the longer of its device and the way on and the device
// there; in a chain it takes all ways.
func TestAWriteToSeveralTargetsTakesTheSumOfItsWays(t *testing.T) {
	const device = 15 * units.Microsecond
	for _, chain := range []bool{false, true} {
		for _, transport := range []programs.Transport{programs.RoCEv2, programs.TCP} {
			o := programs.StorageOptions{
				Commands: 30, Targets: []int{0, 2, 3}, Layout: programs.StorageLayout{Copies: 3, Chain: chain},
				Device: storage.Device{Channels: 4, Write: device}, Blocks: []programs.BlockShare{{Size: 64 * units.KiB, Share: 1}},
			}
			o.Channel.Transport = transport
			r := stored(t, 1, o)
			on := r.Hop + (100 * units.Gbps).Serialise(64*1024)
			if chain {
				on = 2 * r.Hop
			}
			if want := r.Way + on + device; r.Theory != want {
				t.Errorf("chain %v over %v: theory gives %v, want %v", chain, transport, r.Theory, want)
			}
			for what, got := range map[string]units.Time{"alone": r.Empty, "measured": r.Latency.Mean} {
				if off := float64(got)/float64(r.Theory) - 1; off < -0.02 || off > 0.05 {
					t.Errorf("chain %v over %v: %s it takes %v, theory %v (way %v, on %v)", chain, transport, what, got, r.Theory, r.Way, r.Hop)
				}
			}
			// The data goes to each of three.
			if r.Messages < 8 {
				t.Errorf("chain %v over %v: %.1f messages, want those of three writes", chain, transport, r.Messages)
			}
		}
	}
}

// Of parts on devices whose times are exponential, a read of one of two is done when the first has come, after half of the
// mean; a write to two when both are, after one and a half of it; and one of two of three after 1/3 + 1/2.
func TestAReadOfPartsIsDoneWhenEnoughHaveCome(t *testing.T) {
	const mean, n = units.Millisecond, 3000 // beside which the network is nothing
	for _, tc := range []struct {
		data, parity, reads int
		want                float64
	}{{1, 1, 100, 0.5}, {2, 0, 100, 1.5}, {2, 1, 100, 1./3 + 1./2}, {1, 1, 0, 1.5}} {
		o := programs.StorageOptions{
			Commands: n, Depth: 16, Reads: tc.reads, Targets: []int{0, 2, 3}, Layout: programs.StorageLayout{Data: tc.data, Parity: tc.parity},
			Device: storage.Device{Channels: 256, Read: mean, Write: mean, Times: storage.Exponential}, InCapsule: 4096,
		}
		r := stored(t, 1, o)
		// The standard deviation is at most 1.12 of the mean.
		if got := float64(r.Latency.Mean) / float64(mean); got < tc.want-0.08 || got > tc.want+0.09 {
			t.Errorf("%d+%d parts, %d %% reads: %.3f of a device's time, want %.3f", tc.data, tc.parity, tc.reads, got, tc.want)
		}
	}
}

// In an open loop operations begin as often as is asked for, and wait for a device as the theory of queues has it.
func TestAnOpenLoopBeginsOperationsWhetherOrNotOthersAreDone(t *testing.T) {
	for _, tc := range []struct {
		poisson bool
		load    float64
	}{{true, 0.5}, {true, 0.8}, {false, 0.8}} {
		const read = 20 * units.Microsecond
		o := programs.StorageOptions{Commands: 8000, Depth: 4000, Reads: 100, Poisson: tc.poisson, Every: float64(read) / tc.load, Device: storage.Device{Read: read}}
		r := stored(t, 1, o)
		if off := r.PerSecond/r.ByArrivals - 1; off < -0.04 || off > 0.04 {
			t.Errorf("load %.1f: %.0f operations a second, want %.0f", tc.load, r.PerSecond, r.ByArrivals)
		}
		if !tc.poisson {
			if r.Queueing != units.Never || r.Latency.Mean > r.Empty*105/100 {
				t.Errorf("paced: %v in the mean, theory %v; want no wait, and %v", r.Latency.Mean, r.Queueing, r.Empty)
			}
			continue
		}
		if got, want := float64(r.Latency.Mean-r.Empty), float64(r.Queueing-r.Empty); got < 0.8*want || got > 1.2*want {
			t.Errorf("load %.1f: waited %.0f ns, want %.0f", tc.load, got/1e3, want/1e3)
		}
	}
}

// A spare rebuilds as fast as its throttle lets it, and beside it operations take longer the less it is throttled.
func TestARebuildGoesAtItsThrottleAndDisturbsOperations(t *testing.T) {
	run := func(rebuild *programs.RebuildOptions) programs.StorageResult {
		if rebuild != nil {
			rebuild.Spare, rebuild.Chunk, rebuild.Depth = 3, 256*units.KiB, 8
		}
		return stored(t, 3, programs.StorageOptions{
			Targets: []int{0, 4}, Commands: 400, Depth: 4, Reads: 100, Rebuild: rebuild, Blocks: []programs.BlockShare{{Size: 16 * units.KiB, Share: 1}},
			Device: storage.Device{Channels: 8, Read: 50 * units.Microsecond, Write: 10 * units.Microsecond, Rate: 40 * units.Gbps},
		})
	}
	none, slow, fast := run(nil), run(&programs.RebuildOptions{Rate: 10 * units.Gbps}), run(&programs.RebuildOptions{})
	// Between n chunks there are n-1 pauses.
	n := float64(slow.Rebuilt / (256 * units.KiB))
	if got, most := slow.RebuildRate.Gbps(), 10*n/(n-1); got < 0.93*most || got > most {
		t.Errorf("%.0f chunks rebuilt at %.3f Gb/s, want %.3f at the most", n, got, most)
	}
	if fast.Messages != none.Messages {
		t.Errorf("%.2f messages an operation beside a rebuild, whose own do not count, and %.2f without", fast.Messages, none.Messages)
	}
	if slow.Latency.Mean <= none.Latency.Mean || fast.Latency.Mean <= slow.Latency.Mean*11/10 || fast.RebuildRate < 2*slow.RebuildRate {
		t.Errorf("an operation takes %v without, %v at %v, %v at %v", none.Latency.Mean, slow.Latency.Mean, slow.RebuildRate, fast.Latency.Mean, fast.RebuildRate)
	}
	sized := run(&programs.RebuildOptions{Size: 3 * units.MiB, Rate: 50 * units.Gbps})
	if sized.Rebuilt != 3*units.MiB {
		t.Errorf("%v rebuilt, want 3 MiB", sized.Rebuilt)
	}
}
