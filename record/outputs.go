package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Outputs are what the programs of the run came to and print, by the labels of their workloads.
func (r *Run) Outputs() (all []results.Output) {
	for i := range r.Perftests {
		p := &r.Perftests[i]
		var text strings.Builder
		if err := p.WriteText(&text); err != nil {
			panic(err) // it cannot fail
		}
		all = append(all, results.Output{Name: p.Workload, Gist: p.gist(), File: perftests + "/" + p.Workload + ".txt", Text: text.String()})
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		all = append(all, results.Output{Name: c.Workload, Gist: c.gist(), File: rpcTable + "/" + c.Workload + ".txt", Text: c.text()})
	}
	for i := range r.ShortConnections {
		s := &r.ShortConnections[i]
		all = append(all, results.Output{Name: s.Workload, Gist: s.gist()})
	}
	for i := range r.Locks {
		l := &r.Locks[i]
		all = append(all, results.Output{Name: l.Workload, Gist: l.gist()})
	}
	return append(all, r.messaging()...)
}

// messaging are those of programs whose parts pass each other messages.
func (r *Run) messaging() (all []results.Output) {
	for i := range r.Collectives {
		c := &r.Collectives[i]
		all = append(all, results.Output{Name: c.Workload, Gist: c.gist(), File: mpiTable + "/" + c.Workload + ".txt", Text: c.text()})
	}
	for i := range r.KeyValues {
		k := &r.KeyValues[i]
		all = append(all, results.Output{Name: k.Workload, Gist: k.gist()})
	}
	for i := range r.FanOuts {
		f := &r.FanOuts[i]
		all = append(all, results.Output{Name: f.Workload, Gist: f.gist()})
	}
	for i := range r.Medias {
		m := &r.Medias[i]
		all = append(all, results.Output{Name: m.Workload, Gist: m.gist(r.Report.Now)})
	}
	for i := range r.Storages {
		all = append(all, r.Storages[i].output())
	}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		all = append(all, results.Output{Name: j.Workload, Gist: j.gist(), File: jobTable + "/" + j.Workload + ".txt", Text: j.text()})
	}
	return all
}

// gist is what a test measured, in a line: of several sizes the first and the last.
func (p *Perftest) gist() string {
	all := p.Results()
	if len(all) == 0 {
		return "it measured nothing"
	}
	of := func(m *programs.Result) string {
		if m.Latency != nil {
			return fmt.Sprintf("%v in %s", m.Size, m.Latency.Typical.Human())
		}
		return fmt.Sprintf("%v at %s, %.4g million messages a second", m.Size, m.Bandwidth.Average.Human(), m.Bandwidth.MessageRate/1e6)
	}
	text := of(&all[0])
	if len(all) > 1 {
		text += "; " + of(&all[len(all)-1])
	}
	if len(all) > 2 {
		text += fmt.Sprintf(" (%d sizes)", len(all))
	}
	return text
}

// gist is what short connections came to, in a line.
func (s *ShortConnections) gist() string {
	var sessions int
	var connect, last units.Time
	for k := range s.Clients {
		for _, one := range s.SessionsOf(k) {
			sessions++
			connect += one.Connected - one.Begun
			last = max(last, one.Ended)
		}
	}
	if sessions == 0 {
		return "no session has ended"
	}
	text := fmt.Sprintf("%s sessions a second, %s to connect in the mean", results.Figure(float64(sessions)/(last-s.Start).Seconds()), (connect / units.Time(sessions)).Human())
	if own, tcp := s.measure(0); own.done > 0 && tcp.done > 0 {
		text += fmt.Sprintf("; a session of %s takes %s, over TCP %s", results.Plural(int64(s.Requests), "request"), own.whole.Human(), tcp.whole.Human())
		if even, ok := own.breakEven(&tcp); ok {
			text += fmt.Sprintf(" and more than over RDMA from %s requests on", results.Figure(even))
		} else {
			text += ", whose requests take no longer"
		}
	}
	return text
}

// gist is what a lock came to, in a line.
func (l *Lock) gist() string {
	var wait, last units.Time
	var got int
	for k := range l.Clients {
		for _, a := range l.AcquisitionsOf(k) {
			got++
			wait += a.Got - a.Begun
			last = max(last, a.Released)
		}
	}
	if got == 0 {
		return "nobody has had the lock"
	}
	return fmt.Sprintf("taken %d times, %s a second, after %s in the mean; the counter stands at %d; %s",
		got, results.Figure(float64(got)/(last-l.Start).Seconds()), (wait / units.Time(got)).Human(), l.Counter(), results.Plural(int64(l.Overlaps()), "overlap"))
}
