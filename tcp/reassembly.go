package tcp

import "slices"

// span is a range of offsets, end excluded.
type span struct{ start, end int64 }

// reassembly is what has come of a stream: all before next, and some ranges behind gaps.
type reassembly struct {
	next   int64
	held   int64  // bytes in ahead
	ahead  []span // in order, none touching another
	recent [4]span
	count  int  // of recent: the blocks that changed last, newest first (RFC 2018, section 4)
	twice  span // what the last segment brought that had come before (RFC 2883); empty if nothing
}

// take takes in [start, end), with start ≤ end, and returns how much of it is new.
func (r *reassembly) take(start, end int64) (fresh int64) {
	r.twice = span{}
	if start < r.next {
		r.twice = span{start, min(end, r.next)}
		start = r.next
	}
	if start >= end {
		return 0
	}
	// The ranges that [start, end) touches become one with it.
	i := 0
	if n := len(r.ahead); n > 0 && r.ahead[n-1].end < start {
		i = n
	} else {
		i, _ = slices.BinarySearchFunc(r.ahead, start, func(s span, at int64) int {
			if s.end < at {
				return -1
			}
			return 1
		})
	}
	j, whole, had := i, span{start, end}, int64(0)
	for ; j < len(r.ahead) && r.ahead[j].start <= end; j++ {
		s := r.ahead[j]
		if lo, hi := max(s.start, start), min(s.end, end); lo < hi {
			if r.twice == (span{}) {
				r.twice = span{lo, hi}
			}
			had += hi - lo
		}
		whole.start, whole.end = min(whole.start, s.start), max(whole.end, s.end)
	}
	fresh = end - start - had
	if whole.start == r.next {
		for _, s := range r.ahead[i:j] {
			r.held -= s.end - s.start
		}
		r.ahead = slices.Delete(r.ahead, i, j)
		r.next = whole.end
		r.forget(r.next)
		return fresh
	}
	r.held += fresh
	if i == j {
		r.ahead = slices.Insert(r.ahead, i, whole)
	} else {
		r.ahead[i] = whole
		r.ahead = slices.Delete(r.ahead, i+1, j)
	}
	r.note(whole)
	return fresh
}

// note puts a block first among the recent ones, in place of those it has grown from.
func (r *reassembly) note(whole span) {
	kept := 0
	for _, s := range r.recent[:r.count] {
		if s.end < whole.start || s.start > whole.end {
			r.recent[kept] = s
			kept++
		}
	}
	kept = min(kept, len(r.recent)-1)
	copy(r.recent[1:kept+1], r.recent[:kept])
	r.recent[0] = whole
	r.count = kept + 1
}

// forget drops recent blocks before an offset.
func (r *reassembly) forget(before int64) {
	kept := 0
	for _, s := range r.recent[:r.count] {
		if s.end > before {
			r.recent[kept] = s
			kept++
		}
	}
	r.count = kept
}
