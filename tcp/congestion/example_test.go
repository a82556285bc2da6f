package congestion_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// A connection starts with ten segments, doubles its window in a round trip, and leaves 70 % of it at a loss.
func Example() {
	const mss = 1460
	control := congestion.CUBIC.Params().New()
	control.Init(mss, 10*mss, 0)

	ack := congestion.Ack{Acked: 10 * mss, RTT: 50 * units.Microsecond, Limited: true}
	control.OnAck(&ack, 50*units.Microsecond)
	fmt.Println(int(control.Window()/mss), control.State().Phase)

	control.OnLoss(control.Window(), 60*units.Microsecond)
	fmt.Println(int(control.Window()/mss), control.State().Phase)
	// Output:
	// 20 slow-start
	// 14 recovery
}
