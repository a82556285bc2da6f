package sim_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim"
)

// A stream depends on the seed and its name alone: a coin of one port falls the
// same way whatever other ports there are.
func ExampleNewStream() {
	coin := sim.NewStream(1, "leaf0:3", "ecn")
	for range 4 {
		fmt.Print(coin.Uint64N(100), " ")
	}
	// Output: 0 12 76 79
}
