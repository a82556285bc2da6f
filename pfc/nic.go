package pfc

import "github.com/rdmasim/rdmasim/sim/units"

// NICHeadroom is what the Linux driver of ConnectX NICs (mlx5, port_buffer.c) sets
// aside of a lossless receive buffer for what arrives after XOFF: (301 + 2.16 for each
// metre of cable) bytes for each Gb/s of a port of at least 40 Gb/s, and 2.72 times the
// MTU; each of the two rounded up. A metre is 5 ns of delay.
func NICHeadroom(rate units.Rate, delay units.Time, mtu units.Bytes) units.Bytes {
	// A byte for each Gb/s is 8 ns of line rate: 2408 ns, and 17.28 for each 5 of delay.
	line := 301*8*units.Nanosecond + delay*432/125
	return sentIn(max(rate, 40*units.Gbps), line) + (mtu*272+99)/100
}

// sentIn is what a sender at full rate puts on the wire in a time, rounded up to
// whole bytes.
func sentIn(rate units.Rate, d units.Time) units.Bytes {
	b := rate.BytesIn(d)
	if rate.Serialise(int(b)) < d {
		b++
	}
	return b
}
