package fabric

import (
	"encoding/binary"
	"math/bits"
)

// Tuple is what another simulator hashes to choose paths: addresses and UDP ports.
type Tuple struct {
	Src, Dst         uint32
	SrcPort, DstPort uint16
}

// Murmur is the 32-bit MurmurHash3 (Appleby, 2011) of the tuple as the simulator
// published with HPCC lays it out, which seeds it with the number of the switch.
func (t Tuple) Murmur(seed uint32) uint32 {
	var key [12]byte
	binary.LittleEndian.PutUint32(key[0:], t.Src)
	binary.LittleEndian.PutUint32(key[4:], t.Dst)
	binary.LittleEndian.PutUint16(key[8:], t.SrcPort)
	binary.LittleEndian.PutUint16(key[10:], t.DstPort)
	h := seed
	for i := 0; i < len(key); i += 4 {
		k := binary.LittleEndian.Uint32(key[i:]) * 0xCC9E2D51
		h ^= bits.RotateLeft32(k, 15) * 0x1B873593
		h = bits.RotateLeft32(h, 13)*5 + 0xE6546B64
	}
	h ^= uint32(len(key))
	h = (h ^ h>>16) * 0x85EBCA6B
	h = (h ^ h>>13) * 0xC2B2AE35
	return h ^ h>>16
}

// tuples are the tuples of all queue pairs. A packet carries the number of its own in
// place of a hash.
type tuples struct{ all []Tuple }

// HashesTuples tells whether switches choose paths by tuples.
func (n *Network) HashesTuples() bool { return n.tuples != nil }

// Number makes a tuple known, and gives the number that packets carry as their flow.
func (n *Network) Number(t Tuple) uint32 {
	n.tuples.all = append(n.tuples.all, t)
	return uint32(len(n.tuples.all) - 1)
}

// choose picks the next hop of a tuple: of n, in the reverse order of ports.
func (x *tuples) choose(flow, node uint32, n int) int {
	return n - 1 - int(x.all[flow].Murmur(node)%uint32(n))
}
