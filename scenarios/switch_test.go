package scenarios

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// SONiC's maps: DSCP 3, 4, 5, 8, 46 and 48 have classes, all others class 1; by PCP, 0
// and 1 are exchanged. Classes 3, 4 and 7 have groups of their own.
func TestPacketsAreClassifiedAsSONiCDoes(t *testing.T) {
	azure, pcp, plain := &Switch{QoSMap: "azure"}, &Switch{QoSMap: "pcp"}, &Switch{QoSMap: "class-selector"}
	named := map[int]int{3: 3, 4: 4, 5: 2, 8: 0, 46: 5, 48: 6}
	for dscp := range 64 {
		want, ok := named[dscp]
		if !ok {
			want = 1
		}
		if got := azure.Priority(dscp); got != want {
			t.Errorf("azure: DSCP %d has priority %d, want %d", dscp, got, want)
		}
		if got, want := pcp.Priority(dscp), [8]int{1, 0, 2, 3, 4, 5, 6, 7}[dscp/8]; got != want {
			t.Errorf("pcp: PCP %d has priority %d, want %d", dscp/8, got, want)
		}
		if got := plain.Priority(dscp); got != dscp/8 {
			t.Errorf("class selector: DSCP %d has priority %d", dscp, got)
		}
	}
	for p := range 8 {
		if a, b, c := azure.Group(p), pcp.Group(p), plain.Group(p); a != [8]int{0, 0, 0, 3, 4, 0, 0, 7}[p] || b != a || c != p {
			t.Errorf("priority %d has group %d, %d, %d", p, a, b, c)
		}
	}
	own := &Switch{QoSMap: "azure", DSCPMap: map[int]int{3: 7}, PGMap: map[int]int{5: 5}}
	if own.Priority(3) != 7 || own.Priority(4) != 4 || own.Group(5) != 5 || own.Group(6) != 0 {
		t.Error("single entries do not go before the named map")
	}
}

// A preset gives exactly the values that it names a source for.
func TestEveryFigureOfAPresetHasASource(t *testing.T) {
	for _, m := range machines {
		filled := parsed(t, star, "switch.preset="+m.name).Switch
		plain := parsed(t, star).Switch
		var differ []string
		values := map[string]any{}
		eachKey(reflect.ValueOf(&plain).Elem(), "", func(key string, v reflect.Value) { values[key] = v.Interface() })
		eachKey(reflect.ValueOf(&filled).Elem(), "", func(key string, v reflect.Value) {
			if key != "preset" && !reflect.DeepEqual(values[key], v.Interface()) {
				differ = append(differ, key)
			}
		})
		for _, key := range differ {
			if displaced := key == "lossy.alpha" && filled.Lossy.Limit != nil; m.sources[key] == "" && !displaced {
				t.Errorf("%s: %s differs from its default and has no source", m.name, key)
			}
		}
		for key := range m.sources {
			if _, known := values[key]; !known && key != "lossy.limit" && key != "egress.alpha" {
				t.Errorf("%s: a source for %s, which is no key", m.name, key)
			}
		}
		if !slices.Contains(differ, "buffer") || !slices.Contains(differ, "cell") {
			t.Errorf("%s differs from the defaults in %v only", m.name, differ)
		}
	}
}

func TestThePresetsAreThoseOfTheKey(t *testing.T) {
	names := []string{"generic"}
	for _, m := range machines {
		names = append(names, m.name)
	}
	field, _ := reflect.TypeFor[Switch]().FieldByName("Preset")
	allowed := strings.Split(field.Tag.Get("oneof"), "|")
	slices.Sort(names)
	slices.Sort(allowed)
	if !slices.Equal(names, allowed) {
		t.Errorf("presets are %v, the key allows %v", names, allowed)
	}
}

