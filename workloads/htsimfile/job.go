package htsimfile

import (
	"cmp"
	"slices"

	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// What a job counts its operations under.
const (
	labelStart      = 1 + iota // waiting for the start of connections
	labelConnection            // what connections carry
	labelTrigger               // what tells other hosts that a trigger is set off
)

var labels = []string{"", "start", "connection", "trigger"}

// WordSize is how long a message is that tells another host of a trigger.
const WordSize units.Bytes = 8

// Streams of a host on which operations without messages take turns.
const (
	clock = iota // waiting for the next start; takes time
	gates        // triggers; take none
)

// maxChoices bounds, for all multishot triggers together, how many connections to start times ends that may start them.
const maxChoices = 1 << 22

// Job returns the connections as messages of one rank a host. A connection that a trigger starts begins when its sender knows:
// at once if what sets the trigger off is at the same host, and otherwise when it has been told. In htsim all hosts know at
// once. A trigger is where its oneshot is set off, or else at the sender of its first connection; what sets it off elsewhere
// tells that host, and that host tells the senders of its other connections, by messages of [WordSize]; words is how many.
func (f *File) Job() (job *schedule.Job, words int, err error) {
	w, err := f.wire()
	if err != nil {
		return nil, 0, err
	}
	j := &jobBuilder{File: f, wiring: w, hosts: make([]*schedule.Builder, f.Nodes), begins: make([]spot, len(f.Connections)), sources: make([][]spot, len(f.Triggers))}
	j.connections()
	for t := range f.Triggers {
		if err := j.trigger(t); err != nil {
			return nil, 0, err
		}
	}
	j.starts()
	job = &schedule.Job{Ranks: make([]*schedule.Graph, f.Nodes), Labels: labels}
	none, err := schedule.NewBuilder().Graph()
	for host, b := range j.hosts {
		job.Ranks[host] = none
		if b != nil && err == nil {
			job.Ranks[host], err = b.Graph()
		}
	}
	if err != nil {
		return nil, 0, err
	}
	return job, int(j.words), nil
}

// spot is an operation of a host.
type spot struct{ host, op int }

type jobBuilder struct {
	*File
	*wiring
	hosts   []*schedule.Builder // of those that do something
	begins  []spot              // by connection: its send
	sources [][]spot            // by trigger: what sets it off
	words   uint32              // messages about triggers so far
}

func (j *jobBuilder) at(host int) *schedule.Builder {
	if j.hosts[host] == nil {
		j.hosts[host] = schedule.NewBuilder()
	}
	return j.hosts[host]
}

func (j *jobBuilder) add(host int, op schedule.Op) spot { return spot{host, j.at(host).Add(op)} }

// require has an operation wait for another one of the same host.
func (j *jobBuilder) require(after, before spot) { j.at(after.host).Requires(after.op, before.op) }

// connections adds a send and a receive for each. Receives are posted from the beginning.
func (j *jobBuilder) connections() {
	for i := range j.Connections {
		c := &j.Connections[i]
		op := schedule.Op{Kind: schedule.Send, Peer: int32(c.Dst), Tag: uint32(i), Size: c.Size, Label: labelConnection}
		j.begins[i] = j.add(c.Src, op)
		op.Kind, op.Peer = schedule.Recv, int32(c.Src)
		arrival := j.add(c.Dst, op)
		if c.SentTrigger > 0 {
			t := j.byID[c.SentTrigger]
			j.sources[t] = append(j.sources[t], j.begins[i])
		}
		if c.ReceivedTrigger > 0 {
			t := j.byID[c.ReceivedTrigger]
			j.sources[t] = append(j.sources[t], arrival)
		}
	}
}

// starts has connections that start at a time wait for it: each host counts time from one start to the next.
func (j *jobBuilder) starts() {
	var order []int
	for i := range j.Connections {
		if c := &j.Connections[i]; c.Trigger == 0 && c.Start > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &j.Connections[a], &j.Connections[b]
		return cmp.Or(cmp.Compare(x.Src, y.Src), cmp.Compare(x.Start, y.Start))
	})
	last, now, tick := -1, units.Time(0), spot{}
	for _, i := range order {
		c := &j.Connections[i]
		if c.Src != last {
			last, now = c.Src, 0
		}
		if c.Start > now {
			next := j.add(c.Src, schedule.Op{Kind: schedule.Calc, Stream: clock, Time: c.Start - now, Label: labelStart})
			if now > 0 {
				j.require(next, tick)
			}
			now, tick = c.Start, next
		}
		j.require(j.begins[i], tick)
	}
}

// trigger has the connections of a trigger wait for what sets it off.
func (j *jobBuilder) trigger(t int) error {
	trigger, starts, sources := &j.Triggers[t], j.wiring.starts[t], j.sources[t]
	if trigger.Kind == MultiShot && len(starts)*len(sources) > maxChoices {
		return j.fail(trigger.Line, "trigger %d has %d connections to start and %d ends of others that start them; the two multiplied may be at most %d",
			trigger.ID, len(starts), len(sources), maxChoices)
	}
	home := j.Connections[starts[0]].Src
	if trigger.Kind == OneShot {
		home = sources[0].host
	}
	here := make([]spot, len(sources)) // what sets it off, as its home knows
	for k, s := range sources {
		here[k] = s
		if s.host != home {
			here[k] = j.tell(s, home)
		}
	}
	switch trigger.Kind {
	case OneShot:
		j.open(here[0], starts)
	case Barrier:
		gate := j.gate(home, here)
		j.open(gate, starts)
	case MultiShot:
		for k := range starts {
			gate := j.gate(home, here)
			j.at(home).Suffices(gate.op, k+1)
			j.open(gate, starts[k:k+1])
		}
	}
	return nil
}

// gate adds an operation that takes no time and waits for others of its host.
func (j *jobBuilder) gate(host int, others []spot) spot {
	gate := j.add(host, schedule.Op{Kind: schedule.Calc, Stream: gates, Label: labelTrigger})
	for _, o := range others {
		j.require(gate, o)
	}
	return gate
}

// tell sends word from where something has happened to another host, and returns its arrival there.
func (j *jobBuilder) tell(from spot, to int) spot {
	op := schedule.Op{Kind: schedule.Send, Peer: int32(to), Tag: uint32(len(j.Connections)) + j.words, Size: WordSize, Label: labelTrigger}
	j.words++
	j.require(j.add(from.host, op), from)
	op.Kind, op.Peer = schedule.Recv, int32(from.host)
	return j.add(to, op)
}

// open has connections wait for an operation: those of other hosts for word of it, one message a host.
func (j *jobBuilder) open(gate spot, starts []int) {
	bySender := slices.Clone(starts)
	slices.SortStableFunc(bySender, func(a, b int) int { return cmp.Compare(j.Connections[a].Src, j.Connections[b].Src) })
	known := gate
	for _, i := range bySender {
		if src := j.Connections[i].Src; src == gate.host {
			known = gate
		} else if src != known.host {
			known = j.tell(gate, src)
		}
		j.require(j.begins[i], known)
	}
}
