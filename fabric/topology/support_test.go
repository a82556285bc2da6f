package topology

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

var (
	host100G   = HostCable{Rate: 100 * units.Gbps, Delay: 500 * units.Nanosecond}
	fabric400G = FabricCable{Rate: 400 * units.Gbps, Delay: 500 * units.Nanosecond}
)

func mustBuild(t testing.TB, b Builder) *Graph {
	t.Helper()
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func fatTree(k int) *FatTree { return &FatTree{K: k, HostLink: host100G, FabricLink: fabric400G} }

func leafSpine(leaves, spines, hostsPerLeaf int) *LeafSpine {
	return &LeafSpine{
		Leaves: leaves, Spines: spines, HostsPerLeaf: hostsPerLeaf, NICsPerHost: 1,
		HostLink: host100G, FabricLink: fabric400G,
	}
}

// fullMesh is n hosts, each cabled to every other one.
func fullMesh(n int) *FullMesh { return &FullMesh{Hosts: n, Link: host100G} }

// node returns the index of the node of that name.
func node(t testing.TB, g *Graph, name string) int {
	t.Helper()
	for i, n := range g.Nodes {
		if n.Name == name {
			return i
		}
	}
	t.Fatalf("no node %s", name)
	return 0
}

// drawGraph draws a network: a random tree of switches with more links thrown in, some of them parallel, hosts with one to
// three NICs at random switches, and direct cables between some hosts.
func drawGraph(t *rapid.T) *Graph {
	var net plan
	hosts := rapid.IntRange(2, 6).Draw(t, "hosts")
	switches := rapid.IntRange(1, 8).Draw(t, "switches")
	cable := func(a, b int) {
		net.cable(a, b, HostCable{
			Rate:  units.Rate(rapid.SampledFrom([]int64{10, 25, 100, 400}).Draw(t, "rate")) * units.Gbps,
			Delay: units.Time(rapid.IntRange(1, 3).Draw(t, "delay")) * units.Microsecond,
		}, 1)
	}
	for i := range hosts {
		net.add(Host, fmt.Sprint("h", i))
	}
	for i := range switches {
		sw := net.add(Switch, fmt.Sprint("sw", i))
		if i > 0 {
			cable(sw, hosts+rapid.IntRange(0, i-1).Draw(t, "parent"))
		}
	}
	for range rapid.IntRange(0, 10).Draw(t, "more") {
		a, b := rapid.IntRange(0, switches-1).Draw(t, "a"), rapid.IntRange(0, switches-1).Draw(t, "b")
		if a != b {
			cable(hosts+a, hosts+b)
		}
	}
	for host := range hosts {
		for range rapid.IntRange(1, 3).Draw(t, "nics") {
			cable(host, hosts+rapid.IntRange(0, switches-1).Draw(t, "at"))
		}
	}
	if rapid.Bool().Draw(t, "direct") {
		cable(0, 1)
	}
	g, err := net.graph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// setDefaults fills a parameter struct with the defaults in its tags, the way a scenario does.
func setDefaults(t *testing.T, params reflect.Value) {
	t.Helper()
	for i := range params.NumField() {
		field, value := params.Type().Field(i), params.Field(i)
		if !field.IsExported() {
			continue
		}
		text, given := field.Tag.Lookup("default")
		switch target := value.Addr().Interface().(type) {
		case interface{ UnmarshalText([]byte) error }:
			if given {
				if err := target.UnmarshalText([]byte(text)); err != nil {
					t.Errorf("%s: default: %v", field.Name, err)
				}
			}
		case *int:
			if given {
				if _, err := fmt.Sscan(text, target); err != nil {
					t.Errorf("%s: default: %v", field.Name, err)
				}
			}
		case *[]int:
			if given {
				if err := json.Unmarshal([]byte(text), target); err != nil {
					t.Errorf("%s: default: %v", field.Name, err)
				}
			}
		default:
			if value.Kind() == reflect.Struct {
				setDefaults(t, value)
			}
		}
	}
}

// bytes returns the size of the tables.
func (r *Routes) bytes() (total int) {
	for i := range r.switches {
		total += 4*len(r.switches[i].bySet) + 4*cap(r.switches[i].byEdge) + 2*cap(r.switches[i].pool)
	}
	return total + 4*len(r.between) + 8*len(r.siblings)
}

// wantError checks that err is exactly the lines of want.
func wantError(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %s", strings.Join(want, "\n"))
	}
	if got := err.Error(); got != strings.Join(want, "\n") {
		t.Errorf("error\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
