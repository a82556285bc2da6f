package memory

import "github.com/rdmasim/rdmasim/sim/units"

// SmallPage is the size of pages where nothing else is said.
const SmallPage = 4 * units.KiB

// UsePages sets the size of the pages of regions that are registered from now on, a power of two; 0 is [SmallPage].
func (s *Space) UsePages(size units.Bytes) { s.pageBytes = size }

// numbers are how many numbers translations have. Regions take them in turn, and begin anew when all are
// taken, so that what is kept by number stays small.
const numbers = 1 << 24

// number gives a region the numbers of what an adapter has to know of it: of the region itself, and of each of its pages.
func (s *Space) number(r *Region) {
	if r.page = s.pageBytes; r.page == 0 {
		r.page = SmallPage
	}
	r.first = s.numbered
	s.numbered += uint64(r.pageOf(r.Start+uint64(r.Length)-1)) + 2
}

// pageOf is which of its pages an address is in.
func (r *Region) pageOf(va uint64) uint64 {
	return va/uint64(r.page) - r.Start/uint64(r.page)
}

// Translations are the numbers of what an adapter needs in order to access length bytes at va under a key, such as
// [Space.Check] allows: that of the region, and those of the pages from the first on. There are no pages where no region has the key.
func (s *Space) Translations(key uint32, va uint64, length units.Bytes) (region, first uint32, pages int) {
	e := s.lookup(key)
	if e == nil || length <= 0 {
		return 0, 0, 0
	}
	r := e.region
	from, to := r.pageOf(va), r.pageOf(va+uint64(length)-1)
	return uint32(r.first % numbers), uint32((r.first + 1 + from) % numbers), int(to-from) + 1
}
