package topology

import "github.com/rdmasim/rdmasim/sim/units"

// Make is how a cable is made, from which its delay follows. The zero value says nothing.
type Make struct {
	Length *units.Length `key:"length" min:"1cm" doc:"length of the cable, in place of delay"`
	Medium Medium        `key:"medium" default:"fibre" oneof:"fibre|copper" unless:"delay" doc:"what the cable is made of: a metre of fibre takes 5 ns, a metre of copper 4.5 ns" source:"fibre 4.9 to 5.05 ns a metre, copper 4.3 to 4.8"`
	FEC    FEC           `key:"fec" default:"none" oneof:"none|rs528|rs544" doc:"forward error correction, whose latency adds to the delay: the time of a code word, and 40 ns (rs528) or 60 ns (rs544)" source:"IEEE 802.3 clauses 91 and 119; decoding times assumed, so that RS(528,514) takes 251 ns at 25 Gb/s and RS(544,514) 114 ns at 100 Gb/s"`
}

// Medium is what a cable is made of. The empty medium is Fibre.
type Medium string

// The media.
const (
	Fibre  Medium = "fibre"
	Copper Medium = "copper"
)

// perMetre is how long a signal takes for a metre of the medium.
func (m Medium) perMetre() units.Time {
	if m == Copper {
		return 4500 * units.Picosecond
	}
	return 5 * units.Nanosecond
}

// FEC is a forward error correction of a link. The empty one is NoFEC.
type FEC string

// The codes. RS(528,514) is that of 25G lanes (IEEE 802.3 clauses 91 and 108), RS(544,514)
// that of PAM4 lanes from 50G up (clauses 119 and 134).
const (
	NoFEC FEC = "none"
	RS528 FEC = "rs528"
	RS544 FEC = "rs544"
)

// A code word has that many symbols of 10 bits. It has to be there as a whole before it
// can be corrected.
const symbolBits = 10

// latency is what the code adds to the delay of a link of that rate: the time of a code
// word, and that of decoding it, which grows with the errors it can correct.
func (f FEC) latency(rate units.Rate) units.Time {
	switch f {
	case RS528:
		return rate.Serialise(528*symbolBits/8) + 40*units.Nanosecond
	case RS544:
		return rate.Serialise(544*symbolBits/8) + 60*units.Nanosecond
	}
	return 0
}

// delay is how long a bit takes from one end of the cable to the other.
func (c HostCable) delay() units.Time {
	d := c.Delay
	if c.Length != nil {
		d = units.Time(*c.Length) * c.Medium.perMetre() / units.Time(units.Metre)
	}
	return d + c.FEC.latency(c.Rate)
}

// Validate refuses a medium that has no effect.
func (m *Make) Validate() error {
	if m.Length == nil && m.Medium == Copper {
		return units.Field("medium", m.Medium, "has no effect without a length", "give length, or leave it out")
	}
	return nil
}
