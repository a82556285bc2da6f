package bench

import (
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
	"github.com/rdmasim/rdmasim/workloads"
)

// Setup is what a run is built from.
type Setup struct {
	Graph  *topology.Graph
	Fabric fabric.Config
	NIC    rnic.Config
	Flows  []host.Flow
}

// The rate and the delay of all links, unless a case says otherwise.
const (
	linkRate  = 100 * units.Gbps
	linkDelay = units.Microsecond
)

// seed is that of all random streams.
const seed = 1

// lossless and notified are the classes of data with its acknowledgements and of
// congestion notifications.
var (
	lossless = rnic.Class{DSCP: 26, Priority: 3}
	notified = rnic.Class{DSCP: 48, Priority: 6}
)

// newSetup is a network with PFC, ECN and DCQCN on and an acknowledgement per packet, as
// scenarios have them by default, but without a pipeline in its switches: so it has been
// measured from the beginning, and so other simulators are.
func newSetup(builder topology.Builder, mtu int) (*Setup, error) {
	graph, err := builder.Build()
	if err != nil {
		return nil, err
	}
	s := &Setup{
		Graph: graph,
		Fabric: fabric.Config{
			Buffer:     32 * units.MiB,
			Priorities: []int{lossless.Priority, notified.Priority},
			MaxFrame:   units.Bytes(wire.FrameBytes(wire.WriteFirst, mtu)),
			PFC: fabric.PFC{
				Lossless: 1 << lossless.Priority, Alpha: units.Ratio{Num: 1, Den: 8}, XONOffset: 2496, Headroom: -1,
				Quanta: 65535, Refresh: units.Ratio{Num: 1, Den: 2}, Response: -1,
			},
			ECN:   fabric.ECN{Kmin: 4 * units.KB, Kmax: 16 * units.KB, PerGbps: true, Pmax: units.Ratio{Num: 1, Den: 5}},
			Lossy: fabric.Lossy{Alpha: units.Ratio{Num: 1, Den: 1}},
			Seed:  seed, PathSeed: seed,
		},
		NIC: rnic.Config{
			MTU: mtu, AckEvery: 1, Timeout: 14, Retries: 7, CNPLatency: 500 * units.Nanosecond,
			Data: lossless, Ack: lossless, CNP: notified, Control: dcqcn.Kind.Params("scaled"),
		},
	}
	for dscp := range s.Fabric.PriorityOf {
		s.Fabric.PriorityOf[dscp] = uint8(dscp >> 3)
	}
	return s, nil
}

// add adds the flows of a workload of a kind, which names its random streams as in scenarios.
func (s *Setup) add(kind string, w workloads.Workload) error {
	env := workloads.Env{
		HostRate: func(host int) units.Rate { return s.Graph.PortRate(s.Graph.Hosts()[host]) },
		Rand: func(stream string) workloads.Rand {
			random := sim.NewStream(seed, "workloads", stream)
			return &random
		},
	}
	for _, node := range s.Graph.Hosts() {
		env.Hosts = append(env.Hosts, s.Graph.Nodes[node].Name)
	}
	flows, err := workloads.Generate([]workloads.Workload{w}, []string{kind}, env)
	if err != nil {
		return err
	}
	for _, f := range flows {
		s.Flows = append(s.Flows, host.Flow{
			Src: f.Src, Dst: f.Dst, Size: f.Size, Messages: f.Messages, Start: f.Start, Lane: f.QP, Data: lossless,
		})
	}
	return nil
}

// transfer is one message of a size, on a queue pair of its own.
func transfer(size units.Bytes) workloads.Transfer {
	return workloads.Transfer{Size: size, Messages: 1, QPs: 1, Priority: workloads.HostPriority}
}

// build makes everything that takes part in a run. It calls built, if not nil, after each
// step with what has been made by then.
func (s *Setup) build(built func(what stage)) (*host.Cluster, error) {
	if built == nil {
		built = func(stage) {}
	}
	routes := topology.NewRoutes(s.Graph)
	built(withRoutes)
	net, err := fabric.New(s.Graph, routes, s.Fabric)
	if err != nil {
		return nil, err
	}
	built(withPorts)
	c := host.NewCluster(net, &s.NIC)
	built(withHosts)
	for _, f := range s.Flows {
		if err := c.AddFlow(f); err != nil {
			return nil, err
		}
	}
	built(withFlows)
	return c, nil
}

// stage is how much of a network has been built.
type stage int

const (
	withGraph  stage = iota // its graph, and the list of its flows
	withRoutes              // and its routes
	withPorts               // and its switches, and the ports of all nodes
	withHosts               // and its hosts with their NICs
	withFlows               // and the queue pairs of its flows
	stages
)
