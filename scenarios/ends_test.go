package scenarios

import (
	"context"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// outcome runs the star with some overrides.
func outcome(t *testing.T, overrides ...string) *results.Summary {
	t.Helper()
	s := Session{Spec: parsed(t, star, overrides...), Out: t.TempDir() + "/out", Workers: 1}
	summary, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// A host that takes in as much as its wire brings, or more, has no receive buffer: the
// run is the same to the last event.
func TestAHostThatKeepsUpCostsNothing(t *testing.T) {
	plain := outcome(t)
	for _, rate := range []string{"line", "100Gbps", "400Gbps"} {
		if got := outcome(t, "host.receive.drain_rate="+rate); got.Digest != plain.Digest || got.PacketHops != plain.PacketHops || got.FCT.Max != plain.FCT.Max {
			t.Errorf("drain_rate %s: digest %s and %d packets, want %s and %d", rate, got.Digest, got.PacketHops, plain.Digest, plain.PacketHops)
		}
	}
	if got := outcome(t, "host.receive.drain_rate=99Gbps"); got.Digest == plain.Digest {
		t.Error("a slower host changes nothing")
	}
}

// What the receive side of a slow host comes to: of 1 MiB the ConnectX driver sets aside,
// for 500 ns or 100 m of cable at 100 Gb/s and frames of 4174 B, (301 + 216)·100 +
// 2.72·4174 = 63,054 B, and XON is a frame below XOFF.
func TestTheReceiveBufferIsThatOfAConnectX(t *testing.T) {
	run := built(t, `host.receive={drain_rate: 80Gbps, slow: [{hosts: ["h[1-2]"], drain_rate: 20Gbps}, {hosts: [h3], drain_rate: 200Gbps}]}`)
	for host, drain := range []units.Rate{80 * units.Gbps, 20 * units.Gbps, 20 * units.Gbps, 0, 80 * units.Gbps} {
		i, slow := run.Cluster.Hosts[host].NIC(0).ReceiveBufferOf(3)
		if slow != (drain != 0) || i.Drain != drain {
			t.Errorf("h%d takes in %v, want %v", host, i.Drain, drain)
		}
		if slow && (i.Headroom() != 63_054 || i.Size != units.MiB || i.XON != i.XOFF-4174 || i.Lossless != 1<<3) {
			t.Errorf("h%d: %+v", host, i.ReceiveBuffer)
		}
	}
}

// Each end of each link may have a response of its own.
func TestResponsesAreSetByLinkEnd(t *testing.T) {
	run := built(t, "switch.pfc.response=1us", "host.pfc_response=2us",
		`link_ends=[{at: [sw0], to: ["h[1-2]"], pfc_response: 3us}, {at: [h4], to: [sw0], pfc_response: 4us}, {at: [h3], to: ["*"]}]`)
	net := run.Cluster.Net
	for _, c := range []struct {
		node, port int
		want       units.Time
	}{
		{5, 0, units.Microsecond}, {5, 1, 3 * units.Microsecond}, {5, 2, 3 * units.Microsecond}, {5, 4, units.Microsecond},
		{0, 0, 2 * units.Microsecond}, {4, 0, 4 * units.Microsecond}, {3, 0, 394 * 5120},
	} {
		if got := net.Response(c.node, c.port); got != c.want {
			t.Errorf("%s takes %v to respond, want %v", net.Graph.PortName(c.node, c.port), got, c.want)
		}
	}
	if r := built(t, "switch.pfc.response=1us").Cluster.Net.Response(0, 0); r != 394*5120 {
		t.Errorf("a host responds after %v, and switch.pfc.response is not about it", r)
	}
}

func TestTheWatchdogIsBuiltAsItIsWritten(t *testing.T) {
	if w := built(t).Cluster.Net.Config.Watchdog; w.Enabled {
		t.Error("there is a watchdog by default")
	}
	got := built(t, "switch.pfc.watchdog={enabled: true, poll: 1ms, detection: 2ms, restoration: 3ms, action: forward, ports: hosts}").Cluster.Net.Config.Watchdog
	want := fabric.Watchdog{
		Enabled: true, Poll: units.Millisecond, Detection: 2 * units.Millisecond, Restoration: 3 * units.Millisecond,
		Action: fabric.WatchdogForward, HostPorts: true,
	}
	if got != want {
		t.Errorf("watchdog %+v, want %+v", got, want)
	}
}

// Mistakes about ends of links, each at its place.
func TestMistakesAtTheEndsOfLinksAreTold(t *testing.T) {
	for _, c := range []struct{ override, want string }{
		{"switch.pfc.watchdog={enabled: true, poll: 10ms, detection: 5ms}",
			`--set switch.pfc.watchdog: switch.pfc.watchdog.detection: "5ms": shorter than the time between two polls, 10ms; at least as long, or a shorter poll`},
		{"switch.pfc.watchdog={enabled: true, restoration: 5ms}", "switch.pfc.watchdog.restoration: \"5ms\": shorter than the time between two polls, 200ms"},
		{"faults=[{kind: pfc-storm, hosts: [h9], at: 1ms}]", `faults[0].hosts[0]: "h9": no host of this name`},
		{"faults=[{kind: pfc-storm, hosts: [h1], at: 1ms, priority: 4}]", `faults[0].priority: "4": not lossless: nobody would obey its pauses; one of switch.pfc.priorities`},
		{"faults=[{kind: pfc-storm, hosts: [h1], at: 1ms, for: 0s}]", `faults[0].for: "0s": `},
		{"host.receive={slow: [{hosts: [sw0], drain_rate: 1Gbps}]}", `host.receive.slow[0].hosts[0]: "sw0": no host of this name`},
		{"host.receive={headroom: 2MiB}", `host.receive.headroom: "2MiB": leaves nothing of the buffer below XOFF; less than 1MiB`},
		{"host.receive={drain_rate: 10Gbps, buffer: 60KB}",
			`host.receive.buffer: "60KB": h0:0 needs 63.1KB of headroom, and 3.06KB are missing; 4194 B for a reverse frame`},
		{"host.receive={drain_rate: 10Gbps, buffer: 4KB}", `host.receive.buffer: "4KB": no full frame fits; at least 4174B`},
		{"host.receive={drain_rate: 10Gbps, headroom: 1KB}", "host.receive.headroom: h0:0 has 1KB of headroom for each lossless priority and needs 50362B, 49362B more: "},
		{"link_ends=[{at: [h0], to: [h1]}]", `link_ends[0].to: "h1": no cable leads there from h0; nodes with a cable between them`},
		{"link_ends=[{at: [hx], to: [h1]}]", `link_ends[0].at[0]: "hx": no node of this name`},
		{"topology.link={delay: 1us, length: 40m}", "topology.link.delay: contradicts length, given at --set topology.link; keep one of them"},
		{"topology.link={medium: copper}", `topology.link.medium: "copper": has no effect without a length; give length, or leave it out`},
	} {
		spec, err := Parse("star.yaml", []byte(star), c.override) // what only shows in the network comes from Build
		if err == nil {
			_, err = spec.Build()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error\n%v\nwant\n%s", c.override, err, c.want)
		}
	}
}

// All of them are told at once.
func TestAllMistakesAtTheEndsOfLinksAreToldAtOnce(t *testing.T) {
	_, err := parsed(t, star, "host.receive.slow=[{hosts: [hx, hy], drain_rate: 1Gbps}]").Build()
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("error\n%v\nwant two lines", err)
	}
	_, err = parsed(t, star, "link_ends=[{at: [hx], to: [h1]}, {at: [h1], to: [h2]}]").Build()
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("error\n%v\nwant two lines", err)
	}
}

