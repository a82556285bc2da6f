package rnic

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/tcp/congestion"
	"github.com/rdmasim/rdmasim/wire"
)

// IWARP has queue pairs travel as iWARP: each over a TCP connection of its own, which the
// adapter runs, in messages of RDMAP (RFC 5040, with the immediate data and atomic operations of
// RFC 7306), cut into DDP segments (RFC 5041), each framed by MPA (RFC 5044) with its CRC and
// without markers. A segment fills one TCP segment, or is the end of a message and shorter.
//
// The services are reliable connections only. What is lost TCP sends again, and what it says of
// congestion is all that senders hear: none of the retransmission timers, recoveries and
// congestion controls of InfiniBand's transport has a part in it.
type IWARP struct {
	// TCP is how the connections behave. Timestamps should be off, as adapters leave them, and no
	// acknowledgement should be delayed, for which the end of a request would wait.
	TCP tcp.Config
	// Control makes the congestion control of each connection.
	Control congestion.Params
}

// NewIWARP is what adapters make of the TCP of hosts: no timestamps, a packet at a time, no
// acknowledgement that waits, and windows of their own.
//
// Source: Linux, iw_cxgb4 driver: dack_mode and enable_tcp_timestamps are 0, snd_win is 128 KiB,
// rcv_win 256 KiB.
func NewIWARP(cfg tcp.Config, control congestion.Params) *IWARP {
	cfg.Timestamps, cfg.TSO, cfg.TSODefer, cfg.Nagle = false, 0, false, false
	cfg.DelayedAck, cfg.AckEvery = 0, 1
	cfg.SendBuffer, cfg.ReceiveBuffer, cfg.WindowShare = 128*units.KiB, 256*units.KiB, units.Ratio{Num: 1, Den: 1}
	return &IWARP{TCP: cfg, Control: control}
}

// Payload is what a full segment of a WRITE carries, in bytes: the path MTU of iWARP.
func (w *IWARP) Payload() int { return w.full(wire.RDMAPWrite) }

// full is what a full segment of a message of an opcode carries.
func (w *IWARP) full(op wire.RDMAP) int {
	return wire.SegmentPayload(int(w.TCP.MSS()), op.Headers())
}

// segments is how many DDP segments a message with so much payload takes.
func (w *IWARP) segments(op wire.RDMAP, size units.Bytes) int64 {
	full := units.Bytes(w.full(op))
	return int64(max(1, (size+full-1)/full))
}

// frameBytes is the L2 size of the packet that carries so much payload of what an opcode of the
// other transports stands for.
func (w *IWARP) frameBytes(op wire.Opcode, payload int) int {
	switch {
	case !op.IsData():
		return wire.TCPFrame(0, 0)
	case op == wire.ARP:
		return wire.FrameBytes(op, payload)
	case op == wire.ReadRequest:
		payload = wire.RDMAPReadBytes
	case op == wire.CompareSwap || op == wire.FetchAdd:
		payload = wire.AtomicRequestBytes
	}
	headers := wire.UntaggedBytes
	if op >= wire.WriteFirst && op <= wire.WriteOnlyImm || isResponse(op) {
		headers = wire.TaggedBytes
	}
	return wire.TCPFrame(wire.FPDUBytes(headers+payload), 0)
}

// Lasts is for how long a connection goes on without progress before it fails, at the most: its
// timeouts, before the first of which a tail probe may go.
func (w *IWARP) Lasts() (sum units.Time) {
	t := max(w.TCP.MinRTO, w.TCP.InitialRTO)
	sum = t
	for range w.TCP.Retries + 1 {
		sum += min(t, w.TCP.MaxRTO)
		t = min(2*t, w.TCP.MaxRTO)
	}
	return sum
}

// messageOp is the opcode of the message that carries what a verb asks for.
func messageOp(v Verb, solicited bool) wire.RDMAP {
	switch {
	case v == Read:
		return wire.RDMAPReadRequest
	case v.isAtomic():
		return wire.RDMAPAtomicRequest
	case v == Write || v == WriteImm:
		return wire.RDMAPWrite
	case v == SendInv && solicited:
		return wire.RDMAPSendSolicitedInvalidate
	case v == SendInv:
		return wire.RDMAPSendInvalidate
	case solicited:
		return wire.RDMAPSendSolicited
	}
	return wire.RDMAPSend
}

// Connection is the connection of a queue pair; nil if it does not travel as iWARP, or has none yet.
func (n *NIC) Connection(i int) *tcp.Endpoint {
	if s := n.qps[i].stream; s != nil {
		return s.tcp
	}
	return nil
}

// TCPConnection is an end of a connection that a NIC runs.
type TCPConnection struct {
	End *tcp.Endpoint
	// Number is that of the queue pair, or of the connection if it was made during the run.
	Number     uint32
	Peer       int32  // endpoint at the other side
	SourcePort uint16 // 0 if no queue pair has been given to it
}

// Connections are the connections that the NIC runs, of queue pairs and of those to be.
func (n *NIC) Connections() (all []TCPConnection) {
	if n.offload == nil {
		return nil
	}
	for _, s := range n.offload.streams {
		if s == nil || s.tcp == nil {
			continue
		}
		c := TCPConnection{End: s.tcp}
		if s.made != nil {
			c.Number, c.Peer = s.number(), s.made.peer
		}
		if q := s.owner(); q != nil {
			c.Peer, c.SourcePort = q.Peer, q.SourcePort
			if s.made == nil {
				c.Number = QPN(s.qp)
			}
		}
		all = append(all, c)
	}
	return all
}

// OnlyIWARP tells whether none of the NIC's queue pairs travels otherwise.
func (n *NIC) OnlyIWARP() bool {
	for i := range n.qps {
		if n.qps[i].stream == nil {
			return false
		}
	}
	return true
}
