package results

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// TCP is what connections of TCP did.
type TCP struct {
	Control        string `json:"congestion_control" doc:"congestion control of the connections"`
	Connections    int    `json:"connections" doc:"connections that carried data"`
	Sent           int64  `json:"sent_bytes" doc:"payload sent, what was sent again included"`
	Retransmitted  int64  `json:"retransmitted_bytes" doc:"payload sent again"`
	Timeouts       int64  `json:"timeouts" doc:"expiries of retransmission timers"`
	TailProbes     int64  `json:"tail_probes" doc:"probes for the loss of the last packets in flight"`
	FastRecoveries int64  `json:"fast_recoveries" doc:"times that loss was repaired without a timeout"`
	Reductions     int64  `json:"reductions" doc:"times that a window was reduced because of marks"`
	Marked         int64  `json:"marked" doc:"packets received with a mark"`
	RingDrops      int64  `json:"ring_drops" doc:"packets that found the receive ring of a host full, because the processor did not keep up"`
	ZeroWindows    int64  `json:"zero_windows" doc:"times that a receiver's window closed"`
	Interrupts     int64  `json:"interrupts" doc:"interrupts of adapters that kernels handled"`
	Syscalls       int64  `json:"syscalls" doc:"system calls"`
	WakeUps        int64  `json:"wake_ups" doc:"times that a sleeping thread was woken"`
	Packets        int64  `json:"received_packets" doc:"packets with data that kernels took in"`
	Aggregates     int64  `json:"received_aggregates" doc:"what they were merged to"`
	Alone          bool   `json:"alone" doc:"whether nothing of the run went by RDMA"`
	Failed         int    `json:"failed" doc:"connections that gave up"`
}

// line is what is said of TCP in the summary.
func (t *TCP) line() string {
	line := fmt.Sprintf("%s on %s: ", t.Control, Plural(int64(t.Connections), "connection"))
	if t.Retransmitted == 0 && t.Timeouts == 0 {
		line += "nothing sent again"
	} else {
		line += fmt.Sprintf("%s sent again; %s, %s", units.Bytes(t.Retransmitted).Human(), Plural(t.Timeouts, "timeout"), counted(t.FastRecoveries, "fast recovery", "fast recoveries"))
	}
	if t.Reductions > 0 {
		line += ", " + Plural(t.Reductions, "reduction") + " after marks"
	}
	if t.RingDrops > 0 {
		line += "; " + Plural(t.RingDrops, "packet") + " dropped by hosts"
	}
	return line
}

// counted is a number of things with an irregular plural.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "one " + one
	}
	return Count(n) + " " + many
}

// OnlyTCP tells whether nothing of the run went by RDMA.
func (s *Summary) OnlyTCP() bool { return s.TCP != nil && s.TCP.Alone }
