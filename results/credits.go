package results

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Credits says what the flow control of InfiniBand links did.
type Credits struct {
	FlowControls int64        `json:"flow_control_packets" doc:"flow-control packets sent"`
	Stalls       int64        `json:"stalls" doc:"packets that had to wait for credits at a port"`
	Time         Micros       `json:"wait_time_us" doc:"time for which packets waited for credits, summed over ports and virtual lanes"`
	Lanes        int          `json:"lanes" doc:"pairs of port and virtual lane at which any packet waited"`
	NICs         int          `json:"nics" doc:"those of them that are ports of hosts"`
	Worst        *WaitingLane `json:"worst" doc:"the pair that waited longest; null if none did"`
	Fullest      *Peak        `json:"fullest" doc:"the buffer of a virtual lane that was fullest; null if nothing was sent"`
}

// WaitingLane is a virtual lane of a port that was without credits.
type WaitingLane struct {
	Port  string  `json:"port" doc:"the transmitting port"`
	VL    int     `json:"vl" doc:"the virtual lane"`
	Time  Micros  `json:"wait_time_us" doc:"time for which a packet waited for credits"`
	Share float64 `json:"share" doc:"that as a share of the time flows were under way, at most 1"`
}

func (c *Credits) line() string {
	line := Plural(c.FlowControls, "flow-control packet")
	if c.Stalls == 0 {
		line += "; no packet waited"
	} else {
		line += fmt.Sprintf("; %s waited, for %s in all", Plural(c.Stalls, "packet"), units.Time(c.Time).Human())
	}
	if c.Worst != nil {
		line += fmt.Sprintf("; longest %s VL %d: %s (%s of the time)", c.Worst.Port, c.Worst.VL, units.Time(c.Worst.Time).Human(), Percent(c.Worst.Share))
	}
	if c.Fullest != nil {
		line += "; fullest buffer " + c.Fullest.line()
	}
	return line
}
