package scenarios

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

const onLanes = `name: lanes
topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 100ns}}
host: {transport: infiniband}
switch_overrides: [{switches: [sw0], vl_buffer: 32KiB}]
workloads: [{kind: incast, fan_in: 2, size: 100KB, to: h0, priority: 5}]
`

// A scenario that says infiniband and nothing else has switches of 110 ns that cut through, credits in place of PFC, no
// marks and no congestion control, and says where that comes from.
func TestATransportBringsItsOwnValues(t *testing.T) {
	s := parsed(t, onLanes)
	if sw := &s.Switch; sw.Pipeline != 110*units.Nanosecond || sw.Forwarding != cutThrough || sw.PFC.Enabled || sw.ECN.Enabled {
		t.Errorf("pipeline %v, %s, PFC %v, ECN %v", sw.Pipeline, sw.Forwarding, sw.PFC.Enabled, sw.ECN.Enabled)
	}
	if s.Host.CNP.Enabled || s.Host.Control.Kind != "none" {
		t.Errorf("notifications %v, congestion control %s", s.Host.CNP.Enabled, s.Host.Control.Kind)
	}
	if from, _ := s.origins.Of("switch.pipeline"); !strings.HasPrefix(from.String(), "preset transport infiniband: ") {
		t.Errorf("the pipeline comes from %q", from)
	}
	if len(s.Warnings) > 0 {
		t.Errorf("warnings: %v", s.Warnings)
	}
	if other := parsed(t, onLanes, "switch.pipeline=90ns"); other.Switch.Pipeline != 90*units.Nanosecond {
		t.Errorf("a pipeline that is given becomes %v", other.Switch.Pipeline)
	}
	run, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	cfg := run.Cluster.Net.ConfigOf(run.Cluster.Net.Graph.Switches()[0])
	if cfg.Credits == nil || cfg.Credits.Buffer != 32*units.KiB || cfg.HostCredits.Buffer != 64*units.KiB {
		t.Errorf("credits %+v at the switch, %+v at hosts", cfg.Credits, cfg.HostCredits)
	}
	if got := run.Cluster.Flows[0].Data; got.Priority != 5 {
		t.Errorf("the flows of the workload are in lane %d, want 5", got.Priority)
	}
	if got := run.Cluster.NIC.Data.Priority; got != 3 {
		t.Errorf("data are in lane %d, want 3", got)
	}
}

// All values written out are the same scenario: what means nothing stands there with the value it has anyway.
func TestAResolvedScenarioOnInfiniBandIsTheSame(t *testing.T) {
	s := parsed(t, onLanes)
	again, err := Parse("resolved.yaml", s.Resolved())
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash() != s.Hash() {
		t.Errorf("the resolved scenario is another:\n%s", again.Resolved())
	}
}

// What a key has on other links is its default; and a variant on other links is the same whether keys are written out or not.
func TestVariantsOfTransportAreTheSameWhenAllIsWrittenOut(t *testing.T) {
	plain := plainValues()["rocev2"]
	for _, own := range infinibandValues {
		if got, is := plain[own.key]; is && got != own.otherwise {
			t.Errorf("%s is %s on Ethernet, want %s", own.key, got, own.otherwise)
		}
	}
	if plain["host.congestion_control.kind"] != "dcqcn" {
		t.Errorf("congestion control on Ethernet is %s", plain["host.congestion_control.kind"])
	}
	for _, text := range []string{
		strings.Replace(onLanes, "switch_overrides", "variants: [{name: other, set: {host.transport: rocev2}}]\n#", 1),
		strings.Replace(onLanes, "host: {transport: infiniband}\nswitch_overrides",
			"switch: {pipeline: 200ns}\nvariants: [{name: other, set: {host.transport: infiniband, switch.ecn.enabled: false}}]\n#", 1),
	} {
		s := parsed(t, text)
		again, err := Parse("resolved.yaml", s.Resolved())
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range []*Spec{s, again} {
			other := spec.Variants[0].spec
			if lanes := other.onInfiniBand(); other.Switch.PFC.Enabled == lanes || (other.Host.Control.Kind == "none") != lanes {
				t.Errorf("on other links: PFC %v, congestion control %s", other.Switch.PFC.Enabled, other.Host.Control.Kind)
			}
		}
		if a, b := s.Variants[0].spec.Hash(), again.Variants[0].spec.Hash(); a != b || s.Hash() != again.Hash() {
			t.Errorf("written out, the scenario or its variant is another:\n%s", again.Resolved())
		}
	}
	if got := parsed(t, "name: x\ntopology: star\nswitch: {pipeline: 200ns}\nworkloads: [{kind: all-to-all, size: 1KB}]\n"+
		"variants: [{name: ib, set: {host.transport: infiniband}}]\n").Variants[0].spec.Switch.Pipeline; got != 200*units.Nanosecond {
		t.Errorf("a pipeline that the file gives becomes %v", got)
	}
}

// A circle of routes is warned of on links with credits as it is under PFC.
func TestACircleOfLanesIsWarnedOf(t *testing.T) {
	const ring = `name: ring
topology: {kind: ring, switches: 3, routes: clockwise}
host: {transport: infiniband}
workloads: [{kind: permutation, shift: 2, size: 1MB}]
`
	warnings, err := parsed(t, ring).Lint()
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], ":3:19: host.transport: the flows of this scenario can deadlock in priority 3") {
		t.Errorf("warnings: %q", warnings)
	}
}
