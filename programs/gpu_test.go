package programs_test

import (
	"context"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/sim/units"
)

// gpuHosts are hosts with NICs of 100 Gb/s and 500 ns at one switch without a pipeline, on which GPUs
// are to run.
func gpuHosts(t *testing.T, hosts, nics int) (*simtest.Net, *host.Cluster, programs.GPUOptions) {
	t.Helper()
	star := topology.Star{Hosts: hosts, NICsPerHost: nics}
	star.Link.Rate, star.Link.Delay = 100*units.Gbps, 500*units.Nanosecond
	net := simtest.Build(&star)
	net.NIC.Timeout = 14
	o := programs.GPUOptions{
		GPUs: 8, Channels: 2, Threads: 1, Chunk: 512 * units.KiB, Window: 8, NVLink: 2400 * units.Gbps,
	}
	for i := range hosts {
		o.Nodes = append(o.Nodes, i)
	}
	o.Channel.Data = simtest.Data
	return net, net.Cluster(t), o
}

func finish(t *testing.T, net *simtest.Net, c *host.Cluster) {
	t.Helper()
	r, err := c.Run(context.Background(), net.Run)
	if err != nil || r.Outcome != host.Done {
		t.Fatalf("%v, %v: %v", r.Outcome, err, c.ThreadWaits(r.Now))
	}
}

// goodput is the share of a link's rate that payload has with an MTU of 4096: 4178 B on the wire for
// each packet.
var goodput = 4096.0 / 4178

// The bandwidth at the bus of large messages is what the NICs of a host carry together, whatever
// their number is and whatever that of GPUs: 2(n-1)/n of the data crosses each link.
func TestTheBusBandwidthOfARingIsThatOfTheRails(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets: left to the whole suite")
	}
	for _, tc := range []struct{ hosts, nics, gpus int }{{2, 1, 1}, {2, 4, 8}, {4, 4, 4}, {8, 1, 1}} {
		net, c, o := gpuHosts(t, tc.hosts, tc.nics)
		o.GPUs = tc.gpus
		p, err := programs.NewAllReducePerf(c, o, []units.Bytes{64 * units.MiB}, 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		finish(t, net, c)
		r := p.Results()[0]
		n := float64(tc.hosts * tc.gpus)
		want := goodput * 100 * float64(tc.nics)
		if got := r.Bus.Gbps(); got > want || got < 0.95*want {
			t.Errorf("%+v: %.1f Gb/s at the bus, want %.1f and at most 5 %% less", tc, got, want)
		}
		if got := float64(r.Bus) / float64(r.Algorithm); got < 2*(n-1)/n*0.999 || got > 2*(n-1)/n*1.001 {
			t.Errorf("%+v: the bus has %.4f times the algorithm's bandwidth, want 2(n-1)/n = %.4f", tc, got, 2*(n-1)/n)
		}
	}
}

// GPUs of a host that sum up first, and rings of hosts in between: (G-1)/G·S/NVLink twice, and
// 2(m-1)/m·S over the rails.
func TestAHierarchicalAllreduceTakesItsThreeParts(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets: left to the whole suite")
	}
	const size = 256 * units.MB
	net, c, o := gpuHosts(t, 4, 8)
	o.Hierarchical = true
	p, err := programs.NewAllReducePerf(c, o, []units.Bytes{size}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	finish(t, net, c)
	r := p.Results()[0]
	within := 2 * 7 * (2400 * units.Gbps).Serialise(int(size/8))
	between := 1.5 * float64(size) * 8 / (8 * 100e9 * goodput) * 1e12
	want := within + units.Time(between)
	if r.Time < want || r.Time > want*102/100 {
		t.Errorf("%v, want %v and at most 2 %% more", r.Time, want)
	}
	if r.Theory < want*97/100 || r.Theory > want {
		t.Errorf("theory says %v, want %v without headers", r.Theory, want)
	}
}

// Data that is copied through host memory at the rate of the links takes the time of a piece more
// now and then, and no more.
func TestCopiesThroughHostMemoryGoAlongWithTheRing(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets: left to the whole suite")
	}
	took := func(staging units.Rate) units.Time {
		net, c, o := gpuHosts(t, 4, 1)
		o.GPUs, o.Staging = 1, staging
		p, err := programs.NewAllReducePerf(c, o, []units.Bytes{64 * units.MiB}, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		finish(t, net, c)
		return p.Results()[0].Time
	}
	direct, fast, slow := took(0), took(200*units.Gbps), took(50*units.Gbps)
	if fast <= direct || fast > direct*115/100 {
		t.Errorf("%v by copies at twice the rate of the link, %v without", fast, direct)
	}
	if slow < direct*19/10 || slow > direct*23/10 {
		t.Errorf("%v by copies at half the rate of the link, %v without", slow, direct)
	}
}

// Four layers of 10, 20, 30 and 40 MB whose gradients come in reverse, 10 ms each, over rings of 8 at 100 Gb/s: the
// last 30 MB are ready at 40 ms and take 4.2 ms (and headers). Here buckets are alike: 25 MB at 10, 20, 30 and 40 ms.
func TestBucketsOverlapWithComputing(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets: left to the whole suite")
	}
	train := func(overlap int) programs.TrainingResult {
		net, c, o := gpuHosts(t, 8, 1)
		o.GPUs = 1
		j, err := programs.NewTraining(c, programs.TrainingOptions{
			GPUOptions: o, Steps: 2, Gradients: 100 * units.MB, Bucket: 25 * units.MB, Compute: 40 * units.Millisecond, Overlap: overlap,
		})
		if err != nil {
			t.Fatal(err)
		}
		finish(t, net, c)
		return j.Result()
	}
	bucket := units.Time(1.75 * 25e6 * 8 / (100e9 * goodput) * 1e12)
	for overlap, exposed := range map[int]units.Time{0: 4 * bucket, 100: bucket} {
		r := train(overlap)
		if r.Outcome != programs.Finished || r.Exposed < exposed || r.Exposed > exposed*103/100 {
			t.Errorf("overlap of %d %%: %v, %v beyond computing, want %v and at most 3 %% more", overlap, r.Outcome, r.Exposed, exposed)
		}
		if r.Exchange < 4*bucket || r.Exchange > 4*bucket*103/100 {
			t.Errorf("overlap of %d %%: gradients are under way for %v, want %v", overlap, r.Exchange, 4*bucket)
		}
	}
}
