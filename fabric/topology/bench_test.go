package topology

import (
	"fmt"
	"testing"
)

func BenchmarkNewRoutes(b *testing.B) {
	for _, k := range []int{16, 32, 64} {
		b.Run(fmt.Sprintf("fat-tree/hosts=%d", k*k*k/4), func(b *testing.B) {
			g := mustBuild(b, fatTree(k))
			b.ReportAllocs()
			for b.Loop() {
				b.ReportMetric(float64(NewRoutes(g).bytes())/1e6, "MB-tables")
			}
		})
	}
}

func BenchmarkNextHops(b *testing.B) {
	for _, k := range []int{16, 32} {
		b.Run(fmt.Sprintf("fat-tree/hosts=%d", k*k*k/4), func(b *testing.B) {
			g := mustBuild(b, fatTree(k))
			r := NewRoutes(g)
			dests := make([]Dest, len(r.Endpoints))
			for ep := range dests {
				dests[ep] = r.Dest(int32(ep))
			}
			hash, sum := uint32(1), 0
			for b.Loop() {
				hash = hash*1664525 + 1013904223
				hops := r.switches[hash>>8%uint32(len(r.switches))].NextHops(dests[hash%uint32(len(dests))])
				sum += int(hops[hash%uint32(len(hops))])
			}
			if sum == 0 {
				b.Fatal("all ports 0")
			}
		})
	}
}
