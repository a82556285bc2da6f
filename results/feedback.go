package results

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Feedback follows congestion from the marks that switches set to the cuts of rates.
type Feedback struct {
	Marked        int64   `json:"marked_packets" doc:"packets that switches marked CE, data and all others"`
	Received      int64   `json:"ce_received" doc:"data packets that came to their receivers with a mark"`
	Sent          int64   `json:"cnps_sent" doc:"notifications that receivers sent"`
	Handled       int64   `json:"cnps_handled" doc:"notifications that senders handled"`
	Cuts          int64   `json:"cuts" doc:"notifications after which a rate was lowered: one that finds it at its minimum does not lower it"`
	CNPsPerCE     float64 `json:"cnps_per_ce" doc:"cnps_sent as a share of ce_received; 0 if there were none"`
	HandledPerCNP float64 `json:"handled_per_cnp" doc:"cnps_handled as a share of cnps_sent; 0 if there were none"`
	CutsPerCNP    float64 `json:"cuts_per_cnp" doc:"cuts as a share of cnps_handled; 0 if there were none"`
	MarkToCut     *Delay  `json:"mark_to_cut_us" doc:"time from when a switch marked a packet to the cut of the rate that this caused, the first after its notification; null without a cut"`
	Broken        string  `json:"broken" doc:"where marks or notifications got lost, and why; empty if they did not"`
}

// Delay is some delays, the times of the marks known to 4.1 ns.
type Delay struct {
	Min  Micros `json:"min" doc:"least"`
	Mean Micros `json:"mean" doc:"mean"`
	Max  Micros `json:"max" doc:"greatest"`
}

// Ratios fills in the ratios of the counts and returns f.
func (f *Feedback) Ratios() *Feedback {
	f.CNPsPerCE, f.HandledPerCNP = share(f.Sent, f.Received), share(f.Handled, f.Sent)
	f.CutsPerCNP = share(f.Cuts, f.Handled)
	return f
}

// feedbackLine is the way from mark to cut on a line; empty where nothing was marked.
func (s *Summary) feedbackLine() string {
	f := s.Feedback
	if f == nil || f.Marked == 0 {
		return ""
	}
	line := fmt.Sprintf("%s marked, %s received with CE, %s CNPs sent (%s), %s handled (%s), %s lowered a rate",
		Count(f.Marked), Count(f.Received), Count(f.Sent), Percent(f.CNPsPerCE), Count(f.Handled), Percent(f.HandledPerCNP),
		Count(f.Cuts))
	if d := f.MarkToCut; d != nil {
		line += fmt.Sprintf("; mark to cut %s on average (%s to %s)",
			units.Time(d.Mean).Human(), units.Time(d.Min).Human(), units.Time(d.Max).Human())
	}
	return line
}
