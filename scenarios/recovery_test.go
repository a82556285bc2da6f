package scenarios

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/rnic"
)

// onCable is a flow over a cable of 100 Gb/s and 1 us: a packet of 4096 B takes 334 ns, or
// 336 ns with its RETH, and with its acknowledgement of 6.88 ns 2.342 us there and back.
const onCable = `
name: cable
topology: {kind: pair, link: {rate: 100Gbps, delay: 1us}}
host: {mtu: 4096, congestion_control: none}
workloads: [{kind: flows, flows: [{from: h0, to: h1, size: 1MB}]}]
`

func TestTimersThatRepairNothingOrTooMuchAreWarnedOf(t *testing.T) {
	const selective = "host.recovery=selective-repeat"
	for name, tc := range map[string]struct {
		with []string
		want string
	}{
		"as IRN's paper":               {[]string{selective}, ""},
		"no timer for few":             {[]string{selective, "host.selective_repeat.timer_low=0s"}, "host.selective_repeat.timer_low: 0s: a packet that is lost twice"},
		"no timer for many":            {[]string{selective, "host.selective_repeat.timer_high=0s"}, "host.selective_repeat.timer_high: 0s: a packet that is lost twice"},
		"a timer below the round trip": {[]string{selective, "host.selective_repeat.timer_low=2us"}, "timer_low: 2us, within the round trip of 2.3424us"},
		"no end to it":                 {[]string{selective, "host.timeout=0"}, "host.timeout: 0: a queue pair with selective repeat whose peer is gone never gives up"},
		"of one workload":              {[]string{"workloads[0].flows[0].recovery=selective-repeat", "host.timeout=0"}, "never gives up"},
		"adaptive":                     {[]string{"host.recovery=adaptive"}, ""},
		"adaptive, too short":          {[]string{"host.recovery=adaptive", "host.adaptive.start=1us"}, "host.adaptive.start: 1us, within the round trip"},
		"nobody asks for it":           {[]string{"host.adaptive.start=1us", "host.selective_repeat.timer_low=0s"}, ""},
		"a window below the interval":  {[]string{"host.window=20480B"}, "host.ack_every: 16 packets are more than the window of 20KiB: the packet that closes the window asks for an acknowledgement, every 5 packets"},
		"a window of the interval":     {[]string{"host.window=65536B"}, ""},
	} {
		got, err := parsed(t, onCable, tc.with...).Lint()
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(got, "\n")
		if tc.want == "" && text != "" || !strings.Contains(text, tc.want) || len(got) > 1 {
			t.Errorf("%s: warnings %q; want %q", name, text, tc.want)
		}
	}
}

// 100 Gb/s for 2.3424 us are 29,280 bytes, 7.1 frames of 4158; for 20.3424 us they are 254,280, 61.2 frames.
func TestThePacketsInFlightAreThoseOfTheLongestWay(t *testing.T) {
	for _, tc := range []struct {
		with string
		want int
	}{{"seed=1", 8}, {"host.selective_repeat.window=77", 77}, {"topology.link.delay=10us", 62}, {"host.recovery=go-back-n", 0}} {
		run, err := parsed(t, onCable, "host.recovery=selective-repeat", tc.with).Build()
		if err != nil {
			t.Fatal(err)
		}
		if got := run.Cluster.NIC.Selective.Window; got != tc.want {
			t.Errorf("with %s: %d packets, want %d", tc.with, got, tc.want)
		}
	}
}

func TestAWorkloadMayRecoverInItsOwnWay(t *testing.T) {
	for word, want := range map[string]rnic.Recovery{
		"host": rnic.Adaptive, "go-back-n": rnic.GoBackN, "go-back-0": rnic.GoBackZero, "selective-repeat": rnic.Selective, "adaptive": rnic.Adaptive,
	} {
		run, err := parsed(t, onCable, "host.recovery=adaptive", "workloads[0].flows[0].recovery="+word).Build()
		if err != nil {
			t.Fatal(err)
		}
		conn := run.Cluster.Conns[0]
		if from, to := conn.From.RecoveryOf(conn.FromQP), conn.To.RecoveryOf(conn.ToQP); from != want || to != want {
			t.Errorf("%s: %v at the sender, %v at the receiver, want %v", word, from, to, want)
		}
	}
}

func TestWhatCannotBeAskedOfRecoveryIsRefused(t *testing.T) {
	for with, want := range map[string]string{
		"host.adaptive={start: 1ms, limit: 100us}": "limit",
		"host.timer_factor=5":                      "timer_factor",
		"host.selective_repeat.window=65536":       "window",
		"host.recovery=hope":                       "recovery",
		"workloads[0].flows=[{from: h0, to: h1, size: 1B, qp: a}, {from: h0, to: h1, size: 1B, qp: a, recovery: adaptive}]": "differs from that of the other flows",
		"workloads[0].flows=[{from: h0, to: h1, size: 1B, qp: a, depth: 1}]":                                                "depth",
	} {
		if _, err := Parse("cable", []byte(onCable), with); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one about %s", with, err, want)
		}
	}
}
