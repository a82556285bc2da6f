package tcp

import "github.com/rdmasim/rdmasim/sim/units"

// Config are the parameters of an endpoint. Endpoints share one and do not change it.
type Config struct {
	MTU        units.Bytes `key:"mtu" default:"1500B" min:"576B" max:"65500B" doc:"largest IP packet; 40 B of it are headers" source:"documented: IEEE 802.3"`
	Timestamps bool        `key:"timestamps" default:"true" doc:"each packet carries the timestamp option, which takes 12 B of its payload; round trips of what was sent again are measured then" source:"RFC 7323; Linux: tcp_timestamps"`
	TSO        units.Bytes `key:"tso" default:"64KiB" max:"64KiB" doc:"most payload handed to the adapter in one segment, which it cuts into packets; below two packets: a packet at a time" source:"Linux: gso_max_size"`
	TSODefer   bool        `key:"tso_defer" default:"true" doc:"a segment that the window cuts short waits for an acknowledgement if one is near, unless it is a third of the window" source:"Linux: tcp_tso_should_defer, tcp_tso_win_divisor"`

	InitialWindow int `key:"initial_window" default:"10" min:"1" max:"1000" doc:"packets that may be in flight at the start" source:"RFC 6928"`

	MinRTO      units.Time `key:"min_rto" default:"200ms" min:"1us" max:"60s" doc:"least retransmission timeout" source:"Linux: TCP_RTO_MIN; RFC 6298 has 1 s"`
	InitialRTO  units.Time `key:"initial_rto" default:"1s" min:"1us" max:"60s" doc:"retransmission timeout before a round trip has been measured" source:"RFC 6298"`
	MaxRTO      units.Time `key:"max_rto" default:"60s" min:"1ms" doc:"most that the timeout is doubled to" source:"RFC 6298; Linux has 120 s"`
	Granularity units.Time `key:"clock_granularity" default:"1ms" min:"1ns" max:"1s" doc:"granularity of the clock, the least that the timeout exceeds the smoothed round trip by" source:"RFC 6298; Linux: HZ=1000"`
	Retries     int        `key:"retries" default:"15" min:"1" max:"255" doc:"timeouts in a row after which the connection is given up" source:"Linux: tcp_retries2"`
	SynRetries  int        `key:"syn_retries" default:"6" min:"0" max:"127" doc:"how many times a SYN is sent again" source:"Linux: tcp_syn_retries; a SYN-ACK is sent again 5 times there"`
	TimeWait    units.Time `key:"time_wait" default:"60s" doc:"how long the end that closes first remembers the connection" source:"Linux: TCP_TIMEWAIT_LEN; RFC 9293 has 4 minutes"`

	DelayedAck units.Time `key:"delayed_ack" default:"40ms" max:"500ms" doc:"how long an acknowledgement waits for data to travel with, or for more to acknowledge; 0: none waits" source:"Linux: TCP_DELACK_MIN; RFC 9293 allows 500 ms"`
	AckEvery   int        `key:"ack_every" default:"2" min:"1" max:"64" doc:"full packets that are acknowledged at once; a segment merged of more than one packet is, too, with 2" source:"RFC 9293; Linux: __tcp_ack_snd_check"`
	QuickAcks  int        `key:"quick_acks" default:"16" min:"0" max:"65535" doc:"segments at the start of a connection that are each acknowledged at once, until the receiver answers with data" source:"Linux: TCP_MAX_QUICKACKS"`
	Nagle      bool       `key:"nagle" default:"false" doc:"a packet that is not full waits while another such is not acknowledged" source:"RFC 896 with Minshall's change, as Linux has it; off: TCP_NODELAY, which programs that care for latency set"`

	SACK bool `key:"sack" default:"true" doc:"selective acknowledgements" source:"RFC 2018"`
	RACK bool `key:"rack" default:"true" doc:"with sack: a packet is lost if one that was sent later has come and a quarter of a round trip has passed; if false, if three later ones have" source:"RFC 8985; RFC 6675"`
	TLP  bool `key:"tlp" default:"true" doc:"with sack: after two round trips without an acknowledgement the last packet is sent again, so that the loss of a tail need not wait for the timeout" source:"RFC 8985"`
	PRR  bool `key:"prr" default:"true" doc:"in recovery the window comes down in proportion to what is delivered; if false, at once" source:"RFC 6937"`

	ReceiveBuffer units.Bytes `key:"receive_buffer" default:"6MiB" min:"4KiB" max:"1GiB" doc:"memory of the receiver for what its program has not read" source:"Linux: tcp_rmem, the most that it tunes itself to"`
	WindowShare   units.Ratio `key:"window_share" default:"1/2" max:"1" doc:"share of the receive buffer that is offered as window; the rest is for what the kernel keeps beside the data" source:"Linux: tcp_adv_win_scale 1"`
	WindowScaling bool        `key:"window_scaling" default:"true" doc:"windows above 64 KiB" source:"RFC 7323"`
	SendBuffer    units.Bytes `key:"send_buffer" default:"4MiB" min:"4KiB" max:"1GiB" doc:"memory of the sender for what is not acknowledged" source:"Linux: tcp_wmem, the most that it tunes itself to"`

	ECN bool `key:"ecn" default:"false" doc:"packets are sent as ECN-capable, and marks are echoed until the sender says that it has reduced its window; a congestion control that needs each mark echoed has ECN whatever this says" source:"RFC 3168; Linux: tcp_ecn"`

	Pacing          bool        `key:"pacing" default:"false" doc:"segments are spread over the round trip also if the congestion control does not ask for it" source:"Linux: sch_fq, SO_MAX_PACING_RATE"`
	PacingSlowStart units.Ratio `key:"pacing_slow_start" default:"200%" min:"1" doc:"rate of pacing in slow start, in windows per round trip" source:"Linux: tcp_pacing_ss_ratio"`
	PacingAvoidance units.Ratio `key:"pacing_avoidance" default:"120%" min:"1" doc:"rate of pacing in congestion avoidance, in windows per round trip" source:"Linux: tcp_pacing_ca_ratio"`
}

