package scenarios

import (
	"context"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// ended builds a scenario and runs it to its end, without files.
func ended(t testing.TB, spec *Spec) (*record.Run, *results.Summary) {
	t.Helper()
	run, err := spec.Build()
	if err != nil {
		t.Fatal(err)
	}
	summary, err := conclude(context.Background(), spec, run)
	if err != nil {
		t.Fatal(err)
	}
	return run, summary
}

// conclude runs what has been built of a scenario without variants to its end.
func conclude(ctx context.Context, spec *Spec, run *record.Run) (*results.Summary, error) {
	session := Session{Spec: spec, Workers: 1}
	attempts := []*attempt{{name: base, spec: spec, run: run}}
	if err := session.simulate(ctx, attempts); err != nil {
		return nil, err
	}
	return session.judge(attempts), nil
}

// mustEnd fails the test unless a run came to an outcome and an exit code.
func mustEnd(t testing.TB, spec *Spec, s *results.Summary, outcome results.Outcome, code int) {
	t.Helper()
	if got := spec.ExitCode(s); s.Outcome != outcome || got != code {
		t.Errorf("%s with exit code %d, want %s with %d: %v", s.Outcome, got, outcome, code, s.Reasons)
	}
}

// said fails the test unless the summary says each of the texts.
func said(t testing.TB, s *results.Summary, texts ...string) {
	t.Helper()
	all := strings.Join(append(s.Why, s.Reasons...), "\n")
	for _, text := range texts {
		if !strings.Contains(all, text) {
			t.Errorf("it does not say %q:\n%s", text, all)
		}
	}
}

// lostFrames is how many frames of a kind were lost for a reason.
func lostFrames(s *results.Summary, why fabric.Reason, kind fabric.Frame) int64 {
	for _, l := range s.Losses {
		if l.Reason == why.String() && l.Frame == kind.String() {
			return l.Frames
		}
	}
	return 0
}

// A flow of 1 MB, and one packet of a thousand lost both ways, for twenty seeds: it
// finishes each time, whatever is lost, and what was lost is told by its kind.
func TestOneLossInAThousandIsRecovered(t *testing.T) {
	all := make([]int64, fabric.FrameKinds)
	for seed := range uint64(20) {
		spec := parsed(t, star, "workloads=[{kind: flows, flows: [{from: h1, to: h0, size: 1MB}]}]", "host={mtu: 1024, ack_every: 1, timeout: 8}",
			"faults=[{kind: loss, links: [\"*\"], rate: 0.1%}]", "expect=[{metric: lost, above: 0}]")
		spec.Seed = seed
		run, s := ended(t, spec)
		if s.Outcome != results.Done || run.Cluster.Transfer(0).Status != rnic.Success {
			t.Errorf("seed %d: %s, %v", seed, s.Outcome, s.Reasons)
		}
		var frames int64
		for kind := range fabric.FrameKinds {
			n := lostFrames(s, fabric.Random, kind)
			all[kind] += n
			frames += n
		}
		if value, _ := lost("")(s); value != float64(frames) || s.Drops[2].Packets != frames {
			t.Errorf("seed %d: %d frames by kind, the metric says %v and the drops %d", seed, frames, value, s.Drops[2].Packets)
		}
	}
	// Some 980 packets and as many acknowledgements cross two links each.
	if all[fabric.DataFrame] < 20 || all[fabric.AckFrame] < 20 || all[fabric.PauseFrame] != 0 {
		t.Errorf("lost in twenty runs, by kind: %v", all)
	}
}

// The last of ten packets is lost, each being acknowledged: nothing follows that could
// show it, and the timer of 4.096 us x 2^8 does. Lost eight times with seven retries it
// ends the queue pair.
func TestALostTailByRule(t *testing.T) {
	for count, want := range map[string]results.Outcome{"1": results.Done, "7": results.Done, "8": results.Failed} {
		spec := parsed(t, star, "workloads[0].flows[0].size=40960B", "host={timeout: 8, retries: 7, ack_every: 1}",
			"faults=[{kind: drop, links: [h1-sw0], flow: 0, nth: 10, count: "+count+"}]")
		run, s := ended(t, spec)
		if s.Outcome != want || lostFrames(s, fabric.Picked, fabric.DataFrame) != s.Recovery.Timeouts {
			t.Errorf("lost %s times: %s after %d timeouts", count, s.Outcome, s.Recovery.Timeouts)
		}
		if want == results.Failed && run.Cluster.Transfer(0).Status != rnic.RetryExceeded {
			t.Errorf("status %v", run.Cluster.Transfer(0).Status)
		}
	}
}

// A rule about one flow leaves the others alone, and that flow's acknowledgements go the
// other way.
func TestARuleMayBeAboutOneFlow(t *testing.T) {
	two := "workloads=[{kind: flows, flows: [{from: h1, to: h0, size: 400KB}, {from: h2, to: h0, size: 400KB}]}]"
	for _, rule := range []string{"direction: backward, frames: [data]", "direction: forward, frames: [ack]"} {
		spec := parsed(t, star, two, "host={timeout: 8, ack_every: 1}", "faults=[{kind: drop, links: [h0-sw0], flow: 1, every: 10, count: 3, "+rule+"}]")
		run, s := ended(t, spec)
		if got := lostFrames(s, fabric.Picked, fabric.DataFrame) + lostFrames(s, fabric.Picked, fabric.AckFrame); got != 3 {
			t.Errorf("%s: %d frames lost, want 3", rule, got)
		}
		for flow, hit := range []bool{false, true} {
			conn := run.Cluster.Conns[flow]
			sent := conn.From.QueuePairs()[conn.FromQP].Sent()
			if strings.Contains(rule, "data") && (sent.Naks > 0) != hit {
				t.Errorf("%s: flow %d was sent %d NAKs", rule, flow, sent.Naks)
			}
		}
	}
}

// What arrives with bit errors is an FCS error of the port it arrives at.
func TestCorruptionIsAnFCSErrorOfTheReceiver(t *testing.T) {
	spec := parsed(t, star, "host={timeout: 8}", "faults=[{kind: corruption, links: [h1-sw0], direction: forward, frames: [data], ber: 3e-6}]")
	run, s := ended(t, spec)
	corrupted := lostFrames(s, fabric.Corrupted, fabric.DataFrame)
	if corrupted == 0 || int64(run.Cluster.Net.CorruptedFrames(5, 1).Packets) != corrupted || run.Cluster.Net.CorruptedFrames(1, 0).Packets != 0 {
		t.Errorf("%d corrupted frames, at the switch %d, at the host %d", corrupted,
			run.Cluster.Net.CorruptedFrames(5, 1).Packets, run.Cluster.Net.CorruptedFrames(1, 0).Packets)
	}
	said(t, s, "came with a wrong checksum")
}

// Go-back-0: no goodput on a busy link, and the reason. Go-back-N: within 4 % of the line.
func TestGoBackZeroLivelock(t *testing.T) {
	spec := load(t, "go-back-zero-livelock")
	run, s := ended(t, spec)
	mustEnd(t, spec, s, results.Stalled, ExitDone)
	if s.Goodput.Rate != 0 || s.Goodput.Payload != 0 {
		t.Errorf("goodput %v", s.Goodput)
	}
	if busy := run.Cluster.Net.Ports(2)[1].Busy; float64(busy) < 0.99*float64(run.Report.Now) {
		t.Errorf("the link was busy for %v of %v", busy, run.Report.Now)
	}
	said(t, s, "go-back-0", "begun again", "through whole")

	spec = load(t, "go-back-zero-livelock", "host.recovery=go-back-n", "expect=[{outcome: done}, {metric: goodput, above: 35.5Gbps}]")
	_, s = ended(t, spec)
	mustEnd(t, spec, s, results.Done, ExitDone)
	// Without an expectation of the stall it is one.
	spec = load(t, "go-back-zero-livelock", "expect=[]")
	_, s = ended(t, spec)
	mustEnd(t, spec, s, results.Stalled, ExitIncomplete)
}

// 65535 quanta of 512 bit times at 100 Gb/s.
const longestPause = 65535 * 5120 * units.Picosecond

// The resume frame for h1 is lost. Without expiry the run stalls and names the class, the
// port and who paused it; with expiry h1 goes on when its pause runs out, to the picosecond.
func TestLostXON(t *testing.T) {
	spec := load(t, "lost-xon")
	_, s := ended(t, spec)
	mustEnd(t, spec, s, results.Stalled, ExitDone)
	said(t, s, "waits for priority 3, paused at h1:0 by sw0 since 19.3688us, without expiry", "1 pfc-resume")

	spec = load(t, "lost-xon", "switch.pfc.expiry=true", "expect=[{outcome: done}]")
	run, s := ended(t, spec)
	mustEnd(t, spec, s, results.Done, ExitDone)
	pauses := run.Cluster.Net.Ports(1)[0].Pauses()
	if len(pauses) != 1 || pauses[0].To-pauses[0].From != longestPause || longestPause != units.Time(335_539_200) {
		t.Errorf("h1 was paused %v, want once for 335.5392us", pauses)
	}
	if end := run.Cluster.Transfer(0).End; end < pauses[0].To {
		t.Errorf("its flow is done at %v", end)
	}
}

// What its description says of link-flap: flows over the dead link lose half a millisecond
// of what they send and are told by a NAK; of the others some lose acknowledgements.
func TestLinkFlap(t *testing.T) {
	spec := load(t, "link-flap")
	run, s := ended(t, spec)
	mustEnd(t, spec, s, results.Done, ExitDone)
	c := run.Cluster
	if got := len(c.Net.Epochs()); got != 4 {
		t.Errorf("%d changes of routes, want 4", got)
	}
	for flow := range c.Flows {
		conn := c.Conns[flow]
		sent := conn.From.QueuePairs()[conn.FromQP].Sent()
		dead := c.Net.Graph.Nodes[c.Path(flow)[2].Node].Name == "spine0"
		if dead != (sent.Naks > 0) {
			t.Errorf("flow %d, over the dead link %v, has %d NAKs", flow, dead, sent.Naks)
		}
	}
	said(t, s, "Switches changed their routes 4 times, the last one at 8.5ms.", "went onto dead links")
}

// With -seed faults change too; on any number of workers they are the same.
func TestFaultsBelongToTheSeed(t *testing.T) {
	digests := map[string]bool{}
	for _, sets := range [][]string{nil, {"seed=2"}} {
		spec := load(t, "incast", append(sets, "faults=[{kind: loss, links: [\"*\"], rate: 0.1%}, {kind: link-down, links: [spine0-leaf0], at: 100us, for: 300us, convergence_delay: 50us}]", "host.timeout=8")...)
		var digest string
		for workers := range 3 {
			run, err := spec.Build()
			if err != nil {
				t.Fatal(err)
			}
			if run.Report, err = run.Cluster.Run(context.Background(), host.RunOptions{Limit: spec.Stop.Limit, UntilDone: true, Workers: workers + 1}); err != nil {
				t.Fatal(err)
			}
			if s := run.Summary(); digest != "" && digest != s.Digest {
				t.Errorf("%d workers: digest %s, one: %s", workers+1, s.Digest, digest)
			} else {
				digest = s.Digest
			}
		}
		digests[digest] = true
	}
	if len(digests) != 2 {
		t.Error("both seeds gave the same run")
	}
}

// Five racks hang on one hub, and a ring of longer ways joins them for the day on which it
// fails. While it works no pauses can wait for each other in a circle; on the ring they can,
// and a scenario in which the hub is cut off is warned of it.
func TestRoutesRoundDeadLinksAreLookedAtForDeadlocks(t *testing.T) {
	const ring = `name: ring
topology:
  kind: custom
  hosts: ["h[0-4]"]
  switches: [hub, "r[0-4]", "x[0-4]", "y[0-4]"]
  links:
    - {a: "r[0-4]", b: hub}
    - {a: h0, b: r0}
    - {a: r0, b: x0}
    - {a: x0, b: y0}
    - {a: y0, b: r1}
    - {a: h1, b: r1}
    - {a: r1, b: x1}
    - {a: x1, b: y1}
    - {a: y1, b: r2}
    - {a: h2, b: r2}
    - {a: r2, b: x2}
    - {a: x2, b: y2}
    - {a: y2, b: r3}
    - {a: h3, b: r3}
    - {a: r3, b: x3}
    - {a: x3, b: y3}
    - {a: y3, b: r4}
    - {a: h4, b: r4}
    - {a: r4, b: x4}
    - {a: x4, b: y4}
    - {a: y4, b: r0}
workloads: [{kind: flows, flows: [{from: h0, to: h2, size: 100KB}]}]
`
	for faults, want := range map[string]string{
		"[]": "",
		`[{kind: link-down, links: ["r*-hub"], at: 1us, convergence_delay: never}]`: "",
		`[{kind: link-down, links: ["r*-hub"], at: 1us, convergence_delay: 2us}]`: "--set faults: the routes from 3us on, round dead links, " +
			"allow pauses to deadlock: the cables of ",
	} {
		warnings, err := parsed(t, ring, "faults="+faults).Lint()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(warnings, "\n"); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: warnings\n%s\nwant one that begins\n%s", faults, got, want)
		}
	}
}
