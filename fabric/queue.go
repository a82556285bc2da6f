package fabric

// Queue is a growable first-in first-out ring of values. Its room doubles when
// it is full and is kept, so that a queue which has once been as long as it
// gets allocates no more. The zero value is an empty queue.
type Queue[T any] struct {
	ring []T // length a power of two
	head uint32
	size uint32
}

// Len is the number of values in the queue.
func (q *Queue[T]) Len() int { return int(q.size) }

// Front is the first value, to be read before the next Push; the queue must not
// be empty.
func (q *Queue[T]) Front() *T { return &q.ring[q.head] }

// Push adds a value at the end.
func (q *Queue[T]) Push(v *T) { *q.Add() = *v }

// Add makes room at the end for a value that the caller writes there in place, over
// what an earlier one has left. It stays where it is until the next value is added.
func (q *Queue[T]) Add() *T {
	if int(q.size) == len(q.ring) {
		q.grow()
	}
	v := &q.ring[(q.head+q.size)&uint32(len(q.ring)-1)]
	q.size++
	return v
}

// Pop removes the first value, which stays readable until the next Push. A queue
// that has run empty begins again at the start of its ring, so that a short queue
// stays in the cache however long it has been.
func (q *Queue[T]) Pop() *T {
	v := &q.ring[q.head]
	q.head = (q.head + 1) & uint32(len(q.ring)-1)
	q.size--
	if q.size == 0 {
		q.head = 0
	}
	return v
}

// Return puts a value back at the front.
func (q *Queue[T]) Return(v *T) {
	if int(q.size) == len(q.ring) {
		q.grow()
	}
	q.head = (q.head - 1) & uint32(len(q.ring)-1)
	q.ring[q.head] = *v
	q.size++
}

// Truncate drops all but the first n values.
func (q *Queue[T]) Truncate(n int) { q.size = min(q.size, uint32(n)) }

// At is the i-th value from the front.
func (q *Queue[T]) At(i int) *T { return &q.ring[(q.head+uint32(i))&uint32(len(q.ring)-1)] }

const smallestRing = 4

func (q *Queue[T]) grow() {
	ring := make([]T, max(2*len(q.ring), smallestRing))
	n := copy(ring, q.ring[q.head:])
	copy(ring[n:], q.ring[:q.head])
	q.ring, q.head = ring, 0
}
