package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/rdmasim/rdmasim/sim/units"
)

// tcpSlowStart holds the time of a transfer that never leaves slow start against the number of its rounds.
func tcpSlowStart(ctx context.Context, _ int) (rows []Row, err error) {
	const rtt = 10 * units.Millisecond
	for _, transfer := range []struct {
		size    units.Bytes
		control string
	}{{units.MB, "newreno"}, {units.MB, "cubic"}, {units.MB, "dctcp"}, {100 * units.KB, "cubic"}, {10 * units.MB, "cubic"}} {
		packets := math.Ceil(float64(transfer.size) / segment)
		rounds := math.Ceil(math.Log2(packets/10 + 1))
		keys := fmt.Sprintf(theory, eachAck+", congestion_control: {kind: "+transfer.control+"}")
		_, end, err := runToTheEnd(ctx, oneConnection(400*units.Gbps, rtt/2, transfer.size, keys, ""), units.Second)
		if err != nil {
			return nil, err
		}
		rows = append(rows, near(Row{
			Rule:    fmt.Sprintf("slow start of %s, %v from ten packets: round trips to the last byte, ⌈log2(%g/10+1)⌉-½", transfer.control, transfer.size, packets),
			Source:  "RFC 5681, section 3.1; RFC 6928",
			Because: "what the packets of the last round take on the wire: less than 0.02 round trips",
		}, rounds-0.5, end.Seconds()/rtt.Seconds(), 0.02))
	}
	return rows, nil
}
