package programs

import (
	"cmp"
	"container/heap"

	"github.com/rdmasim/rdmasim/sim/units"
)

// pending is what will be over at some time, the earliest first, and of equal times what was added first.
type pending[T any] struct {
	heap  pendingHeap[T]
	added int
}

// add adds something that is over at a time.
func (p *pending[T]) add(at units.Time, v T) {
	p.added++
	heap.Push(&p.heap, pendingItem[T]{at, p.added, v})
}

// due tells whether something is over.
func (p *pending[T]) due(now units.Time) bool { return len(p.heap) > 0 && p.heap[0].at <= now }

// first is what is over first, of which there must be one.
func (p *pending[T]) first() *T { return &p.heap[0].what }

// len is how much is not.
func (p *pending[T]) len() int { return len(p.heap) }

// take takes out what is over first, of which there must be one.
func (p *pending[T]) take() T { return heap.Pop(&p.heap).(pendingItem[T]).what }

type pendingItem[T any] struct {
	at     units.Time
	number int
	what   T
}

type pendingHeap[T any] []pendingItem[T]

// Len implements [heap.Interface].
func (h pendingHeap[T]) Len() int { return len(h) }

// Less implements [heap.Interface].
func (h pendingHeap[T]) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].at, h[j].at), cmp.Compare(h[i].number, h[j].number)) < 0
}

// Swap implements [heap.Interface].
func (h pendingHeap[T]) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *pendingHeap[T]) Push(v any) { *h = append(*h, v.(pendingItem[T])) }

// Pop implements [heap.Interface].
func (h *pendingHeap[T]) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
