package sim

import "math/bits"

// Digest is a running fingerprint of a node's event stream. Two runs of which
// all nodes' digests agree handled the same events at the same times in the
// same order.
type Digest uint64

// Fold adds an event: its time and what identifies it.
func (d *Digest) Fold(at, what uint64) {
	x := uint64(*d) ^ at*0x9E3779B97F4A7C15 ^ what
	*d = Digest(bits.RotateLeft64(x, 29) * 0xFF51AFD7ED558CCD)
}

// Combine folds the digests of all nodes in the order of their numbers.
func Combine(nodes []Digest) Digest {
	var d Digest
	for i, n := range nodes {
		d.Fold(uint64(i), uint64(n))
	}
	return d
}
