package fabric

import (
	"bytes"
	"iter"
	"slices"
)

// activity knows the nodes that have ever handled an event. In a large network of which
// few hosts talk most nodes never do, and what is looked at over and over while a run
// goes on (is anything in flight, is everything quiet, do pauses wait for each other)
// must not look at them.
type activity struct {
	states []byte  // by node; each is written by the node's own worker
	active []int32 // those that have been found, ascending
}

// What is known of a node.
const (
	asleep = iota // it has never handled an event
	stirred
	found // among the active
)

// Awake is for a node to say that it handles events.
type Awake struct{ state *byte }

// Say says it. Only the first time has any effect.
func (a Awake) Say() {
	if *a.state == asleep {
		*a.state = stirred
	}
}

// Awake is for a node to use whenever it is run.
func (n *Network) Awake(node int) Awake { return Awake{&n.activity.states[node]} }

// Active lists the nodes that have handled any event so far, in the order of the graph.
// No node may be running. The list is good until the next call.
func (n *Network) Active() []int32 {
	a := &n.activity
	known := len(a.active)
	for node := 0; ; node++ {
		next := bytes.IndexByte(a.states[node:], stirred)
		if next < 0 {
			break
		}
		node += next
		a.states[node] = found
		a.active = append(a.active, int32(node))
	}
	if len(a.active) > known {
		slices.Sort(a.active)
	}
	return a.active
}

// ActiveSwitches yields the switches that have handled any event, in the order of nodes.
func (n *Network) ActiveSwitches() iter.Seq[*Switch] {
	return func(yield func(s *Switch) bool) {
		for _, node := range n.Active() {
			if s := n.switches[node]; s != nil && !yield(s) {
				return
			}
		}
	}
}
