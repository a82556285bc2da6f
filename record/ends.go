package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// What is lost and what is held at the ends of links: receive buffers of NICs, and the
// PFC watchdogs of switches.

// NICFull is the reason of drops at a NIC, in any priority.
const NICFull = "receive buffer of a NIC full"

// Discarded is the reason of drops by PFC watchdogs.
const Discarded = "discarded by a PFC watchdog"

// dropsAtEnds are the packets that NICs dropped and watchdogs discarded. All of these
// count as losses of a class that must not lose any, where it is one.
func (r *Run) dropsAtEnds() []results.Drop {
	lossless := results.Drop{Reason: NICFull + ", lossless priority", Lossless: true}
	lossy := results.Drop{Reason: NICFull + ", lossy priority"}
	r.eachActivePort(func(p port) {
		for q := range p.Counters.Class {
			switch {
			case p.sw != nil:
			case r.Cluster.Net.Config.PFC.IsLossless(q):
				addDrop(&lossless, p.Counters.Class[q].Dropped)
			default:
				addDrop(&lossy, p.Counters.Class[q].Dropped)
			}
		}
	})
	return []results.Drop{lossless, lossy, r.ringDrops(), r.discards()}
}

// ringFull is the reason of packets that a host's kernel did not come to in time.
const ringFull = "receive ring of a host full, TCP"

// ringDrops are the packets of TCP that found a receive ring full.
func (r *Run) ringDrops() results.Drop {
	d := results.Drop{Reason: ringFull}
	for _, h := range r.Cluster.Hosts {
		t := h.Traffic()
		d.Packets += int64(t.RingDrops)
		d.Bytes += int64(t.RingDropBytes)
	}
	return d
}

// discards are the packets that watchdogs discarded.
func (r *Run) discards() results.Drop {
	d := results.Drop{Reason: Discarded, Lossless: true}
	r.eachGroup(func(g group) { addDrop(&d, g.port.sw.Discarded(g.port.index, g.priority)) })
	return d
}

func addDrop(d *results.Drop, n fabric.ClassCount) {
	d.Packets += int64(n.Packets)
	d.Bytes += int64(n.Bytes)
}

// whyLostAtEnd speaks of packets lost at the end of a link; it is empty for other
// reasons of loss.
func (r *Run) whyLostAtEnd(d results.Drop) string {
	lost := results.Plural(d.Packets, "packet")
	switch {
	case strings.HasPrefix(d.Reason, NICFull) && d.Lossless:
		return fmt.Sprintf("PFC did not keep its promise: the receive buffers of NICs had no room for %s of a lossless priority.", lost)
	case strings.HasPrefix(d.Reason, NICFull):
		return fmt.Sprintf("The receive buffers of NICs had no room for %s of lossy priorities.", lost)
	case d.Reason == Discarded:
		return fmt.Sprintf("PFC watchdogs discarded %s, so that storms did not hold up others.", lost)
	}
	return ""
}

// whyNICs speaks of the NICs that paused their switches, and of why.
func (r *Run) whyNICs() string {
	var parts []string
	r.eachActivePort(func(p port) {
		r.eachLossless(func(q int) {
			sent := p.Counters.PauseTx[q].XOFF
			if p.nic == nil || sent == 0 {
				return
			}
			cause := "broke down and paused its switch for no reason"
			if i, slow := p.nic.ReceiveBufferOf(q); slow && i.Peak >= i.XOFF {
				cause = fmt.Sprintf("paused its switch %s, since its host takes in %s of %s and the receive buffer reached XOFF (%s)",
					results.Plural(int64(sent), "time"), i.Drain, p.Rate(), i.XOFF.Human())
			}
			parts = append(parts, fmt.Sprintf("The NIC %s %s.", p.full(), cause))
		})
	})
	const most = 3
	if more := len(parts) - most; more > 0 {
		parts = append(parts[:most], fmt.Sprintf("So did %s.", results.Plural(int64(more), "other")))
	}
	return strings.Join(parts, " ")
}

// ingress is how the account of a port's priority fared: of a switch's group, or of the
// receive buffer of a slow host's NIC; false if there is neither.
func ingress(p port, priority int) (fabric.GroupReport, bool) {
	if p.sw != nil {
		return p.sw.Group(p.index, priority), true
	}
	i, slow := p.nic.ReceiveBufferOf(priority)
	if !slow {
		return fabric.GroupReport{}, false
	}
	return bufferReport(i), true
}

func bufferReport(i rnic.ReceiveReport) fabric.GroupReport {
	return fabric.GroupReport{
		Lossless: true, Peak: i.Peak, Headroom: i.Headroom(), PeakHeadroom: max(0, i.Peak-i.XOFF), PeakHeadroomAt: i.PeakAt,
		Nearest: min(i.Peak, i.XOFF), Limit: i.XOFF, NearestAt: i.PeakAt,
	}
}

// appendWatchdog fills the watchdog's columns of a row.
func (r *Run) appendWatchdog(storms *results.Values[int64], discarded traffic, p port, priority int) {
	if p.sw == nil || !r.Cluster.Net.Config.Watchdog.Enabled {
		storms.AppendMissing()
		discarded.packets.AppendMissing()
		discarded.bytes.AppendMissing()
		return
	}
	var n int64
	for _, e := range p.sw.WatchdogEvents() {
		if e.Port == p.index && e.Priority == priority && e.Begins {
			n++
		}
	}
	storms.Append(n)
	discarded.add(p.sw.Discarded(p.index, priority))
}

// eachStorm calls f for the beginning and the end of every storm, switch by switch.
func (r *Run) eachStorm(f func(name string, e fabric.WatchdogEvent)) {
	r.eachSwitch(func(_ string, node int) {
		for _, e := range r.Cluster.Net.Switch(node).WatchdogEvents() {
			f(r.cable(node, e.Port), e)
		}
	})
}

func (r *Run) watchdogSummary() *results.Watchdog {
	if !r.Cluster.Net.Config.Watchdog.Enabled {
		return nil
	}
	w := &results.Watchdog{Discarded: r.discards().Packets}
	r.eachStorm(func(_ string, e fabric.WatchdogEvent) {
		if e.Begins {
			w.Storms++
		} else {
			w.Restored++
		}
	})
	return w
}

// whyWatchdog tells of the first storm.
func (r *Run) whyWatchdog(s *results.Summary) string {
	switch {
	case s.Watchdog == nil:
		return ""
	case s.Watchdog.Storms == 0:
		return "The PFC watchdogs saw no storm."
	}
	var first, over string
	var at units.Time = units.Never
	r.eachStorm(func(name string, e fabric.WatchdogEvent) {
		what := fmt.Sprintf("%s, priority %d,", name, e.Priority)
		switch {
		case e.Begins && e.At < at:
			at, first, over = e.At, what, ""
		case !e.Begins && what == first && over == "":
			over = " until " + e.At.Human()
		}
	})
	return fmt.Sprintf("A PFC watchdog acted: %s was stormed from %s on%s (%s in all).", first, at.Human(), over,
		results.Plural(s.Watchdog.Storms, "storm"))
}
