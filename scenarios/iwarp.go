package scenarios

import (
	"errors"
	"slices"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// IWARP holds the settings of the TCP that adapters run, where they are not those of the hosts' own.
type IWARP struct {
	SendWindow    units.Bytes `key:"send_window" default:"128KiB" min:"4KiB" max:"1GiB" doc:"most that a queue pair has sent and not had acknowledged, headers of its messages included" source:"Linux, iw_cxgb4 driver: snd_win"`
	ReceiveWindow units.Bytes `key:"receive_window" default:"256KiB" min:"4KiB" max:"1GiB" doc:"window that it offers; adapters take in at once what has come in order" source:"Linux, iw_cxgb4 driver: rcv_win"`
	AckEvery      int         `key:"ack_every" default:"1" min:"1" max:"64" doc:"packets that are acknowledged at once; no acknowledgement is put off, for which the end of a request would wait" source:"Linux, iw_cxgb4 driver: dack_mode 0 since 5.10"`
}

// useIWARP has NICs run TCP, if any workload needs it: the hosts' own, but without timestamps and in the windows of adapters.
func (s *Spec) useIWARP(c *rnic.Config) {
	if !s.speaks(iwarp) {
		return
	}
	own := &s.Host.IWARP
	c.IWARP = rnic.NewIWARP(s.Host.TCP.Config, s.Host.TCP.Control.Params.(congestion.Params))
	t := &c.IWARP.TCP
	t.SendBuffer, t.ReceiveBuffer, t.AckEvery = own.SendWindow, own.ReceiveWindow, own.AckEvery
}

// foreignToIWARP are the keys of RDMA over UDP, and those of TCP in kernels.
var foreignToIWARP = []foreign{
	{"host.mtu", "packets are those of TCP", "host.tcp.mtu"},
	{"host.payload", "packets are those of TCP", "host.tcp.mtu"},
	{"host.congestion_control", "senders hear of congestion from TCP", "host.tcp.congestion_control"},
	{"host.ack_every", "acknowledgements are those of TCP", "host.iwarp.ack_every"},
	{"host.window", "the window is that of TCP", "host.iwarp.send_window"},
	{"host.window_by_rate", "the window is that of TCP", "leave it out"},
	{"host.timeout", "the retransmission timer is that of TCP", "host.tcp.min_rto"},
	{"host.timer_factor", "the retransmission timer is that of TCP", "host.tcp.min_rto"},
	{"host.retries", "it is TCP that gives up", "host.tcp.retries"},
	{"host.recovery", "what is lost TCP sends again", "host.tcp.sack and host.tcp.rack"},
	{"host.selective_repeat", "what is lost TCP sends again", "host.tcp.sack and host.tcp.rack"},
	{"host.adaptive", "the retransmission timer is that of TCP", "host.tcp.min_rto"},
	{"host.nak_rearm", "TCP has no negative acknowledgements", "leave it out"},
	{"host.ect", "whether packets may be marked is for TCP to say", "host.tcp.ecn"},
	{"host.cnp", "TCP echoes marks in its acknowledgements", "host.tcp.ecn"},
	{"host.dscp.ack", "acknowledgements are in the class of the data, and many travel with it", "host.dscp.data"},
	{"host.dscp.cnp", "TCP echoes marks in its acknowledgements", "leave it out"},
	{"host.tcp.timestamps", "adapters send none", "leave it out"},
	{"host.tcp.tso", "adapters send packet by packet", "leave it out"},
	{"host.tcp.tso_defer", "adapters send packet by packet", "leave it out"},
	{"host.tcp.nagle", "each message is sent at once", "leave it out"},
	{"host.tcp.delayed_ack", "adapters put off no acknowledgement", "host.iwarp.ack_every"},
	{"host.tcp.ack_every", "that is for the TCP of kernels", "host.iwarp.ack_every"},
	{"host.tcp.quick_acks", "adapters put off no acknowledgement", "host.iwarp.ack_every"},
	{"host.tcp.receive_buffer", "that is for the TCP of kernels", "host.iwarp.receive_window"},
	{"host.tcp.window_share", "that is for the TCP of kernels", "host.iwarp.receive_window"},
	{"host.tcp.send_buffer", "that is for the TCP of kernels", "host.iwarp.send_window"},
}

// refuseForeignToIWARP refuses what means nothing where all workloads go over iWARP, because the hosts say so. Where it is a
// variant or an override that has them say so, what the scenario says for another transport is left alone.
func (s *Spec) refuseForeignToIWARP() []error {
	var keys []foreign
	rdma, kernels := s.speaks(rocev2), s.speaks(overTCP)
	for _, k := range foreignToIWARP {
		switch ofKernels := covers("host.tcp", k.key); {
		case ofKernels && kernels || !ofKernels && rdma:
		case k.key == "host.congestion_control" && s.Host.Control.Kind == cc.None.Name: // which is what there is of it
		default:
			keys = append(keys, k)
		}
	}
	faults := s.refuseForeign(keys, "with transport iwarp")
	if from, _ := s.origins.Of(transportKey); from.From != strictyaml.FromSet {
		return faults
	}
	return slices.DeleteFunc(faults, func(err error) bool {
		var f *units.FieldError
		if !errors.As(err, &f) {
			return false
		}
		from, _ := s.origins.Of(f.Key)
		return from.From != strictyaml.FromSet
	})
}
