package workloads

import "github.com/rdmasim/rdmasim/sim/units"

// Flow is messages from one host to another over one queue pair.
type Flow struct {
	ID       int         // 0, 1, 2 … over all workloads; Generate sets it
	Workload string      // label of the workload it belongs to; Generate sets it
	Src, Dst int         // indices into Env.Hosts, different from each other
	Size     units.Bytes // payload of one message; 0 is a message of one packet without payload
	Messages int         // how many messages, at least 1; they are posted together
	Depth    int         // how many of them at a time; 0 for all
	Start    units.Time  // when they are posted
	// QP numbers queue pairs over all workloads from 0: flows with the same number share one, and with it their source,
	// their destination and the order of their messages. A workload returns OwnQP, or a number of its own that Generate
	// replaces: flows of one workload that agree in it, in Src and in Dst share a queue pair.
	QP int
	// SourcePort is the UDP source port of its queue pair, or 0 for that of the rule by which adapters choose one.
	SourcePort int
	// DestinationPort is its UDP destination port where a profile chooses paths by one, or 0 for the profile's own: RoCEv2 has
	// one for all (4791).
	DestinationPort int
	Priority        int // class of the data, 0 to 7, or HostPriority
	Way             *Way
	Recovery        string // how its queue pair recovers from loss, or HostRecovery
	Transport       string // how its messages travel: RoCEv2, InfiniBand, IWARP or TCP; Generate sets it
}

// Way is the switches through which the packets of a flow are to go, in order, and those for what answers them; flows
// that are pinned together share one. No way leaves both to the routes. Return is nil for the same switches in the
// other order.
type Way struct{ Path, Return []string }

// OwnQP gives a flow a queue pair that it shares with no other.
const OwnQP = -1

// HostPriority leaves the class of a flow's data to the configuration of its host.
const HostPriority = -1

// HostRecovery, and nothing, leave to the configuration of its host how a flow recovers from loss.
const HostRecovery = "host"

// Bytes returns the payload of all messages of f.
func (f *Flow) Bytes() units.Bytes { return f.Size * units.Bytes(f.Messages) }

// Workload makes flows.
type Workload interface {
	// Flows returns the flows for these hosts. Problems come as one or several *units.FieldError (errors.Join), with keys
	// relative to the workload's parameters.
	Flows(env Env) ([]Flow, error)
	// Over returns how its messages travel; see [Travel], which has it.
	Over(env Env) (string, error)
}

// Env is what a workload knows of the network.
type Env struct {
	Hosts     []string                  // names, in the order in which flows number hosts
	Transport string                    // how messages travel where a workload does not say it: a word as in Flow; RoCEv2 if empty
	Rand      func(stream string) Rand  // the random stream of that name: the same numbers for the same name and seed
	HostRate  func(host int) units.Rate // rate at which a host can send, over all its NICs
	NICs      func(host int) int        // how many NICs a host has; nil: one each
	Racks     Zones                     // racks; see topology.Placement
	Pods      Zones                     // pods, likewise
	// Taken is which hosts workloads before this one have to themselves.
	Taken *Allocation
	// CheckWay checks a way from one host to another; problems come as *units.FieldError with keys such as "path[2]".
	CheckWay func(src, dst int, way *Way) error
}

// Zones says in which rack, or in which pod, each host stands. The zero value knows none.
type Zones struct {
	Of      []int        // number of the zone, by host
	Uplinks []units.Rate // rate, one way, of the cables that leave a zone, by zone
}

// Rand is a source of 64 uniformly random bits.
type Rand interface{ Uint64() uint64 }

// Bounds of one scenario, so that a slip does not fill the memory. Messages count in pieces of 1 GiB, as NICs post them.
const (
	MaxFlows    = 1 << 22
	MaxMessages = 1 << 20 // of one flow, and four times as many of all flows together
	MaxPayload  = MaxMessages * units.GiB
)

// pieces is how many work requests a message of a size takes; at least 1.
func pieces(size units.Bytes) int { return max(1, int((size+units.GiB-1)/units.GiB)) }
