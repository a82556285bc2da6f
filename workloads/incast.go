package workloads

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Incast is many hosts that send to one at the same time, as storage servers answer a client. The senders are the
// first FanIn of From or, where that is not given, of the hosts that follow the receiver in order, around the end of
// the list: in a leaf-spine first the receiver's neighbours, then one leaf after the other.
type Incast struct {
	To       string     `key:"to" required:"true" doc:"the receiver"`
	From     []string   `key:"from" doc:"hosts that may send, the receiver left out; all others in order if not given"`
	FanIn    int        `key:"fan_in" min:"0" doc:"number of senders, the first so many of from; 0 for all of them"`
	Jitter   units.Time `key:"jitter" default:"0s" doc:"each sender starts later by a random time of 0 to so much"`
	Transfer `key:",inline"`
	Travel   `key:",inline"`
}

// Flows returns the flows in the order of the senders.
func (w *Incast) Flows(env Env) ([]Flow, error) {
	hosts := newDirectory(env)
	to, err := hosts.single("to", w.To)
	if err != nil {
		return nil, errors.Join(err, w.check(0))
	}
	senders, err := w.senders(hosts, to)
	if err := errors.Join(err, w.checkJitter(), w.check(len(senders))); err != nil {
		return nil, err
	}
	pairs := make([]pair, len(senders))
	for i, src := range senders {
		pairs[i] = pair{src: src, dst: to}
		if w.Jitter > 0 {
			pairs[i].after = units.Time(Uint64N(env.Rand("jitter/"+env.Hosts[src]), uint64(w.Jitter)+1))
		}
	}
	return w.Transfer.flows(pairs)
}

func (w *Incast) checkJitter() error {
	if w.Jitter < 0 || w.Jitter == units.Never {
		return units.Field("jitter", w.Jitter, "not a length of time", "0s or more")
	}
	return nil
}

// senders returns the hosts that send to the given one.
func (w *Incast) senders(hosts *directory, to int) ([]int, error) {
	senders := hosts.others(to)
	if len(w.From) > 0 {
		named, err := hosts.find("from", w.From)
		if err != nil {
			return nil, err
		}
		senders = slices.DeleteFunc(named, func(host int) bool { return host == to })
	}
	if len(senders) == 0 {
		return nil, units.Field("to", w.To, "there is no other host to send to it", "at least one sender")
	}
	return firstOf("fan_in", w.FanIn, senders)
}

// firstOf returns the first n of the hosts that may send, all of them if n is 0.
func firstOf(key string, n int, senders []int) ([]int, error) {
	switch {
	case n == 0:
		return senders, nil
	case n < 0:
		return nil, units.Field(key, n, "a negative number of senders", "at least 1")
	case n > len(senders):
		return nil, units.Field(key, n, fmt.Sprintf("more than the %d hosts that may send", len(senders)),
			fmt.Sprintf("at most %d", len(senders)))
	}
	return senders[:n], nil
}
