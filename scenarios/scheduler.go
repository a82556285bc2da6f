package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/sim/units"
)

// strict is the word for a priority that shares with none.
type strict struct{}

func (strict) word() string { return "strict" }

// Scheduler says in which order a port serves its queues, and how fast.
type Scheduler struct {
	Weights map[int]Or[uint64, strict] `key:"weights" min:"1" max:"1000" doc:"priority: weight, or strict, which is what a priority is that is not listed; those with a weight share what the strict ones leave, in proportion, and what one of them does not use goes to the others (DWRR, 802.1Qaz ETS)" source:"RoCE deployments"`
	PerFlow []int                      `key:"per_flow" min:"0" max:"7" doc:"priorities of which each flow, told by its queue pair, has a queue of its own at every output; the flows that wait take turns of a quantum each (deficit round robin), while marks, bounds and PFC go by all flows of a priority together; none: a priority is one queue"`
	Quantum Auto[units.Bytes]          `key:"quantum" default:"auto" min:"64B" doc:"what a priority may send in its turn for each unit of its weight, after the weights have been reduced, and what a flow may with per_flow; auto: the largest frame" source:"Shreedhar and Varghese, 1995: at least a frame"`
	Shapers []Shaper                   `key:"shapers" doc:"bounds on priorities, or on the port as a whole"`
}

// Shaper bounds some priorities, each by itself, or a port.
type Shaper struct {
	Priorities []int             `key:"priorities" min:"0" max:"7" doc:"priorities that are bound, each by itself; none: the port as a whole, pause frames aside"`
	Rate       units.Rate        `key:"rate" required:"true" min:"1Mbps" doc:"rate of the token bucket, in L2 bytes"`
	Burst      Auto[units.Bytes] `key:"burst" default:"auto" min:"64B" doc:"depth of the token bucket; auto: two of the largest frames" source:"assumed"`
}

// Validate finds priorities that are none, and what is bound twice.
func (s *Scheduler) Validate() error {
	faults := []error{refuseTwice("per_flow", s.PerFlow)}
	for _, p := range slices.Sorted(maps.Keys(s.Weights)) {
		if p < 0 || p > 7 {
			faults = append(faults, units.Field(fmt.Sprintf("weights.%d", p), p, "no priority", "0 to 7"))
		}
	}
	seen := map[int]bool{}
	for i, shaper := range s.Shapers {
		bound := shaper.Priorities
		if len(bound) == 0 {
			bound = []int{wholePort}
		}
		for _, p := range bound {
			if seen[p] {
				faults = append(faults, &units.FieldError{Key: fmt.Sprintf("shapers[%d]", i), Problem: "bounds " + shaped(p) + " a second time", Want: "one shaper each"})
			}
			seen[p] = true
		}
	}
	return errors.Join(faults...)
}

// wholePort stands for a port among the priorities that shapers bound.
const wholePort = -1

func shaped(p int) string {
	if p == wholePort {
		return "the port"
	}
	return fmt.Sprintf("priority %d", p)
}

// config returns the schedule for frames up to a size.
func (s *Scheduler) config(largest units.Bytes) fabric.Schedule {
	c := fabric.Schedule{Quantum: s.Quantum.Else(0)}
	for p := range c.Weights {
		if w, ok := s.Weights[p]; ok && w.Given {
			c.Weights[p] = int(w.Value)
		}
	}
	for _, p := range s.PerFlow {
		c.PerFlow |= 1 << p
	}
	for _, shaper := range s.Shapers {
		bucket := fabric.Shaper{Rate: shaper.Rate, Burst: shaper.Burst.Else(2 * largest)}
		for _, p := range shaper.Priorities {
			c.Shapers[p] = bucket
		}
		if len(shaper.Priorities) == 0 {
			c.Port = bucket
		}
	}
	return c
}

// checkBursts refuses bursts through which no full frame would ever go.
func (s *Scheduler) checkBursts(key string, largest units.Bytes) error {
	var faults []error
	for i, shaper := range s.Shapers {
		if shaper.Burst.Given && shaper.Burst.Value < largest {
			faults = append(faults, units.Field(fmt.Sprintf("%s.shapers[%d].burst", key, i), shaper.Burst,
				"a full frame would never be sent", "at least "+largest.String()+", the largest frame"))
		}
	}
	return errors.Join(faults...)
}
