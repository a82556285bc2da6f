package scenarios

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// star is five hosts around a switch, and one flow.
const star = `name: star
topology: {kind: star, hosts: 5, link: {rate: 100Gbps, delay: 500ns}}
workloads: [{kind: flows, flows: [{from: h1, to: h0, size: 100KB}]}]
`

func built(t *testing.T, overrides ...string) *record.Run {
	t.Helper()
	run, err := parsed(t, star, overrides...).Build()
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestWhatIsWrittenIsWhatIsBuilt(t *testing.T) {
	run := built(t, "seed=3", "measure={series: [queue_depth, qp_rate, pause], every: 7us}",
		`switch={buffer: 2MB, pipeline: 400ns, ecmp_seed: 9, ecn: {kmin: 10KB, kmax: 90KB, pmax: 1%}, lossy: {alpha: 2, pg_min: 2KB},
		pfc: {alpha: 1/4, xon_offset: 5KB, headroom: 100KB, pg_min: 1KB, quanta: 500, refresh: 1/3, response: 2us, expiry: false}}`,
		`host={mtu: 1024, ack_every: 4, window: 1MB, timeout: 8, timer_factor: 2, retries: 2, recovery: adaptive, initial_psn: 5,
		selective_repeat: {window: 77, timer_low: 40us, timer_high: 50us, few: 2}, adaptive: {start: 20us, limit: 1ms, tries: 3}, cnp: {latency: 1us, interval: 3us}, dscp: {data: 27, ack: 24, cnp: 49},
		connections: {command: 100us}}`)
	wantFabric := fabric.Config{
		// A WRITE of 1024 B has 62 B of headers and check sums, and 16 B of RETH.
		Buffer: 2 * units.MB, Pipeline: 400 * units.Nanosecond, Priorities: []int{3, 6}, MaxFrame: 1024 + 62 + 16,
		Memory: pfc.Memory{Cell: 1, Small: units.Ratio{Num: 1, Den: 1}}, Groups: &[8]uint8{0, 1, 2, 3, 4, 5, 6, 7},
		PFC: fabric.PFC{
			Oversubscription: units.Ratio{Num: 1, Den: 1},
			Lossless:         1 << 3, Alpha: units.Ratio{Num: 1, Den: 4}, XONOffset: 5 * units.KB, Headroom: 100 * units.KB, Minimum: units.KB,
			Quanta: 500, Refresh: units.Ratio{Num: 1, Den: 3}, Response: 2 * units.Microsecond, Sticky: true,
		},
		ECN:   fabric.ECN{Kmin: 10 * units.KB, Kmax: 90 * units.KB, Pmax: units.Ratio{Num: 1, Den: 100}},
		Lossy: fabric.Lossy{Alpha: units.Ratio{Num: 2, Den: 1}, Minimum: 2 * units.KB},
		Seed:  3, PathSeed: 9, RecordPauses: true, QueueSamples: 7 * units.Microsecond,
	}
	if diff := cmp.Diff(wantFabric, *run.Cluster.Net.Config, cmpopts.IgnoreFields(fabric.Config{}, "PriorityOf", "PFC.ResponseAt")); diff != "" {
		t.Errorf("fabric (-want +got):\n%s", diff)
	}
	interval, connections := 3*units.Microsecond, rdmacm.Default()
	connections.Command = 100 * units.Microsecond
	wantNIC := rnic.Config{
		Recovery: rnic.Adaptive, Selective: rnic.SelectiveRepeat{TimerLow: 40 * units.Microsecond, TimerHigh: 50 * units.Microsecond, Few: 2},
		Adaptive: rnic.AdaptiveTimer{Start: 20 * units.Microsecond, Limit: units.Millisecond, Tries: 3},
		MTU:      1024, AckEvery: 4, Window: units.MB, Timeout: 8, TimerFactor: 2, Retries: 2, InitialPSN: 5, CNPLatency: units.Microsecond, CNPInterval: &interval, RateSamples: 7 * units.Microsecond,
		Data: rnic.Class{DSCP: 27, Priority: 3}, Ack: rnic.Class{DSCP: 24, Priority: 3}, CNP: rnic.Class{DSCP: 49, Priority: 6},
		Connections: &connections,
	}
	if diff := cmp.Diff(wantNIC, *run.Cluster.NIC, cmpopts.IgnoreFields(rnic.Config{}, "Control")); diff != "" {
		t.Errorf("NIC (-want +got):\n%s", diff)
	}
}

// What is left to its default comes out as deployments have it.
func TestDefaultsAreThoseOfDeployments(t *testing.T) {
	run := built(t)
	c := run.Cluster.Net.Config
	for rate, want := range map[units.Rate][2]units.Bytes{
		25 * units.Gbps: {100 * units.KB, 400 * units.KB}, 100 * units.Gbps: {400 * units.KB, 1600 * units.KB},
		400 * units.Gbps: {1600 * units.KB, 6400 * units.KB}, 37_500 * units.Mbps: {150 * units.KB, 600 * units.KB},
	} {
		if kmin, kmax := c.ECN.Thresholds(rate); kmin != want[0] || kmax != want[1] {
			t.Errorf("%v: Kmin %v, Kmax %v, want %v", rate, kmin, kmax, want)
		}
	}
	net := run.Cluster.Net
	leaf := net.Graph.Switches()[0]
	if got, want := net.Headroom(leaf, 0), net.Reaction(leaf, 0).Headroom(); got != want || want == 0 {
		t.Errorf("headroom %v, the worst case needs %v", got, want)
	}
	if c.Pipeline != 300*units.Nanosecond || c.PFC.Sticky || c.PFC.XOFF != 0 || c.PFC.Lossless != 1<<3 || c.RecordPauses || c.QueueSamples != 0 {
		t.Errorf("%+v", c)
	}
}

// Only the classes in use take part in the division of a switch's buffer.
func TestPrioritiesInUseAreThoseOfPacketsAndLosslessOnes(t *testing.T) {
	for overrides, want := range map[string][]int{
		"":                                 {3, 6},
		"host.dscp.ack=48":                 {3, 6},
		"host.dscp.ack=0":                  {0, 3, 6},
		"switch.dscp_map={26: 5}":          {3, 5, 6},
		"switch.pfc.priorities=[3, 4]":     {3, 4, 6},
		"workloads[0].flows[0].priority=2": {2, 3, 6},
	} {
		var sets []string
		if overrides != "" {
			sets = append(sets, overrides)
		}
		if diff := cmp.Diff(want, built(t, sets...).Cluster.Net.Config.Priorities); diff != "" {
			t.Errorf("%s (-want +got):\n%s", overrides, diff)
		}
	}
}

// A flow that asks for a priority gets the lowest DSCP which is mapped to it, unless
// it is the host's own.
func TestAFlowOfAnotherPriorityHasItsDSCP(t *testing.T) {
	run, err := parsed(t, star, "switch.dscp_map={16: 1, 17: 7}",
		"workloads=[{kind: flows, flows: [{from: h1, to: h0, size: 1KB, priority: 2}, {from: h1, to: h0, size: 1KB, priority: 3}, {from: h1, to: h0, size: 1KB, priority: 7}, {from: h1, to: h0, size: 1KB}]}]").Build()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []rnic.Class{{DSCP: 18, Priority: 2}, {DSCP: 26, Priority: 3}, {DSCP: 17, Priority: 7}, {DSCP: 26, Priority: 3}} {
		if got := run.Cluster.Flows[i].Data; got != want {
			t.Errorf("flow %d has %+v, want %+v", i, got, want)
		}
	}
}

// What shows only when the network is built has a place in the file too.
func TestWhatCannotBeBuiltIsToldAtItsPlace(t *testing.T) {
	for _, c := range []struct {
		overrides []string
		want      string
	}{
		// 20 ports times 1875 KB.
		{[]string{"topology.hosts=20", "switch={buffer: 32MB, pfc: {headroom: 1875KB}}"},
			"--set switch: switch.pfc.headroom: sw0 has 20 ports: headroom 37.5MB exceeds 32MB buffer; a buffer above 37.5MB, "},
		{[]string{"topology.hosts=20", "switch={buffer: 32MB, pfc: {headroom: 1875KB}}"},
			" (5.5MB are missing; sw0:0 sets 1.88MB aside for each lossless priority)"},
		{[]string{"switch.buffer=100KB"}, "headroom "},
		{[]string{"switch.buffer=1MB", "switch.pfc.pg_min=200KB"}, "--set switch.pfc.pg_min: sw0 has 5 ports: minima 1MB and headroom "},
		{[]string{"stop.limit=1ms", "workloads[0].flows[0].start=1ms"},
			`--set stop.limit: "1ms": a flow of flows starts at 1ms, so that the run could never be done; more than 1ms`},
	} {
		_, err := parsed(t, star, c.overrides...).Build()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: error %v, want %s", c.overrides, err, c.want)
		}
	}
	// A run that goes on to a time need not wait for all flows.
	built(t, "stop={when: time, limit: 1ms}", "workloads[0].flows[0].start=1ms")
}
