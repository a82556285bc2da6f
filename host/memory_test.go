package host_test

import (
	"runtime"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// reachable is how much of the heap is in use.
func reachable() units.Bytes {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return units.Bytes(m.HeapAlloc)
}

// idle is what a fat-tree takes in which nothing has happened: a port of a host or switch with its share of the switch and
// of the routes, and a host beside its port.
func idle(t *testing.T, k int) (port, hostAlone float64) {
	n := fatTree(k)
	n.Fabric.ECN = fabric.ECN{Kmin: 4 * units.KB, Kmax: 16 * units.KB, PerGbps: true, Pmax: units.Ratio{Num: 1, Den: 5}}
	empty := reachable()
	net, err := fabric.New(n.Graph, topology.NewRoutes(n.Graph), n.Fabric)
	if err != nil {
		t.Fatal(err)
	}
	built := reachable()
	c := host.NewCluster(net, &n.NIC)
	whole := reachable()
	runtime.KeepAlive(c)
	ports, hosts := float64(2*len(n.Graph.Links)), float64(len(c.Hosts))
	return float64(built-empty) / ports, float64(whole-built) / hosts
}

// Nothing that is made before a run grows with more than the ports and the hosts: a port in a fat-tree of 8,192 hosts takes
// what one takes among 128, and so does a host. How much that is decides how large a network fits into a machine. 65,536
// hosts have 393,216 ports.
func TestIdlePortsAndHostsTakeLittleMemoryInAnyNetwork(t *testing.T) {
	const (
		mostPort = 2100.0 // 1,880 and 1,970 bytes were measured, of which 1,024 are counters
		mostHost = 1000.0 // 904 to 915
	)
	smallPort, smallHost := idle(t, 8)
	for _, k := range []int{8, 16, 32} {
		port, alone := idle(t, k)
		if port > mostPort || alone > mostHost {
			t.Errorf("k=%d: %.0f bytes a port and %.0f a host; want at most %.0f and %.0f", k, port, alone, mostPort, mostHost)
		}
		if port > 1.05*smallPort || alone > 1.05*smallHost {
			t.Errorf("k=%d: %.0f bytes a port and %.0f a host, in the small network %.0f and %.0f", k, port, alone, smallPort, smallHost)
		}
	}
}

// Flows add what they are: queue pairs at both ends, and no table of all pairs of hosts.
func TestAFlowTakesAsMuchMemoryInAnyNetwork(t *testing.T) {
	const most = 3100.0 // 2,910 to 2,980 were measured
	for _, k := range []int{8, 16, 32} {
		n := fatTree(k)
		hosts := len(n.Graph.Hosts())
		empty := n.Cluster(t)
		before := reachable()
		for src := range hosts {
			f := simtest.Flow(src, (src+hosts/2+1)%hosts, 100*units.KB)
			if err := empty.AddFlow(f); err != nil {
				t.Fatal(err)
			}
		}
		if each := float64(reachable()-before) / float64(hosts); each > most {
			t.Errorf("k=%d: %.0f bytes a flow, want at most %.0f", k, each, most)
		}
		runtime.KeepAlive(empty)
	}
}