// 10 Gb/s, 100 ns of cable, frames of 1046 B: a rule in use gives 375 B of headroom, less
// than a frame. Needed are 250 B of cable, 67 quanta or 4288 B of response, three frames
// with two preambles and gaps, and the pause: 7800 B. Less is an error, or a warning and
// counted drops.
func TestHeadroomOfLessThanAFrameIsRefused(t *testing.T) {
	overrides := []string{
		"topology={kind: star, hosts: 9, link: {rate: 10Gbps, delay: 100ns}}", "host={payload: 968, congestion_control: none, timeout: 8}",
		"switch={pipeline: 0s, ecn: {enabled: false}, pfc: {xoff: 20KB, headroom: 375B}}",
		`workloads=[{kind: incast, to: h0, from: ["h[1-8]"], size: 200KB}]`,
	}
	_, err := parsed(t, star, overrides...).Build()
	want := "sw0:0 has 375B of headroom for each lossless priority and needs 7800B, 7425B more: 1066 B for a reverse frame that the pause waits for" +
		" + 84 B for the pause + (2 x 100ns of cable + 3.4304us until the peer responds + 0s of pipeline) x 10Gbps = 4538 B" +
		" + 1066 B for a frame just started + 1046 B for the frame that crosses the threshold; 8 other ports have too little as well"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	forced := outcome(t, append(overrides, "switch.pfc.headroom_check=warn")...)
	if drops(forced, true) == 0 || len(forced.Warnings) != 1 || !strings.Contains(forced.Warnings[0], want) {
		t.Errorf("forced: %d lossless drops, warnings %q", drops(forced, true), forced.Warnings)
	}
	if enough := outcome(t, append(overrides, "switch.pfc.headroom=7800B")...); drops(enough, true) != 0 || len(enough.Warnings) != 0 {
		t.Errorf("7800 B: %d lossless drops, warnings %q", drops(enough, true), enough.Warnings)
	}
}

