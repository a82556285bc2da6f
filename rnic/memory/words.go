package memory

import (
	"math/bits"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Space is the memory of a host as one adapter sees it, with what it holds and under
// which keys it may be accessed. The zero value is one without regions whose bytes are
// all 0. It is not for use by several goroutines.
type Space struct {
	domains PD
	keys    []entry
	free    []uint32 // indices of keys; the last is taken first

	pageBytes units.Bytes // of pages that are registered; 0 for SmallPage
	numbered  uint64      // translations that regions have been given numbers for

	pages  map[uint64]*page // those that are not all 0, by number: address / pageSize
	order  []uint64         // their numbers
	sorted bool             // these rise
	spare  *page            // one that has become all 0, for use again
}

const (
	wordSize     = 8
	pageShift    = 12
	wordsPerPage = 1 << pageShift / wordSize
)

// page has what a page of 4 KiB holds, in words of 8 bytes, little end first.
type page struct {
	words   [wordsPerPage]uint64
	used    [wordsPerPage / 64]uint64 // a bit for each word that is not 0
	nonzero int                       // how many these are
}

// Word is 8 bytes of a range, little end first. Of a range that does not end with a
// word, the last one's upper bytes are 0.
type Word struct {
	Offset uint32 // from the start of the range, in bytes; a multiple of 8
	Value  uint64
}

// Load returns the 8 bytes at va, little end first; any address will do.
func (s *Space) Load(va uint64) uint64 {
	if len(s.pages) == 0 {
		return 0
	}
	low, shift := va&^(wordSize-1), va%wordSize*8
	v := s.word(low) >> shift
	if shift != 0 {
		v |= s.word(low+wordSize) << (64 - shift)
	}
	return v
}

// Store sets the 8 bytes at va; any address will do.
func (s *Space) Store(va, v uint64) { s.store(va, v, ^uint64(0)) }

// CompareSwap sets the 8 bytes at va to swap if they are equal to compare, and returns
// what they were. That va is a multiple of 8 is the transport's to check.
func (s *Space) CompareSwap(va, compare, swap uint64) (old uint64) {
	old = s.Load(va)
	if old == compare {
		s.Store(va, swap)
	}
	return old
}

// FetchAdd adds to the 8 bytes at va, modulo 2^64, and returns what they were. That va is
// a multiple of 8 is the transport's to check.
func (s *Space) FetchAdd(va, add uint64) (old uint64) {
	old = s.Load(va)
	s.Store(va, old+add)
	return old
}

// Words returns what a range of memory holds, of at most 4 GiB: its words that are not 0,
// by rising offset; nil if there are none. The range does not reach beyond the address space.
func (s *Space) Words(va uint64, length units.Bytes) []Word {
	if len(s.pages) == 0 || length <= 0 {
		return nil
	}
	if va%wordSize == 0 {
		return s.alignedWords(va, length)
	}
	var words []Word
	end := va + uint64(length)
	reached := va // no word that begins before is to be looked at any more
	for _, number := range s.within(va, end) {
		// A word of an unaligned range may begin in the page before.
		from := max(reached, number<<pageShift)
		from -= (from - va) % wordSize
		to := min(end-1, number<<pageShift|(1<<pageShift-1))
		for at := from; at <= to && at >= from; at += wordSize {
			v := s.Load(at)
			if left := end - at; left < wordSize {
				v &= 1<<(left*8) - 1
			}
			if v != 0 {
				words = append(words, Word{Offset: uint32(at - va), Value: v})
			}
			reached = at + wordSize
		}
	}
	return words
}

// alignedWords are those of a range that begins with a word, which is what nearly all do.
func (s *Space) alignedWords(va uint64, length units.Bytes) []Word {
	var words []Word
	end := va + uint64(length)
	for _, number := range s.within(va, end) {
		p := s.pages[number]
		base := number << pageShift
		for i := p.next(int((max(va, base) - base) / wordSize)); i < wordsPerPage; i = p.next(i + 1) {
			at := base + uint64(i)*wordSize
			if at >= end {
				break
			}
			v := p.words[i]
			if left := end - at; left < wordSize {
				v &= 1<<(left*8) - 1
			}
			if v != 0 {
				words = append(words, Word{Offset: uint32(at - va), Value: v})
			}
		}
	}
	return words
}

// Place has a range of memory, of at most 4 GiB, hold words, as [Space.Words] returns them for a
// range of the same length, and nothing but 0 beside them. Bytes outside of the range stay as
// they are, though a word may reach beyond it.
func (s *Space) Place(va uint64, length units.Bytes, words []Word) {
	if length <= 0 {
		return
	}
	end := va + uint64(length)
	if len(s.pages) != 0 {
		s.clear(va, end)
	}
	for _, w := range words {
		mask := ^uint64(0)
		if left := uint64(length) - uint64(w.Offset); left < wordSize {
			mask = 1<<(left*8) - 1
		}
		s.store(va+uint64(w.Offset), w.Value, mask)
	}
}

// clear sets the bytes from va to before end to 0.
func (s *Space) clear(va, end uint64) {
	emptied := 0
	numbers := s.within(va, end)
	for _, number := range numbers {
		p := s.pages[number]
		base := number << pageShift
		for i := p.next(int((max(va&^(wordSize-1), base) - base) / wordSize)); i < wordsPerPage; i = p.next(i + 1) {
			at := base + uint64(i)*wordSize
			if at >= end {
				break
			}
			mask := ^uint64(0) // of the bytes to clear
			if at < va {
				mask <<= (va - at) * 8
			}
			if left := end - at; left < wordSize {
				mask &= 1<<(left*8) - 1
			}
			p.set(i, p.words[i]&^mask)
		}
		if p.nonzero == 0 {
			emptied++
		}
	}
	for i := len(numbers) - 1; emptied > 0; i-- {
		if s.pages[numbers[i]].nonzero == 0 {
			emptied--
			s.drop(numbers[i])
		}
	}
}

// word returns the word at an address that is a multiple of 8.
func (s *Space) word(va uint64) uint64 {
	if p := s.pages[va>>pageShift]; p != nil {
		return p.words[va>>3%wordsPerPage]
	}
	return 0
}

// store sets those bits of the 8 bytes at va that are in mask.
func (s *Space) store(va, v, mask uint64) {
	low, shift := va&^(wordSize-1), va%wordSize*8
	s.merge(low, v<<shift, mask<<shift)
	if shift != 0 {
		s.merge(low+wordSize, v>>(64-shift), mask>>(64-shift))
	}
}

// merge sets those bits of the word at va, a multiple of 8, that are in mask.
func (s *Space) merge(va, v, mask uint64) {
	v &= mask
	p := s.pages[va>>pageShift]
	if p == nil {
		if v == 0 {
			return
		}
		p = s.newPage(va >> pageShift)
	}
	i := int(va >> 3 % wordsPerPage)
	p.set(i, p.words[i]&^mask|v)
	if p.nonzero == 0 {
		s.drop(va >> pageShift)
	}
}

// set replaces a word.
func (p *page) set(i int, v uint64) {
	old := p.words[i]
	p.words[i] = v
	switch {
	case old == 0 && v != 0:
		p.nonzero++
		p.used[i/64] |= 1 << (i % 64)
	case old != 0 && v == 0:
		p.nonzero--
		p.used[i/64] &^= 1 << (i % 64)
	}
}

// next is the first word from one on that is not 0; wordsPerPage if there is none.
func (p *page) next(i int) int {
	for ; i < wordsPerPage; i = (i | 63) + 1 {
		if rest := p.used[i/64] >> (i % 64); rest != 0 {
			return i + bits.TrailingZeros64(rest)
		}
	}
	return wordsPerPage
}

// newPage adds the page of a number.
func (s *Space) newPage(number uint64) *page {
	if s.pages == nil {
		s.pages = map[uint64]*page{}
	}
	p := s.spare
	if s.spare = nil; p == nil {
		p = &page{}
	}
	s.pages[number] = p
	s.sorted = len(s.order) == 0 || s.sorted && s.order[len(s.order)-1] < number
	s.order = append(s.order, number)
	return p
}

// drop forgets a page that has become all 0.
func (s *Space) drop(number uint64) {
	s.spare = s.pages[number]
	delete(s.pages, number)
	s.sort()
	i, _ := slices.BinarySearch(s.order, number)
	s.order = slices.Delete(s.order, i, i+1)
}

// sort has the numbers of pages rise.
func (s *Space) sort() {
	if !s.sorted {
		slices.Sort(s.order)
		s.sorted = true
	}
}

// within returns the numbers of the pages that have bytes from va to before end, in rising order.
func (s *Space) within(va, end uint64) []uint64 {
	s.sort()
	first, _ := slices.BinarySearch(s.order, va>>pageShift)
	past, found := slices.BinarySearch(s.order, (end-1)>>pageShift)
	if found {
		past++
	}
	return s.order[first:past]
}
