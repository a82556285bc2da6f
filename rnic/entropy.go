package rnic

// SourcePort is the UDP source port that a queue pair puts in its packets so
// that switches can tell it from others: made of the two queue pair numbers as
// RoCE drivers do it (rdma_calc_flow_label and rdma_flow_label_to_udp_sport in
// the Linux kernel), in 49152-65535.
func SourcePort(local, remote uint32) uint16 {
	v := uint64(local) * uint64(remote)
	v ^= v >> 20
	v ^= v >> 40
	label := uint32(v) & 0xFFFFF
	return uint16(0xC000 | (label&0x3FFF ^ label>>14))
}

// TupleHash condenses a packet's 5-tuple, of endpoints and UDP source port (protocol
// and destination port are the same for all), to what switches hash with their own salt.
func TupleHash(src, dst int32, sourcePort uint16) uint32 {
	h := uint64(uint32(src))<<32 | uint64(uint32(dst))
	h = (h ^ h>>31) * 0x9E3779B97F4A7C15
	h ^= uint64(sourcePort) << 17
	h = (h ^ h>>29) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>32) * 0x94D049BB133111EB
	return uint32(h >> 32)
}

// FlowHash is the hash of the 5-tuple of the queue pair's packets, from which
// switches choose among paths of equal cost.
func (qp *QP) FlowHash() uint32 { return qp.flow }

// UseSourcePort gives a queue pair another source port than that of the rule; before
// anything is sent.
func (n *NIC) UseSourcePort(i int, port uint16) {
	qp := &n.qps[i]
	qp.SourcePort, qp.flow = port, TupleHash(n.endpoint, qp.Peer, port)
}

// UseFlow gives the packets of a queue pair a number in place of the hash of their
// 5-tuple, for switches that choose paths by tables of tuples.
func (n *NIC) UseFlow(i int, number uint32) { n.qps[i].flow = number }
