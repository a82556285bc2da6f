package host

import (
	"runtime"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/partition"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
)

// engine makes the engine for the cluster's nodes, and joins the network to it.
func (c *Cluster) engine(opt RunOptions) *sim.Engine {
	if c.NIC.Serial || c.Net.Config.Chained {
		return sim.New([]sim.Node{c.serial()}, sim.Config{Shares: sim.Whole(1, units.Never), Limit: opt.Limit})
	}
	plan := c.Divide(opt)
	e := sim.New(c.nodes(), sim.Config{
		Shares: plan.Shares, LookAhead: plan.LookAhead, Limit: opt.Limit, Mail: c.Net, Together: opt.Together,
	})
	c.Net.Connect(e)
	return e
}

// Divide shares the nodes out to the workers of a run: as many as are asked for, or else
// as are worth it, each with its part of the work that the flows make.
func (c *Cluster) Divide(opt RunOptions) partition.Plan {
	work := &work{net: c.Net, at: make([]int64, len(c.Net.Graph.Nodes))}
	if opt.Workers != 1 {
		c.expect(work, opt.Limit)
	}
	workers := opt.Workers
	if workers == 0 {
		workers = work.workers()
	}
	return c.Net.Divide(workers, work.weight)
}

// work is how much there will be to do.
type work struct {
	net  *fabric.Network
	at   []int64 // by node
	sum  int64
	hops int64 // packets over links
}

// surveyed is how many flows are looked at to find out where the work will be: that
// many show it as well as all would.
const surveyed = 4096

// expect adds up what it costs to pass on the packets of the flows on their ways, and
// their acknowledgements on theirs, up to a limit of time.
func (c *Cluster) expect(w *work, limit units.Time) {
	stride := max(1, len(c.Flows)/surveyed)
	for flow := 0; flow < len(c.Flows); flow += stride {
		packets := c.packets(flow, limit)
		w.add(c.Path(flow), packets)
		acks := packets / int64(max(1, c.NIC.AckEvery))
		if c.Conns[flow].overTCP {
			acks = packets / int64(c.NIC.IWARP.TCP.AckEvery)
		}
		w.add(c.ReturnPath(flow), acks)
	}
	w.hops *= int64(stride)
}

// packets is how many packets a flow sends before a limit at the most.
func (c *Cluster) packets(flow int, limit units.Time) int64 {
	f, mtu := &c.Flows[flow], c.cutOf(&c.Conns[flow]).MTU
	possible := int64(max(0, limit-f.Start) / c.Conns[flow].From.Rate().Serialise(mtu))
	return min(possible, int64(f.Messages)*(int64(f.Size)/int64(mtu)+1))
}

// What a packet costs at a switch that passes it on, and at a host that sends it or takes
// it in: their ratio, measured with PFC, ECN and DCQCN on.
const costAtSwitch, costAtHost = 5, 2

// add adds the work of packets that go a way.
func (w *work) add(way []topology.Step, packets int64) {
	for i, step := range way {
		cost := packets * costAtSwitch
		if i == 0 || i == len(way)-1 {
			cost = packets * costAtHost
		}
		w.at[step.Node] += cost
		w.sum += cost
	}
	w.hops += packets * int64(max(0, len(way)-1))
}

// weight is a node's part of the work, of some millions. A port is one such part even
// if nothing is known to use it.
func (w *work) weight(node int) int64 {
	const parts = 1 << 28
	share := w.at[node]
	if w.sum < parts {
		share *= parts / max(1, w.sum)
	} else {
		share /= w.sum / parts
	}
	return int64(len(w.net.Ports(node))) + share
}

// A second worker is worth it if each has so many nodes, and if there is so much to do
// that the run does not end before it has been tried.
const worthwhileNodes, worthwhileHops = 16, 200_000

// workers is how many workers are worth it.
func (w *work) workers() int {
	if w.hops < worthwhileHops {
		return 1
	}
	return max(1, min(runtime.GOMAXPROCS(0), len(w.at)/worthwhileNodes))
}
