package scenarios

import (
	"slices"
	"strings"
	"testing"
)

// params is what is explained of the parameters of a scenario, by path.
func params(t *testing.T, overrides ...string) map[string]string {
	t.Helper()
	var text strings.Builder
	if err := WriteParams(&text, load(t, "testdata/design.yaml", overrides...).Params("")); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	path := ""
	for line := range strings.Lines(text.String()) {
		if !strings.HasPrefix(line, " ") {
			path, _, _ = strings.Cut(line, " = ")
		}
		found[path] += line
	}
	return found
}

// Each parameter comes with its value and where that is from, its default and the source
// of that, its range, and what it means.
func TestEveryParameterIsExplained(t *testing.T) {
	found := params(t, "host.timeout=8")
	for path, want := range map[string]string{
		"host.timeout": "host.timeout = 8\n    from --set host.timeout\n    default 14 (perftest)\n    whole number, 0 to 31\n    t of the retransmission timer",
		"switch.pipeline": "switch.pipeline = 300ns\n    default 300ns (assumed; vendors' figures for Ethernet L3 switches are 250 to 800 ns)\n    time, at most 1s\n" +
			"    time from a frame's last bit",
		"switch.pfc.xoff":                 "switch.pfc.xoff = (not given)\n    default none\n    size, at least 1B\n",
		"host.congestion_control.profile": "host.congestion_control.profile = scaled\n    from testdata/design.yaml:",
		"host.congestion_control.g":       "host.congestion_control.g = 1/256\n    from profile scaled: ",
		"switch.ecn.kmin":                 "switch.ecn.kmin = 400KB\n    from testdata/design.yaml:",
		"workloads[0].size":               "workloads[0].size = 1MB\n    from testdata/design.yaml:",
	} {
		if !strings.HasPrefix(found[path], want) {
			t.Errorf("%s is explained as\n%s, want\n%s", path, found[path], want)
		}
	}
}

// Without a scenario all parameters of the language are explained, with the values of
// every profile and their sources.
func TestEveryParameterOfTheLanguageIsExplained(t *testing.T) {
	var text strings.Builder
	if err := WriteParams(&text, AllParams("")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nswitch.pfc.alpha\n    default 1/8; not with xoff (HPCC, SIGCOMM 2019)\n    ratio\n",
		"\nhost.congestion_control: {kind: dcqcn}\n",
		"\nhost.congestion_control.g\n    default scaled 1/256 (",
		";\n            paper 1/256 (",
		"\ntopology: {kind: fat-tree}\n", "\nworkloads[].size\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in it", want)
		}
	}
}

// The evidence for a value is told by its class: of a profile's value, of a default, and of what the user gave.
func TestEveryParameterTellsItsEvidence(t *testing.T) {
	spec := load(t, "testdata/design.yaml", "host.nic.profile=connectx7", "host.nic.poll=1us")
	found := map[string]Param{}
	for _, p := range spec.Params("host.") {
		found[p.Key] = p
	}
	for key, want := range map[string]Param{
		"host.nic.qp_gap":       {Value: "117ns", Unit: "ns", Evidence: "fitted"},
		"host.nic.cqe":          {Value: "64B", Unit: "B", Evidence: "driver", Source: "mlx5"},
		"host.nic.poll":         {Value: "1us", Unit: "us", Evidence: "given", Source: "--set host.nic.poll"},
		"host.nic.pcie.header":  {Value: "24B", Unit: "B", Evidence: "documented", Source: "Neugebauer et al., SIGCOMM 2018"},
		"host.timeout":          {Value: "14", Evidence: "documented", Source: "perftest"},
		"host.cnp.latency":      {Value: "500ns", Unit: "ns", Evidence: "assumed"},
		"host.receive.headroom": {Value: "auto", Evidence: "driver"},
	} {
		got := found[key]
		if got.Value != want.Value || got.Unit != want.Unit || got.Evidence != want.Evidence || want.Source != "" && got.Source != want.Source {
			t.Errorf("%s: %+v, want %+v", key, got, want)
		}
	}
	if _, other := found["switch.buffer"]; other || len(found) < 60 {
		t.Errorf("%d keys begin with host.", len(found))
	}
	for _, p := range AllParams("host.nic.pcie.generation") {
		if len(p.Defaults) != 4 || p.Defaults[2] != (Default{"connectx6", "4", "documented", "NVIDIA, ConnectX-6 user manual: PCIe 4.0 x16", p.Defaults[2].text}) {
			t.Errorf("%+v", p.Defaults)
		}
	}
}

func TestTheShellCompletesOverrides(t *testing.T) {
	for _, c := range []struct {
		scenario, begun string
		want            []string
	}{
		{"incast", "switch.ecn.k", []string{"switch.ecn.kmax=", "switch.ecn.kmin="}},
		{"incast", "workloads[0].s", []string{"workloads[0].size=", "workloads[0].source_ports=", "workloads[0].start="}},
		{"", "switch.ecn.k", []string{"switch.ecn.kmax=", "switch.ecn.kmin="}},
		{"no-such-scenario", "host.cnp.en", []string{"host.cnp.enabled="}},
		{"incast", "host.cnp.enabled=", []string{"host.cnp.enabled=true", "host.cnp.enabled=false"}},
		{"incast", "host.cnp.enabled=f", []string{"host.cnp.enabled=false"}},
		{"incast", "stop.when=", []string{"stop.when=flows-done", "stop.when=time"}},
		{"incast", "host.congestion_control.kind=n", []string{"host.congestion_control.kind=none"}},
		{"incast", "switch.buffer=", nil},
		{"incast", "nothing", nil},
	} {
		if got := CompleteSet(c.scenario, c.begun); !slices.Equal(got, c.want) {
			t.Errorf("%s, %q: completed by %q, want %q", c.scenario, c.begun, got, c.want)
		}
	}
}
