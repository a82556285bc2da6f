package tcp

import "github.com/rdmasim/rdmasim/sim/units"

// Counters are what an endpoint has counted, and its estimates. Bytes are payload.
//
// What has come adds up: BytesReceived = delivered in order + BytesHeld + BytesDuplicate +
// BytesRefused. So does what was sent: BytesSent = BytesRetransmitted + what was sent once.
type Counters struct {
	SegmentsSent, PacketsSent uint64
	BytesSent                 units.Bytes // with those sent again
	AcksSent                  uint64      // segments without data, SYN, FIN and RST
	DuplicateAcksSent         uint64      // of these, because of data out of order or received before

	SegmentsReceived, PacketsReceived uint64
	BytesReceived                     units.Bytes
	BytesHeld                         units.Bytes // out of order, not delivered yet
	BytesDuplicate                    units.Bytes // received before
	BytesRefused                      units.Bytes // outside the window, or after the end
	OutOfOrder                        uint64      // segments that came behind a gap

	SegmentsRetransmitted, PacketsRetransmitted uint64
	BytesRetransmitted                          units.Bytes
	BytesSpurious                               units.Bytes // reported as received twice: sent again in vain, or doubled by the network
	BytesLost                                   units.Bytes // taken for lost, some perhaps more than once
	Timeouts                                    uint64
	TailProbes                                  uint64
	ProbesRepaired                              uint64 // of these, those that came in place of a packet that was lost
	WindowProbes                                uint64
	FastRecoveries                              uint64
	Reductions                                  uint64 // of the window because of echoed marks
	DuplicateAcks                               uint64 // received
	BytesSACKed                                 units.Bytes

	PacketsMarked uint64 // received with CE
	EchoesSent    uint64 // segments with ECE
	Echoes        uint64 // segments received with ECE
	ZeroWindows   uint64 // times that the peer's window has closed
	Challenges    uint64 // acknowledgements sent because a segment did not fit

	SRTT, RTTVar, MinRTT units.Time // 0: none measured
	RTO                  units.Time
	Window, Threshold    units.Bytes // of the congestion control
	InFlight             units.Bytes
}
