package record

import (
	"fmt"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// why says, for the run as a whole and for each mechanism, what bound it or how
// near it came to acting.
func (r *Run) why(s *results.Summary) []string {
	var ws []string
	for _, sentence := range []string{
		r.whyBound(), r.whyLost(s), r.whyPause(s), r.whyMark(s), r.whyControl(s), r.whyRecovery(s),
	} {
		if sentence != "" {
			ws = append(ws, sentence)
		}
	}
	return ws
}

// whyBound names the busiest wire.
func (r *Run) whyBound() string {
	var busiest port
	var most units.Time
	r.eachPort(func(p port) {
		if b := p.Counters.Busy; b > most {
			busiest, most = p, b
		}
	})
	span := r.lastWork() - r.firstWork()
	if most == 0 || span == 0 {
		return "Nothing was sent."
	}
	g := r.Cluster.Net.Graph
	at := g.Ports(busiest.node)[busiest.index]
	use := min(1, float64(most)/float64(span))
	where := fmt.Sprintf("%s to %s", busiest.full, g.Nodes[at.Peer].Name)
	if use >= 0.9 {
		return fmt.Sprintf("The link %s bound the run: it was busy for %.1f %% of the time flows were under way.", where, 100*use)
	}
	return fmt.Sprintf("No link was full: the busiest, %s, was busy for %.1f %% of the time flows were under way.", where, 100*use)
}

// whyLost speaks of losses in a class that must not lose.
func (r *Run) whyLost(s *results.Summary) string {
	for _, d := range s.Drops {
		if d.Lossless && d.Packets > 0 {
			worst := r.mostDropped()
			report := worst.sw.Group(worst.index, worst.priority)
			return fmt.Sprintf("PFC did not keep its promise: %d packets of a lossless priority found the headroom full, most of them at %s, priority %d, which has %s of headroom; the worst case of its link needs %s.",
				d.Packets, worst.full, worst.priority, report.Headroom, r.neededHeadroom(worst.port))
		}
	}
	return ""
}

// lossyPort is a port and a priority that lost packets.
type lossyPort struct {
	port
	priority int
}

func (r *Run) mostDropped() (worst lossyPort) {
	var most uint64
	r.eachPort(func(p port) {
		r.eachLossless(func(q int) {
			if n := p.Counters.Dropped[q].Packets; n > most {
				worst, most = lossyPort{p, q}, n
			}
		})
	})
	return worst
}

func (r *Run) neededHeadroom(p port) units.Bytes {
	net := r.Cluster.Net
	cable := net.Graph.Links[net.Graph.Ports(p.node)[p.index].Link]
	return net.Config.NeededHeadroom(cable.Rate, cable.Delay)
}

func (r *Run) whyPause(s *results.Summary) string {
	switch {
	case s.Pause == nil:
		return "PFC is off."
	case s.Pause.XOFF > 0:
		text := fmt.Sprintf("PFC acted: %d pauses", s.Pause.XOFF)
		if w := s.Pause.Worst; w != nil {
			text += fmt.Sprintf(" held %d ports and priorities; %s, priority %d, was held longest, for %s.",
				s.Pause.PausedPorts, w.Port, w.Priority, units.Time(w.Time).Human())
		} else {
			text += " were asked for."
		}
		return text
	case s.PeakIngress != nil:
		return fmt.Sprintf("PFC never acted: the priority group nearest to it, %s, reached %.1f %% of its XOFF threshold.",
			s.PeakIngress.Where, 100*s.PeakIngress.Limits[0].Share)
	}
	return "PFC never acted: no packet of a lossless priority went through a switch."
}

func (r *Run) whyMark(s *results.Summary) string {
	switch {
	case s.ECN == nil:
		return "ECN is off."
	case s.ECN.Marked > 0:
		return fmt.Sprintf("ECN acted: %d packets were marked, %.2f %% of those that switches sent.", s.ECN.Marked, 100*s.ECN.Share)
	case s.PeakQueue == nil || len(s.PeakQueue.Limits) == 0:
		return "ECN never acted: no queue formed."
	}
	return fmt.Sprintf("ECN never marked a packet: the longest queue, %s, reached %s, %.1f %% of Kmin.",
		s.PeakQueue.Where, units.Bytes(s.PeakQueue.Bytes).Human(), 100*s.PeakQueue.Limits[0].Share)
}

func (r *Run) whyControl(s *results.Summary) string {
	c := s.CongestionControl
	switch {
	case c.Name == "none" || c.Name == "fixed":
		return fmt.Sprintf("Congestion control is %s: nothing but PFC and loss slows a sender.", c.Name)
	case c.RateCuts > 0:
		return fmt.Sprintf("%s acted: %d rate cuts on %d of %d queue pairs, after %d notifications.", c.Name, c.RateCuts, c.QPsCut, c.QPs, c.CNPsHandled)
	case c.CNPsSent > 0:
		return fmt.Sprintf("%s never cut a rate: %d notifications were sent, %d came in time to matter.", c.Name, c.CNPsSent, c.CNPsHandled)
	}
	return fmt.Sprintf("%s never acted: no receiver saw a marked packet.", c.Name)
}

func (r *Run) whyRecovery(s *results.Summary) string {
	if s.Recovery.Retransmitted == 0 && s.Recovery.Timeouts == 0 {
		return ""
	}
	return fmt.Sprintf("Loss was repaired by sending %s again, after %d NAKs and %d timeouts.",
		units.Bytes(s.Recovery.Retransmitted).Human(), s.Recovery.NAKs, s.Recovery.Timeouts)
}
