package scenarios

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/wire"
)

// htsim is the model of csg-htsim (github.com/Broadcom/csg-htsim). Its order of events is that in which they are scheduled, all
// over the network, so that such a run has one worker and is none of those that are the same on any number of them.
//
// The rest of what that simulator is like are keys: switch.pipeline 0s, switch.release last-bit, thresholds of PFC that are
// static and without expiry, host.ack_every 1, no congestion control, and pinned ways; see Case.Scenario in verify/htsim.
var htsim = profile{
	name: "htsim",
	doc: "as csg-htsim has it: frames are the payload and 64 B, acknowledgements 64 B, without preamble and gap; the last packet of a message is " +
		"of full size; pause frames take no time on the link and wait for no other frame; events of equal time happen in the order in which " +
		"they were scheduled, each by the one before, on one worker; a frame is counted at its input, and may pause it, before it is queued at " +
		"its output",
	framing: &wire.Framing{Around: 64, Full: true, Ack: 64, CNP: 64},
	fabric:  func(c *fabric.Config, _ *topology.Graph) { c.Chained = true },
	refuses: unknownToHtsim,
}

// unknownToHtsim refuses what the simulator does not have.
func unknownToHtsim(s *Spec) []error {
	r := refuseUnderAny(s, "htsim")
	r.refuseRecovery(s)
	return r.faults
}
