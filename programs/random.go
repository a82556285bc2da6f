package programs

import "github.com/rdmasim/rdmasim/sim/units"

// Random is a source of 64 uniformly random bits: a stream that belongs to one client for one purpose.
type Random interface{ Uint64() uint64 }

// Streams makes the random stream of a program's part for a purpose, such as "keys/h3/0": the same numbers for the same name.
type Streams func(name string) Random

// mixed is a number that says nothing about the one that it is made of (the finaliser of
// splitmix64).
func mixed(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

const golden = 0x9e3779b97f4a7c15

// derived is the random stream that follows from a number alone (splitmix64): what is drawn from it is a property of what
// has the number, such as the size of the value of a key.
type derived uint64

// Uint64 implements [Random].
func (d *derived) Uint64() uint64 {
	v := mixed(uint64(*d))
	*d += golden
	return v
}

// power is x to a whole number of 0 or more.
func power(x float64, n int) float64 {
	y := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			y = float64(y * x)
		}
		x = float64(x * x)
	}
	return y
}

// waitMD1 is the mean wait in a line before one server that takes a fixed time for each, by the share of its time for which it is
// at work (Pollaczek and Khinchine); Never from a share of 1 on, at which the line has no end.
func waitMD1(service units.Time, load float64) units.Time {
	if load >= 1 {
		return units.Never
	}
	return units.Time(float64(float64(service) * load / (2 * (1 - load))))
}
