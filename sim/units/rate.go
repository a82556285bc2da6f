package units

import (
	"math"
	"math/bits"
)

// Rate is a data rate in bits per second. The zero value is a link on which nothing ever leaves.
type Rate int64

// The units of rate; Ethernet's are decimal.
const (
	BitPerSecond Rate = 1
	Kbps              = 1000 * BitPerSecond
	Mbps              = 1000 * Kbps
	Gbps              = 1000 * Mbps
	Tbps              = 1000 * Gbps
)

// bytePicoseconds is the product of rate and time that moves one byte: 8 bits of 10^12 ps·bit/s each.
const bytePicoseconds = 8 * uint64(Second)

var rateUnits = dimension{
	noun: "a rate", base: "bits per second", example: "100Gbps", zero: "0bps",
	units: []unit{
		{"bps", int64(BitPerSecond)}, {"Kbps", int64(Kbps)}, {"Mbps", int64(Mbps)},
		{"Gbps", int64(Gbps)}, {"Tbps", int64(Tbps)},
	},
}

// ParseRate reads a rate such as "100Gbps", "2.5Gbps" or "1.6Tbps": units bps, Kbps, Mbps, Gbps, Tbps; a plain "0" is a
// rate too. It refuses negative rates, fractions of a bit per second and overflow, with a [*FieldError].
func ParseRate(text string) (Rate, error) {
	v, err := rateUnits.parse(text)
	return Rate(v), err
}

// Gbps returns r in gigabits per second.
func (r Rate) Gbps() float64 { return float64(r) / float64(Gbps) }

// Serialise returns how long a frame of the given bytes occupies a line of rate r: 8·bytes/r, exact in 128 bits and
// rounded up to the next picosecond. At a rate of zero, or beyond what Time holds, that is Never. A negative size is a
// fault of the caller and panics.
func (r Rate) Serialise(bytes int) Time {
	if bytes < 0 {
		panic("units: a frame of negative size")
	}
	if r <= 0 {
		return Never
	}
	quotient, remainder, fits := mulDiv(uint64(bytes), bytePicoseconds, uint64(r))
	if !fits || quotient >= uint64(Never) {
		return Never
	}
	if remainder > 0 {
		quotient++
	}
	return Time(quotient)
}

// WholeNanoseconds returns 8·bytes/r cut to whole nanoseconds, the way ns-3 reckons it: a quotient of float64, of whose
// fraction 64 binary digits are multiplied by 10^9 and cut (DataRate::CalculateTxTime, Seconds). It serves comparison
// with that simulator alone: on a line of 400 Gb/s frames become up to 5 % shorter. At a rate of zero it is Never.
func (r Rate) WholeNanoseconds(bytes int) Time {
	if r <= 0 {
		return Never
	}
	return wholeNanoseconds(float64(bytes) * 8 / float64(r))
}

func wholeNanoseconds(seconds float64) Time {
	whole, fraction := math.Modf(seconds)
	nanoseconds, _ := bits.Mul64(uint64(fraction*(1<<64)), 1e9)
	return Time(whole)*Second + Time(nanoseconds)*Nanosecond
}

// WholeNanoseconds returns t cut to whole nanoseconds after it has been a float64 of seconds, as ns-3 reads times: 2.002 s
// becomes 2.001999999 s.
func (t Time) WholeNanoseconds() Time { return wholeNanoseconds(t.Seconds()) }

// PerByte returns the time of one byte and whether it is a whole number of picoseconds, as it is at all Ethernet rates
// from 10 Gb/s to 1.6 Tb/s. Only then is Serialise(n) = n·ps, which spares the hot path a division; otherwise ps is
// rounded up and must not be multiplied.
func (r Rate) PerByte() (ps Time, exact bool) {
	return r.Serialise(1), r > 0 && bytePicoseconds%uint64(r) == 0
}

// BytesIn returns how many whole bytes a line of rate r moves in d: ⌊r·d/8⌋, exact in 128 bits, at most math.MaxInt64.
// A rate or time that is not positive moves nothing.
func (r Rate) BytesIn(d Time) Bytes {
	if r <= 0 || d <= 0 {
		return 0
	}
	quotient, _, fits := mulDiv(uint64(r), uint64(d), bytePicoseconds)
	if !fits || quotient > math.MaxInt64 {
		return math.MaxInt64
	}
	return Bytes(quotient)
}

// String returns r exactly, in the largest unit it reaches: "100Gbps", "1.6Tbps".
func (r Rate) String() string { return rateUnits.exact(int64(r)) }

// Human returns r rounded to three significant digits, for people: "92.6Gbps".
func (r Rate) Human() string { return rateUnits.human(int64(r)) }

// MarshalText returns the exact text of String; it never fails.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText sets r as ParseRate does; on an error r stays as it was.
func (r *Rate) UnmarshalText(text []byte) error { return unmarshal(r, text, ParseRate) }
