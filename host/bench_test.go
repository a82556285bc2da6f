package host_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// permutation is a fat-tree of 100G and 1 us links in which every host sends to
// the one half the network away, with PFC, ECN and DCQCN on and an
// acknowledgement per packet.
func permutation(k, mtu int, size units.Bytes) (*simtest.Net, []host.Flow) {
	rate, delay := 100*units.Gbps, units.Microsecond
	n := simtest.Build(&topology.FatTree{
		K: k, HostLink: topology.HostCable{Rate: rate, Delay: delay}, FabricLink: topology.FabricCable{Rate: rate, Delay: delay},
	})
	n.Fabric.MaxFrame = units.Bytes(mtu + 78)
	n.Fabric.PFC.Response = -1
	n.Fabric.Pipeline = 0
	n.Fabric.ECN = fabric.ECN{Kmin: 4 * units.KB, Kmax: 16 * units.KB, PerGbps: true, Pmax: units.Ratio{Num: 1, Den: 5}}
	n.NIC.MTU, n.NIC.AckEvery, n.NIC.Timeout = mtu, 1, 14
	n.NIC.CNPLatency = 500 * units.Nanosecond
	n.NIC.Control = dcqcn.Kind.Params("scaled")
	hosts := k * k * k / 4
	var flows []host.Flow
	for i := range hosts {
		flows = append(flows, simtest.Flow(i, (i+hosts/2+1)%hosts, size))
	}
	return n, flows
}

func BenchmarkFatTreePermutation(b *testing.B) {
	for _, k := range []int{4, 8, 16} {
		for _, mtu := range []int{1024, 4096} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("hosts=%d/mtu=%d/workers=%d", k*k*k/4, mtu, workers), func(b *testing.B) {
					n, flows := permutation(k, mtu, 2*units.MB)
					n.Run.Workers = workers
					var hops, events uint64
					var before, after runtime.MemStats
					var allocated uint64
					for b.Loop() {
						b.StopTimer()
						c := n.Cluster(b, flows...)
						runtime.GC()
						runtime.ReadMemStats(&before)
						b.StartTimer()
						r, err := c.Run(context.Background(), n.Run)
						b.StopTimer()
						if err != nil || r.Outcome != host.Done {
							b.Fatal(err, r.Outcome)
						}
						runtime.ReadMemStats(&after)
						hops += r.Hops
						events += r.Events
						allocated += after.TotalAlloc - before.TotalAlloc
						b.StartTimer()
					}
					b.ReportMetric(float64(hops)/b.Elapsed().Seconds()/1e6, "Mhops/s")
					b.ReportMetric(float64(events)/float64(hops), "events/hop")
					b.ReportMetric(float64(allocated)/float64(hops), "B/hop")
					b.ReportMetric(float64(after.Sys)/1e6, "MB")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}
