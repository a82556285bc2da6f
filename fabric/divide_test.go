package fabric

import (
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
)

// divided is a network of 100 Gb/s with its nodes shared out.
type divided struct {
	*Network
	worker []int // by node
	across units.Time
	within []units.Time // by worker
}

// divide builds a network of switches with that pipeline and shares it out by the number
// of ports.
func divide(t *testing.T, b topology.Builder, pipeline units.Time, workers int) divided {
	t.Helper()
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	cfg := plain()
	cfg.Pipeline, cfg.PFC.Response = pipeline, -1
	n, err := New(g, topology.NewRoutes(g), cfg)
	if err != nil {
		t.Fatal(err)
	}
	p := n.Divide(workers, func(node int) int64 { return int64(len(n.Ports(node))) })
	if len(p.Shares) != workers {
		t.Fatalf("%d workers, want %d", len(p.Shares), workers)
	}
	d := divided{n, make([]int, len(g.Nodes)), p.LookAhead, nil}
	for w, s := range p.Shares {
		d.within = append(d.within, s.LookAhead)
		for _, node := range s.Nodes {
			d.worker[node] = w
		}
	}
	return d
}

// cut is how many cables of an upper end in that tier lie between workers.
func (d divided) cut(tier int) (n int) {
	for _, l := range d.Graph.Links {
		if d.worker[l.A] != d.worker[l.B] && max(d.Graph.Nodes[l.A].Tier, d.Graph.Nodes[l.B].Tier) == tier {
			n++
		}
	}
	return n
}

// fatTree is one of 128 hosts, with cables of those lengths to hosts and between switches.
func fatTree(host, fabric units.Time) *topology.FatTree {
	return &topology.FatTree{
		K:          8,
		HostLink:   topology.HostCable{Rate: 100 * units.Gbps, Delay: host},
		FabricLink: topology.FabricCable{Rate: 100 * units.Gbps, Delay: fabric},
	}
}

// The smallest frame, on the wire, at 100 Gb/s.
const smallest units.Time = 84 * 80

// Pods stay whole, and of each tier every worker has its part: it has as much to do as
// the others in whatever tier packets happen to be.
func TestWorkersOfAFatTreeHaveWholePods(t *testing.T) {
	for _, workers := range []int{2, 4, 8} {
		d := divide(t, fatTree(units.Microsecond, units.Microsecond), 0, workers)
		if d.cut(1) != 0 || d.cut(2) != 0 {
			t.Errorf("%d workers: %d cables to hosts and %d in pods are cut", workers, d.cut(1), d.cut(2))
		}
		count := map[[2]int]int{}
		for node, w := range d.worker {
			count[[2]int{w, d.Graph.Nodes[node].Tier}]++
		}
		for w := range workers {
			for tier, all := range []int{128, 32, 32, 16} {
				if got := count[[2]int{w, tier}]; got != all/workers {
					t.Errorf("worker %d of %d has %d nodes of tier %d, want %d", w, workers, got, tier, all/workers)
				}
			}
		}
		if d.across != units.Microsecond+smallest {
			t.Errorf("workers meet every %v", d.across)
		}
	}
}

// Hosts on short cables stay with their leaf, so that workers meet by the long ones and
// the pipelines of switches. Leaves run before their hosts: the way back, through
// the leaf's pipeline, bounds a worker's own windows.
func TestHostsOnShortCablesStayWithTheirLeaf(t *testing.T) {
	const short, long, pipeline = 25 * units.Nanosecond, 250 * units.Nanosecond, 300 * units.Nanosecond
	for name, b := range map[string]topology.Builder{
		"fat-tree": fatTree(short, long),
		"leaf-spine": &topology.LeafSpine{
			Leaves: 6, Spines: 3, HostsPerLeaf: 5, NICsPerHost: 1,
			HostLink:   topology.HostCable{Rate: 100 * units.Gbps, Delay: short},
			FabricLink: topology.FabricCable{Rate: 100 * units.Gbps, Delay: long},
		},
	} {
		for _, workers := range []int{2, 3} {
			d := divide(t, b, pipeline, workers)
			if d.cut(1) != 0 {
				t.Errorf("%s, %d workers: %d cables to hosts are cut", name, workers, d.cut(1))
			}
			if want := long + pipeline + smallest; d.across != want {
				t.Errorf("%s, %d workers meet every %v, want %v", name, workers, d.across, want)
			}
			for w, got := range d.within {
				if want := short + pipeline + smallest; got != want {
					t.Errorf("%s: windows of worker %d of %d are %v long, want %v", name, w, workers, got, want)
				}
			}
		}
	}
}

// Where a switch is half of all work, it has one worker and its hosts have the other.
func TestASingleSwitchHasAWorkerOfItsOwn(t *testing.T) {
	d := divide(t, &topology.Star{Hosts: 8, NICsPerHost: 1, Link: topology.HostCable{Rate: 100 * units.Gbps, Delay: units.Microsecond}}, 0, 2)
	for _, host := range d.Graph.Hosts() {
		if d.worker[host] == d.worker[d.Graph.Switches()[0]] {
			t.Errorf("%s is with the switch", d.Graph.Nodes[host].Name)
		}
	}
}
