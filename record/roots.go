package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/results"
)

// How many roots of pauses, and victims of each, a sentence names.
const (
	namedRoots    = 3
	spokenVictims = 3
)

// whyRoots says what the pauses trace back to, and who had to wait for it without
// having to do with it.
func (r *Run) whyRoots(s *results.Summary) string {
	if s.Pause == nil || len(s.Pause.Roots) == 0 {
		return ""
	}
	roots := s.Pause.Roots
	var parts []string
	for i := range roots[:min(len(roots), namedRoots)] {
		parts = append(parts, rootSentence(&roots[i]))
	}
	parts[0] = "PFC: " + parts[0]
	if more := len(roots) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%s more in pause_causes.csv.", results.Plural(int64(more), "root")))
	}
	if missed := r.pauseChains().missed; missed > 0 {
		parts = append(parts, fmt.Sprintf("%s, beyond what a switch takes note of, were not traced back.", results.Plural(int64(missed), "pause")))
	}
	return strings.Join(parts, " ")
}

// rootSentence is a root with its pauses, flows and victims.
func rootSentence(p *results.PauseRoot) string {
	verb := "trace"
	if p.Pauses == 1 {
		verb = "traces"
	}
	text := fmt.Sprintf("%s %s back to %s", results.Plural(p.Pauses, "pause"), verb, p.Port)
	switch p.Kind {
	case atHost.String():
		text += ", which the host asked for (a slow receiver, or a NIC that storms)"
	case unnoted.String():
		text += ", which was paused for a reason that no switch has noted"
	}
	text += fmt.Sprintf(" (%s through it", results.Plural(int64(p.Flows), "flow"))
	if p.Depth > 1 {
		text += fmt.Sprintf(", ports paused up to %d links away", p.Depth)
	}
	text += ")"
	if p.Victims == 0 {
		return text + "."
	}
	names := p.VictimNames[:min(len(p.VictimNames), spokenVictims)]
	text += fmt.Sprintf("; %s: %s", results.Plural(int64(p.Victims), "victim"), strings.Join(names, ", "))
	if more := p.Victims - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + "."
}
