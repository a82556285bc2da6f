package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// flowBounds adds to the table of flows what bound each of them.
func (r *Run) flowBounds(t *results.Table) {
	sent := t.Time("last_sent_us", "when its last packet began to be sent for the first time")
	most := t.String("bound_by", "what bound it longest: the name of one of the next columns")
	var spent [causes]*results.Values[units.Time]
	for c, text := range causeTexts() {
		spent[c] = t.Time("bound_"+text.name+"_us", "time of its life in which this bound it: "+text.doc)
	}
	paused := t.String("paused_by", "root of most of the pauses at its NIC; see pause_causes.csv")
	victim := t.String("victim_of", "root, on no port of its own, of the pauses that held it longest at a port on its way")
	at, held := t.String("victim_at", "that port"), t.Time("victim_us", "for how long that port was paused for this during its life")
	for i, l := range r.flowLives() {
		sent.Append(r.Cluster.Transfer(i).Sent)
		most.Append(l.mostName())
		for c := range spent {
			spent[c].Append(l.spent[c])
		}
		paused.Append(r.rootName(l.paused))
		victim.Append(r.rootName(l.victim))
		if l.victim < 0 {
			at.Append("")
		} else {
			at.Append(r.Cluster.Net.Graph.PortName(l.victimAt.Node, l.victimAt.Port))
		}
		held.Append(l.held)
	}
}

func (l *life) mostName() string {
	if l.whole() == 0 {
		return ""
	}
	return causeTexts()[l.most()].name
}

// rootName names a root by its port; empty for none.
func (r *Run) rootName(i int) string {
	if i < 0 {
		return ""
	}
	at := r.pauseChains().roots[i]
	return r.Cluster.Net.Graph.PortName(at.Node, at.Port)
}

// bounds sums up what bound all flows together, the longest first.
func (r *Run) bounds() []results.Bound {
	var sum life
	for _, l := range r.flowLives() {
		for c, t := range l.spent {
			sum.spent[c] += t
		}
	}
	var all []results.Bound
	for c, text := range causeTexts() {
		if t := sum.spent[c]; t > 0 {
			all = append(all, results.Bound{
				Name: text.name, Time: results.Micros(t), Share: float64(t) / float64(sum.whole()),
			})
		}
	}
	slices.SortStableFunc(all, func(a, b results.Bound) int { return cmp.Compare(b.Time, a.Time) })
	return all
}

// mentioned is the share from which a cause is worth a word.
const mentioned = 0.01

// whyFlows says what bound the flows, all together.
func (r *Run) whyFlows(s *results.Summary) string {
	var parts []string
	for _, b := range s.Bounds {
		if b.Share >= mentioned {
			parts = append(parts, results.Percent(b.Share)+" by "+r.heldWord(said(b.Name)))
		}
	}
	if parts == nil {
		return ""
	}
	return "The flows' time was bound " + strings.Join(parts, ", ") + "."
}

// said is how sentences call the cause of that name.
func said(name string) string {
	for _, text := range causeTexts() {
		if text.name == name {
			return text.said
		}
	}
	panic("record: no cause " + name)
}

// boundText says what bound a flow longest.
func (r *Run) boundText(flow int) string {
	l := &r.flowLives()[flow]
	if l.whole() == 0 {
		return ""
	}
	c := l.most()
	text := fmt.Sprintf(" For %s of its life it was bound by %s", results.Percent(float64(l.spent[c])/float64(l.whole())), r.heldWord(causeTexts()[c].said))
	if (c == byPause || c == byReceiver) && l.paused >= 0 {
		text += ", which trace back to " + r.rootText(l.paused)
	}
	return text + "."
}

// rootText names a root in a sentence.
func (r *Run) rootText(i int) string {
	at := r.pauseChains().roots[i]
	return r.cable(at.Node, at.Port)
}
