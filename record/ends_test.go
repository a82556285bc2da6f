package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// slowReceiver is a flow of 10 MB to a host that takes in 80 of 100 Gb/s, with a receive
// buffer of 500 kB of which 50 kB are headroom.
func slowReceiver(t *testing.T, lossless uint8) *record.Run {
	net := simtest.Star(2, 100*units.Gbps, units.Microsecond)
	net.Fabric.PFC.XOFF, net.Fabric.PFC.Lossless, net.NIC.Timeout = 100*units.KB, lossless, 8
	c := net.Cluster(t, simtest.Flow(0, 1, 10*units.MB))
	c.Hosts[1].NIC(0).Limit(rnic.ReceiveBuffer{
		Drain: 80 * units.Gbps, Size: 500 * units.KB, XOFF: 450 * units.KB, XON: 440 * units.KB, Lossless: lossless,
	})
	return finished(t, net, c, "none")
}

// stormed is a storm of host 1 from 0.1 to 3.5 ms, with a watchdog of a millisecond: seen
// from 2 ms on, until 5 ms.
func stormed(t *testing.T) *record.Run {
	net := simtest.Star(3, 100*units.Gbps, units.Microsecond)
	net.NIC.Timeout = 10
	net.Fabric.Watchdog = fabric.Watchdog{
		Enabled: true, Poll: units.Millisecond, Detection: units.Millisecond, Restoration: units.Millisecond,
	}
	c := net.Cluster(t, simtest.Flow(0, 1, 10*units.MB), simtest.Flow(0, 2, units.MB))
	c.Hosts[1].NIC(0).Storm(3, 100*units.Microsecond, 3500*units.Microsecond)
	return finished(t, net, c, "none")
}

// ring is five switches in a ring, and flows that deadlock.
func ring(t *testing.T, watchdog fabric.Watchdog) *record.Run {
	var nodes []topology.Node
	var links []topology.Link
	var flows []host.Flow
	for i := range 5 {
		nodes = append(nodes, topology.Node{Name: fmt.Sprint("h", i)})
		links = append(links, topology.Link{A: i, B: 5 + i, Rate: 100 * units.Gbps, Delay: units.Microsecond})
		flows = append(flows, simtest.Flow(i, (i+2)%5, units.MB))
	}
	for i := range 5 {
		nodes = append(nodes, topology.Node{Name: fmt.Sprint("s", i), Kind: topology.Switch})
		links = append(links, topology.Link{A: 5 + i, B: 5 + (i+1)%5, Rate: 100 * units.Gbps, Delay: units.Microsecond})
	}
	g, err := topology.New(nodes, links)
	if err != nil {
		t.Fatal(err)
	}
	net := simtest.On(g)
	net.Fabric.PFC.XOFF, net.Fabric.PFC.XONOffset, net.NIC.Timeout = 50*units.KB, 10*units.KB, 10
	net.Fabric.Watchdog = watchdog
	return ended(t, net, "none", flows...)
}

// mustSay fails the test unless one of the sentences has each of the words in it.
func mustSay(t *testing.T, sentences []string, words ...string) {
	t.Helper()
	all := strings.Join(sentences, "\n")
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("nothing says %q in\n%s", w, all)
		}
	}
}

func TestASlowReceiverIsNamed(t *testing.T) {
	r := slowReceiver(t, 1<<3)
	s := r.Summary()
	mustSay(t, s.Why, "The NIC h1:0 paused its switch ", " since its host takes in 80Gbps of 100Gbps and the receive buffer reached XOFF (450KB).")
	if s.Pause.PausedNICs != 1 {
		t.Errorf("pauses reached %d NICs, want that of the sender", s.Pause.PausedNICs)
	}
	own := where(rows(t, r.PFC()), "node", "h1")[0]
	if own.count(t, "headroom_bytes") != 50_000 || own["group_nearest_xoff"] != "1" || own.count(t, "group_peak_bytes") < 450_000 {
		t.Errorf("row of the slow host: %v", own)
	}
	if keepsUp := where(rows(t, r.PFC()), "node", "h0")[0]; keepsUp["group_peak_bytes"] != "" || keepsUp["headroom_bytes"] != "" {
		t.Errorf("row of the other: %v", keepsUp)
	}
}

