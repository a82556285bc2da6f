package workloads

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Staggered is flows that start one after the other, long enough to overlap: how newcomers get their share, and how
// fairly the capacity is divided in the end. All go to one receiver, or each to its own.
type Staggered struct {
	Count    int        `key:"flows" default:"4" min:"1" doc:"number of flows, each from another host" source:"assumed"`
	To       []string   `key:"to" required:"true" doc:"the receiver of all flows, or as many receivers as flows"`
	From     []string   `key:"from" doc:"the senders, the first so many as there are flows; if not given, the hosts that follow the (one) receiver in order"`
	Gap      units.Time `key:"gap" default:"100us" doc:"time from the start of a flow to the start of the next" source:"assumed"`
	Transfer `key:",inline"`
	Travel   `key:",inline"`
}

// Flows returns the flows in the order of their starts.
func (w *Staggered) Flows(env Env) ([]Flow, error) {
	hosts := newDirectory(env)
	to, err := w.receivers(hosts)
	if err != nil {
		return nil, errors.Join(err, w.checkGap(), w.check(0))
	}
	from, err := w.senders(hosts, to)
	if err := errors.Join(err, w.checkGap(), w.check(len(from))); err != nil {
		return nil, err
	}
	pairs := make([]pair, len(from))
	for i, src := range from {
		pairs[i] = pair{src: src, dst: to[i%len(to)], after: units.Time(i) * w.Gap}
		if src == pairs[i].dst {
			return nil, units.Field("from", env.Hosts[src], fmt.Sprintf("flow %d would go from a host to itself", i),
				"another sender or receiver")
		}
	}
	return w.Transfer.flows(pairs)
}

// checkGap makes sure that the last flow starts at a time that can be counted.
func (w *Staggered) checkGap() error {
	if most := units.Never / units.Time(max(w.Count, 1)) / 2; w.Gap < 0 || w.Gap > most {
		return units.Field("gap", w.Gap, "the last flow would start at a time that no run reaches", "0s to "+most.String())
	}
	return nil
}

// receivers returns one host, or one for each flow.
func (w *Staggered) receivers(hosts *directory) ([]int, error) {
	to, err := hosts.find("to", w.To)
	if err != nil {
		return nil, err
	}
	if w.Count < 1 {
		return nil, units.Field("flows", w.Count, "no flow", "at least 1")
	}
	if len(to) != 1 && len(to) != w.Count {
		return nil, &units.FieldError{
			Key: "to", Problem: fmt.Sprintf("%d receivers for %d flows", len(to), w.Count),
			Want: "one for all flows, or one for each",
		}
	}
	return to, nil
}

// senders returns a host for each flow.
func (w *Staggered) senders(hosts *directory, to []int) ([]int, error) {
	if len(w.From) == 0 {
		if len(to) > 1 {
			return nil, &units.FieldError{
				Key: "from", Problem: fmt.Sprintf("no senders for %d receivers", len(to)),
				Want: "name as many hosts as receivers",
			}
		}
		return firstOf("flows", w.Count, hosts.others(to[0]))
	}
	from, err := hosts.find("from", w.From)
	if err != nil {
		return nil, err
	}
	if len(to) == 1 {
		from = slices.DeleteFunc(from, func(host int) bool { return host == to[0] })
	}
	return firstOf("flows", w.Count, from)
}
