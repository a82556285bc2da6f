package scenarios

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Defaults of the marking thresholds for each Gb/s of a port, as HPCC's
// deployment has them (SIGCOMM 2019).
const (
	kminPerGbps = 4 * units.KB
	kmaxPerGbps = 16 * units.KB
)

// Words of the keys at and not_ect.
const (
	atEnqueue  = "enqueue"
	dropNotECT = "drop"
)

// thresholds returns when packets are marked, the same for all priorities.
func (m *Marking) thresholds() fabric.ECN {
	if !m.Enabled {
		return fabric.ECN{}
	}
	return fabric.ECN{
		Kmin: m.Kmin.Else(kminPerGbps), Kmax: m.Kmax.Else(kmaxPerGbps), PerGbps: m.PerGbps || !m.Kmin.Given, Pmax: m.Pmax,
	}
}

// config returns when and how packets are marked.
func (e *ECN) config() fabric.ECN {
	c := e.thresholds()
	c.AtEnqueue, c.Averaging, c.DropNotECT = e.At == atEnqueue, e.Averaging, e.NotECT == dropNotECT
	for i := range e.Classes {
		for _, p := range e.Classes[i].Priorities {
			own := e.Classes[i].thresholds()
			c.Classes[p] = &own
		}
	}
	return c
}
