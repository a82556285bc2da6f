package workloads

import "github.com/rdmasim/rdmasim/sim/units"

// How messages travel.
const (
	RoCEv2     = "rocev2"     // RDMA over UDP and Ethernet
	InfiniBand = "infiniband" // RDMA on InfiniBand links
	IWARP      = "iwarp"      // RDMA over a TCP that the adapter runs
	TCP        = "tcp"        // sockets, over the TCP of the hosts' kernels
)

// HostTransport, and nothing, leave to the configuration of the hosts how a workload travels.
const HostTransport = "host"

// Travel says how the messages of a workload travel. Every workload has it.
type Travel struct {
	Transport string `key:"transport" default:"host" oneof:"host|rocev2|infiniband|iwarp|tcp" doc:"how messages travel; host: as host.transport says; infiniband: where that says so only; over tcp a queue pair is a connection of sockets, and keys of what only RDMA has mean nothing"`
}

// Over returns how the messages of a workload travel: one of the words [RoCEv2], [InfiniBand], [IWARP] and [TCP]. A problem comes
// as a *units.FieldError.
func (t *Travel) Over(env Env) (string, error) {
	host := env.Transport
	if host == "" {
		host = RoCEv2
	}
	switch own := t.Transport; {
	case own == "" || own == HostTransport || own == host:
		return host, nil
	case host == InfiniBand:
		return "", units.Field("transport", own, "the links of this network are InfiniBand, as host.transport says, and carry nothing else", "infiniband, or leave it out")
	case own == InfiniBand:
		return "", units.Field("transport", own, "the links of this network are Ethernet, as host.transport is "+host, "rocev2, iwarp or tcp; or host.transport: infiniband")
	default:
		return own, nil
	}
}
