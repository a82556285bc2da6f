package rdmacm

import "fmt"

// MADBytes is the size of a management datagram (IBTA volume 1, 13.4): the payload of the
// packet of each connection-management message.
const MADBytes = 256

// Kind is the kind of a message.
type Kind uint8

// Kinds of messages. The first two are not of connection management but resolve addresses
// before it.
const (
	ARPRequest Kind = iota
	ARPReply
	REQ  // asks for a connection
	REP  // grants it
	RTU  // ready to use
	REJ  // refuses or gives up
	DREQ // asks for the connection's end
	DREP // agrees to it
)

// String is the standard's name of the kind.
func (k Kind) String() string {
	names := [...]string{"ARP request", "ARP reply", "REQ", "REP", "RTU", "REJ", "DREQ", "DREP"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("message kind %d", uint8(k))
}

// IsMAD tells whether the message is a management datagram, and not a frame of ARP.
func (k Kind) IsMAD() bool { return k >= REQ }

// MaxPrivate is how many bytes of a program's own a message can carry: of the 92 of a REQ
// 36 are taken by the IP addresses (annex A11).
func (k Kind) MaxPrivate() int {
	switch k {
	case REQ:
		return 56
	case REP:
		return 196
	case REJ:
		return 148
	}
	return 0
}

// Reason is why a connection was refused, by the standard's numbers.
type Reason uint16

// Reasons of a REJ.
const (
	GaveUp         Reason = 4  // the other side did not answer in time
	UnknownID      Reason = 6  // the message names a communication that is not there
	NobodyListens  Reason = 8  // nobody listens on the service
	Stale          Reason = 10 // the queue pair belongs to an earlier communication that is not over
	ProgramRefuses Reason = 28 // the program that listens does not want it
)

// String tells the reason in words.
func (r Reason) String() string {
	switch r {
	case GaveUp:
		return "no answer in time"
	case UnknownID:
		return "unknown communication"
	case NobodyListens:
		return "nobody listens on the service"
	case Stale:
		return "stale connection"
	case ProgramRefuses:
		return "refused by the program"
	}
	return fmt.Sprintf("reason %d", uint16(r))
}

// Offer is what one side tells the other about its queue pair.
type Offer struct {
	QPN uint32 // of the queue pair; the manager's owner fills it in with [Manager.Created]
	PSN uint32 // of the first packet that it will send, 24 bits
	// Reads is how many READs and atomics it would like to have outstanding, Serves how many
	// it can have outstanding at itself, 0 to 255. What each side may do is the lesser of
	// what it would like and of what the other one serves.
	Reads, Serves uint8
	// RNRRetries is how often the other side is to try again where no receive request is
	// ready, 0 to 7; 7 is for ever.
	RNRRetries uint8
	// Beside is what else the managers' owners want each other to have; nil at first.
	Beside any
}

// Message is what one manager tells another. Once sent it is not changed any more.
type Message struct {
	Kind    Kind
	From    ID // the sender's name of the communication
	To      ID // the receiver's; 0 in a REQ, and where the sender does not know it
	Service uint64
	Offer   Offer  // in REQ and REP
	Reason  Reason // in REJ
	Private []byte
}
