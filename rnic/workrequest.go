package rnic

import (
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Verb is what a work request asks for (ibv_wr_opcode), or, in a completion, what has
// been done (ibv_wc_opcode).
type Verb uint8

// The operations. Recv and RecvWithImm occur in completions of receive requests only: of a
// SEND, and of a WRITE with immediate.
const (
	Send Verb = iota
	SendImm
	SendInv
	Write
	WriteImm
	Read
	CompareSwap
	FetchAdd
	Recv
	RecvWithImm
)

// String is the name of the operation as the verbs interface spells it, without prefix.
func (v Verb) String() string {
	return [...]string{"SEND", "SEND_WITH_IMM", "SEND_WITH_INV", "RDMA_WRITE", "RDMA_WRITE_WITH_IMM",
		"RDMA_READ", "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD", "RECV", "RECV_RDMA_WITH_IMM"}[v]
}

// isSend, isAtomic and reads tell families of operations apart; reads are those that are
// done when the answer has come, and not when the request is acknowledged.
func (v Verb) isSend() bool   { return v <= SendInv }
func (v Verb) isAtomic() bool { return v == CompareSwap || v == FetchAdd }
func (v Verb) reads() bool    { return v == Read || v.isAtomic() }

// Slice is a piece of registered memory (ibv_sge).
type Slice struct {
	Addr   uint64
	Length units.Bytes
	Key    uint32
}

// SendRequest is a work request for the send queue (ibv_send_wr).
type SendRequest struct {
	ID    uint64 // of its user
	Verb  Verb
	Local Slice // source of a SEND or WRITE; where a READ and the word that an atomic finds go
	// Remote and RKey are the other end's memory; of an atomic, a word of 8 bytes.
	Remote uint64
	RKey   uint32
	// Imm is the immediate of SendImm and WriteImm, and the key that SendInv invalidates.
	Imm uint32
	// CompareAdd is what CompareSwap compares with and what FetchAdd adds.
	CompareAdd, Swap uint64
	// Signalled asks for a completion; Solicited for an event at the receiver; with Fence
	// the request waits until all READs and atomics before it are done; with Inline its
	// payload is copied into the request when it is posted.
	Signalled, Solicited, Fence, Inline bool
	// To is where a datagram goes; nil on connected services.
	To *AddressHandle
}

// RecvRequest is a work request for a receive queue (ibv_recv_wr). The buffer of a
// datagram has 40 bytes in front for the address of its sender (IBTA volume 1, 11.4.1.2).
type RecvRequest struct {
	ID    uint64
	Local Slice
}

// Completion is what has become of a work request (ibv_wc).
type Completion struct {
	ID     uint64
	Status Status
	Verb   Verb
	Bytes  units.Bytes // received
	// Imm is the immediate that came with it if HasImm, and Invalidated the key that it
	// invalidated here, 0 for none.
	Imm         uint32
	HasImm      bool
	Invalidated uint32
	QPN         uint32 // of the queue pair it belongs to
	SrcQP       uint32 // of a datagram: the queue pair that sent it
	Old         uint64 // what an atomic operation found
	solicited   bool
}

// opcodes are, by verb, those of the first, middle, last and only packet of a message.
var opcodes = [...][4]wire.Opcode{
	Send:     {wire.SendFirst, wire.SendMiddle, wire.SendLast, wire.SendOnly},
	SendImm:  {wire.SendFirst, wire.SendMiddle, wire.SendLastImm, wire.SendOnlyImm},
	SendInv:  {wire.SendFirst, wire.SendMiddle, wire.SendLastInv, wire.SendOnlyInv},
	Write:    {wire.WriteFirst, wire.WriteMiddle, wire.WriteLast, wire.WriteOnly},
	WriteImm: {wire.WriteFirst, wire.WriteMiddle, wire.WriteLastImm, wire.WriteOnlyImm},
}

// piece gives the opcode and payload of the k-th packet of a message of a verb that
// carries its payload itself.
func piece(v Verb, size units.Bytes, k, packets int64, mtu int) (op wire.Opcode, payload int) {
	left := int(size) - int(k)*mtu
	switch {
	case packets == 1:
		return opcodes[v][3], left
	case k == 0:
		return opcodes[v][0], mtu
	case k == packets-1:
		return opcodes[v][2], left
	}
	return opcodes[v][1], mtu
}