func TestExplicitKeysGoBeforeAPreset(t *testing.T) {
	spec := parsed(t, star, "switch={preset: tomahawk2, buffer: 10MB, lossy: {alpha: 2}}")
	s := &spec.Switch
	if s.Buffer != 10*units.MB || s.Cell != 208 || s.PFC.PGMin != 1248 || s.Lossy.Limit != nil || s.Lossy.Alpha.Num != 2 {
		t.Errorf("buffer %v, cell %v, minimum %v, lossy %+v", s.Buffer, s.Cell, s.PFC.PGMin, s.Lossy)
	}
	resolved := string(spec.Resolved())
	for _, line := range []string{
		"  cell: 208B                                    # preset tomahawk2: sizes in that file are multiples of 208 B",
		"    headroom_rule: tomahawk2                    # preset tomahawk2: sonic-net/sonic-buildimage, Arista-7260CX3: pg_profile_lookup.ini, xoff",
		"    quanta: 65535                               # default: IEEE 802.1Qbb; NICs and switches ask for the maximum",
	} {
		if !strings.Contains(resolved, line+"\n") {
			t.Errorf("not in the resolved scenario: %s\n%s", line, resolved)
		}
	}
}

// What SONiC sets aside on these machines holds in the worst case of a link at
// 100 Gb/s, for the frames it is meant for; and headroom of all ports fits the buffer.
func TestThePresetsHeadroomHolds(t *testing.T) {
	for _, m := range machines {
		for _, delay := range []string{"25ns", "200ns", "1500ns"} {
			if m.name == "tomahawk3" && delay == "1500ns" {
				continue // SONiC has no figure for 300 m
			}
			run, err := parsed(t, star, "switch.preset="+m.name, "topology.link.delay="+delay).Build()
			if err != nil {
				t.Errorf("%s: %v", m.name, err)
				continue
			}
			net := run.Cluster.Net
			sw := net.Graph.Switches()[0]
			if got, needed := net.Headroom(sw, 0), net.Reaction(sw, 0).Headroom(); got < needed {
				t.Errorf("%s, cables of %s: headroom %d, the worst case needs %d", m.name, delay, got, needed)
			} else if got == needed {
				t.Errorf("%s, cables of %s: headroom is that of the worst case and not SONiC's", m.name, delay)
			}
		}
	}
}

const leafSpine = `name: ls
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, host_link: {rate: 100Gbps, delay: 500ns}, fabric_link: {rate: 100Gbps, delay: 500ns}}
workloads: [{kind: flows, flows: [{from: h0, to: h2, size: 1MB}, {from: h1, to: h2, size: 1MB}, {from: h3, to: h2, size: 1MB}]}]
`

func configOf(t *testing.T, net *fabric.Network, name string) *fabric.Config {
	t.Helper()
	for i, node := range net.Graph.Nodes {
		if node.Name == name {
			return net.ConfigOf(i)
		}
	}
	t.Fatalf("no node %s", name)
	return nil
}

func TestASwitchMayDifferFromTheOthers(t *testing.T) {
	run, err := parsed(t, leafSpine, "switch={buffer: 9MB, ecn: {kmin: 5KB, kmax: 200KB}}",
		`switch_overrides=[{switches: ["spine[0-1]"], preset: spectrum2}, {switches: [leaf1], buffer: 8MB, dscp_map: {26: 0}, ecn: {enabled: false}, forwarding: cut-through}]`).Build()
	if err != nil {
		t.Fatal(err)
	}
	net := run.Cluster.Net
	h0, leaf0, leaf1, spine1 := configOf(t, net, "h0"), configOf(t, net, "leaf0"), configOf(t, net, "leaf1"), configOf(t, net, "spine1")
	if h0 != net.Config || leaf0 != net.Config || leaf0.Buffer != 9*units.MB || leaf0.Header != 0 {
		t.Errorf("host and first leaf differ from what switch says: %+v", leaf0)
	}
	if leaf1.Buffer != 8*units.MB || leaf1.PriorityOf[26] != 0 || leaf1.ECN.Marks() || leaf1.Header != 64 || !slices.Equal(leaf1.Priorities, []int{0, 3, 6}) {
		t.Errorf("second leaf: %+v", leaf1)
	}
	if spine1.Memory.Cell != 144 || spine1.PriorityOf[26] != 3 || spine1.ECN.Kmin != units.MiB || spine1.PFC.Minimum != 19_456 {
		t.Errorf("spines: %+v", spine1)
	}
}

