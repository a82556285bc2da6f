package wire_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Of the line rate, payload of 4096 bytes a packet leaves 98 percent.
func ExampleWireBytes() {
	onWire := wire.WireBytes(wire.WriteMiddle, 4096)
	fmt.Println(onWire, (100 * units.Gbps).Serialise(onWire))
	fmt.Printf("%.4f\n", 4096/float64(onWire))
	// Output:
	// 4178 334.24ns
	// 0.9804
}

func ExamplePFC_Append() {
	xoff := wire.PFC{Classes: 1 << 3, Quanta: [8]uint16{3: 65535}}
	b := xoff.Append(nil, [6]byte{2, 0, 0, 0, 0, 1})
	fmt.Printf("% x\n", b[:26])
	// Output: 01 80 c2 00 00 01 02 00 00 00 00 01 88 08 01 01 00 08 00 00 00 00 00 00 ff ff
}
