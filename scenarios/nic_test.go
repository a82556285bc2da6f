package scenarios

import (
	"context"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/results"
)

// summaryOf runs the star with some overrides.
func summaryOf(t *testing.T, overrides ...string) *results.Summary {
	t.Helper()
	session := Session{Spec: parsed(t, star, overrides...), Workers: 1}
	summary, err := session.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// A receiver in a slot of 8 lanes pauses its switch, and the pauses reach the sender: nothing is lost, and what comes
// is what posted writes carry of 63.0 Gb/s raw, 52.0 of payload.
func TestAHostInANarrowSlotIsASlowReceiver(t *testing.T) {
	s := summaryOf(t, "host.nic.profile=connectx5", "host.slots=[{hosts: [h0], width: 8}]", "host.congestion_control=none",
		"switch.ecn.enabled=false", "switch.buffer=2MiB", "workloads=[{kind: flows, flows: [{from: h1, to: h0, size: 40MB}]}]")
	if got := float64(s.Goodput.Rate) / 1e9; got < 51 || got > 54 {
		t.Errorf("%.1f Gb/s", got)
	}
	if s.Pause == nil || s.Pause.PausedNICs != 1 || drops(s, false) != 0 {
		t.Errorf("pauses %+v, drops %+v", s.Pause, s.Drops)
	}
}

// A slot that carries less than its link is warned of, with what both carry.
func TestANarrowSlotIsWarnedOf(t *testing.T) {
	warned := func(overrides ...string) string {
		warnings, err := parsed(t, star, overrides...).Lint()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(warnings, "\n")
	}
	if w := warned("host.nic.profile=connectx5"); w != "" {
		t.Errorf("16 lanes: %s", w)
	}
	want := "h0:0 is in a slot of PCIe 3 with 8 lanes (63Gbps raw) that lets it send 52.7Gbps of payload and receive 52Gbps; its link carries 98Gbps"
	if w := warned("host.nic.profile=connectx5", "host.slots=[{hosts: [h0], width: 8}]"); !strings.Contains(w, want) || strings.Contains(w, "\n") {
		t.Errorf("8 lanes: %s", w)
	}
	if w := warned("host.nic={profile: connectx5, pcie: {width: 8}}"); !strings.Contains(w, want+"; so are 4 other ports") {
		t.Errorf("8 lanes everywhere: %s", w)
	}
}

// The ideal adapter is the default: to name it changes no bit.
func TestTheIdealAdapterIsTheDefault(t *testing.T) {
	if plain, named := summaryOf(t), summaryOf(t, "host.nic.profile=ideal"); plain.Digest != named.Digest {
		t.Errorf("digest %v, named %v", plain.Digest, named.Digest)
	}
	if plain, real := summaryOf(t), summaryOf(t, "host.nic.profile=connectx5"); plain.Digest == real.Digest {
		t.Error("a ConnectX-5 costs nothing")
	}
}

func TestAdaptersThatCannotBeAreRefused(t *testing.T) {
	for override, want := range map[string]string{
		"host.nic.profile=connectx4":                             `host.nic.profile: "connectx4" is not possible; did you mean`,
		"host.nic.memory=far":                                    "host.nic.memory: \"far\": there is no bus",
		"host.nic={profile: connectx5, pcie: {mps: 300B}}":       `host.nic.pcie.mps: "300B": not a power of two`,
		"host.slots=[{hosts: [h0], width: 8}]":                   "host.slots: the adapters have no bus that takes time",
		"host={nic: {profile: connectx5}, slots: [{hosts: []}]}": "host.slots[0].hosts",
	} {
		_, err := Parse("star.yaml", []byte(star), override)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error\n%v\nwant\n%s", override, err, want)
		}
	}
}
