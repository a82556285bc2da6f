package host

import (
	"context"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Look is what supervision looks at again and again while a run goes on.
type Look struct{ OpenNICs, ActiveNodes int }

// spy is a supervisor that tells what it looks at.
type spy struct {
	*supervisor
	look func(now units.Time, l Look)
}

func (s spy) AtEdge(now, next units.Time) sim.Verdict {
	verdict := s.supervisor.AtEdge(now, next)
	s.look(now, Look{len(s.open), len(s.c.Net.Active())})
	return verdict
}

// RunWatched runs a cluster and calls look after each edge.
func (c *Cluster) RunWatched(opt RunOptions, look func(now units.Time, l Look)) (Outcome, error) {
	s := newSupervisor(context.Background(), c, opt)
	now, err := c.engine(opt).Run(spy{s, look})
	return s.outcome(now), err
}
