package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// NoRoute is the reason of packets that a switch had no way for.
const NoRoute = "no route"

// losses are the frames that did not come over a cable, by why and what they were.
func (r *Run) losses() []results.Loss {
	var list []results.Loss
	lost := r.lost()
	for why := range fabric.Reasons {
		for kind := range fabric.FrameKinds {
			if n := lost[why][kind]; n.Packets > 0 {
				list = append(list, results.Loss{Reason: why.String(), Frame: kind.String(), Frames: int64(n.Packets), Bytes: int64(n.Bytes)})
			}
		}
	}
	return list
}

// lost is what all ports together lost for each reason of each kind of frame.
func (r *Run) lost() (sum [fabric.Reasons][fabric.FrameKinds]fabric.ClassCount) {
	r.eachActivePort(func(p port) {
		for why := range fabric.Reasons {
			for kind := range fabric.FrameKinds {
				sum[why][kind].Add(p.Lost(why, kind))
			}
		}
	})
	return sum
}

// faultDrops are the packets that faults took, by reason; pauses are no packets.
func (r *Run) faultDrops() []results.Drop {
	var drops []results.Drop
	lost := r.lost()
	for why := range fabric.Reasons {
		d := results.Drop{Reason: why.String()}
		for kind := range fabric.PauseFrame {
			n := lost[why][kind]
			d.Packets += int64(n.Packets)
			d.Bytes += int64(n.Bytes)
		}
		if d.Packets > 0 || why == fabric.Random {
			drops = append(drops, d)
		}
	}
	if n := r.unroutable(); n.Packets > 0 {
		drops = append(drops, results.Drop{Reason: NoRoute, Packets: int64(n.Packets), Bytes: int64(n.Bytes)})
	}
	return drops
}

func (r *Run) unroutable() (sum fabric.ClassCount) {
	r.eachActivePort(func(p port) { sum.Add(p.Counters.NoRoute) })
	return sum
}

// lossWords says of a number of frames what became of them.
func lossWords(why fabric.Reason) string {
	return [...]string{
		"Cables lost %s", "Rules of the scenario took %s", "%s came with a wrong checksum", "%s went onto dead links",
	}[why]
}

// whyGone speaks of the frames that did not come over a cable, and of those that
// switches had no way for.
func (r *Run) whyGone() []string {
	var sentences []string
	lost := r.lost()
	for why := range fabric.Reasons {
		var frames int64
		var kinds []string
		for kind := range fabric.FrameKinds {
			if n := int64(lost[why][kind].Packets); n > 0 {
				frames += n
				kinds = append(kinds, results.Count(n)+" "+kind.String())
			}
		}
		if frames > 0 {
			sentences = append(sentences, fmt.Sprintf(lossWords(why)+": %s.", results.Plural(frames, "frame"), strings.Join(kinds, ", ")))
		}
	}
	if n := r.unroutable().Packets; n > 0 {
		sentences = append(sentences, fmt.Sprintf("Switches had no route for %s.", results.Plural(int64(n), "packet")))
	}
	return sentences
}

// whyRerouted says how often routes changed.
func (r *Run) whyRerouted() string {
	var last units.Time
	changes := 0
	for _, e := range r.Cluster.Net.Epochs() {
		if e.At < r.Report.Now {
			last = e.At
			changes++
		}
	}
	if changes == 0 {
		return ""
	}
	return fmt.Sprintf("Switches changed their routes %s, the last one at %v.", results.Plural(int64(changes), "time"), last)
}

// lossCounters adds what was lost on the cable away from a port, as far as anything
// was, what came in corrupted, and what the switch had no way for.
func (r *Run) lossCounters(c *counters, p port) {
	for why := range fabric.Reasons {
		for kind := range fabric.FrameKinds {
			if n := p.Lost(why, kind).Packets; n > 0 {
				c.count(p, anyPriority, lossCounter(why)+"_"+strings.ReplaceAll(kind.String(), "-", "_"), n, "frames")
			}
		}
	}
	c.count(p, anyPriority, "rx_crc_errors_phy", r.Cluster.Net.CorruptedFrames(p.node, p.index).Packets, "frames")
	if p.sw != nil {
		c.count(p, anyPriority, "no_route", p.Counters.NoRoute.Packets, "packets")
	}
}

// lossCounter is the name of a reason among the counters.
func lossCounter(why fabric.Reason) string {
	return [...]string{"lost_by_chance", "lost_by_rule", "lost_corrupted", "lost_link_down"}[why]
}
