package host_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// Whatever the hosts, their kernels and the buffers are like: all bytes of all flows over TCP come,
// beside flows of RDMA that lose nothing; the books balance; no core works for longer than
// there is time; what is copied at either end is what was sent; and two workers find the same.
func TestFlowsOverTCPComeWholeOnAnyHosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.IntRange(2, 5).Draw(t, "hosts")
		cfg, k := tcp.Defaults(), kernel.New(rapid.SampledFrom([]string{"linux", "busy-poll", "bypass", "ideal"}).Draw(t, "profile"))
		cfg.MTU = rapid.SampledFrom([]units.Bytes{576, 1500, 9000}).Draw(t, "mtu")
		cfg.MinRTO = rapid.SampledFrom([]units.Time{units.Millisecond, 20 * units.Millisecond}).Draw(t, "minimum of the timeout")
		cfg.ReceiveBuffer = rapid.SampledFrom([]units.Bytes{64 * units.KiB, 6 * units.MiB}).Draw(t, "receive buffer")
		cfg.SendBuffer = rapid.SampledFrom([]units.Bytes{16 * units.KiB, 4 * units.MiB}).Draw(t, "send buffer")
		k.Steering = rapid.SampledFrom([]string{"rss", kernel.Same, kernel.Other}).Draw(t, "steering")
		k.Ring = rapid.SampledFrom([]int{8, 64, 1024}).Draw(t, "ring")
		k.Segmentation, k.Merging, k.Zerocopy = rapid.Bool().Draw(t, "TSO"), rapid.Bool().Draw(t, "GRO"), rapid.Bool().Draw(t, "zero-copy")
		k.Idle = rapid.SampledFrom([]units.Time{0, 40 * units.Microsecond}).Draw(t, "idle exit")
		k.Budget = rapid.SampledFrom([]units.Time{20 * units.Microsecond, 2 * units.Millisecond}).Draw(t, "budget")
		control := rapid.SampledFrom(congestion.Kinds).Draw(t, "control")
		cores, buffer := rapid.IntRange(1, 4).Draw(t, "cores"), rapid.SampledFrom([]units.Bytes{200 * units.KB, 32 * units.MiB}).Draw(t, "buffer")
		weights := rapid.Bool().Draw(t, "weights")
		var flows []host.Flow
		for range rapid.IntRange(1, 8).Draw(t, "flows") {
			src := rapid.IntRange(0, hosts-1).Draw(t, "src")
			f := simtest.Flow(src, (src+rapid.IntRange(1, hosts-1).Draw(t, "distance"))%hosts, units.Bytes(rapid.IntRange(1, 300_000).Draw(t, "size")))
			f.Messages, f.Depth = rapid.IntRange(1, 3).Draw(t, "messages"), rapid.IntRange(0, 2).Draw(t, "depth")
			f.Start = units.Time(rapid.IntRange(0, 100).Draw(t, "start")) * units.Microsecond
			if f.TCP = rapid.IntRange(0, 3).Draw(t, "over") > 0; f.TCP {
				f.Data = rnic.Class{}
			}
			flows = append(flows, f)
		}
		run := func(workers int) (*host.Cluster, host.Report) {
			net := tcpStar(hosts)
			net.Fabric.Buffer, net.Run.Workers, net.Run.Together = buffer, workers, simtest.InTurns()
			net.Run.Limit = 100 * units.Second
			net.NIC.Timeout = 14
			if weights {
				net.Fabric.Schedule.Weights[0], net.Fabric.Schedule.Weights[3] = 1, 3
			}
			c := net.Cluster(t)
			c.CPU = host.CPU{Cores: cores, Post: 120 * units.Nanosecond, Poll: 60 * units.Nanosecond}
			c.UseTCP(&host.TCP{Config: cfg, Control: control.Params().New}, k)
			for i, f := range flows {
				f.Lane = i
				if err := c.AddFlow(f); err != nil {
					t.Fatalf("%v", err)
				}
			}
			return c, net.Finish(t, c)
		}
		c, r := run(1)
		mustBe(t, r, host.Done)
		if n := dropped(c, 3); n > 0 {
			t.Errorf("%d packets of the lossless class were dropped", n)
		}
		var sent, out, in units.Bytes
		ringDrops := uint64(0)
		for _, h := range c.Hosts {
			ringDrops += h.Traffic().RingDrops
		}
		for _, s := range c.Sockets() { // there is one way: nothing overtakes, be it sent by a thread or by the softirq
			if n := s.Endpoint().Counters().OutOfOrder; n > 0 && ringDrops == 0 && dropped(c, 0) == 0 {
				t.Errorf("connection %d of node %d: %d segments came out of order, and nothing was lost", s.Number(), s.Host(), n)
			}
		}
		for i, f := range flows {
			if f.TCP {
				sent += f.Payload()
				if _, to := c.Stream(i); to.Endpoint().Consumed() != f.Payload() {
					t.Errorf("flow %d: %v of %v read", i, to.Endpoint().Consumed(), f.Payload())
				}
			}
		}
		for i, h := range c.Hosts {
			traffic := h.Traffic()
			out, in = out+traffic.CopiedOut, in+traffic.CopiedIn
			for _, core := range h.Cores(r.Now, 0, r.Now) {
				if busy := core.Time.Total() + core.Spinning; busy > r.Now {
					t.Errorf("core %d of host %d worked for %v of %v", core.Number, i, busy, r.Now)
				}
			}
		}
		if k.Zerocopy && out != 0 || !k.Zerocopy && out != sent || in != sent {
			t.Errorf("%v sent, %v copied out of applications, %v into them", sent, out, in)
		}
		if _, two := run(2); two.Digest != r.Digest || two.Now != r.Now {
			t.Errorf("two workers: digest %x at %v, one: %x at %v", two.Digest, two.Now, r.Digest, r.Now)
		}
	})
}
