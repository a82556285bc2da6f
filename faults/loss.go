package faults

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Where says on which cables frames are lost, and which way.
type Where struct {
	Links     []string `key:"links" required:"true" doc:"the links: leaf0:3 for the cable at a port, h0-leaf0 for all cables between two nodes, patterns such as h[0-3]-leaf0 or leaf0-spine*, * for all"`
	Direction string   `key:"direction" default:"both" oneof:"both|forward|backward" doc:"which way; forward is away from the node or port that is named first"`
	Window    `key:",inline"`
}

// add plans a loss at each of the cables.
func (w *Where) add(env *Env, plan *host.Faults, loss fabric.Loss) error {
	d := newDirectory(env.Graph)
	ends, err := d.find(w.Links)
	if err != nil {
		return err
	}
	loss.Span = w.span()
	for _, e := range ends {
		if w.Direction != "backward" {
			loss.Node, loss.Port = e.node, e.port
			plan.Losses = append(plan.Losses, loss)
		}
		if w.Direction != "forward" {
			other := d.far(e)
			loss.Node, loss.Port = other.node, other.port
			plan.Losses = append(plan.Losses, loss)
		}
	}
	return nil
}

// kindsOf makes a set of names of frames; of none it makes all.
func kindsOf(names []string) (set fabric.FrameSet) {
	for kind := range fabric.FrameKinds {
		if len(names) == 0 || slices.Contains(names, kind.String()) {
			set |= 1 << kind
		}
	}
	return set
}

// Loss is frames that vanish by chance, each for itself.
type Loss struct {
	Where  `key:",inline"`
	Frames []string    `key:"frames" oneof:"data|ack|nak|cnp|pfc-pause|pfc-resume|credit" doc:"which frames; if not given, all"`
	Rate   units.Ratio `key:"rate" required:"true" max:"1" doc:"probability that a frame is lost"`
}

// Validate refuses a loss of nothing.
func (l *Loss) Validate() error { return errors.Join(l.Window.Validate(), refuseZero("rate", l.Rate)) }

// Plan implements [Fault].
func (l *Loss) Plan(env *Env, name string, plan *host.Faults) error {
	return l.add(env, plan, fabric.Loss{Name: name, Frames: kindsOf(l.Frames), Chance: l.Rate})
}

// Corruption is frames that arrive with bit errors by chance. They take their place
// on the wire, and the receiving port throws them away.
type Corruption struct {
	Where  `key:",inline"`
	Frames []string     `key:"frames" oneof:"data|ack|nak|cnp|pfc-pause|pfc-resume|credit" doc:"which frames; if not given, all"`
	Rate   *units.Ratio `key:"rate" max:"1" unless:"ber" doc:"probability that a frame is corrupted"`
	BER    *float64     `key:"ber" min:"0" max:"1" doc:"bit error rate, in place of rate: a frame of n bits on the wire is corrupted with probability 1-(1-ber)^n"`
}

// Validate refuses a corruption of nothing.
func (c *Corruption) Validate() error {
	faults := []error{c.Window.Validate()}
	switch {
	case c.Rate != nil:
		faults = append(faults, refuseZero("rate", *c.Rate))
	case c.BER == nil:
		faults = append(faults, &units.FieldError{Key: "rate", Problem: "missing", Want: "rate, or ber"})
	case *c.BER == 0:
		faults = append(faults, units.Field("ber", *c.BER, "would corrupt nothing", "more than 0, such as 1e-12"))
	}
	return errors.Join(faults...)
}

// Plan implements [Fault].
func (c *Corruption) Plan(env *Env, name string, plan *host.Faults) error {
	loss := fabric.Loss{Name: name, Frames: kindsOf(c.Frames), Corrupts: true}
	if c.BER != nil {
		loss.BitErrors = *c.BER
	} else {
		loss.Chance = *c.Rate
	}
	return c.add(env, plan, loss)
}

func refuseZero(key string, r units.Ratio) error {
	if r.IsZero() {
		return units.Field(key, r, "would lose nothing", "more than 0, such as 0.1%")
	}
	return nil
}

// Drop is frames that are lost because a rule chooses them: it counts the frames that
// it is about, at each end of each cable for itself, from 1.
type Drop struct {
	Where   `key:",inline"`
	Frames  []string `key:"frames" default:"[data]" oneof:"data|ack|nak|cnp|pfc-pause|pfc-resume|credit" doc:"which frames count" source:"assumed"`
	Flow    *int     `key:"flow" min:"0" doc:"only frames of the queue pair of this flow, by its number in flows.csv"`
	Nth     *int64   `key:"nth" min:"1" doc:"the first frame that is lost"`
	Every   *int64   `key:"every" min:"1" doc:"after that every so many; without nth, the first one lost is that number too"`
	Count   *int64   `key:"count" min:"1" doc:"how many are lost at most; if not given, one with nth alone, and otherwise any number. With nth and without every they follow each other"`
	IPID    *int     `key:"ip_id" min:"0" max:"255" doc:"only packets whose IP identification, counted up by each NIC, has this low byte: one of 256"`
	Corrupt bool     `key:"corrupt" default:"false" doc:"whether they arrive with a wrong checksum rather than vanish" source:"assumed"`
}

// Validate refuses rules that choose nothing, or what cannot be.
func (r *Drop) Validate() error {
	faults := []error{r.Window.Validate()}
	if r.Nth == nil && r.Every == nil && r.IPID == nil {
		faults = append(faults, &units.FieldError{Problem: "chooses no frame", Want: "nth, every or ip_id"})
	}
	control := slices.IndexFunc(r.Frames, func(s string) bool { return s == "pfc-pause" || s == "pfc-resume" || s == "credit" })
	if control >= 0 && (r.Flow != nil || r.IPID != nil) {
		faults = append(faults, units.Field(fmt.Sprintf("frames[%d]", control), r.Frames[control], "a frame of flow control belongs to no flow and has no IP header",
			"leave out flow and ip_id, or this kind of frame"))
	}
	return errors.Join(faults...)
}

// Plan implements [Fault].
func (r *Drop) Plan(env *Env, name string, plan *host.Faults) error {
	loss := fabric.Loss{Name: name, Frames: kindsOf(r.Frames), Corrupts: r.Corrupt, Pick: r.pick()}
	if r.Flow != nil {
		if env.Flows == 0 {
			return units.Field("flow", *r.Flow, "there are no flows: programs have queue pairs of their own", "leave it out")
		}
		if *r.Flow >= env.Flows {
			return units.Field("flow", *r.Flow, "no flow of this number", fmt.Sprintf("0 to %d", env.Flows-1))
		}
		if env.AddressesOf != nil {
			loss.To = env.AddressesOf(*r.Flow)
		}
	}
	return r.add(env, plan, loss)
}

func (r *Drop) pick() *fabric.Pick {
	p := fabric.Pick{First: 1, Every: 1}
	if r.Every != nil {
		p.First, p.Every = *r.Every, *r.Every
	} else if r.IPID == nil {
		p.Count = 1
	}
	if r.Nth != nil {
		p.First = *r.Nth
	}
	if r.Count != nil {
		p.Count = *r.Count
	}
	if r.IPID != nil {
		id := uint8(*r.IPID)
		p.ID = &id
	}
	return &p
}