// Headroom by a machine's rule is a warning, that of a switch with settings of its own is told
// at its place.
func TestShortHeadroomIsToldOfTheSwitchThatHasIt(t *testing.T) {
	run := built(t, "topology.link.delay=200ns", "switch.pfc.headroom_rule=tomahawk2", "host.pfc_response=8069.12ns")
	if len(run.Warnings) != 1 || !strings.Contains(run.Warnings[0], "switch.pfc.headroom_rule: sw0:0 has 59696B of headroom for each lossless priority and needs 122260B") {
		t.Errorf("warnings %q", run.Warnings)
	}
	_, err := parsed(t, leafSpine, "switch_overrides=[{switches: [spine1], pfc: {headroom: 10KB}}]").Build()
	want := "switch_overrides[0].pfc.headroom: spine1:0 has 10KB of headroom for each lossless priority and needs 54112B, 44112B more: "
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "one other port has too little as well") {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	run, err = parsed(t, leafSpine, "switch_overrides=[{switches: [spine1], pfc: {headroom: 10KB, headroom_check: warn}}]").Build()
	if err != nil || len(run.Warnings) != 1 {
		t.Errorf("error %v, warnings %q", err, run.Warnings)
	}
}

// warningsOf builds a scenario of the library.
func warningsOf(t *testing.T, name string, overrides ...string) []string {
	t.Helper()
	warnings, err := load(t, name, overrides...).Lint()
	if err != nil {
		t.Fatal(err)
	}
	return warnings
}

// Routes in which pauses can wait for each other in a circle are a warning: by the flows of
// the scenario, or at least by what the routes allow. Without PFC there is nothing to warn of.
func TestCyclesOfPausesAreAWarning(t *testing.T) {
	const circle = "the cables of sw0:1 > sw1:2 > sw2:2 > sw0:1 "
	for _, c := range []struct {
		override, want string
	}{
		{"seed=2", "switch.pfc.priorities[0]: the flows of this scenario can deadlock in priority 3: " + circle + "wait for each other in a circle"},
		{"workloads=[{kind: permutation, shift: 1, size: 1MB}]", "topology: the routes of this network allow pauses to deadlock, though no flows of this scenario close the circle: " +
			circle + "could wait for each other"},
		{"switch.pfc.enabled=false", ""},
	} {
		var found []string
		for _, w := range warningsOf(t, "ring-deadlock", c.override, "host.dscp.ack=48") {
			if strings.Contains(w, "deadlock") && strings.Contains(w, "cables") {
				found = append(found, w)
			}
		}
		if c.want == "" && found != nil || c.want != "" && (len(found) != 1 || !strings.Contains(found[0], c.want)) {
			t.Errorf("%s: warnings %q, want %q", c.override, found, c.want)
		}
	}
	if got := warningsOf(t, "permutation-fat-tree"); len(got) != 0 {
		t.Errorf("a fat-tree has the warnings %q", got)
	}
}
