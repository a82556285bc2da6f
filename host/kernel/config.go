package kernel

import "github.com/rdmasim/rdmasim/sim/units"

// Config is what a kernel costs, and how it works. All times are of one core.
type Config struct {
	Profile string `key:"profile" default:"linux" oneof:"linux|busy-poll|bypass|ideal" doc:"operating system that the keys below describe unless they are given. linux: interrupts and sleeping threads; busy-poll: threads that look for packets themselves; bypass: TCP in the application itself, on a driver that polls; ideal: no processor takes any time" source:"assumed: a Linux server of today"`

	Syscall  units.Time  `key:"syscall" default:"400ns" max:"1ms" doc:"a system call to send or to receive, beside what it copies: entry, lock of the socket, buffers" source:"fitted: with copy, page, packet and aggregate, to 55 to 66 Gb/s of one flow at MTU 1500 and 82 to 95 at 4096 with application and softirq on two cores, as commits to Linux by E. Dumazet tell"`
	Copy     units.Time  `key:"copy" default:"75ps" max:"1us" doc:"copy of a byte between application and kernel, one way, where the data is in the caches: 13.3 GB/s" source:"assumed: last-level cache bandwidth of one core"`
	ColdCopy units.Time  `key:"cold_copy" default:"130ps" max:"1us" doc:"likewise where it is not: 7.7 GB/s" source:"assumed: memory bandwidth of one core; with it one core for all receives the 42 Gb/s at MTU 4096 and above of Cai et al., Understanding Host Network Stack Overheads, SIGCOMM 2021"`
	Caches   string      `key:"caches" default:"hot" oneof:"hot|cold" doc:"whether data that is copied is in the caches" source:"assumed: adapters write into the last-level cache (DDIO)"`
	Copies   int         `key:"copies" default:"1" min:"1" max:"16" doc:"copies of each byte at either end: one between application and kernel, and what libraries and the application add" source:"Linux: one; what applications do is their own matter"`
	Page     units.Time  `key:"page" default:"50ns" max:"1ms" doc:"to give back the page of one packet, in the system call that receives" source:"fitted: see syscall"`
	IO       units.Bytes `key:"io" default:"64KiB" min:"1B" max:"16MiB" doc:"what an application hands to one system call, at the most" source:"assumed: a system call moves at most a segment"`
	Epoll    units.Time  `key:"epoll" default:"400ns" max:"1ms" doc:"to be told which of several sockets has something, for a thread with more than one (epoll_wait): once for several" source:"assumed: 300 to 600 ns"`
	Event    units.Time  `key:"epoll_event" default:"40ns" max:"1ms" doc:"likewise for each of them" source:"assumed: to take it off the list of those that are ready, to look at it and to copy what is told of it"`
	Events   int         `key:"epoll_events" default:"64" min:"1" max:"65536" doc:"how many one such system call tells of at the most" source:"assumed: event libraries begin with 32 to 512"`
	Backlog  int         `key:"backlog" default:"4096" min:"1" max:"65536" doc:"connections that may wait to be accepted, and as many of which the handshake has begun; SYNs beyond that are dropped" source:"Linux: net.core.somaxconn since 5.4"`
	Open     units.Time  `key:"open" default:"20us" max:"1s" doc:"what it takes to make a connection, at either end: in the system calls socket and connect, and in the softirq that gets a SYN; to accept one is a system call like others" source:"assumed: 20 to 50 us on each side"`
	Ports    int         `key:"ports" default:"28232" min:"1" max:"64512" doc:"ports for connections that a thread opens to another host; each is free again when TIME-WAIT is over" source:"Linux: net.ipv4.ip_local_port_range is 32768 to 60999; none is used again before (tcp_tw_reuse) but on the loopback"`
	Close    units.Time  `key:"close" default:"1us" max:"1s" doc:"system call that ends one" source:"assumed"`

	Transmit     units.Time `key:"transmit" default:"1500ns" max:"1ms" doc:"TCP, IP, queueing discipline, driver and doorbell, for each segment of at most 64 KiB" source:"fitted: to 89 Gb/s of one sending core, Cai et al., SIGCOMM 2021"`
	Completion   units.Time `key:"completion" default:"200ns" max:"1ms" doc:"to free a segment that was sent" source:"assumed"`
	Segmentation bool       `key:"segmentation" default:"true" doc:"whether the adapter cuts segments into packets (TSO); else each packet costs what a segment does" source:"Linux: on"`
	Zerocopy     bool       `key:"zerocopy" default:"false" doc:"whether what is sent is not copied (MSG_ZEROCOPY); then each system call has a notification to be handled" source:"Linux: off unless a program asks for it"`
	Notify       units.Time `key:"notify" default:"1500ns" max:"1ms" doc:"that notification" source:"assumed: 1 to 2 us"`
	QueueLimit   int        `key:"queue_limit" default:"2" min:"1" max:"1024" doc:"segments of a connection below its socket, on their way to the wire (TCP small queues)" source:"Linux: tcp_limit_output_bytes and 1 ms at the pacing rate"`

	Interrupt  units.Time  `key:"interrupt" default:"1200ns" max:"1ms" doc:"handler of an interrupt, and the start of the softirq" source:"assumed"`
	Moderation units.Time  `key:"moderation" default:"3us" max:"1s" doc:"from the first packet to its interrupt (rx-usecs), where few packets come" source:"assumed: adaptive moderation of 0 to 8 us"`
	Bulk       units.Time  `key:"moderation_bulk" default:"8us" max:"1s" doc:"likewise after an interrupt that found bulk packets or more: adaptive moderation" source:"assumed: adaptive moderation of 0 to 8 us; Linux: net_dim has steps up to 256 us"`
	BulkFrom   int         `key:"bulk" default:"16" min:"1" max:"65535" doc:"packets from one interrupt to the end of its polling that make the next one wait for moderation_bulk" source:"assumed"`
	Frames     int         `key:"moderation_frames" default:"64" min:"1" max:"65535" doc:"packets that raise the interrupt before that (rx-frames)" source:"assumed"`
	Packet     units.Time  `key:"packet" default:"120ns" max:"1ms" doc:"driver, page and merging, for each packet received" source:"fitted: see syscall"`
	Aggregate  units.Time  `key:"aggregate" default:"1000ns" max:"1ms" doc:"IP, TCP and the queue of the socket, for each aggregate of packets (GRO)" source:"fitted: see syscall"`
	Ack        units.Time  `key:"ack" default:"600ns" max:"1ms" doc:"likewise for an acknowledgement without data" source:"assumed"`
	Merging    bool        `key:"merging" default:"true" doc:"whether packets are merged into aggregates (GRO): those of one flow, in order, with the same mark" source:"Linux: on"`
	Merged     units.Bytes `key:"merged" default:"65535B" min:"1B" max:"512KiB" doc:"payload of an aggregate, at the most" source:"Linux: GRO_LEGACY_MAX_SIZE"`
	Budget     units.Time  `key:"budget" default:"2ms" min:"1us" max:"1s" doc:"time for which softirqs keep threads from a core; after that both take turns (ksoftirqd)" source:"Linux: MAX_SOFTIRQ_TIME"`
	Ring       int         `key:"ring" default:"1024" min:"1" max:"65536" doc:"packets in the receive ring of a core; what finds it full is dropped at the host" source:"Linux: mlx5, default of ethtool -g"`
	Steering   string      `key:"steering" default:"rss" oneof:"rss|same|other" doc:"core of a connection's softirq. rss: by a hash, over all cores; same: that of the application (aRFS); other: the next to that" source:"Linux: RSS on, RFS off"`

	Wake     units.Time `key:"wake" default:"2us" max:"1ms" doc:"to wake a thread that sleeps and to switch to it" source:"assumed: 1.5 to 2.5 us"`
	Idle     units.Time `key:"idle_exit" default:"0s" max:"1s" doc:"what a core takes to leave the idle state in which an interrupt or a thread that wakes finds it" source:"assumed: shallow states only; Linux intel_idle: 2 us for C1E to 40 us and above for C6 with its caches flushed"`
	IdleFrom units.Time `key:"idle_after" default:"20us" max:"1s" doc:"time after which an idle core is in that state" source:"Linux intel_idle: target residencies of 4 to 600 us"`
	BusyPoll bool       `key:"busy_poll" default:"false" doc:"whether threads look for packets of their sockets themselves instead of sleeping (SO_BUSY_POLL): no moderation, no interrupt, no waking, and a core each" source:"Linux: off"`

	DMA units.Time `key:"dma" default:"750ns" max:"1ms" doc:"from the doorbell to the first bit of a segment on the wire: descriptor and payload are read over the bus" source:"assumed: 0.5 to 1 us"`
}

// Words of the keys caches and steering.
const (
	Cold  = "cold"
	Same  = "same"
	Other = "other"
)

// CopyTime is what it takes to copy so many bytes, as often as they are.
func (c *Config) CopyTime(n units.Bytes) units.Time {
	each := c.Copy
	if c.Caches == Cold {
		each = c.ColdCopy
	}
	return units.Time(n) * each * units.Time(c.Copies)
}
