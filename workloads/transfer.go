package workloads

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Transfer says what moves from a source to a destination, the same in all workloads. Each of QPs queue pairs carries
// Messages messages of Size.
type Transfer struct {
	Size     units.Bytes `key:"size" required:"true" min:"0B" doc:"payload of one message; 0B is a packet without payload"`
	Messages int         `key:"messages" default:"1" min:"1" doc:"messages on each queue pair, posted together"`
	Depth    int         `key:"depth" default:"0" min:"0" doc:"how many of these messages are posted at a time, the next when one has completed; 0: all together"`
	QPs      int         `key:"qps" default:"1" min:"1" max:"65536" doc:"queue pairs from a source to a destination, each with all the messages"`
	Start    units.Time  `key:"start" default:"0s" doc:"when the messages are posted"`
	Ports    []int       `key:"source_ports" min:"1" max:"65535" doc:"UDP source ports of the queue pairs, taken in turn, from which with the addresses switches choose paths; none: by the rule of RoCE drivers, from the two queue pair numbers"`
	Priority int         `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Recovery string      `key:"recovery" default:"host" oneof:"host|go-back-n|go-back-0|selective-repeat|adaptive" doc:"how its queue pairs recover from loss; host: as host.recovery says"`
}

// pair is a source and a destination, and how long after the start of the transfer they begin.
type pair struct {
	src, dst int
	after    units.Time
}

// check returns what is wrong with t for so many pairs of hosts.
func (t *Transfer) check(pairs int) error {
	var problems []error
	refuse := func(wrong bool, key string, value any, problem, want string) {
		if wrong {
			problems = append(problems, units.Field(key, value, problem, want))
		}
	}
	refuse(t.Size < 0, "size", int64(t.Size), "a message of negative size", "0B or more")
	refuse(t.Messages < 1, "messages", t.Messages, "no message", "at least 1")
	refuse(t.QPs < 1, "qps", t.QPs, "no queue pair", "at least 1")
	refuse(t.Start < 0 || t.Start == units.Never, "start", t.Start,
		"not a time at which a run can be", "0s or later")
	refuse(t.Priority < HostPriority || t.Priority > 7, "priority", t.Priority,
		"no such class", "0 to 7, or -1 for the host's own")
	refuse(t.Size > MaxPayload, "size", t.Size, "more than one flow can be", "at most "+MaxPayload.String())
	if most := MaxMessages / pieces(t.Size); most > 0 {
		refuse(t.Messages > most, "messages", t.Messages, "more than one queue pair can hold", fmt.Sprintf("at most %d of this size", most))
	}
	refuse(len(problems) == 0 && pairs > MaxFlows/t.QPs, "qps", t.QPs,
		fmt.Sprintf("%d pairs of hosts with so many queue pairs each are too many flows", pairs),
		fmt.Sprintf("at most %d in all", MaxFlows))
	return errors.Join(problems...)
}

// flows returns the flows of t between each of the pairs.
func (t *Transfer) flows(pairs []pair) ([]Flow, error) {
	if err := t.check(len(pairs)); err != nil {
		return nil, err
	}
	flows := make([]Flow, 0, len(pairs)*t.QPs)
	for _, p := range pairs {
		if p.after > units.Never-1-t.Start {
			return nil, units.Field("start", t.Start, "flows would start later than any run lasts", "less than "+units.Never.String())
		}
		for range t.QPs {
			flows = append(flows, Flow{
				Src: p.src, Dst: p.dst, Size: t.Size, Messages: t.Messages, Depth: t.Depth,
				Start: t.Start + p.after, QP: OwnQP, SourcePort: t.sourcePort(len(flows)), Priority: t.Priority, Recovery: t.Recovery,
			})
		}
	}
	return flows, nil
}

// sourcePort returns the source port of the i-th queue pair.
func (t *Transfer) sourcePort(i int) int {
	if len(t.Ports) == 0 {
		return 0
	}
	return t.Ports[i%len(t.Ports)]
}
