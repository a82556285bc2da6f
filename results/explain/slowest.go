package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// barLength is the length of the bar that stands for the life of a flow.
const barLength = 50

// leastSaid is the part of a life from which a cause is named beside the bar.
const leastSaid = 0.005

// slowest are the flows that have not ended, and then those with the greatest slowdowns.
func (r *Run) slowest(most int) []*flow {
	var all []*flow
	for i := range r.flows {
		if f := &r.flows[i]; f.slowdown > 0 || f.waits != "" {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b *flow) int {
		if (a.waits == "") != (b.waits == "") {
			return strings.Compare(b.waits, a.waits)
		}
		return cmp.Compare(b.slowdown, a.slowdown)
	})
	return all[:min(most, len(all))]
}

func (r *Run) writeSlowest(p *page, most int) {
	flows := r.slowest(most)
	if len(flows) == 0 {
		return
	}
	p.section("The slowest flows, and those that have not ended")
	for _, f := range flows {
		r.writeFlow(p, f)
	}
}

// writeFlow tells the life of a flow.
func (r *Run) writeFlow(p *page, f *flow) {
	head := f.name()
	if f.slowdown > 0 {
		head += fmt.Sprintf(": %s, %.1f times as long as alone", f.fct.Human(), f.slowdown)
	} else {
		head += ": " + f.status
	}
	p.paragraph("  ", head)
	if f.waits != "" {
		p.paragraph("    ", "waits for "+f.waits)
	}
	p.paragraph("    ", "by way of "+strings.Join(f.ports, " > ")+" > "+f.dst)
	p.paragraph("    ", r.timeline(f))
	shares, life := r.shares([]flow{*f})
	if life > 0 {
		p.line("    " + bar(shares, life, r.causes))
	}
	if f.pausedBy != "" {
		p.paragraph("    ", "most of the pauses at its NIC trace back to "+f.pausedBy)
	}
	if f.victim != "" {
		p.paragraph("    ", fmt.Sprintf("it is held by pauses that have nothing to do with it: %s at %s, for %s, which it does not use",
			f.held.Human(), f.victimAt, f.victim))
	}
}

// timeline lists the instants of a flow's life.
func (r *Run) timeline(f *flow) string {
	text := "posted at " + f.start.Human()
	for _, at := range [...]struct {
		what string
		when units.Time
	}{{"last packet sent", f.sent}, {"last byte received", f.lastByte}, {"last acknowledgement", f.end}} {
		if at.when != units.Never {
			text += fmt.Sprintf(", %s %s later", at.what, (at.when - f.start).Human())
		}
	}
	return text
}

// bar draws the parts of a life, the longest first, and says what they are.
func bar(shares []share, life units.Time, causes []bound) string {
	drawn := ""
	var said []string
	for _, s := range shares {
		k, part := knownAs(causes[s.cause].name), float64(s.time)/float64(life)
		drawn += strings.Repeat(k.letter, min(int(part*barLength+0.5), barLength-len(drawn)))
		if part >= leastSaid {
			said = append(said, fmt.Sprintf("%s %s %s", k.letter, k.cause, results.Percent(part)))
		}
	}
	return fmt.Sprintf("[%-*s] %s", barLength, drawn, strings.Join(said, ", "))
}
