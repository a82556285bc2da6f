package workloads

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// AllToAll has every host send to every other one, all at once: n·(n-1) pairs, as the exchange of experts or of a
// shuffle phase.
type AllToAll struct {
	Hosts    []string `key:"hosts" doc:"the hosts that take part; all if not given"`
	Transfer `key:",inline"`
	Travel   `key:",inline"`
}

// Flows returns the flows in the order of the sources, those of each source to the host after it first, and so around.
func (w *AllToAll) Flows(env Env) ([]Flow, error) {
	hosts, err := newDirectory(env).findOrAll("hosts", w.Hosts)
	n := len(hosts)
	if err == nil && n < 2 {
		err = &units.FieldError{Key: "hosts", Problem: fmt.Sprintf("an all-to-all of %d hosts", n), Want: "at least 2"}
	}
	if err := errors.Join(err, w.check(n*(n-1))); err != nil {
		return nil, err
	}
	pairs := make([]pair, 0, n*(n-1))
	for i, src := range hosts {
		for k := 1; k < n; k++ {
			pairs = append(pairs, pair{src: src, dst: hosts[(i+k)%n]})
		}
	}
	return w.Transfer.flows(pairs)
}
