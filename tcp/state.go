package tcp

import "errors"

// State is the state of a connection at one end (RFC 9293, section 3.3.2).
type State uint8

// The states of a connection.
const (
	Closed State = iota
	Listen
	SynSent
	SynReceived
	Established
	FinWait1
	FinWait2
	CloseWait
	Closing
	LastAck
	TimeWait
)

var stateNames = [...]string{"CLOSED", "LISTEN", "SYN-SENT", "SYN-RECEIVED", "ESTABLISHED", "FIN-WAIT-1", "FIN-WAIT-2",
	"CLOSE-WAIT", "CLOSING", "LAST-ACK", "TIME-WAIT"}

// String returns the name that the standard has for s.
func (s State) String() string { return stateNames[s] }

// Synchronised reports whether both ends know each other's sequence numbers.
func (s State) Synchronised() bool { return s >= Established }

// sends reports whether data, or what is lost of it, may be sent in state s.
func (s State) sends() bool { return s == Established || s == CloseWait || s.finUnacked() }

// finUnacked reports whether the FIN of this end has been queued and not been acknowledged.
func (s State) finUnacked() bool { return s == FinWait1 || s == Closing || s == LastAck }

// takes reports whether data of the other end are taken in state s.
func (s State) takes() bool { return s == Established || s == FinWait1 || s == FinWait2 }

// Why a connection has failed.
var (
	ErrTimedOut = errors.New("connection timed out")         // too many timeouts in a row
	ErrReset    = errors.New("connection reset by its peer") // the other end has sent RST
	ErrRefused  = errors.New("connection refused")           // RST in answer to a SYN
	ErrAborted  = errors.New("connection aborted")           // by Abort
)
