package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// asNS3Star is a star of 100 Gb/s links of 1 us with the switches of the simulator
// published with HPCC.
const asNS3Star = `
name: star
profile: hpcc-ns3
topology: {kind: star, hosts: %d, link: {rate: 100Gbps, delay: 1us}}
switch:
  pipeline: 0s
  pfc: {alpha: 1/8, xon_offset: 3072B, pg_min: 4096B, expiry: false, response: 0s, headroom_check: warn}
host:
  payload: 1000
  ack_every: 1
  timeout: 0
  pfc_response: 0s
  dscp: {ack: 56}
  congestion_control: {kind: none}
workloads: [{kind: incast, fan_in: %d, size: %s, to: h0}]
`

func lastEnd(t *testing.T, text string) (last units.Time) {
	t.Helper()
	run := ran(t, parsed(t, text), 1)
	if run.Report.Outcome != host.Done {
		t.Fatalf("ended as %v", run.Report.Outcome)
	}
	for i := range run.Cluster.Flows {
		last = max(last, run.Cluster.Transfer(i).End)
	}
	return last
}

// A flow alone takes twice both delays, a packet of 1048 bytes on one link for each
// packet but the last, and the last packet and an acknowledgement of 60 bytes on both:
// 83 ns and 4 ns at 100 Gb/s, cut to whole nanoseconds. In an incast without congestion
// control the receiver's link is never idle.
func TestProfileNS3TakesTheTimeOfTheOtherSimulator(t *testing.T) {
	for _, tc := range []struct {
		senders int
		size    string
		want    units.Time
	}{
		{1, "1B", 4014}, {1, "100B", 4030}, {1, "999B", 4174}, {1, "1000B", 4174}, {1, "1001B", 4178}, {1, "2000B", 4257}, {1, "65536B", 9532},
		{2, "1MB", 2*1000*83 + 4091}, {8, "1MB", 8*1000*83 + 4091}, {32, "1MB", 32*1000*83 + 4091},
	} {
		if got := lastEnd(t, fmt.Sprintf(asNS3Star, 33, tc.senders, tc.size)); got != tc.want*units.Nanosecond {
			t.Errorf("%d senders of %s: %v, want %dns", tc.senders, tc.size, got, tc.want)
		}
	}
}

// The seed is that of the coins: another one has other packets marked.
func TestProfileNS3DrawsItsCoinsFromTheSeed(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(asNS3Star, 9, 8, "1MB"), "{kind: none}",
		"{kind: dcqcn, profile: scaled, rate_timer: 300us, decrease_offset: 1ns}", 1)
	if one, again, other := lastEnd(t, text), lastEnd(t, text+"seed: 1\n"), lastEnd(t, text+"seed: 2\n"); one != again || one == other {
		t.Errorf("ends at %v with seed 1, %v once more, %v with seed 2", one, again, other)
	}
}

// What the other simulator does not have is refused, key by key.
func TestProfileNS3RefusesWhatItDoesNotHave(t *testing.T) {
	for set, key := range map[string]string{
		"switch.forwarding=cut-through": "switch.forwarding", "switch.release=last-bit": "switch.release", "switch.ecn.at=enqueue": "switch.ecn.at",
		"switch.ecn.averaging=3": "switch.ecn.averaging", "host.cnp.interval=4us": "host.cnp.interval", "switch.pfc.watchdog.enabled=true": "switch.pfc.watchdog",
		"switch.scheduler.weights={3: 1}": "switch.scheduler", "host.receive.drain_rate=50Gbps": "host.receive",
		"faults=[{kind: loss, on: [sw0], rate: 1%}]": "faults",
	} {
		_, err := Parse("test.yaml", []byte(fmt.Sprintf(asNS3Star, 3, 2, "1MB")), set)
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v, want an error about %s", set, err, key)
		}
	}
}

// So is what its DCQCN does not have, rather than ignored: the machine of the paper, and what the registers of adapters add.
func TestProfileNS3RefusesOtherMachinesOfDCQCN(t *testing.T) {
	for control, key := range map[string]string{
		"profile: paper": "machine", "profile: firmware": "byte_counter", "profile: firmware, byte_counter: 0B": "min_dec_fac",
		"rate_on_first_cnp: 1Gbps": "rate_on_first_cnp", "clamp_tgt_rate_after_time_inc: false": "clamp_tgt_rate_after_time_inc",
		"boundary: inclusive": "boundary", "max_rate: 50Gbps": "max_rate",
	} {
		_, err := Parse("test.yaml", []byte(fmt.Sprintf(asNS3Star, 3, 2, "1MB")), "host.congestion_control={kind: dcqcn, "+control+"}")
		if err == nil || !strings.Contains(err.Error(), "host.congestion_control."+key) {
			t.Errorf("%s: %v, want an error about %s", control, err, key)
		}
	}
}

// A link of 400 Gb/s among hosts of 100 has four times the threshold, and the headroom
// is three times what is in flight.
func TestProfileNS3SizesBuffersByRate(t *testing.T) {
	room, _ := threefold(100*units.Gbps, units.Microsecond)
	if fast, _ := threefold(400*units.Gbps, units.Microsecond); room != 37_500 || fast != 150_000 {
		t.Errorf("headroom %v and %v", room, fast)
	}
}

// The path of a flow hangs on both of its ports; of the spines the last comes first in
// the simulator's list (golden/REFERENCE.md 4.12).
func TestProfileNS3HashesTheDestinationPortOfAFlow(t *testing.T) {
	for port := 100; port < 108; port++ {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"topology.txt": "6 4 6\n2 3 4 5\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n3 4 100Gbps 1us 0\n3 5 100Gbps 1us 0\n",
			"flow.txt":     fmt.Sprintf("1\n0 1 3 %d 5000 0\n", port),
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		run := ran(t, parsed(t, "profile: hpcc-ns3\nswitch: {pipeline: 0s, pfc: {expiry: false, headroom_check: warn}}\nhost: {payload: 1000}\n"+hpccScenario(dir)), 1)
		tuple := fabric.Tuple{Src: 0x0b000001, Dst: 0x0b000101, SrcPort: 10000, DstPort: uint16(port)}
		spine := 5 - int(tuple.Murmur(2)%2)
		if in := run.Cluster.Net.Ports(spine)[0].Counters.Class[3].Rx.Packets; in != 5 {
			t.Errorf("destination port %d: %d packets by way of sw%d, want all 5", port, in, spine)
		}
	}
}

// A queue pair has one turn, however many transfers wait on it: the flow beside it sends
// every other packet, its last as the 2000th at the latest.
func TestProfileNS3GivesAQueuePairOneTurn(t *testing.T) {
	text := strings.Split(fmt.Sprintf(asNS3Star, 3, 1, "1B"), "workloads:")[0] + `
workloads: [{kind: flows, flows: [{from: h0, to: h1, size: 1MB, qp: a}, {from: h0, to: h1, size: 1MB, qp: a}, {from: h0, to: h2, size: 1MB}]}]`
	c := ran(t, parsed(t, text), 1).Cluster
	if end, want := c.Transfer(2).End, units.Time(2000*83+4091)*units.Nanosecond; end > want {
		t.Errorf("it ends at %v, want %v at the latest", end, want)
	}
}
