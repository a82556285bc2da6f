package host_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/rdmasim/rdmasim/bench"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// permutation is the case of that name of rdmasim bench, for a test to change.
func permutation(k, mtu int, size units.Bytes) (*simtest.Net, []host.Flow) {
	return netOf(bench.Permutation(k, mtu, size))
}

// realistic is the one over short links, likewise.
func realistic(k, mtu int, size units.Bytes) (*simtest.Net, []host.Flow) {
	return netOf(bench.Realistic(k, mtu, size))
}

func netOf(s *bench.Setup, err error) (*simtest.Net, []host.Flow) {
	if err != nil {
		panic(err)
	}
	n := simtest.On(s.Graph)
	n.Fabric, n.NIC = s.Fabric, s.NIC
	return n, s.Flows
}

func BenchmarkFatTreePermutation(b *testing.B) {
	for _, k := range []int{4, 8, 16} {
		for _, mtu := range []int{1024, 4096} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("hosts=%d/mtu=%d/workers=%d", k*k*k/4, mtu, workers), func(b *testing.B) {
					n, flows := permutation(k, mtu, 2*units.MB)
					n.Run.Workers, n.Run.Together = workers, nil
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
