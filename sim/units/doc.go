// Package units holds the quantities in which every other package speaks: [Time] in picoseconds, [Rate] in bits per
// second, [Bytes], and exact fractions ([Ratio]).
//
// All of them are integers, because a lossless fabric is a matter of exact sums. A byte lasts 800 ps at 10 Gb/s, 80 ps at
// 100 Gb/s, 10 ps at 800 Gb/s, 5 ps at 1.6 Tb/s: whole picoseconds. Where it does not come out even (2.5 ps at 3.2 Tb/s,
// any rate of 3·10^k) the time of a frame is rounded up once for the frame, never accumulated byte by byte; see
// [Rate.Serialise].
//
// Each type has a text form, written the way network people write it ("1.5us", "100Gbps", "4MiB", "20%", "1/8").
// Parsing is exact and case-sensitive: a value that is no whole number of base units is refused, never rounded, and a
// slip of case or of dimension is answered with the likely right spelling. String gives the exact form back: for every
// value that is not negative, parsing the printed text yields the same value. Human rounds to three significant digits,
// for people.
//
// The package imports nothing of this module.
package units
