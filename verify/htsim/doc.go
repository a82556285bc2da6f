// Package htsim holds rdmasim against csg-htsim (github.com/Broadcom/csg-htsim), a second simulator of the same networks.
//
// A case is a folder of inputs and outputs of one run of that simulator: its connections, the ways their packets took, when
// each was finished, every pause. [Read] reads it as it is, [Case.Scenario] writes it as a scenario of rdmasim with the
// profile htsim and pinned ways, and [Case.Compare] runs that and says flow by flow what agrees. [Checks] makes checks of rdmasim verify of all cases
// in a folder.
//
// The model there: k-ary fat-trees, hosts that send at line rate without congestion control, an acknowledgement for each
// packet, switches of no latency with one queue a port, and PFC by a byte counter for each ingress link.
package htsim