// What a NIC drops is a loss like any other, and has a reason of its own.
func TestDropsAtANICHaveTheirReason(t *testing.T) {
	r := slowReceiver(t, 0)
	s := r.Summary()
	var at results.Drop
	for _, d := range s.Drops {
		if d.Packets > 0 {
			at = d
		}
	}
	if at.Reason != record.NICFull+", lossy priority" || at.Lossless {
		t.Errorf("drops %+v", s.Drops)
	}
	mustSay(t, s.Why, "The receive buffers of NICs had no room for ", " of lossy priorities.")
	if got := counter(t, r, "rx_prio3_buf_discard"); got != float64(at.Packets) {
		t.Errorf("counter of %v packets, %d were dropped", got, at.Packets)
	}
}

func TestAWatchdogsStormIsTold(t *testing.T) {
	r := stormed(t)
	s := r.Summary()
	if w := s.Watchdog; w.Storms != 1 || w.Restored != 1 || w.Discarded == 0 {
		t.Errorf("watchdog %+v", w)
	}
	var lost results.Drop
	for _, d := range s.Drops {
		if d.Reason == record.Discarded {
			lost = d
		}
	}
	if !lost.Lossless || lost.Packets != s.Watchdog.Discarded {
		t.Errorf("drops %+v, want those of the watchdog among the losses of a lossless class", s.Drops)
	}
	mustSay(t, s.Why, "The NIC h1:0 broke down and paused its switch for no reason.",
		"A PFC watchdog acted: s0:1 to h1, priority 3, was stormed from 2ms on until 5ms (1 storm in all).",
		"PFC watchdogs discarded ")
	row := where(rows(t, r.PFC()), "node", "s0", "port", "1")[0]
	if row.count(t, "watchdog_storms") != 1 || row.count(t, "watchdog_discarded_packets") != lost.Packets {
		t.Errorf("row of the port: %v", row)
	}
}

func TestADeadlockIsNamedWithWhoHoldsWhom(t *testing.T) {
	r := ring(t, fabric.Watchdog{})
	s := r.Summary()
	if s.Outcome != results.Stalled || len(s.Deadlocks) != 1 || s.Deadlocks[0].Over || s.Deadlocks[0].Priority != 3 {
		t.Fatalf("outcome %s, deadlocks %+v", s.Outcome, s.Deadlocks)
	}
	for i := range 5 {
		part := fmt.Sprintf("s%d holds 62.4KB from s%d that wait at s%d:", i, (i+4)%5, i)
		if !strings.Contains(s.Deadlocks[0].Circle, part) || !strings.Contains(s.Deadlocks[0].Circle, fmt.Sprintf("paused by s%d", i)) {
			t.Errorf("circle %q, want %q in it", s.Deadlocks[0].Circle, part)
		}
	}
	if !strings.HasPrefix(s.Reasons[0], "deadlock in priority 3 since ") || !strings.HasSuffix(s.Reasons[0], s.Deadlocks[0].Circle) {
		t.Errorf("first reason %q", s.Reasons[0])
	}
	mustSay(t, s.Why, "The run ended in a deadlock of pauses in priority 3: 5 ports, each paused by the next and the last by the first.")
}

func TestADeadlockThatIsOverIsToldAsPast(t *testing.T) {
	s := ring(t, fabric.Watchdog{Enabled: true, Poll: units.Millisecond, Detection: 4 * units.Millisecond, Restoration: units.Millisecond}).Summary()
	if s.Outcome != results.Done || len(s.Deadlocks) == 0 || !s.Deadlocks[0].Over {
		t.Fatalf("outcome %s, deadlocks %+v", s.Outcome, s.Deadlocks)
	}
	mustSay(t, s.Why, "Pauses in priority 3 were in a deadlock of 5 ports, seen at 1.01ms and broken up by 5.01ms")
}
