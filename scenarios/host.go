package scenarios

import (
	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Host holds the settings of every host and its NICs.
type Host struct {
	Transport    string           `key:"transport" default:"rocev2" oneof:"rocev2|infiniband|iwarp|tcp" doc:"how messages travel, where a workload does not say it. rocev2: RDMA reliable connections over UDP and Ethernet; infiniband: the same on InfiniBand links, flow-controlled by credits for each virtual lane, whose switches cut through in 110 ns and mark nothing, and choose among ways of equal length by the queue pair, where a subnet manager's tables go by the destination; tcp: sockets, over the TCP of the hosts' kernels (host.tcp, host.kernel); iwarp: RDMA over a TCP that the adapter runs (host.iwarp, and host.tcp for its packets, its congestion control and its recovery from loss), without a processor's part in it; reliable connections only, and a message for which no receive request is posted ends its connection" source:"InfiniBand Architecture Specification, annex A17"`
	MTU          int              `key:"mtu" default:"4096" oneof:"256|512|1024|2048|4096" unless:"payload" doc:"path MTU in bytes: payload of a full packet" source:"RoCE deployments"`
	Payload      *int             `key:"payload" min:"1" max:"9000" doc:"payload of a full packet in bytes, in place of mtu, for comparison with simulators that use other sizes"`
	Control      strictyaml.Block `key:"congestion_control" kinds:"congestion_control" default:"{kind: dcqcn, profile: scaled}" doc:"how senders react to congestion" source:"RoCE deployments"`
	AckEvery     int              `key:"ack_every" default:"16" min:"0" max:"65536" doc:"packets after which an acknowledgement is asked for within a message; 0: only at its end" source:"assumed"`
	Window       units.Bytes      `key:"window" default:"0B" doc:"payload a queue pair may have unacknowledged, below what congestion control allows; 0: no bound" source:"RoCE NICs bound the rate and not the window"`
	WindowByRate bool             `key:"window_by_rate" default:"false" doc:"whether the window shrinks with the rate that congestion control allows, as the share that this is of the line" source:"assumed"`
	Timeout      int              `key:"timeout" default:"14" min:"0" max:"31" doc:"t of the retransmission timer 4.096 us x 2^t; 0: no timer" source:"perftest"`
	TimerFactor  int              `key:"timer_factor" default:"1" min:"1" max:"4" doc:"how many times that long the timer takes, which the standard leaves to the adapter" source:"InfiniBand Architecture Specification, volume 1, 9.7.6.1.3"`
	Retries      int              `key:"retries" default:"7" min:"0" max:"7" doc:"retransmissions without progress before the queue pair fails" source:"perftest"`
	Recovery     string           `key:"recovery" default:"go-back-n" oneof:"go-back-n|go-back-0|selective-repeat|adaptive" doc:"what a sender does when a packet is missing: it goes back to that packet; to the first of its message, as early adapters did; sends again what is missing only, as IRN; or goes back to the packet after a timer that begins short and doubles" source:"InfiniBand Architecture Specification, volume 1, 9.7.6"`
	Selective    Selective        `key:"selective_repeat" doc:"selective repeat, where recovery asks for it"`
	Adaptive     Adaptive         `key:"adaptive" doc:"the timer of recovery adaptive, in place of timeout"`
	NakRearm     units.Time       `key:"nak_rearm" default:"0s" doc:"time after which a receiver that still gets packets behind a gap repeats its negative acknowledgement; 0: it never does" source:"Linux rxe driver: once for each gap"`
	InitialPSN   int              `key:"initial_psn" default:"0" min:"0" max:"16777215" doc:"sequence number of the first packet of each queue pair" source:"assumed"`
	DSCP         DSCP             `key:"dscp" doc:"DSCP of the packets, which decides their priority"`
	ECT          bool             `key:"ect" default:"true" doc:"whether data packets are sent as ECN-capable, so that switches may mark them" source:"RoCE deployments"`
	CNP          CNP              `key:"cnp" doc:"the notification point: how receivers answer congestion marks"`

	Response     Standard[units.Time] `key:"pfc_response" default:"standard" doc:"time a NIC takes to obey a pause; standard: the longest that IEEE 802.3 allows at its rate" source:"IEEE 802.3, as in SONiC's table of quanta by rate"`
	VLBuffer     units.Bytes          `key:"vl_buffer" default:"64KiB" min:"64B" max:"128KiB" doc:"transport infiniband: receive buffer of a NIC port for each virtual lane; credits cannot grant more than 128 KiB" source:"assumed; InfiniBand Architecture Specification, volume 1, 7.9: at most 2048 blocks of 64 bytes"`
	CreditDelay  units.Time           `key:"credit_delay" default:"20ns" max:"1s" doc:"transport infiniband: time from the last bit of a flow-control packet at a NIC to its effect" source:"assumed"`
	PacketGap    units.Bytes          `key:"packet_gap" default:"4B" max:"64B" doc:"transport infiniband: what each packet takes on a link beyond its bytes, in framing symbols and idle ones, at NICs and switches alike" source:"assumed: 2 to 4 bytes"`
	ServiceLevel ServiceLevel         `key:"service_level" doc:"transport infiniband: service level of the packets, which is their virtual lane and their priority"`
	Cores        int                  `key:"cores" default:"16" min:"1" max:"1024" doc:"processor cores of each host; threads of programs are pinned to them in turn" source:"assumed"`
	Clock        float64              `key:"clock" default:"3.4" min:"0.1" max:"20" doc:"clock of the processor cores in GHz; no time hangs on it, it makes cycles of processor time" source:"Cai et al., Understanding Host Network Stack Overheads, SIGCOMM 2021: the servers of its measurements"`
	Receive      Receive              `key:"receive" doc:"receive buffers of NICs whose hosts are slow"`
	NIC          hardware.Config      `key:"nic" doc:"what adapters and hosts cost: work requests, PCIe, pipelines, rates of messages; ideal: nothing"`
	TCP          TCP                  `key:"tcp" doc:"TCP of the hosts, for workloads with transport tcp, and of adapters for those with transport iwarp"`
	IWARP        IWARP                `key:"iwarp" doc:"transport iwarp: what the TCP of adapters has of its own; they send no timestamps, and packet by packet"`
	Kernel       kernel.Config        `key:"kernel" doc:"what the operating system takes of the processor for TCP, and how it goes about it"`
	Slots        []Slot               `key:"slots" doc:"hosts whose NICs are in other PCIe slots than nic says"`
	Connections  rdmacm.Params        `key:"connections" doc:"what it takes to make connections during a run"`
	Registration memory.Registration  `key:"registration" doc:"what it takes to register memory"`
}

// Selective holds the settings of selective repeat.
type Selective struct {
	Window    int        `key:"window" default:"0" min:"0" max:"65535" doc:"packets in flight, from the oldest that is not acknowledged on; 0: the bandwidth-delay product of the longest way that queue pairs of the run have, in full frames, rounded up" source:"Mittal et al., Revisiting Network Support for RDMA, SIGCOMM 2018, 3.2: BDP-FC"`
	TimerLow  units.Time `key:"timer_low" default:"100us" doc:"time without progress after which what is outstanding is sent again, with few packets in flight; 0s: never" source:"Mittal et al., SIGCOMM 2018, 4.1: RTO_low"`
	TimerHigh units.Time `key:"timer_high" default:"320us" doc:"likewise with more in flight" source:"Mittal et al., SIGCOMM 2018, 4.1: RTO_high"`
	Few       int        `key:"few" default:"3" min:"0" max:"65535" doc:"packets in flight up to which the low timer counts" source:"Mittal et al., SIGCOMM 2018, 4.1: N"`
}

// Adaptive holds the settings of the adaptive retransmission timer.
type Adaptive struct {
	Start units.Time `key:"start" default:"16us" min:"1us" doc:"first value of the timer, and that after every progress" source:"assumed: NVIDIA's adaptive retransmission, whose values are not published"`
	Limit units.Time `key:"limit" default:"16384us" min:"1us" doc:"greatest value, tried as often as host.retries says" source:"assumed"`
	Tries int        `key:"tries" default:"1" min:"1" max:"255" doc:"how often each value before is tried until it doubles" source:"assumed"`
}

// Validate refuses a timer whose greatest value is less than its first.
func (a *Adaptive) Validate() error {
	if a.Limit < a.Start {
		return units.Field("limit", a.Limit, "less than the first value", "at least "+a.Start.String())
	}
	return nil
}

// CNP holds the settings of the notification point of each NIC, which answers marked packets with congestion notifications
// if the congestion control of the senders wants them.
type CNP struct {
	Enabled  bool             `key:"enabled" default:"true" doc:"whether marks are answered at all; false: as a NIC on which nobody has switched the notification point on" source:"ConnectX: roce_np/enable, on by default"`
	Interval Auto[units.Time] `key:"interval" default:"auto" doc:"least time between two notifications of one queue pair, 0s to answer each mark; auto: that of the congestion control" source:"assumed"`
	Latency  units.Time       `key:"latency" default:"500ns" doc:"time from a marked packet to the notification that answers it" source:"assumed"`
}

// DSCP holds the DSCP of each sort of packet a NIC sends.
type DSCP struct {
	Data       int `key:"data" default:"26" min:"0" max:"63" doc:"data" source:"NVIDIA, RoCE configuration guides"`
	Ack        int `key:"ack" default:"26" min:"0" max:"63" doc:"acknowledgements, positive and negative" source:"assumed: the class of the request"`
	Management int `key:"management" default:"0" min:"0" max:"63" doc:"the packets by which connections are made during a run" source:"Linux ib_cm: traffic class 0"`
	TCP        int `key:"tcp" default:"0" min:"0" max:"63" doc:"TCP segments" source:"RFC 2474: best effort"`
	CNP        int `key:"cnp" default:"48" min:"0" max:"63" doc:"congestion notifications" source:"ConnectX firmware default CNP_DSCP"`
}

// PacketPayload returns the payload of a full packet in bytes, whether it was given as mtu or as payload.
func (h *Host) PacketPayload() int {
	if h.Payload != nil {
		return *h.Payload
	}
	return h.MTU
}

// Validate refuses a window in which no full packet fits: a queue pair could never send one. It refuses slots of a bus
// that takes no time.
func (h *Host) Validate() error {
	if len(h.Slots) > 0 && h.NIC.PCIe.Instant() {
		return &units.FieldError{Key: "slots", Problem: "the adapters have no bus that takes time", Want: "nic: {profile: connectx5}, say, or no slots"}
	}
	if h.Window != 0 && h.Window < units.Bytes(h.PacketPayload()) {
		return units.Field("window", h.Window, "smaller than the payload of one packet", "at least "+units.Bytes(h.PacketPayload()).String()+", or 0 for no bound")
	}
	return nil
}
