package scenarios

import (
	"errors"
	"slices"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Spec is a scenario whose values are complete and have been checked: everything a run depends on. Make one with
// [Load] or [Parse].
type Spec struct {
	Name        string             `key:"name" required:"true" doc:"name of the scenario, of letters, digits, dots, hyphens and underscores"`
	Description string             `key:"description" doc:"what the scenario is about and what to look at"`
	Seed        uint64             `key:"seed" default:"1" doc:"seed of all random streams" source:"assumed"`
	Profile     string             `key:"profile" default:"rdmasim" oneof:"rdmasim|htsim|hpcc-ns3|conweave" doc:"for comparison only: another simulator whose simplifications are adopted where no key of a scenario speaks of them" source:"true to the wire"`
	Stop        Stop               `key:"stop" doc:"when the run ends"`
	Topology    strictyaml.Block   `key:"topology" kinds:"topology" required:"true" doc:"hosts, switches and the links between them"`
	Switch      Switch             `key:"switch" doc:"settings of every switch"`
	Overrides   []SwitchOverride   `key:"switch_overrides" like:"switch" doc:"switches that differ: the keys of switch, those that are left out as there; hosts go by switch"`
	Host        Host               `key:"host" doc:"settings of every host and its NICs"`
	Workloads   []strictyaml.Block `key:"workloads" kinds:"workload" required:"true" doc:"what the hosts want to do; all of them at once"`
	Faults      []strictyaml.Block `key:"faults" kinds:"fault" doc:"what goes wrong; all of them together"`
	Measure     Measure            `key:"measure" doc:"which flows count, and time series to record"`
	Show        []string           `key:"show" doc:"keys of the scenario, or of blocks of it, whose values are printed before the results, with where they come from: those that decide about them"`
	Cost        *Cost              `key:"cost" doc:"the prices by which runs are compared; what has none is said not to be priced"`
	LinkEnds    []LinkEnd          `key:"link_ends" doc:"single ports that differ from what switch and host say"`
	Variants    []Variant          `key:"variants" doc:"other runs of this scenario, each with a few keys changed"`
	Sweeps      []Sweep            `key:"sweep" doc:"runs of this scenario in which a key has one value after the other, and where what is measured crosses a level"`
	Expect      []Expectation      `key:"expect" doc:"what the run promises; exit code 4 if a promise is broken"`

	// Warnings are sentences about values that are allowed but seldom meant, each with its position. They are no part
	// of the scenario.
	Warnings []string

	origins *strictyaml.Origins
	swept   []Variant // the runs of sweeps
	asked   [8]string // by priority: path of a workload that asks for it; empty if none does
	roces   [8]string // likewise, of those that do not go over TCP
}

// Stop says when a run ends.
type Stop struct {
	When  string     `key:"when" default:"flows-done" oneof:"flows-done|time" doc:"flows-done: when all flows are done and the network is quiet; time: at limit" source:"assumed"`
	Limit units.Time `key:"limit" default:"1s" min:"1ps" doc:"simulated time at which the run ends in any case; with flows-done, reaching it with flows undone is exit code 3" source:"assumed"`

	NoProgress Auto[units.Time] `key:"no_progress" default:"auto" min:"1us" doc:"simulated time without a byte delivered or acknowledged after which a run with work left has stalled, whatever still happens; auto: more than retransmissions and watchdogs can take, at least 1 s" source:"assumed"`
}

// Measure says which flows count and which time series are recorded.
type Measure struct {
	Series []string   `key:"series" oneof:"queue_depth|pg_occupancy|qp_rate|qp_alpha|tcp_window|link_utilisation|pause" doc:"queue_depth: bytes in each egress queue; pg_occupancy: what each priority group holds, and its threshold; qp_rate: rate that congestion control allows each queue pair, 0 while it has nothing to send; qp_alpha: congestion that it reckons with; tcp_window: congestion window of each connection of TCP; link_utilisation: share of the time for which each transmitter was busy; pause: when each port and priority was paused"`
	Warmup units.Time `key:"warmup" default:"0s" doc:"what happens before this counts neither in percentiles nor in goodput: flows that start and payload that is delivered" source:"assumed"`
	Window units.Time `key:"window" default:"0s" doc:"for how long after the warm-up flows that start, and payload that is delivered, count; 0s: to the end" source:"assumed"`
	Every  Every      `key:"every" default:"5us" min:"1ns" doc:"time between two samples, and length of the buckets of link_utilisation; on-change: a sample whenever something has changed" source:"assumed"`
	Match  []string   `key:"match" doc:"what to record series of: names of nodes or ports, or patterns such as leaf*, leaf0:3 or h[0-7]; queue pairs go by the port of the sender; none: all"`
}

// Every is the time between two samples, or on-change.
type Every = Or[units.Time, onChange]

// onChange is the word that has samples taken whenever something has changed.
type onChange struct{}

func (onChange) word() string { return "on-change" }

// Validate finds series that are asked for twice, and a mean over no time.
func (m *Measure) Validate() error {
	faults := []error{refuseTwice("series", m.Series), refuseTwice("match", m.Match), m.checkPatterns()}
	if !m.Every.Given && slices.Contains(m.Series, record.LinkUtilisation) {
		faults = append(faults, units.Field("every", m.Every, "link_utilisation is a mean over some time", "give a time, such as 5us"))
	}
	return errors.Join(faults...)
}
