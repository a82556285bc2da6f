package programs

// line is first in, first out.
type line[T any] struct {
	items []T
	first int
}

func (l *line[T]) len() int { return len(l.items) - l.first }

func (l *line[T]) push(v T) {
	if l.first > 0 && len(l.items) == cap(l.items) && 2*l.first >= len(l.items) {
		l.items = l.items[:copy(l.items, l.items[l.first:])]
		l.first = 0
	}
	l.items = append(l.items, v)
}

// pop takes the first, of at least one.
func (l *line[T]) pop() T {
	v := l.items[l.first]
	l.first++
	return v
}
