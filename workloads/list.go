package workloads

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// List is flows listed one by one.
type List struct {
	Entries []Entry `key:"flows" required:"true" doc:"the flows"`
	Travel  `key:",inline"`
}

// Entry is a transfer from each of some hosts to each of some others; pairs of a host with itself are left out.
type Entry struct {
	From     string   `key:"from" required:"true" doc:"the source, or a selector of several"`
	To       string   `key:"to" required:"true" doc:"the destination, or a selector of several"`
	QP       string   `key:"qp" doc:"a name: entries with the same name share a queue pair wherever they join the same two hosts; none for queue pairs of its own"`
	Path     []string `key:"path" doc:"the switches through which the packets are to go, whatever the routes, in order: [leaf0, spine1, leaf3], or leaf0:5 for one that is left by port 5; while a cable there is down they are lost; none: by the routes"`
	Return   []string `key:"return_path" doc:"likewise for acknowledgements and notifications; none: the way of path in the other direction"`
	Transfer `key:",inline"`
}

// maxProblems is how many problems are told; there may be as many as entries.
const maxProblems = 100

// Flows returns the flows in the order of the entries.
func (l *List) Flows(env Env) ([]Flow, error) {
	if len(l.Entries) == 0 {
		return nil, &units.FieldError{Key: "flows", Problem: "no flows", Want: "at least one {from: …, to: …, size: …}"}
	}
	hosts := newDirectory(env)
	var all []Flow
	var problems []error
	first := map[string]int{} // by name of a queue pair: the first entry on it
	for i := range l.Entries {
		entry := &l.Entries[i]
		flows, err := entry.flows(hosts)
		if err == nil && entry.QP != "" {
			err = l.share(flows, i, first)
		}
		if err == nil {
			err = entry.pin(flows, env)
		}
		if err != nil {
			problems = append(problems, prefixed(fmt.Sprintf("flows[%d]", i), err))
		}
		if len(problems) == maxProblems {
			break
		}
		if all = append(all, flows...); len(all) > MaxFlows {
			return nil, &units.FieldError{Key: "flows", Problem: "too many flows", Want: fmt.Sprintf("at most %d", MaxFlows)}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return all, nil
}

// share puts the flows of entry i on the queue pairs of its name, which is known by the first entry that has it.
func (l *List) share(flows []Flow, i int, first map[string]int) error {
	entry := &l.Entries[i]
	if _, known := first[entry.QP]; !known {
		first[entry.QP] = i
	}
	owner := first[entry.QP]
	if want := l.Entries[owner].Priority; entry.Priority != want {
		return units.Field("priority", entry.Priority, "differs from that of the other flows of queue pair "+entry.QP,
			fmt.Sprintf("%d, as in flows[%d]", want, owner))
	}
	if want := l.Entries[owner].Recovery; entry.Recovery != want {
		return units.Field("recovery", entry.Recovery, "differs from that of the other flows of queue pair "+entry.QP,
			fmt.Sprintf("%s, as in flows[%d]", want, owner))
	}
	if want := l.Entries[owner].Ports; !slices.Equal(entry.Ports, want) {
		return units.Field("source_ports", entry.Ports, "differ from those of the other flows of queue pair "+entry.QP,
			fmt.Sprintf("%v, as in flows[%d]", want, owner))
	}
	if want := &l.Entries[owner]; !slices.Equal(entry.Path, want.Path) || !slices.Equal(entry.Return, want.Return) {
		return units.Field("path", entry.Path, "differs from that of the other flows of queue pair "+entry.QP,
			fmt.Sprintf("path and return_path as in flows[%d]", owner))
	}
	for k := range flows {
		flows[k].QP = owner
	}
	return nil
}

// pin pins the flows of one entry to its way, if it has one.
func (e *Entry) pin(flows []Flow, env Env) error {
	if len(e.Path) == 0 {
		if len(e.Return) > 0 {
			return &units.FieldError{Key: "return_path", Problem: "given without path", Want: "give both, or leave both out"}
		}
		return nil
	}
	way := &Way{Path: e.Path, Return: e.Return}
	for i := range flows {
		if err := env.CheckWay(flows[i].Src, flows[i].Dst, way); err != nil {
			return err
		}
		flows[i].Way = way
	}
	return nil
}

// flows returns the flows of one entry, each on a queue pair of its own.
func (e *Entry) flows(hosts *directory) ([]Flow, error) {
	from, err1 := hosts.findOne("from", e.From)
	to, err2 := hosts.findOne("to", e.To)
	var err3 error
	switch {
	case e.QP != "" && e.Depth > 0:
		err3 = units.Field("depth", e.Depth, "on a queue pair of a name, which others may share", "0, or leave out qp")
	case e.QP != "" && e.QPs > 1:
		err3 = units.Field("qps", e.QPs, "several queue pairs of one name", "1, or leave out qp")
	}
	if err := errors.Join(err1, err2, err3, e.check(len(from)*len(to))); err != nil {
		return nil, err
	}
	var pairs []pair
	for _, src := range from {
		for _, dst := range to {
			if src != dst {
				pairs = append(pairs, pair{src: src, dst: dst})
			}
		}
	}
	if len(pairs) == 0 {
		return nil, units.Field("to", e.To, "a flow from a host to itself", "another host than "+e.From)
	}
	return e.Transfer.flows(pairs)
}
