package scenarios

import (
	"context"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// simulated builds and runs a scenario, and fails the test unless its flows are done.
func simulated(t *testing.T, text string, overrides ...string) *host.Cluster {
	t.Helper()
	spec := parsed(t, text, overrides...)
	run, err := spec.Build()
	if err != nil {
		t.Fatal(err)
	}
	report, err := run.Cluster.Run(context.Background(), host.RunOptions{Limit: spec.Stop.Limit, UntilDone: true, Workers: 1})
	if err != nil || report.Outcome != host.Done {
		t.Fatalf("outcome %v: %v", report.Outcome, err)
	}
	return run.Cluster
}

// Sizes of csg-htsim: roce.cpp has a packet spacing of mtu+ACKSIZE, 64 bytes, and sends _mss whatever is left of the flow.
func TestFramesOfHtsimArePayloadAnd64Bytes(t *testing.T) {
	for _, tc := range []struct {
		op      wire.Opcode
		payload int
		want    int
	}{
		{wire.WriteFirst, 4096, 4160}, {wire.WriteMiddle, 4096, 4160}, {wire.WriteLast, 1, 4160}, {wire.WriteOnly, 0, 4160}, {wire.Acknowledge, 0, 64},
	} {
		if got := htsim.framing.FrameBytes(tc.op, tc.payload, 4096) + htsim.framing.Gap; got != tc.want {
			t.Errorf("%v of %d bytes: %d on the wire, want %d", tc.op, tc.payload, got, tc.want)
		}
	}
	if got, want := htsim.framing.Serialise(100*units.Gbps, 4160), 332_800*units.Picosecond; got != want {
		t.Errorf("a frame takes %v at 100 Gb/s, want %v", got, want)
	}
}

const htsimStar = `name: s
profile: htsim
topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 1us}}
switch: {pipeline: 0s, release: last-bit, pfc: {response: 0s}}
host: {ack_every: 1, congestion_control: none, pfc_response: 0s}
`

// Two links of 1 us: three packets of 4160 B, the last of them carrying a byte, leave in 3 x 332.8 ns, the last takes another
// 332.8 ns over the second link, and its acknowledgement 5.12 ns over each.
func TestAFlowOfHtsimTakesAsLongAsItsFullPackets(t *testing.T) {
	c := simulated(t, htsimStar+`workloads: [{kind: flows, flows: [{from: h0, to: h1, size: 8193B}]}]`)
	want := 4*332_800*units.Picosecond + 2*5_120*units.Picosecond + 4*units.Microsecond
	if got := c.Transfer(0).End; got != want {
		t.Errorf("done at %v, want %v", got, want)
	}
	if _, ideal := c.Ideal(0); ideal != want {
		t.Errorf("ideal %v, want %v", ideal, want)
	}
}

// A rate below the line's is kept: 100 packets of 4160 B, one every 3.328 us at 10 Gb/s, the last of them sent after 99 of these.
func TestAPacedFlowOfHtsimKeepsItsPace(t *testing.T) {
	c := simulated(t, htsimStar+`workloads: [{kind: flows, flows: [{from: h0, to: h1, size: 409600B}]}]`,
		"host.congestion_control={kind: fixed, rate: 10Gbps}")
	want := 99*3_328*units.Nanosecond + 2*332_800*units.Picosecond + 2*5_120*units.Picosecond + 4*units.Microsecond
	if got := c.Transfer(0).End; got != want {
		t.Errorf("done at %v, want %v", got, want)
	}
}

func TestWhatHtsimHasNotIsRefused(t *testing.T) {
	for key, value := range map[string]string{
		"switch.forwarding": "cut-through", "switch.pfc.watchdog.enabled": "true", "host.receive.drain_rate": "10Gbps",
	} {
		_, err := Parse("s.yaml", []byte(htsimStar+"workloads: [{kind: all-to-all, size: 1KB}]"), key+"="+value)
		if err == nil || !strings.Contains(err.Error(), "not with profile htsim") {
			t.Errorf("%s: %v", key, err)
		}
	}
}
