package units

import "strconv"

// Bytes is a size or a count of bytes. The zero value is nothing. A difference may be negative; parsed text may not.
type Bytes int64

// The units of size: decimal ones, in which ECN thresholds and messages are given, and binary ones, in which buffers are.
const (
	Byte Bytes = 1
	KB         = 1000 * Byte
	MB         = 1000 * KB
	GB         = 1000 * MB
	TB         = 1000 * GB
	KiB        = 1024 * Byte
	MiB        = 1024 * KiB
	GiB        = 1024 * MiB
	TiB        = 1024 * GiB
)

var byteUnits = dimension{
	noun: "a size", base: "bytes", example: "4MiB", zero: "0B",
	units: []unit{
		{"B", int64(Byte)}, {"KB", int64(KB)}, {"MB", int64(MB)}, {"GB", int64(GB)}, {"TB", int64(TB)},
	},
	alternatives: []unit{
		{"KiB", int64(KiB)}, {"MiB", int64(MiB)}, {"GiB", int64(GiB)}, {"TiB", int64(TiB)},
		{"", int64(Byte)}, // a plain number is a number of bytes
	},
}

// ParseBytes reads a size such as "4MiB", "400KB", "9216B" or "9216": units B, KB, MB, GB, TB (powers of 1000), KiB, MiB,
// GiB, TiB (powers of 1024), none for bytes. It refuses negative sizes, fractions of a byte and overflow, with a
// [*FieldError].
func ParseBytes(text string) (Bytes, error) {
	v, err := byteUnits.parse(text)
	return Bytes(v), err
}

// String returns b exactly in the shortest of its forms: a whole multiple of a binary unit ("4MiB"), bytes ("1500B"),
// or a decimal unit ("3.2MB"); among equally short ones the first of these.
func (b Bytes) String() string {
	text := strconv.FormatInt(int64(b), 10) + "B"
	if decimal := byteUnits.exact(int64(b)); len(decimal) < len(text) {
		text = decimal
	}
	if binary, ok := b.binary(); ok && len(binary) <= len(text) {
		text = binary
	}
	return text
}

// binary returns b as a whole multiple of the largest binary unit that divides it.
func (b Bytes) binary() (text string, ok bool) {
	if b == 0 || b%KiB != 0 {
		return "", false
	}
	symbols := [...]string{"KiB", "MiB", "GiB", "TiB"}
	n, i := b/KiB, 0
	for n%1024 == 0 && i < len(symbols)-1 {
		n, i = n/1024, i+1
	}
	return strconv.FormatInt(int64(n), 10) + symbols[i], true
}

// Human returns b rounded to three significant digits of a decimal unit, for people: "412KB".
func (b Bytes) Human() string { return byteUnits.human(int64(b)) }

// MarshalText returns the exact text of String; it never fails.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText sets b as ParseBytes does; on an error b stays as it was.
func (b *Bytes) UnmarshalText(text []byte) error { return unmarshal(b, text, ParseBytes) }
