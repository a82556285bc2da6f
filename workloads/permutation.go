package workloads

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Permutation has every host send to exactly one other host and receive from exactly one: full load at every host
// port, and a test of how evenly the fabric spreads it.
type Permutation struct {
	Hosts    []string `key:"hosts" doc:"the hosts that take part; all if not given"`
	Shift    int      `key:"shift" min:"0" doc:"host i sends to host i+shift, around the end of the list; 0 for a random permutation, each equally likely"`
	Transfer `key:",inline"`
	Travel   `key:",inline"`
}

// Flows returns the flows in the order of the sources.
func (w *Permutation) Flows(env Env) ([]Flow, error) {
	hosts, err := newDirectory(env).findOrAll("hosts", w.Hosts)
	if err == nil {
		err = w.checkShift(len(hosts))
	}
	if err := errors.Join(err, w.check(len(hosts))); err != nil {
		return nil, err
	}
	order := w.shifted(len(hosts))
	if w.Shift == 0 {
		order = derangement(env.Rand("permutation"), len(hosts))
	}
	pairs := make([]pair, len(hosts))
	for i, src := range hosts {
		pairs[i] = pair{src: src, dst: hosts[order[i]]}
	}
	return w.Transfer.flows(pairs)
}

func (w *Permutation) checkShift(n int) error {
	switch {
	case n < 2:
		return &units.FieldError{Key: "hosts", Problem: fmt.Sprintf("a permutation of %d hosts", n), Want: "at least 2"}
	case w.Shift < 0 || w.Shift > 0 && w.Shift%n == 0:
		return units.Field("shift", w.Shift, fmt.Sprintf("would have each of %d hosts send to itself", n),
			fmt.Sprintf("1 to %d", n-1))
	}
	return nil
}

// shifted returns the permutation of n that moves everything on by w.Shift.
func (w *Permutation) shifted(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = (i + w.Shift) % n
	}
	return order
}

// derangement returns a permutation of n that leaves nothing in its place, each equally likely: it shuffles until
// that is so, e times on average.
func derangement(r Rand, n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for fixed := true; fixed; {
		Shuffle(r, n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		fixed = false
		for i, to := range order {
			fixed = fixed || i == to
		}
	}
	return order
}
