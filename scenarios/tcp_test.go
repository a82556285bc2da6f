package scenarios

import (
	"testing"

	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/tcp"
)

// What a scenario has that says nothing is what the packages have that know no scenarios.
func TestTCPAndKernelsHaveOneSetOfDefaults(t *testing.T) {
	for _, profile := range []string{"linux", "busy-poll", "bypass", "ideal"} {
		s, err := Parse("plain.yaml", []byte("name: plain\ntopology: star\nhost: {transport: tcp, kernel: {profile: "+profile+"}}\nworkloads: [{kind: all-to-all, size: 1KB}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		if want := tcp.Defaults(); s.Host.TCP.Config != want {
			t.Errorf("TCP is\n%+v, want\n%+v", s.Host.TCP.Config, want)
		}
		if want := kernel.New(profile); s.Host.Kernel != *want {
			t.Errorf("the kernel %s is\n%+v, want\n%+v", profile, s.Host.Kernel, *want)
		}
	}
}

// A flow over TCP that starts long after all else has ended is waited for, as one by RDMA is.
func TestFlowsOverTCPMayStartLongAfterAllElseIsOver(t *testing.T) {
	_, s := ended(t, parsed(t, "name: late\ntopology: {kind: star, hosts: 2}\nworkloads:\n  - {kind: flows, transport: tcp, flows: [{from: h0, to: h1, size: 1KB}, {from: h1, to: h0, size: 1KB, start: 50ms}]}\n"))
	if s.Outcome != results.Done {
		t.Errorf("%v: %v", s.Outcome, s.Reasons)
	}
}
