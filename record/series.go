package record

import (
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/results/plots"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

func (r *Run) queueTable() *results.Table {
	t := results.NewTable("series/queue_depth.csv", "one row a change of an egress queue from one sample to the next; a queue starts at 0 bytes")
	at, node := t.Time("time_us", "instant of the sample, after all events at it"), t.String("node", "switch")
	number, priority := t.Int("port", "", "egress port"), t.Int("priority", "", "priority of the queue")
	size := t.Bytes("queue_bytes", "L2 bytes that wait")
	r.eachSwitch(func(name string, node2 int) {
		r.Cluster.Net.Switch(node2).QueueSamples(func(t units.Time, port, prio int, b units.Bytes) {
			at.Append(t)
			node.Append(name)
			number.Append(int64(port))
			priority.Append(int64(prio))
			size.Append(b)
		})
	})
	return t
}

func (r *Run) rateTable() *results.Table {
	t := results.NewTable("series/qp_rate.csv", "one row a change of the rate of a queue pair from one sample to the next; 0 while it has nothing to send")
	at, node := t.Time("time_us", "instant of the sample"), t.String("node", "sending host")
	qpn := t.Int("qpn", "", "queue pair")
	rate := t.Rate("rate_gbps", "rate that congestion control allows")
	r.eachNIC(func(name string, nic *rnic.NIC) {
		for _, s := range nic.RateSamples() {
			at.Append(s.At)
			node.Append(name)
			qpn.Append(int64(rnic.QPN(s.QP)))
			rate.Append(s.Rate)
		}
	})
	return t
}

func (r *Run) pauseTable() *results.Table {
	t := results.NewTable("series/pause.csv", "one row a time for which a port was paused by its peer, or left without credits for a packet that waited")
	node, number := t.String("node", "host or switch"), t.Int("port", "", "port that had to stop sending")
	priority := t.Int("priority", "", "priority paused")
	from, to := t.Time("from_us", "start of the pause"), t.Time("to_us", "its end")
	way := t.String("chain", "the ports whose packets could not go on, each for the next, the root cause last, as in pause_causes.csv; the port alone if its peer has not noted why")
	r.eachPort(func(p port) {
		for _, i := range p.Pauses() {
			steps := []topology.Step{{Node: p.node, Port: p.index}}
			if e := r.behind(steps[0], i.Class, i.From); e != nil {
				steps = r.way(r.pauseChains(), e)
			}
			way.Append(r.wayText(steps))
			node.Append(p.name)
			number.Append(int64(p.index))
			priority.Append(int64(i.Class))
			from.Append(i.From)
			to.Append(i.To)
		}
	})
	return t
}

func (r *Run) eachSwitch(f func(name string, node int)) {
	g := r.Cluster.Net.Graph
	for _, node := range g.Switches() {
		f(g.Nodes[node].Name, node)
	}
}

func (r *Run) eachNIC(f func(name string, nic *rnic.NIC)) {
	for i, h := range r.Cluster.Hosts {
		for _, nic := range h.NICs() {
			f(r.hostName(i), nic)
		}
	}
}

// queueSeries are the sampled queues as series for a plot, in the order of nodes,
// ports and priorities.
func (r *Run) queueSeries() []plots.Series {
	var all []plots.Series
	start := r.underWay().from
	r.eachSwitch(func(_ string, node int) {
		s := r.Cluster.Net.Switch(node)
		index := map[[2]int]int{}
		var own []plots.Series
		s.QueueSamples(func(at units.Time, port, priority int, b units.Bytes) {
			key := [2]int{port, priority}
			i, known := index[key]
			if !known {
				i = len(own)
				index[key] = i
				own = append(own, plots.Series{Name: r.queueName(node, port, priority), T: []units.Time{start}, V: []float64{0}})
			}
			q := &own[i]
			q.T = append(q.T, at)
			q.V = append(q.V, float64(b))
		})
		all = append(all, own...)
	})
	return all
}

// queueName names an egress queue by its port and where that leads.
func (r *Run) queueName(node, port, priority int) string {
	return r.cable(node, port) + ", priority " + itoa(priority)
}

func (r *Run) rateSeries() []plots.Series {
	var all []plots.Series
	r.eachNIC(func(name string, nic *rnic.NIC) {
		own := make([]plots.Series, len(nic.QueuePairs()))
		for i := range own {
			own[i].Name = qpName(name, i)
		}
		for _, s := range nic.RateSamples() {
			own[s.QP].T = append(own[s.QP].T, s.At)
			own[s.QP].V = append(own[s.QP].V, float64(s.Rate))
		}
		for _, s := range own {
			if len(s.T) > 0 {
				all = append(all, s)
			}
		}
	})
	return all
}

func (r *Run) pauseIntervals() []plots.Interval {
	var all []plots.Interval
	r.eachPort(func(p port) {
		for _, i := range p.Pauses() {
			all = append(all, plots.Interval{Row: p.full() + ", priority " + itoa(i.Class), From: i.From, To: i.To})
		}
	})
	return all
}
