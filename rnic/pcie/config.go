package pcie

import (
	"errors"
	"math/bits"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Config is what a slot is like.
type Config struct {
	Generation   int         `key:"generation" default:"0" min:"0" max:"6" doc:"generation of PCI Express: 2.5, 5, 8, 16, 32 or 64 GT/s a lane; 0: a bus that takes no time" source:"assumed: an ideal host"`
	Width        int         `key:"width" default:"16" oneof:"1|2|4|8|12|16" doc:"lanes of the slot" source:"documented: PCI Express base specification"`
	MPS          units.Bytes `key:"mps" default:"256B" min:"128B" max:"4KiB" doc:"most payload of a packet of the transaction layer (Max_Payload_Size)" source:"assumed: what firmware of servers sets; the specification has 128 B to 4 KiB"`
	MRRS         units.Bytes `key:"mrrs" default:"512B" min:"128B" max:"4KiB" doc:"most bytes that one read request asks for (Max_Read_Request_Size)" source:"documented: PCI Express base specification, value after reset"`
	RCB          units.Bytes `key:"rcb" default:"64B" min:"64B" max:"128B" doc:"boundary at which completions of a read may be cut (Read Completion Boundary)" source:"documented: PCI Express base specification, root complexes have 64 or 128 B"`
	Header       units.Bytes `key:"header" default:"24B" min:"0B" max:"256B" doc:"bytes that a posted write or a read request has beside its payload: header with a 64-bit address, framing, sequence number, check sum" source:"documented: Neugebauer et al., SIGCOMM 2018"`
	Completion   units.Bytes `key:"completion_header" default:"20B" min:"0B" max:"256B" doc:"bytes that a completion has beside its payload" source:"documented: Neugebauer et al., SIGCOMM 2018"`
	DLLP         units.Ratio `key:"dllp_share" default:"0" max:"50%" doc:"share of the rate that acknowledgements and credits of the data link layer take" source:"assumed"`
	Tags         int         `key:"tags" default:"32" min:"1" max:"1024" doc:"read requests that the adapter may have open" source:"documented: PCI Express base specification, without extended tags"`
	ReadLatency  units.Time  `key:"read_latency" default:"0s" max:"1ms" doc:"from a read request on the bus to its first completion, host memory" source:"assumed: an ideal host"`
	WriteLatency units.Time  `key:"write_latency" default:"0s" max:"1ms" doc:"from the last bit of a posted write on the bus until software sees it, host memory" source:"assumed: an ideal host"`
}

// Validate finds sizes that are no powers of two.
func (c *Config) Validate() error {
	var faults []error
	check := func(key string, size units.Bytes) {
		if bits.OnesCount64(uint64(size)) != 1 {
			faults = append(faults, units.Field(key, size, "not a power of two", "128B, 256B, 512B and so on"))
		}
	}
	check("mps", c.MPS)
	check("mrrs", c.MRRS)
	check("rcb", c.RCB)
	return errors.Join(faults...)
}

// Instant tells whether the bus takes no time.
func (c *Config) Instant() bool { return c.Generation == 0 }

// lane is a lane of a generation: its symbols in a second, and which of them are data.
type lane struct {
	rate      units.Rate
	data, all int64
}

// lanes are by generation. From the sixth on packets travel in units of 256 B, of which 236 are theirs.
var lanes = [...]lane{
	{},
	{2500 * units.Mbps, 8, 10}, {5 * units.Gbps, 8, 10},
	{8 * units.Gbps, 128, 130}, {16 * units.Gbps, 128, 130}, {32 * units.Gbps, 128, 130},
	{64 * units.Gbps, 236, 256},
}

// Raw is the rate of the slot in one direction, less the line code; 0 for a bus that takes no time.
func (c *Config) Raw() units.Rate {
	l := lanes[c.Generation]
	if l.all == 0 {
		return 0
	}
	return units.Rate(int64(l.rate) * int64(c.Width) / l.all * l.data)
}

// rate is what the data link layer leaves of it.
func (c *Config) rate() units.Rate {
	raw := c.Raw()
	return raw - units.Rate(c.DLLP.Of(units.Bytes(raw)))
}

// completion is the most payload of a completion that begins at a completion boundary.
func (c *Config) completion() units.Bytes { return max(c.RCB, c.MPS) / c.RCB * c.RCB }

// completionBytes is what a request for so many bytes brings back over the bus, headers
// included. The first completion ends at a boundary if the address is not at one.
func (c *Config) completionBytes(address uint64, size units.Bytes) units.Bytes {
	most := c.completion()
	lead := units.Bytes(address % uint64(most))
	return size + (lead+size+most-1)/most*c.Completion
}

// writeBytes is what a posted write of so many bytes puts on the bus.
func (c *Config) writeBytes(size units.Bytes) units.Bytes {
	return size + (size+c.MPS-1)/c.MPS*c.Header
}

// ReadRate is the most payload that reads of so many bytes each can bring in a second, of a memory with that latency:
// by what they put on the bus, and by tags. It is 0 for a bus that takes no time.
func (c *Config) ReadRate(size units.Bytes, latency units.Time) units.Rate {
	if c.Instant() || size <= 0 {
		return 0
	}
	bus := c.rate()
	var onBus units.Bytes
	for left := size; left > 0; left -= c.MRRS {
		onBus += c.completionBytes(0, min(left, c.MRRS))
	}
	byBus := share(bus, size, onBus)
	request := min(size, c.MRRS)
	trip := latency + bus.Serialise(int(c.Header)) + bus.Serialise(int(c.completionBytes(0, request)))
	return min(byBus, perTime(units.Bytes(c.Tags)*request, trip))
}

// WriteRate is the most payload that posted writes of so many bytes each can carry in a second; 0 for a bus that takes
// no time.
func (c *Config) WriteRate(size units.Bytes) units.Rate {
	if c.Instant() || size <= 0 {
		return 0
	}
	return share(c.rate(), size, c.writeBytes(size))
}

// share is part/whole of a rate.
func share(r units.Rate, part, whole units.Bytes) units.Rate {
	return units.Rate(units.Ratio{Num: int64(part), Den: int64(whole)}.Of(units.Bytes(r)))
}

// perTime is the rate of so many bytes in a time.
func perTime(size units.Bytes, in units.Time) units.Rate {
	return units.Rate(units.Ratio{Num: int64(size) * 8, Den: int64(in)}.Of(units.Bytes(units.Second)))
}
