package scenarios

import (
	"slices"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads"
)

// connects tells whether connections are made during the run.
func (s *Spec) connects() bool {
	generators, _ := s.generators()
	return slices.ContainsFunc(generators, func(w workloads.Workload) bool {
		_, does := w.(*workloads.ShortConnections)
		transport, err := w.Over(workloads.Env{Transport: s.Host.Transport})
		return does && err == nil && transport != overTCP
	})
}

// shortLived is a test of short connections with the options of the scenario.
func (s *Spec) shortLived(w *workloads.ShortSessions, data rnic.Class) programs.ShortLivedOptions {
	o := programs.ShortLivedOptions{
		Clients: w.Between.Clients, Server: w.Between.Server, Sessions: w.Sessions, Requests: w.Requests, RequestSize: w.RequestSize,
		AnswerSize: w.AnswerSize, Pool: w.Pool, Register: w.Register, Registration: s.Host.Registration, Open: w.Open,
		Start: w.Start, Data: data, Beside: w.Beside == overTCP,
	}
	for _, reuse := range []programs.Reuse{programs.ReuseNothing, programs.ReuseQueuePairs, programs.ReuseConnections} {
		if reuse.String() == w.Reuse {
			o.Reuse = reuse
		}
	}
	if w.HugePages {
		o.Registration.Page = 2 * units.MiB
	}
	return o
}
