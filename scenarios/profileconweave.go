package scenarios

import (
	"math"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// conweave is the model of the simulator published with ConWeave (github.com/conweave-project/conweave-ns3), which grew out of
// that of HPCC: other buffers, retransmission timers and IRN. Its rules of pausing are not taken over.
var conweave = profile{
	name: "conweave",
	doc: "as the simulator published with ConWeave has it: frames, times, order of events, turns of queue pairs, DCQCN and paths as with hpcc-ns3; " +
		"reports of gaps come with a congestion mark; duplicates are acknowledged; no queue pair ever gives up, whatever retries says; when " +
		"a group pauses is as without a profile",
	framing: hpccNS3.framing,
	fabric:  func(c *fabric.Config, _ *topology.Graph) { c.HashTuples = true },
	nic:     nicAsConWeave,
	start:   units.Time.WholeNanoseconds,
	refuses: unknownToConWeave,
}

func nicAsConWeave(c *rnic.Config) {
	c.Serial, c.CutOnGaps, c.CNPsOff, c.Retries = true, true, true, math.MaxInt32
	if control, ok := c.Control.(*dcqcn.Config); ok {
		c.Control = dcqcn.Clocked{Config: control}
	}
}

// unknownToConWeave refuses what the simulator does not have, or what of it is not taken over.
func unknownToConWeave(s *Spec) []error {
	sw := &s.Switch
	r := refuseUnderAny(s, "conweave")
	r.refuse("switch.release", sw.Release == lastBit)
	r.refuse("switch.ecn.at", sw.ECN.At == atEnqueue)
	r.refuse("switch.ecn.averaging", sw.ECN.Averaging > 0)
	r.refuse("switch.ecmp_salt", sw.ECMPSalt == sharedSalt)
	r.refuse("host.cnp.interval", s.Host.CNP.Interval.Given)
	if control, ok := s.Host.Control.Params.(*dcqcn.Config); ok {
		r.faults = append(r.faults, under("host.congestion_control", dcqcn.Clocked{Config: control}.Validate()))
	}
	return r.faults
}
