package fabric

import (
	"fmt"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
)

// starOf is hosts around one switch, which is the node after them.
func starOf(t testing.TB, hosts int) *topology.Graph {
	t.Helper()
	var nodes []topology.Node
	var links []topology.Link
	for i := range hosts {
		nodes = append(nodes, topology.Node{Name: fmt.Sprint("h", i)})
		links = append(links, topology.Link{A: i, B: hosts, Rate: 100 * units.Gbps, Delay: units.Microsecond})
	}
	g, err := topology.New(append(nodes, topology.Node{Name: "sw0", Kind: topology.Switch}), links)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// plain is a fabric whose priority 3 is lossless; DSCP 26 is in it.
func plain() Config {
	cfg := Config{
		Buffer: 32 * units.MB, Priorities: []int{3}, MaxFrame: 4174,
		PFC:   PFC{Lossless: 1 << 3, Alpha: units.Ratio{Num: 1, Den: 8}, Headroom: -1, Quanta: 65535, Refresh: units.Ratio{Num: 1, Den: 2}},
		Lossy: Lossy{Alpha: units.Ratio{Num: 1, Den: 1}},
		Seed:  1, PathSeed: 1,
	}
	for dscp := range cfg.PriorityOf {
		cfg.PriorityOf[dscp] = uint8(dscp >> 3)
	}
	return cfg
}

// star builds a fabric of hosts around one switch.
func star(t testing.TB, hosts int, change func(*Config)) *Network {
	t.Helper()
	cfg := plain()
	change(&cfg)
	g := starOf(t, hosts)
	n, err := New(g, topology.NewRoutes(g), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