// Defaults returns the parameters of a Linux host that has been left alone.
func Defaults() Config {
	return Config{
		MTU: 1500, Timestamps: true, TSO: 64 * units.KiB, TSODefer: true,
		InitialWindow: 10,
		MinRTO:        200 * units.Millisecond, InitialRTO: units.Second, MaxRTO: 60 * units.Second,
		Granularity: units.Millisecond, Retries: 15, SynRetries: 6, TimeWait: 60 * units.Second,
		DelayedAck: 40 * units.Millisecond, AckEvery: 2, QuickAcks: 16,
		SACK: true, RACK: true, TLP: true, PRR: true,
		ReceiveBuffer: 6 * units.MiB, WindowShare: units.Ratio{Num: 1, Den: 2}, WindowScaling: true, SendBuffer: 4 * units.MiB,
		PacingSlowStart: units.Ratio{Num: 2, Den: 1}, PacingAvoidance: units.Ratio{Num: 6, Den: 5},
	}
}

// Validate returns what is wrong with the parameters together; each alone its tags bound.
func (c *Config) Validate() error {
	switch {
	case c.WindowShare.IsZero():
		return units.Field("window_share", c.WindowShare, "no window would ever be offered", "greater than 0, such as 1/2")
	case c.MinRTO > c.MaxRTO:
		return units.Field("min_rto", c.MinRTO, "above max_rto", "at most "+c.MaxRTO.String())
	case c.InitialRTO > c.MaxRTO:
		return units.Field("initial_rto", c.InitialRTO, "above max_rto", "at most "+c.MaxRTO.String())
	}
	return nil
}

// What of an MTU is not payload: the headers of IPv4 and TCP, and the timestamp option with its padding.
const (
	headers   = 40
	timestamp = 12
)

// MSS is the largest payload of a packet between two ends of this configuration.
func (c *Config) MSS() units.Bytes {
	if c.Timestamps {
		return c.MTU - headers - timestamp
	}
	return c.MTU - headers
}

// capacity is the largest window that a receiver can offer.
func (c *Config) capacity() int64 {
	return max(int64(c.WindowShare.Of(c.ReceiveBuffer)), int64(c.MSS()))
}

// Shift is the number of bits by which windows are scaled on the wire: as few as the receive
// buffer's share needs, at most 14 (RFC 7323).
func (c *Config) Shift() uint8 {
	if !c.WindowScaling {
		return 0
	}
	shift := uint8(0)
	for c.capacity()>>shift > 65535 && shift < 14 {
		shift++
	}
	return shift
}
