package faults

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// LinkDown is links that carry nothing for a time, either way. What is on them or is
// sent onto them is lost. Switches route round them, and over them again, after a
// delay each.
type LinkDown struct {
	Links       []string `key:"links" required:"true" doc:"the links: leaf0:3 for the cable at a port, h0-leaf0 for all cables between two nodes, patterns such as h[0-3]-leaf0 or leaf0-spine*, * for all"`
	Times       `key:",inline"`
	Convergence units.Time `key:"convergence_delay" default:"1ms" doc:"time from a change of a link to that of the routes of all switches; until then what is sent that way is lost. never: routes stay" source:"assumed; from the loss of light to new forwarding tables, vendors' figures run from under a millisecond to hundreds"`
}

// Plan implements [Fault].
func (l *LinkDown) Plan(env *Env, _ string, plan *host.Faults) error {
	d := newDirectory(env.Graph)
	ends, err := d.find(l.Links)
	if err = errors.Join(err, tooMany(len(ends), l.Count)); err != nil {
		return err
	}
	for _, e := range ends {
		for _, s := range l.spans() {
			plan.Outages = append(plan.Outages, fabric.Outage{Link: d.link(e), Span: s, Convergence: l.Convergence})
		}
	}
	return nil
}

// LinkDegraded is links that are slower or longer for a time.
type LinkDegraded struct {
	Links []string `key:"links" required:"true" doc:"the links: leaf0:3 for the cable at a port, h0-leaf0 for all cables between two nodes, patterns such as h[0-3]-leaf0 or leaf0-spine*, * for all"`
	Times `key:",inline"`
	Rate  *units.Rate `key:"rate" min:"1Mbps" doc:"rate meanwhile; if not given, that of the link"`
	Delay units.Time  `key:"extra_delay" default:"0s" doc:"added to the propagation delay; when it ends both ends are silent for as long, so that no frame overtakes another" source:"assumed"`
}

// Validate refuses a degradation that changes nothing.
func (l *LinkDegraded) Validate() error {
	faults := []error{l.Times.Validate()}
	if l.Rate == nil && l.Delay == 0 {
		faults = append(faults, &units.FieldError{Problem: "degrades nothing", Want: "rate, extra_delay or both"})
	}
	if l.Delay > longestDelay {
		faults = append(faults, units.Field("extra_delay", l.Delay, "longer than any cable", "at most "+longestDelay.String()))
	}
	return errors.Join(faults...)
}

// longestDelay bounds what can be added to a cable: 200,000 km of fibre.
const longestDelay = units.Second

// Plan implements [Fault].
func (l *LinkDegraded) Plan(env *Env, _ string, plan *host.Faults) error {
	d := newDirectory(env.Graph)
	ends, err := d.find(l.Links)
	if err = errors.Join(err, tooMany(len(ends), l.Count)); err != nil {
		return err
	}
	for _, e := range ends {
		made := fabric.Degradation{Link: d.link(e), Delay: l.Delay}
		if l.Rate != nil {
			made.Rate = *l.Rate
			if built := env.Graph.Links[made.Link].Rate; made.Rate > built {
				return units.Field("rate", made.Rate, fmt.Sprintf("above the rate of the link at %s", env.Graph.PortName(e.node, e.port)),
					"at most "+built.String())
			}
		}
		for _, made.Span = range l.spans() {
			plan.Degradations = append(plan.Degradations, made)
		}
	}
	return nil
}

// maxChanges bounds what one fault does to links or hosts, so that a slip does not
// fill the memory.
const maxChanges = 1 << 18

func tooMany(things, times int) error {
	if things == 0 || times <= maxChanges/things {
		return nil
	}
	return units.Field("times", times, fmt.Sprintf("too often for so many (%d) at once", things), fmt.Sprintf("at most %d", maxChanges/things))
}
