package hpccns3

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// comparePorts compares what the ports of switches have counted.
func (r *Report) comparePorts(c *Case, cluster *host.Cluster) error {
	there, err := c.ports()
	if err != nil {
		return err
	}
	for _, row := range there {
		sw := cluster.Net.Switch(row.node)
		for _, column := range portColumns {
			want, told := row.values[column.name]
			if !told {
				continue
			}
			got := column.of(&cluster.Net.Ports(row.node)[row.port], sw, row.port)
			r.Counters.count(got == want)
			if got != want {
				r.differ(units.Never, cluster.Net.Graph.PortName(row.node, row.port), "%s %d at the end, there %d", column.name, got, want)
			}
		}
	}
	return nil
}

// portColumns are the columns of ports.txt that have a counterpart.
var portColumns = []struct {
	name string
	of   func(p *fabric.Port, sw *fabric.Switch, port int) int64
}{
	{"tx_bytes", func(p *fabric.Port, _ *fabric.Switch, _ int) int64 {
		bytes := int64(p.Counters.PFCTx) * pauseBytes
		for i := range p.Counters.Class {
			bytes += int64(p.Counters.Class[i].Tx.Bytes)
		}
		return bytes
	}},
	{"tx_pfc", func(p *fabric.Port, _ *fabric.Switch, _ int) int64 { return int64(p.Counters.PFCTx) }},
	{"ecn_marked", sum(func(c *fabric.ClassCounters) uint64 { return c.Marked })},
	{"drop", sum(func(c *fabric.ClassCounters) uint64 { return c.Dropped.Packets })},
	{"pause_sent", func(p *fabric.Port, _ *fabric.Switch, _ int) int64 {
		var n uint64
		for i := range pfc.Priorities {
			n += p.Counters.PauseTx[i].XOFF
		}
		return int64(n)
	}},
}

// pauseBytes is the size of that simulator's pause frames.
const pauseBytes = 43

func sum(of func(*fabric.ClassCounters) uint64) func(*fabric.Port, *fabric.Switch, int) int64 {
	return func(p *fabric.Port, _ *fabric.Switch, _ int) int64 {
		var n uint64
		for i := range p.Counters.Class {
			n += of(&p.Counters.Class[i])
		}
		return int64(n)
	}
}
