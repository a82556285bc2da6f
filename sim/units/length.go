package units

// Length is the length of a cable in millimetres. The zero value is none. Parsed text may not be negative.
type Length int64

// The units of length.
const (
	Millimetre Length = 1
	Centimetre        = 10 * Millimetre
	Metre             = 1000 * Millimetre
	Kilometre         = 1000 * Metre
)

var lengthUnits = dimension{
	noun: "a length", base: "millimetres", example: "40m", zero: "0m",
	units:        []unit{{"mm", int64(Millimetre)}, {"m", int64(Metre)}, {"km", int64(Kilometre)}},
	alternatives: []unit{{"cm", int64(Centimetre)}},
}

// ParseLength reads a length such as "40m" or "2.5m": units mm, cm, m, km. It refuses negative lengths, fractions of a
// millimetre and overflow, with a [*FieldError].
func ParseLength(text string) (Length, error) {
	v, err := lengthUnits.parse(text)
	return Length(v), err
}

// String returns l exactly, in the largest unit it reaches: "40m".
func (l Length) String() string { return lengthUnits.exact(int64(l)) }

// MarshalText returns the text of String; it never fails.
func (l Length) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText sets l as ParseLength does; on an error l stays as it was.
func (l *Length) UnmarshalText(text []byte) error { return unmarshal(l, text, ParseLength) }
