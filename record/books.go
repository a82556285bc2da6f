package record

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Run is a run that has ended, and what its scenario calls things.
type Run struct {
	Cluster *host.Cluster
	Report  host.Report
	// Workloads labels each flow with the workload it belongs to.
	Workloads []string
	// Perftests are the tests of the perftest suite that it runs.
	Perftests []Perftest
	// Calls are the remote procedure calls that it makes.
	Calls []Calls
	// ShortConnections and Locks are its other programs.
	ShortConnections []ShortConnections
	Locks            []Lock
	// Those whose parts pass each other messages: MPI ranks, clients of key-value stores, roots of
	// fan-outs, streams of frames, storage.
	Collectives []Collective
	KeyValues   []KeyValue
	FanOuts     []FanOut
	Medias      []Media
	Storages    []Storage
	// Jobs are ranks that go through schedules.
	Jobs []Job
	// Window tells which flows count in percentiles, and during which time
	// goodput counts.
	Window Window
	// Control is the name of the congestion control.
	Control string
	// TCPControl is that of TCP.
	TCPControl string
	// Series tells which series were asked for.
	Series map[string]bool
	// Clock is that of the cores of hosts, in GHz; it makes cycles of processor time.
	Clock float64
	// Prices are the user's; nil if the scenario has none.
	Prices *results.Prices
	// Warnings are what was noticed when the run was built.
	Warnings []string

	chains *chains // made when first asked for
	lives  []life
}

// The series that can be asked for.
const (
	QueueDepth      = "queue_depth"
	PGOccupancy     = "pg_occupancy"
	QPRate          = "qp_rate"
	QPAlpha         = "qp_alpha"
	TCPWindow       = "tcp_window"
	LinkUtilisation = "link_utilisation"
	Pause           = "pause"
)

// port is a port of the network with its names, and what it belongs to: a switch
// or a NIC; the other is nil.
type port struct {
	*fabric.Port
	graph       *topology.Graph
	node, index int
	name        string // of the node
	sw          *fabric.Switch
	nic         *rnic.NIC
}

// full names the node and the number.
func (p port) full() string { return p.graph.PortName(p.node, p.index) }

// eachPort calls f for every port, in the order of nodes and ports.
func (r *Run) eachPort(f func(p port)) {
	for node := range r.Cluster.Net.Graph.Nodes {
		r.eachPortOf(node, f)
	}
}

// eachActivePort calls f for every port of the nodes that have handled any event, in the
// same order. All others have counted nothing.
func (r *Run) eachActivePort(f func(p port)) {
	for _, node := range r.Cluster.Net.Active() {
		r.eachPortOf(int(node), f)
	}
}

// rowsByPort has f append the rows of each port to a table, in the same order, node by node as they are asked for.
func (r *Run) rowsByPort(t *results.Table, f func(p port)) {
	t.InParts(len(r.Cluster.Net.Graph.Nodes), func(node int) (tells bool) {
		r.eachPortOf(node, f)
		return true
	})
}

// eachPortOf calls f for every port of a node.
func (r *Run) eachPortOf(node int, f func(p port)) {
	for i := range r.Cluster.Net.Ports(node) {
		f(r.port(node, i))
	}
}

// port is a port of a node.
func (r *Run) port(node, index int) port {
	net := r.Cluster.Net
	p := port{
		Port: &net.Ports(node)[index], graph: net.Graph, node: node, index: index,
		name: net.Graph.Nodes[node].Name, sw: net.Switch(node),
	}
	if p.sw == nil {
		p.nic = r.Cluster.HostAt(node).NIC(index)
	}
	return p
}

// cable names a port and the node it leads to.
func (r *Run) cable(node, port int) string {
	g := r.Cluster.Net.Graph
	return g.PortName(node, port) + " to " + g.Nodes[g.Ports(node)[port].Peer].Name
}

// eachLossless calls f for every priority under PFC, ascending.
func (r *Run) eachLossless(f func(priority int)) {
	if r.onCredits() {
		return
	}
	for p := range pfc.Priorities {
		if r.Cluster.Net.Config.PFC.IsLossless(p) {
			f(p)
		}
	}
}

// eachQP calls f for every queue pair, in the order of hosts, NICs and numbers.
func (r *Run) eachQP(f func(name string, nic *rnic.NIC, i int, qp *rnic.QP)) {
	net := r.Cluster.Net
	for h, node := range net.Graph.Hosts() {
		for _, nic := range r.Cluster.Hosts[h].NICs() {
			for i := range nic.QueuePairs() {
				f(net.Graph.Nodes[node].Name, nic, i, &nic.QueuePairs()[i])
			}
		}
	}
}

// lastBytes gives, for each flow, when its receiver had all of it, or Never.
func (r *Run) lastBytes() []units.Time {
	at := make([]units.Time, len(r.Cluster.Flows))
	for _, h := range r.Cluster.Hosts {
		for _, nic := range h.NICs() {
			nic.Deliveries(func(flow int, t units.Time) { at[flow] = t })
		}
	}
	for flow := range at {
		if t := r.Cluster.Transfer(flow); r.Cluster.Over(flow) {
			at[flow] = units.Never
			if succeeded(t) {
				at[flow] = t.End
			}
		}
	}
	return at
}

func (r *Run) hostName(i int) string {
	g := r.Cluster.Net.Graph
	return g.Nodes[g.Hosts()[i]].Name
}
