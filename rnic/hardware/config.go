package hardware

import (
	"github.com/rdmasim/rdmasim/rnic/contexts"
	"github.com/rdmasim/rdmasim/rnic/pcie"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Config is what an adapter and its host are like. The zero value, but for the bus's
// sizes, is the ideal adapter.
type Config struct {
	Profile string `key:"profile" default:"ideal" oneof:"ideal|connectx5|connectx6|connectx7" doc:"adapter that the keys below describe unless they are given; ideal: one that costs no time at all" source:"assumed: theory about networks knows no hosts"`

	Post       units.Time  `key:"post" default:"0s" max:"1ms" doc:"time of the processor to build a work request and to ring the doorbell" source:"assumed: an ideal host"`
	Poll       units.Time  `key:"poll" default:"0s" max:"1ms" doc:"time of the processor to find a completion that is in memory" source:"assumed: an ideal host"`
	Doorbell   units.Time  `key:"doorbell" default:"0s" max:"1ms" doc:"time of a write of the processor to the adapter: a doorbell, or a work request" source:"assumed: an ideal host"`
	Event      units.Time  `key:"event" default:"0s" max:"1s" doc:"time from a completion in memory to the program that waits for it, by an interrupt" source:"assumed: an ideal host"`
	BlueFlame  units.Bytes `key:"blueflame" default:"256B" min:"0B" max:"4KiB" doc:"longest work request that the processor writes to the adapter itself, if it posts one alone; longer ones, and several at once, the adapter fetches after a doorbell" source:"driver: mlx5, whose blue flame registers take 256 B at a time; what perftest posts inline, 220 B of WRITE, 236 of SEND or 188 in datagrams, makes work requests of 256 B"`
	Inline     units.Bytes `key:"inline" default:"220B" min:"0B" max:"4KiB" doc:"longest message that travels within its work request, so that the adapter need not read it" source:"documented: perftest, WRITE"`
	WQEBatch   int         `key:"wqe_batch" default:"16" min:"1" max:"256" doc:"work requests that the adapter fetches with one read, of send and of receive queues; it fetches the next ones while it works on them" source:"assumed"`
	Moderation Moderation  `key:"moderation" doc:"completions for which programs that sleep are woken once"`
	CQE        units.Bytes `key:"cqe" default:"64B" min:"0B" max:"4KiB" doc:"bytes of a completion in host memory" source:"driver: mlx5"`

	TxPipeline units.Time  `key:"tx_pipeline" default:"0s" max:"1ms" doc:"time of a packet, with its payload at hand, through the adapter to the wire" source:"assumed: an ideal host"`
	RxPipeline units.Time  `key:"rx_pipeline" default:"0s" max:"1ms" doc:"time of a packet from the wire through the adapter until it has an effect" source:"assumed: an ideal host"`
	TCP        units.Time  `key:"tcp_pipeline" default:"0s" max:"1ms" doc:"transport iwarp: time that a packet takes through the engine of TCP and MPA beside tx_pipeline, and again beside rx_pipeline" source:"assumed: an ideal host"`
	QPGap      units.Time  `key:"qp_gap" default:"0s" max:"1ms" doc:"least time between the first packets of two work requests of one queue pair, which an adapter handles one after another" source:"assumed: an ideal host"`
	PortGap    units.Time  `key:"port_gap" default:"0s" max:"1ms" doc:"least time between the starts of two packets of a port" source:"assumed: an ideal host"`
	Atomic     units.Time  `key:"atomic" default:"0s" max:"1ms" doc:"least time between two atomic operations on one word of memory, which an adapter carries out one after another" source:"assumed: an ideal host"`
	TxBuffer   units.Bytes `key:"tx_buffer" default:"0B" max:"1GiB" doc:"frames of a priority that the adapter prepares ahead of the wire; a frame too many is allowed, so that 0 is one frame" source:"assumed: an ideal host"`

	Contexts     contexts.Config `key:"contexts" doc:"contexts of queue pairs on the adapter"`
	Translations contexts.Config `key:"translations" doc:"translations of addresses on the adapter: one for each region that is registered, and one for each of its pages (host.registration.page); only programs register memory, flows need none"`

	PCIe   pcie.Config `key:"pcie" doc:"the slot"`
	Memory string      `key:"memory" default:"host" oneof:"host|near|far|bounce" doc:"where payload is: host memory; a GPU under the same PCIe switch; a GPU on the other socket; a GPU that the adapter cannot reach, so that payload is copied through host memory" source:"assumed"`
	Near   Distance    `key:"near" doc:"a GPU under the same switch"`
	Far    Distance    `key:"far" doc:"a GPU on the other socket"`
	Bounce pcie.Bounce `key:"bounce" doc:"copies between a GPU and host memory"`
}

// Distance is how far from the adapter a memory is.
type Distance struct {
	Read  units.Time `key:"read_latency" default:"0s" max:"1ms" doc:"from a read request on the bus to its first completion" source:"assumed: an ideal host"`
	Write units.Time `key:"write_latency" default:"0s" max:"1ms" doc:"from the last bit of a posted write on the bus until who reads that memory sees it" source:"assumed: an ideal host"`
}

// Moderation is what puts off the events of completion queues.
type Moderation struct {
	Count  int        `key:"count" default:"1" min:"1" max:"65535" doc:"completions after which an armed completion queue raises its event" source:"ibv_modify_cq: off unless somebody asks for it"`
	Period units.Time `key:"period" default:"0s" max:"1s" doc:"time after the first of them after which it does so anyway" source:"ibv_modify_cq: off unless somebody asks for it"`
}

// Validate refuses to wait for completions that may never come.
func (m *Moderation) Validate() error {
	if m.Count > 1 && m.Period == 0 {
		return units.Field("period", m.Period, "with fewer completions than moderation.count no event would ever come", "a time, such as 16us")
	}
	return nil
}

// Words of the key memory.
const (
	HostMemory = "host"
	Near       = "near"
	Far        = "far"
	Bounce     = "bounce"
)

// Validate refuses memory at a distance behind a bus that takes no time.
func (c *Config) Validate() error {
	if c.PCIe.Instant() && c.Memory != HostMemory {
		return units.Field("memory", c.Memory, "there is no bus, so that all memory is alike", "a profile other than ideal, or pcie.generation: 1 to 6")
	}
	return nil
}

// Ideal tells whether the adapter costs nothing.
func (c *Config) Ideal() bool {
	return c.Post == 0 && c.Poll == 0 && c.Doorbell == 0 && c.Event == 0 &&
		c.TxPipeline == 0 && c.RxPipeline == 0 && c.TCP == 0 && c.QPGap == 0 && c.PortGap == 0 && c.Atomic == 0 && c.Moderation.Count <= 1 &&
		c.Contexts.Entries == 0 && c.Translations.Entries == 0 &&
		c.PCIe.Instant() && c.PCIe.ReadLatency == 0 && c.PCIe.WriteLatency == 0
}

// Payload is the memory at which the adapter reads and writes payload.
func (c *Config) Payload() pcie.Memory {
	switch c.Memory {
	case Near:
		return pcie.Memory(c.Near)
	case Far:
		return pcie.Memory(c.Far)
	}
	return c.PCIe.Host()
}

// SendRate is the most payload that the slot lets the adapter send, in packets of so many bytes; 0 if it sets no bound.
func (c *Config) SendRate(packet units.Bytes) units.Rate {
	return c.PCIe.ReadRate(packet, c.Payload().Read)
}

// ReceiveRate is the most payload that the slot lets it take in; 0 if it sets no bound.
func (c *Config) ReceiveRate(packet units.Bytes) units.Rate { return c.PCIe.WriteRate(packet) }

const (
	// DoorbellBytes is what a doorbell writes.
	DoorbellBytes units.Bytes = 8
	// ReceiveWQEBytes is a receive request, which is no more than the address of one buffer, in
	// the layout of mlx5.
	ReceiveWQEBytes units.Bytes = 16
	// WQEUnit is the unit of which work requests take a whole number.
	WQEUnit units.Bytes = 64
	// What a work request has beside its payload, in the layout of mlx5: a control segment; the
	// remote address of a WRITE, or where a datagram goes; the header of inline payload.
	controlSegment, remoteSegment, datagramSegment, inlineHeader units.Bytes = 16, 16, 48, 4
)

// Inlines tells whether a message of that size travels within its work request.
func (c *Config) Inlines(size units.Bytes) bool { return size <= c.Inline }

// WQEBytes is the size of a work request for a WRITE of that size.
func (c *Config) WQEBytes(size units.Bytes) units.Bytes {
	if !c.Inlines(size) {
		return WQEUnit
	}
	return InlineWQEBytes(Writes, size)
}

// Goes is how a message says where it goes.
type Goes uint8

// The ways: a WRITE names memory, a SEND nothing, a datagram another host.
const (
	Writes Goes = iota
	Sends
	Datagrams
)

// InlineWQEBytes is the size of a work request with so much payload in it.
func InlineWQEBytes(where Goes, size units.Bytes) units.Bytes {
	all := controlSegment + inlineHeader + size
	switch where {
	case Writes:
		all += remoteSegment
	case Datagrams:
		all += datagramSegment
	}
	return (all + WQEUnit - 1) / WQEUnit * WQEUnit
}
