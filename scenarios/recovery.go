package scenarios

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
	"github.com/rdmasim/rdmasim/workloads"
)

// recovery is what a word of a scenario stands for.
func recovery(word string) rnic.Recovery {
	return rnic.Recovery(max(0, slices.Index(rnic.Recoveries[:], word)))
}

// recoveryOf is how a flow is to recover from loss; nil for as its host does.
func recoveryOf(f *workloads.Flow) *rnic.Recovery {
	if f.Recovery == "" || f.Recovery == workloads.HostRecovery {
		return nil
	}
	r := recovery(f.Recovery)
	return &r
}

// usesRecovery tells whether any queue pair recovers from loss in that way.
func usesRecovery(c *host.Cluster, r rnic.Recovery) bool {
	return slices.ContainsFunc(c.Conns, func(conn host.Conn) bool { return conn.FromQP >= 0 && conn.From.RecoveryOf(conn.FromQP) == r })
}

// boundInFlight sets how many packets may be in flight with selective repeat.
func (s *Spec) boundInFlight(c *host.Cluster) {
	h := &s.Host.Selective
	if !usesRecovery(c, rnic.Selective) {
		return
	}
	window := h.Window
	if window == 0 {
		frame := c.NIC.FrameBytes(wire.WriteMiddle, c.NIC.MTU)
		window = int((c.BDP() + units.Bytes(frame) - 1) / units.Bytes(frame))
	}
	c.BoundInFlight(window)
}

// lintRecovery warns of timers with which loss may never be repaired, or is repaired that never was.
func (s *Spec) lintRecovery(c *host.Cluster) (warnings []string) {
	warn := func(key, problem string) { warnings = append(warnings, s.Problem(key, problem, "").Error()) }
	h := &s.Host
	rtt := c.LongestBaseRTT()
	if usesRecovery(c, rnic.Selective) {
		for _, timer := range []struct {
			key   string
			after units.Time
		}{{"timer_low", h.Selective.TimerLow}, {"timer_high", h.Selective.TimerHigh}} {
			key := "host.selective_repeat." + timer.key
			switch {
			case timer.after == 0:
				warn(key, "0s: a packet that is lost twice, and the last of a message, are never sent again: the flow hangs")
			case timer.after <= rtt:
				warn(key, fmt.Sprintf("%v, within the round trip of %v that a packet takes at the least: what is not lost is sent again", timer.after, rtt))
			}
		}
		if h.Timeout == 0 {
			warn("host.timeout", "0: a queue pair with selective repeat whose peer is gone never gives up, since it does so after as long as retries of this timer take")
		}
	}
	if usesRecovery(c, rnic.Adaptive) && h.Adaptive.Start <= rtt {
		warn("host.adaptive.start", fmt.Sprintf("%v, within the round trip of %v that a packet takes at the least: what is not lost is sent again", h.Adaptive.Start, rtt))
	}
	payload := units.Bytes(h.PacketPayload())
	if every := units.Bytes(h.AckEvery); every > 1 && h.Window > 0 && h.Window < every*payload {
		warn("host.ack_every", fmt.Sprintf("%d packets are more than the window of %v: the packet that closes the window asks for an acknowledgement, every %d packets",
			h.AckEvery, h.Window, max(1, (h.Window+payload-1)/payload)))
	}
	return warnings
}
