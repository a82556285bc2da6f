package results

import (
	"io"
	"time"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Outcome is how a run ended.
type Outcome string

// The ways in which a run ends.
const (
	Done        Outcome = "done"        // all the work is done
	Stalled     Outcome = "stalled"     // nothing can move any more
	TimeLimit   Outcome = "time-limit"  // the time allowed by the scenario is up and work is left
	Interrupted Outcome = "interrupted" // the user ended it
	Failed      Outcome = "failed"      // it came to its end, but flows ended in error
)

// Complete reports whether all the work was done.
func (o Outcome) Complete() bool { return o == Done }

// Summary is what a run has to say for itself: summary.json, and in part the text on the terminal. The caller fills in what
// applies. A nil pointer means that the mechanism was switched off or that there is nothing to report, as each field says.
type Summary struct {
	Scenario string   `json:"scenario" doc:"name of the scenario"`
	Outcome  Outcome  `json:"outcome" doc:"how the run ended: done, stalled, time-limit, interrupted or failed"`
	Reasons  []string `json:"reasons" doc:"if the run is not complete: what is unfinished, and what it waits for"`
	Seed     uint64   `json:"seed" doc:"seed of all random streams"`
	Digest   string   `json:"digest" doc:"digest of the event streams of all nodes"`

	SimulatedTime Micros `json:"simulated_time_us" doc:"simulated time at the end of the run"`
	FirstStart    Micros `json:"first_start_us" doc:"start of the first flow or program"`
	UnderWay      Micros `json:"under_way_us" doc:"time flows and programs were under way: from the start of the first to the completion of the last, or to the end of the run if one is unfinished"`
	PacketHops    int64  `json:"packet_hops" doc:"packets times links crossed"`

	Parameters []Parameter `json:"parameters" doc:"values of the scenario that it shows with its results, and where they come from"`

	Cost Cost `json:"-"` // of the machine, hence not in the file

	Flows    Flows                 `json:"flows" doc:"flows by how they ended"`
	Programs *Programs             `json:"programs" doc:"programs by how they ended; null if the scenario has none"`
	Window   *Window               `json:"window" doc:"the part of the run that is measured; null if all of it is"`
	FCTEnd   string                `json:"fct_end" doc:"the event that ends a flow completion time"`
	FCT      *Percentiles[Micros]  `json:"fct_us" doc:"flow completion times of the flows done; null if there is none"`
	Slowdown *Percentiles[float64] `json:"slowdown" doc:"FCT as a multiple of that of the same flow alone in the network; null if no flow is done"`
	Wait     *Micros               `json:"wait_mean_us" doc:"mean, over the flows done, of how much longer they took than alone in the network; null if there is none"`
	Goodput  Goodput               `json:"goodput" doc:"payload delivered in order, retransmissions not counted"`
	Drops    []Drop                `json:"drops" doc:"dropped packets by reason; a reason without drops may be left out"`

	Losses []Loss `json:"losses" doc:"frames lost on links, PFC frames among them, by why and what they were"`

	Pause             *Pause            `json:"pause" doc:"priority flow control; null if it is off"`
	Credits           *Credits          `json:"credits" doc:"flow control of InfiniBand links; null on Ethernet"`
	Watchdog          *Watchdog         `json:"pfc_watchdog" doc:"what the PFC watchdogs of the switches did; null if they are off"`
	Deadlocks         []Deadlock        `json:"deadlocks" doc:"circles of pauses that waited for each other, in the order of time"`
	ECN               *ECN              `json:"ecn" doc:"explicit congestion notification; null if it is off"`
	CongestionControl CongestionControl `json:"congestion_control" doc:"what congestion control did"`
	Feedback          *Feedback         `json:"feedback" doc:"the way from marks to cuts of rates; null if ECN is off"`
	TCP               *TCP              `json:"tcp" doc:"what connections of TCP did; null if there were none"`
	Recovery          Recovery          `json:"recovery" doc:"what the transport did about loss"`

	CPU     *CPU            `json:"cpu" doc:"what the processors of the hosts did, and what crossed their memories"`
	Bill    *Bill           `json:"cost" doc:"what the run cost at the prices of the scenario; null if it has no cost block"`
	Figures []ProgramFigure `json:"program_figures" doc:"what programs measured, by names that are the same in all runs of one workload"`

	Bounds []Bound `json:"bounds" doc:"what bound the flows, the longest first: the parts of all their lives together"`
	Tiers  []Tier  `json:"tiers" doc:"traffic by the tiers of the network that its links join, links up first"`

	PeakQueue    *Peak `json:"peak_queue" doc:"fullest egress queue of a switch at its fullest, against the ECN thresholds; null without switches"`
	PeakIngress  *Peak `json:"peak_ingress" doc:"ingress priority group that came nearest to its XOFF threshold; null if PFC is off"`
	PeakHeadroom *Peak `json:"peak_headroom" doc:"fullest headroom at its fullest; null if there is none"`

	Variants     []Variant     `json:"variants" doc:"other runs of the same scenario with a few keys changed"`
	Sweeps       []Sweep       `json:"sweeps" doc:"runs of the same scenario in which a key has one value after the other, and where levels are crossed"`
	Expectations []Expectation `json:"expectations" doc:"the promises of the scenario and whether they were kept"`
	Why          []string      `json:"why" doc:"sentences that say what bound the run and how near each mechanism came to acting"`
	Warnings     []string      `json:"warnings" doc:"what a reader should know before trusting the figures"`
	Notes        []string      `json:"notes" doc:"what else is worth knowing, such as why there is no plot of something"`
	Outputs      []Output      `json:"-"` // what programs print: files of their own
	Beside       *Comparison   `json:"-"` // the run beside its variants: files of its own; nil if it has none
	Swept        []Variant     `json:"-"` // the runs of sweeps, in their order
}

// Cost is what the run cost on this machine.
type Cost struct {
	WallTime time.Duration
	Workers  int
	// Memory is the most that the process has had until the run's figures were there, runs beside it included; 0 if not known.
	Memory units.Bytes
}

// SummaryDocument is summary.json: the summary and what follows from it.
type SummaryDocument struct {
	Complete bool `json:"complete" doc:"whether all the work was done; if false the figures cover a part"`
	Summary
}

// WriteJSON writes summary.json: keys in the order of the fields, units in the keys, nothing that depends on the machine.
// The error is that of w, or tells of a number that is not finite.
func (s *Summary) WriteJSON(w io.Writer) error {
	document := SummaryDocument{s.Outcome.Complete(), *s}
	document.Reasons = orEmpty(s.Reasons)
	document.Drops = orEmpty(s.Drops)
	document.Deadlocks = orEmpty(s.Deadlocks)
	document.Losses = orEmpty(s.Losses)
	document.Expectations = orEmpty(s.Expectations)
	document.Tiers = orEmpty(s.Tiers)
	document.Parameters, document.Figures, document.Sweeps = orEmpty(s.Parameters), orEmpty(s.Figures), orEmpty(s.Sweeps)
	document.Bounds = orEmpty(s.Bounds)
	document.Variants = orEmpty(s.Variants)
	document.Why = orEmpty(s.Why)
	document.Warnings = orEmpty(s.Warnings)
	document.Notes = orEmpty(s.Notes)
	return writeJSON(w, document)
}

// orEmpty makes JSON write [] where it would write null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
