package faults

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
)

// Fault is one thing that goes wrong.
type Fault interface {
	// Plan adds what the fault does to a plan. The name tells the fault from others of
	// the scenario: its random streams are made of it. Problems come as one or several
	// *units.FieldError (errors.Join), with keys relative to the fault's parameters.
	Plan(env *Env, name string, plan *host.Faults) error
}

// Env is what a fault knows of the run.
type Env struct {
	Graph *topology.Graph
	Flows int // how many flows the run has
	// Hosts returns the hosts that a selector names, by their places in the graph's list
	// of hosts; an error is a *units.FieldError about the key.
	Hosts func(key, selector string) ([]int, error)
	// Lossless is the set of priorities (bit = priority) under PFC.
	Lossless uint8
	// AddressesOf returns the ends of the queue pair of a flow. It may be nil while
	// faults are only checked.
	AddressesOf func(flow int) []fabric.Address
}

// Kind is a fault that a scenario can choose by name.
type Kind struct {
	Name string
	Doc  string       // one line
	New  func() Fault // a pointer to the parameters, all zero: defaults stand in the struct's tags
}

// Kinds lists all kinds of fault. A new one is one file and one line here.
var Kinds = []Kind{
	{"loss", "frames vanish on cables by chance", func() Fault { return new(Loss) }},
	{"corruption", "frames arrive with bit errors by chance: FCS errors of the receiving port", func() Fault { return new(Corruption) }},
	{"drop", "chosen frames are lost: the nth, every so many, those with an IP id", func() Fault { return new(Drop) }},
	{"link-down", "links fail, and come back if they are to; routes follow after a delay", func() Fault { return new(LinkDown) }},
	{"link-degraded", "links are slower or longer for a time", func() Fault { return new(LinkDegraded) }},
	{"host-pause", "hosts stop for a time: what comes meanwhile waits in their NICs", func() Fault { return new(HostPause) }},
	{"pfc-storm", "NICs break down and pause their switch for no reason", func() Fault { return new(PFCStorm) }},
}
