package scenarios

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Egress holds the bounds of the egress queues of priorities without PFC.
type Egress struct {
	Alpha    *units.Ratio      `key:"alpha" unless:"limit" doc:"dynamic bound of a queue beside its minimum: this multiple of what is free of the pool; without alpha and limit queues have no bound, and only ingress groups drop"`
	Limit    *units.Bytes      `key:"limit" min:"1B" doc:"static bound of a queue beside its minimum, in place of alpha"`
	QueueMin units.Bytes       `key:"queue_min" default:"0B" doc:"buffer guaranteed to each queue" source:"assumed"`
	Pool     Auto[units.Bytes] `key:"pool" default:"auto" min:"1B" doc:"what all these queues of a switch may take together, beside their minima; auto: the whole buffer" source:"assumed"`
}

// Validate refuses a bound that would drop everything.
func (e *Egress) Validate() error {
	if e.Alpha != nil && e.Alpha.IsZero() {
		return units.Field("alpha", e.Alpha, "must be greater than 0", "such as 1")
	}
	return nil
}

func (e *Egress) config() fabric.Egress {
	c := fabric.Egress{Minimum: e.QueueMin, Pool: e.Pool.Else(0)}
	if e.Alpha != nil {
		c.Alpha = *e.Alpha
	}
	if e.Limit != nil {
		c.Limit = *e.Limit
	}
	return c
}

// HeadroomProvision says how much headroom lossless groups get unless it is given, and from where.
type HeadroomProvision struct {
	HeadroomRule     string            `key:"headroom_rule" default:"worst-case" oneof:"worst-case|tomahawk|tomahawk2|tomahawk3|trident3|spectrum|spectrum2|spectrum4" doc:"rule of headroom: auto: worst-case: what can arrive on the link; or what SONiC sets aside on that machine by rate and cable length, where it has a figure (a metre is 5 ns)" source:"IEEE 802.1Qbb, annex O"`
	SmallPackets     units.Ratio       `key:"small_packets" default:"100%" max:"1" doc:"share of the bytes for which the worst case takes frames to be of the size that wastes most of their cells; the others are full frames" source:"assumed: whatever comes"`
	HeadroomPool     Auto[units.Bytes] `key:"headroom_pool" default:"auto" min:"1B" doc:"memory from which all groups of a switch draw their headroom; auto: the sum of it, divided by oversubscription" source:"assumed"`
	Oversubscription units.Ratio       `key:"oversubscription" default:"1" min:"1" doc:"by how much headroom exceeds the pool it is drawn from (SONiC's shared headroom pool); if more is needed at once, lossless packets are dropped" source:"assumed"`
}

// provision fills in what a fabric needs to know of it.
func (h *HeadroomProvision) provision(c *fabric.PFC) {
	c.Provision = pfc.ProvisionOf(h.HeadroomRule)
	c.HeadroomPool = h.HeadroomPool.Else(0)
	c.Oversubscription = h.Oversubscription
}
