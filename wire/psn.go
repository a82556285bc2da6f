package wire

// PSN is a 24-bit packet sequence number. It wraps; compare with Diff only.
type PSN uint32

const psnMask = 1<<24 - 1

// PSNOf keeps the low 24 bits of a running packet count.
func PSNOf(count int64) PSN { return PSN(count & psnMask) }

// Diff is a-b as a signed distance of 24 bits: positive when a is newer. It
// holds while the two are less than 2^23 apart (IBTA volume 1, 9.7.1).
func (a PSN) Diff(b PSN) int32 { return int32((a-b)<<8) >> 8 }

// Unwrap finds the running count that a stands for, given one near it.
func (a PSN) Unwrap(near int64) int64 { return near + int64(a.Diff(PSNOf(near))) }