// One leaf takes the data for lossy traffic: it pauses nobody and drops what its small
// buffer does not hold, while the other switches lose nothing.
func TestOneHopThatTakesDataForLossyTrafficLosesIt(t *testing.T) {
	run := ran(t, parsed(t, leafSpine, "host.congestion_control=none", "host.timeout=8", "switch.buffer=400KB", "switch.pfc.response=0s",
		"switch_overrides=[{switches: [leaf1], dscp_map: {26: 0}}]"), 1)
	net := run.Cluster.Net
	for _, sw := range net.Graph.Switches() {
		var lossy, lossless uint64
		for port := range net.Ports(sw) {
			c := &net.Ports(sw)[port].Counters.Class
			lossy += c[0].Dropped.Packets
			lossless += c[3].Dropped.Packets
		}
		if wrong := net.Graph.Nodes[sw].Name == "leaf1"; lossless != 0 || (lossy > 0) != wrong {
			t.Errorf("%s dropped %d packets in priority 0 and %d in priority 3", net.Graph.Nodes[sw].Name, lossy, lossless)
		}
	}
}

func TestWhatTheSchedulerSaysIsBuilt(t *testing.T) {
	net := built(t, "switch.scheduler={weights: {3: 15, 4: 14, 6: strict}, per_flow: [3, 5], shapers: [{priorities: [3, 4], rate: 10Gbps}, {rate: 20Gbps, burst: 9KB}]}",
		"switch.egress={alpha: 1/2, queue_min: 1500B}", "switch.pfc={headroom_rule: spectrum, headroom_pool: 1MB}", "switch.qos_map=azure",
		"host.dscp={data: 3, ack: 3}").Cluster.Net
	c := net.Config
	if c.Schedule.Weights != [8]int{3: 15, 4: 14} || c.Schedule.Quantum != 0 || c.Schedule.PerFlow != 1<<3|1<<5 {
		t.Errorf("schedule %+v", c.Schedule)
	}
	bound := fabric.Shaper{Rate: 10 * units.Gbps, Burst: 2 * 4174}
	if c.Schedule.Shapers != [8]fabric.Shaper{3: bound, 4: bound} || c.Schedule.Port != (fabric.Shaper{Rate: 20 * units.Gbps, Burst: 9 * units.KB}) {
		t.Errorf("shapers %+v, port %+v", c.Schedule.Shapers, c.Schedule.Port)
	}
	if c.Egress != (fabric.Egress{Alpha: units.Ratio{Num: 1, Den: 2}, Minimum: 1500}) || c.PFC.HeadroomPool != units.MB {
		t.Errorf("egress %+v, pool of headroom %v", c.Egress, c.PFC.HeadroomPool)
	}
	want, _ := pfc.ProvisionOf("spectrum")(100*units.Gbps, 500*units.Nanosecond)
	if got := net.Headroom(net.Graph.Switches()[0], 0); got != want {
		t.Errorf("headroom %v, want that of Spectrum, %v", got, want)
	}
	if !slices.Equal(c.Priorities, []int{3, 6}) || c.GroupOf(6) != 0 || c.GroupOf(3) != 3 {
		t.Errorf("priorities %v, group of 6 is %d", c.Priorities, c.GroupOf(6))
	}
}

// With pcp, NICs tag their frames, and the largest is 4 bytes longer.
func TestClassificationByPCPTagsFrames(t *testing.T) {
	c := built(t, "switch.qos_map=pcp").Cluster
	if !c.NIC.Tagged || c.Net.Config.MaxFrame != 4178 {
		t.Errorf("tagged %v, largest frame %d", c.NIC.Tagged, c.Net.Config.MaxFrame)
	}
}
