package scenarios

import (
	"math"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
	"github.com/rdmasim/rdmasim/wire"
)

// hpccNS3 is the model of the ns-3 tree published with HPCC (github.com/alibaba-edu/High-Precision-Congestion-Control). Its
// order of events is that in which they are scheduled, all over the network, so that such a run has one worker and is none of
// those that are the same on any number of them.
var hpccNS3 = profile{
	name: "hpcc-ns3",
	doc: "as the simulator published with HPCC has it: frames are the payload and 48 B, acknowledgements 60 B, pause frames 43 B, without " +
		"preamble and gap; times are cut to whole nanoseconds; events of equal time happen in the order in which they were scheduled, on " +
		"one worker; NICs take queue pairs in turn by number; marks come back on acknowledgements; DCQCN's clocks are events and its rates " +
		"whole bits per second; paths are chosen by MurmurHash3 of addresses and ports; a frame may lie in a group's minimum and in the " +
		"shared pool at once; ports faster than the hosts' have as many times the threshold, with an alpha of 1 at most; headroom is three times what is in flight on " +
		"the cable; flows start cut to whole nanoseconds; duplicates are not answered; no queue pair ever gives up, whatever retries says",
	framing: &wire.Framing{Around: 48, Ack: 60, CNP: 60, Pause: 43, WholeNanoseconds: true},
	fabric:  asNS3,
	nic:     nicAsNS3,
	start:   units.Time.WholeNanoseconds,
	refuses: unknownToNS3,
}

// streamsPerNode and firstStream tell from which stream on the simulator draws its ECN coins: those before belong to what its
// nodes are made of.
const streamsPerNode, firstStream = 6, 2

func asNS3(c *fabric.Config, g *topology.Graph) {
	c.HashTuples, c.SplitAccounts = true, true
	c.SharedCoins = variate.NewMRG32k3a(c.Seed, firstStream+streamsPerNode*len(g.Nodes))
	c.PFC.Provision = threefold
}

// threefold is three times what is in flight on a cable, the bytes cut to a whole number first.
func threefold(rate units.Rate, delay units.Time) (units.Bytes, bool) {
	return 3 * rate.BytesIn(delay), true
}

// aloneAtNIC is the priority of acknowledgements at a NIC where they have a class of their own: before data, and never paused. Switches
// know no such class.
const aloneAtNIC = 7

func nicAsNS3(c *rnic.Config) {
	c.Serial, c.SilentOnDuplicates, c.CNPsOff, c.Retries = true, true, true, math.MaxInt32
	if c.Ack.Priority != c.Data.Priority {
		c.Ack = rnic.Class{DSCP: c.Data.DSCP, Priority: aloneAtNIC}
	}
	if control, ok := c.Control.(*dcqcn.Config); ok {
		c.Control = dcqcn.Clocked{Config: control}
	}
}

// unknownToNS3 refuses what the simulator does not have.
func unknownToNS3(s *Spec) []error {
	sw := &s.Switch
	r := refuseUnderAny(s, "hpcc-ns3")
	r.refuse("switch.release", sw.Release == lastBit)
	r.refuse("switch.ecn.at", sw.ECN.At == atEnqueue)
	r.refuse("switch.ecn.averaging", sw.ECN.Averaging > 0)
	r.refuse("switch.ecmp_salt", sw.ECMPSalt == sharedSalt)
	r.refuse("host.cnp.interval", s.Host.CNP.Interval.Given)
	r.refuseRecovery(s)
	if control, ok := s.Host.Control.Params.(*dcqcn.Config); ok {
		r.faults = append(r.faults, under("host.congestion_control", dcqcn.Clocked{Config: control}.Validate()))
	}
	return r.faults
}
