package rdmacm

import "github.com/rdmasim/rdmasim/sim/units"

// Params are the times of connection management. Those of the first group are what a host
// spends; all may be 0. [Default] and [Costless] make some.
type Params struct {
	Command    units.Time `key:"command" default:"150us" doc:"time the adapter's firmware takes for one command: create a queue pair with its completion queue, change its state, destroy it; one after the other" source:"assumed; measured by others as 100 to 200 us"`
	Processing units.Time `key:"processing" default:"50us" doc:"time a host takes to handle one message of connection management that has come in, up to the program's knowing; one after the other" source:"assumed"`
	ARP        units.Time `key:"arp" default:"5us" doc:"time a host takes to answer an ARP request" source:"assumed: a soft interrupt in the kernel"`

	Timeout        units.Time `key:"timeout" default:"6442450944ns" min:"1ns" doc:"time after which REQ, REP and DREQ are sent again if they are not answered" source:"Linux rdma_cm: 4.096 us * 2^20 for the response and twice 4.096 us * 2^18 for the way"`
	Retries        int        `key:"retries" default:"15" min:"0" max:"15" doc:"how many times they are sent again" source:"Linux rdma_cm; the field has 4 bits"`
	ResolveTimeout units.Time `key:"resolve_timeout" default:"1s" min:"1ns" doc:"time after which an ARP request is sent again" source:"Linux: retrans_time_ms"`
	ResolveRetries int        `key:"resolve_retries" default:"2" min:"0" max:"15" doc:"how many times it is sent again" source:"Linux: mcast_solicit of 3 requests"`
	Timewait       units.Time `key:"timewait" default:"2147483648ns" doc:"time for which the number of a queue pair that was connected is not used again, lest late packets reach another connection" source:"Linux ib_cm: twice the packet lifetime, 4.096 us * 2^18"`
}

// Default are the times of a server with Linux, as the tags of [Params] give them.
func Default() Params {
	p := Costless()
	p.Command, p.Processing, p.ARP = 150*units.Microsecond, 50*units.Microsecond, 5*units.Microsecond
	return p
}

// Costless are those of a host that takes no time for anything, but waits for answers as
// Linux does.
func Costless() Params {
	const unit = 4096 * units.Nanosecond // of the timers of InfiniBand, which are powers of two of it
	return Params{
		Timeout: unit<<20 + 2*unit<<18, Retries: 15, ResolveTimeout: units.Second, ResolveRetries: 2, Timewait: 2 * unit << 18,
	}
}
