package units

import "math"

// Time is an instant of simulated time, counted from the start of the run, or a duration; in picoseconds. The zero
// value is the start. An int64 holds 106 days. A difference of two instants may be negative; parsed text may not.
type Time int64

// The units of time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

// Never is later than every instant a run can reach: the time of an event that is not pending. Its text is "never".
const Never Time = math.MaxInt64

const neverText = "never"

var timeUnits = dimension{
	noun: "a time", base: "picoseconds", example: "1.5us", zero: "0s",
	units: []unit{
		{"ps", int64(Picosecond)}, {"ns", int64(Nanosecond)}, {"us", int64(Microsecond)},
		{"ms", int64(Millisecond)}, {"s", int64(Second)},
	},
	alternatives: []unit{{"µs", int64(Microsecond)}, {"μs", int64(Microsecond)}}, // U+00B5 and U+03BC
}

// ParseTime reads a time such as "1.5us", "500ns", "4.096us" or "2s": units ps, ns, us (or µs), ms, s; a plain "0" and
// "never" are times too. It refuses negative times, fractions of a picosecond and more than 106 days, with a [*FieldError].
func ParseTime(text string) (Time, error) {
	if text == neverText {
		return Never, nil
	}
	v, err := timeUnits.parse(text)
	return Time(v), err
}

// Seconds returns t in seconds.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// Microseconds returns t in microseconds.
func (t Time) Microseconds() float64 { return float64(t) / float64(Microsecond) }

// Nanoseconds returns t in nanoseconds.
func (t Time) Nanoseconds() float64 { return float64(t) / float64(Nanosecond) }

// String returns t exactly, in the largest unit it reaches: "1.5us", "87.234567us", "never".
func (t Time) String() string {
	if t == Never {
		return neverText
	}
	return timeUnits.exact(int64(t))
}

// Human returns t rounded to three significant digits, for people: "87.2us".
func (t Time) Human() string {
	if t == Never {
		return neverText
	}
	return timeUnits.human(int64(t))
}

// MarshalText returns the exact text of String; it never fails.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText sets t as ParseTime does; on an error t stays as it was.
func (t *Time) UnmarshalText(text []byte) error { return unmarshal(t, text, ParseTime) }
