package rnic_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A WRITE of 1 MiB through one switch of 300 ns, links of 100 Gb/s and 500 ns.
func ExampleConfig_Ideal() {
	cfg := rnic.Config{MTU: 4096}
	up := rnic.Leg{Rate: 100 * units.Gbps, Delay: 800 * units.Nanosecond} // with the switch's pipeline
	down := rnic.Leg{Rate: 100 * units.Gbps, Delay: 500 * units.Nanosecond}
	path := []rnic.Leg{up, down}

	lastByte, lastAck := cfg.Ideal(units.MiB, 1, path, path)
	fmt.Println(lastByte, lastAck)
	// Output: 87.20224us 88.516us
}
