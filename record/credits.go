package record

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// creditTable is the name of the table of credits.
const creditTable = "credits"

// onCredits tells whether links are flow-controlled by credits, and not by pauses.
func (r *Run) onCredits() bool { return r.Cluster.Net.Config.Credits != nil }

// eachLane calls f for every virtual lane in use of a port with credits.
func (r *Run) eachLane(p port, f func(vl int, lane fabric.LaneReport)) {
	if !r.onCredits() {
		return
	}
	for _, vl := range r.Cluster.Net.Config.Priorities {
		lane, _ := p.Lane(vl)
		f(vl, lane)
	}
}

// Credits is the table of virtual lanes.
func (r *Run) Credits() *results.Table {
	t := results.NewTable("credits.csv", "one row a port and virtual lane in use, on links with credits")
	node, number := t.String("node", "host or switch"), t.Int("port", "", "number of the port at its node")
	lane := t.Int("vl", "", "virtual lane")
	stalls := t.Int("stalls", "packets", "packets that had to wait at it for credits")
	waited := t.Time("wait_us", "time for which a packet waited at it for credits (PortXmitWait, for this cause)")
	sent := t.Int("sent_blocks", "", "blocks of 64 bytes sent")
	came := t.Int("received_blocks", "", "blocks received")
	lost := t.Int("healed_blocks", "", "blocks sent to it that were lost on the cable, found by the count of a flow-control packet")
	size := t.Bytes("buffer_bytes", "its own buffer of the lane")
	peak := t.Bytes("buffer_peak_bytes", "most of it in use, in whole blocks")
	tx := t.Int("flow_control_tx", "packets", "flow-control packets it sent, of all lanes together")
	rx := t.Int("flow_control_rx", "packets", "flow-control packets it received, of all lanes together")
	gone := t.Int("flow_control_lost", "packets", "flow-control packets it sent that were lost on the cable, of all lanes together")
	r.rowsByPort(t, func(p port) {
		r.eachLane(p, func(vl int, l fabric.LaneReport) {
			node.Append(p.name)
			number.Append(int64(p.index))
			lane.Append(int64(vl))
			stalls.Append(int64(l.Stalls))
			waited.Append(p.PausedFor(vl, r.Report.Now))
			sent.Append(int64(l.Sent))
			came.Append(int64(l.Came))
			lost.Append(int64(l.Healed))
			size.Append(units.Bytes(l.Size) * 64)
			peak.Append(units.Bytes(l.Peak) * 64)
			n := p.FlowControls()
			tx.Append(int64(n.Tx))
			rx.Append(int64(n.Rx))
			gone.Append(int64(n.Lost))
		})
	})
	return t
}

// creditSummary is what the credits of all links did; nil on Ethernet.
func (r *Run) creditSummary() *results.Credits {
	if !r.onCredits() {
		return nil
	}
	s, work := new(results.Credits), r.underWay()
	r.eachActivePort(func(p port) {
		s.FlowControls += int64(p.FlowControls().Tx)
		r.eachLane(p, func(vl int, l fabric.LaneReport) {
			s.Stalls += int64(l.Stalls)
			if l.Peak > 0 {
				if full := float64(l.Peak) / float64(l.Size); s.Fullest == nil || full > s.Fullest.Limits[0].Share {
					s.Fullest = &results.Peak{Where: fmt.Sprintf("%s, VL %d", p.full(), vl), Bytes: int64(l.Peak) * 64}
					s.Fullest.Against("its buffer", int64(l.Size)*64)
				}
			}
			held := p.PausedFor(vl, r.Report.Now)
			if held == 0 {
				return
			}
			s.Time += results.Micros(held)
			s.Lanes++
			if p.sw == nil {
				s.NICs++
			}
			if s.Worst == nil || results.Micros(held) > s.Worst.Time {
				s.Worst = &results.WaitingLane{Port: p.full(), VL: vl, Time: results.Micros(held), Share: work.share(held)}
			}
		})
	})
	return s
}

// whyCredits says what the credits of links did.
func (r *Run) whyCredits(s *results.Summary) string {
	switch c := s.Credits; {
	case c.Stalls == 0 && c.Fullest == nil:
		return "No packet went over a link."
	case c.Stalls == 0:
		return fmt.Sprintf("Credits never held a packet: the fullest buffer of a lane, at %s, was %s full.", c.Fullest.Where, results.Percent(c.Fullest.Limits[0].Share))
	case c.Worst == nil:
		return fmt.Sprintf("Credits held %s, for no time.", results.Plural(c.Stalls, "packet"))
	default:
		return fmt.Sprintf("Credits acted: %s waited for them at %s; %s VL %d waited longest, for %s, %s of the time flows were under way. No packet was lost for lack of buffer.",
			results.Plural(c.Stalls, "packet"), results.Plural(int64(c.Lanes), "lane"), c.Worst.Port, c.Worst.VL, units.Time(c.Worst.Time).Human(), results.Percent(c.Worst.Share))
	}
}

// heldWord is what flows are bound by at a NIC whose priority its peer holds.
func (r *Run) heldWord(said string) string {
	if r.onCredits() && said == causeTexts()[byPause].said {
		return "lack of credits"
	}
	return said
}

// laneCounters adds what a port has counted of a virtual lane.
func (r *Run) laneCounters(c *counters, p port, q int) {
	l, _ := p.Lane(q)
	c.add(p, q, "port_xmit_wait", p.PausedFor(q, r.Report.Now).Microseconds(), "us")
	c.count(p, q, "vl_xmit_wait_packets", l.Stalls, "packets")
	c.add(p, q, "vl_buffer_peak", float64(l.Peak*64), "bytes")
}
