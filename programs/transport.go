package programs

// Transport is how the messages of a program travel.
type Transport uint8

// The transports.
const (
	// RoCEv2 is RDMA over UDP and Ethernet.
	RoCEv2 Transport = iota
	// InfiniBand is RDMA on InfiniBand links.
	InfiniBand
	// IWARP is RDMA over a TCP that the adapter runs.
	IWARP
	// TCP is sockets: what RDMA's adapters do the kernels of hosts do, and what they do past a
	// processor a thread of the other end does.
	TCP
)

var transportWords = [...]string{"rocev2", "infiniband", "iwarp", "tcp"}

// String is the word for it in scenarios.
func (t Transport) String() string { return transportWords[t] }

// TransportNamed is the transport of a word.
func TransportNamed(word string) (Transport, bool) {
	for t, w := range transportWords {
		if w == word {
			return Transport(t), true
		}
	}
	return 0, false
}

// kind is what perftest calls the transport of an adapter, and link the layer below.
func (t Transport) kind() string { return [...]string{"IB", "IB", "IW", "TCP"}[t] }
func (t Transport) link() string { return [...]string{"Ethernet", "IB", "Ethernet", "Ethernet"}[t] }

// Sizes of messages over sockets that stand for what RDMA says in headers: they are as long
// as those are.
const (
	readRequest   = 16 // RETH: address, key and length
	atomicRequest = 28 // AtomicETH
	atomicAnswer  = 8  // AtomicAckETH
	confirmation  = 4  // AETH
)
