package memory

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Access is a set of rights to a region, by the numbers of ibv_access_flags. The empty
// set lets its own host's adapter read, which every region does.
type Access uint8

// Rights to a region.
const (
	LocalWrite   Access = 1 << iota // receive buffers, results of READ and of atomics
	RemoteWrite                     // WRITE
	RemoteRead                      // READ
	RemoteAtomic                    // compare-and-swap, fetch-and-add
)

// PD is a protection domain of a [Space], from 1 on. Regions and queue pairs belong to
// one, and get on only with those of the same.
type PD int32

// Region is a range of memory that is known to an adapter under a key. It is read
// only: what is done to it goes through its [Space].
type Region struct {
	PD     PD
	Start  uint64      // virtual address of its first byte
	Length units.Bytes // at least 1
	Access Access
	// LKey and RKey name the region in requests of its own host and of others: 24 bits of
	// index, then 8 bits of tag. They are the same number, as on ConnectX.
	LKey, RKey uint32

	page  units.Bytes // size of its pages
	first uint64      // number of its own translation; those of its pages follow
}

// Fault is why an access to memory is refused.
type Fault uint8

// Faults, in the order in which an adapter looks for them: of several, the first is found.
const (
	None        Fault = iota
	BadKey            // no region has the key: its index is not taken, or its tag is another
	Invalid           // the region has been invalidated
	WrongPD           // the region belongs to another protection domain than the queue pair
	Denied            // the region does not grant the right
	OutOfBounds       // some of the range lies outside of the region
)

// String is what a person reads about a fault.
func (f Fault) String() string {
	names := [...]string{"none", "unknown key", "invalidated key", "wrong protection domain", "access denied", "out of bounds"}
	if int(f) < len(names) {
		return names[f]
	}
	return fmt.Sprintf("fault %d", uint8(f))
}

const (
	tagBits  = 8
	maxIndex = 1<<(32-tagBits) - 1
)

// entry is a slot of the table of keys.
type entry struct {
	region *Region // nil where the slot is free
	tag    uint8   // of the region in it, or of the next one
	valid  bool
}

// AllocPD makes a protection domain.
func (s *Space) AllocPD() PD {
	s.domains++
	return s.domains
}

// Register makes a range of length bytes, 1 or more, from start on known under a key of
// its own; regions may overlap. It is an error if the domain is not of this space, if the
// range does not end before the address space does, if rights are unknown, if others may
// write where the host itself may not (as for ibv_reg_mr), or if all 2^24-1 keys are taken.
func (s *Space) Register(pd PD, start uint64, length units.Bytes, a Access) (*Region, error) {
	switch {
	case pd < 1 || pd > s.domains:
		return nil, fmt.Errorf("memory: protection domain %d does not exist", pd)
	case length < 1:
		return nil, fmt.Errorf("memory: a region of %d bytes, want 1 or more", int64(length))
	case start+uint64(length) < start:
		return nil, fmt.Errorf("memory: a region of %d bytes at %#x reaches beyond the address space", int64(length), start)
	case a&^(LocalWrite|RemoteWrite|RemoteRead|RemoteAtomic) != 0:
		return nil, fmt.Errorf("memory: unknown rights %#x", uint8(a))
	case a&(RemoteWrite|RemoteAtomic) != 0 && a&LocalWrite == 0:
		return nil, fmt.Errorf("memory: rights %#x let others write, which takes the right to write locally (1)", uint8(a))
	}
	index, ok := s.slot()
	if !ok {
		return nil, fmt.Errorf("memory: all %d keys are taken", maxIndex)
	}
	e := &s.keys[index]
	key := index<<tagBits | uint32(e.tag)
	e.region = &Region{PD: pd, Start: start, Length: length, Access: a, LKey: key, RKey: key}
	s.number(e.region)
	e.valid = true
	return e.region, nil
}

// slot returns the index of a free slot of the table of keys; the first one stays free so that no key is 0.
func (s *Space) slot() (index uint32, ok bool) {
	if n := len(s.free); n > 0 {
		index = s.free[n-1]
		s.free = s.free[:n-1]
		return index, true
	}
	if len(s.keys) == 0 {
		s.keys = append(s.keys, entry{})
	}
	if len(s.keys) > maxIndex {
		return 0, false
	}
	s.keys = append(s.keys, entry{})
	return uint32(len(s.keys) - 1), true
}

// Deregister forgets a region, whether it was invalidated or not. Its key is refused from
// now on, until its index has been used 256 times more: tags have 8 bits. It is an error if
// the space does not have the region, or not any more. What memory holds stays.
func (s *Space) Deregister(r *Region) error {
	e := s.lookup(r.LKey)
	if e == nil || e.region != r {
		return fmt.Errorf("memory: no region has the key %#x", r.LKey)
	}
	e.region, e.valid = nil, false
	e.tag++
	s.free = append(s.free, r.LKey>>tagBits)
	return nil
}

// Invalidate has the region of a key refuse everybody, as a SEND with invalidate or a
// local invalidation does, and tells whether it had not before. The index stays taken.
func (s *Space) Invalidate(rkey uint32) bool {
	e := s.lookup(rkey)
	if e == nil || !e.valid {
		return false
	}
	e.valid = false
	return true
}

// lookup returns the slot of a key, or nil if no region has it.
func (s *Space) lookup(key uint32) *entry {
	if index := key >> tagBits; index < uint32(len(s.keys)) {
		if e := &s.keys[index]; e.region != nil && e.tag == uint8(key) {
			return e
		}
	}
	return nil
}

// Check tells why a queue pair of a protection domain may not access length bytes at va
// under a key with all the rights in need, or [None] if it may. An access to no bytes is
// not checked at all (IBTA 9.7.4.1.4: a zero-length request needs no valid key); a negative
// length is out of bounds.
func (s *Space) Check(pd PD, key uint32, va uint64, length units.Bytes, need Access) Fault {
	if length == 0 {
		return None
	}
	e := s.lookup(key)
	if e == nil {
		return BadKey
	}
	switch r := e.region; {
	case !e.valid:
		return Invalid
	case r.PD != pd:
		return WrongPD
	case r.Access&need != need:
		return Denied
	case va < r.Start, length < 0, length > r.Length, va-r.Start > uint64(r.Length-length):
		return OutOfBounds
	}
	return None
}
