package credit

import "github.com/rdmasim/rdmasim/sim/units"

const (
	// Block is the unit of credit, in bytes.
	Block units.Bytes = 64
	// Modulus is where counts of blocks go round.
	Modulus = 4096
	// MostFree is how many blocks a receiver grants at the most beyond what has come:
	// half of the counts.
	MostFree = Modulus / 2
)

// Blocks is how many blocks a packet of so many bytes takes up, first to last bit of its
// headers, payload and check sums.
func Blocks(packet units.Bytes) int { return int((packet + Block - 1) / Block) }

// Count is a number of blocks since the link was initialised, modulo 4096.
type Count uint16

// Plus is the count so many blocks later, or earlier if they are negative.
func (c Count) Plus(blocks int) Count { return Count((int(c) + blocks) & (Modulus - 1)) }

// Minus is how many blocks a count is ahead of another, from 0 to 4095.
func (c Count) Minus(o Count) int { return (int(c) - int(o)) & (Modulus - 1) }
