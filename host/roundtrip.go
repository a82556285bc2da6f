package host

import (
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// LastRoundTrip is how long the last packet of a flow, alone in the network, takes to
// the receiver and its acknowledgement back: what a flow waits for at its end in any
// case.
func (c *Cluster) LastRoundTrip(flow int) units.Time {
	f := c.Flows[flow]
	if conn := &c.Conns[flow]; conn.stream != nil {
		mss := c.tcp.MSS()
		there, _ := c.idealOf((f.Payload()-1)%mss+1, 1, conn)
		return there
	}
	last := f.Size % rnic.MaxMessage
	if last == 0 && f.Size > 0 {
		last = rnic.MaxMessage
	}
	cut := c.cutOf(&c.Conns[flow])
	last -= units.Bytes(cut.Packets(last)-1) * units.Bytes(cut.MTU)
	_, ack := c.idealOf(last, 1, &c.Conns[flow])
	return ack
}
