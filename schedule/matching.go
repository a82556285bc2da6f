package schedule

// Matching pairs messages that come to a rank with its receives, as MPI does: a message goes to the oldest receive that fits
// it, a receive takes the oldest message that fits it, of those that have come before. M is what a message is. The zero value is
// empty. Without wildcards either takes the same time however many there are.
type Matching[M any] struct {
	posted line[int32] // receives that name their sender and tag
	open   []openReceive
	came   line[M]
	count  uint64
}

// openReceive is a receive with a wildcard.
type openReceive struct {
	key    matchKey
	op     int32
	number uint64
}

// matchKey is what a message is known by at its receiver, and what a receive asks for.
type matchKey struct {
	peer int32
	tag  uint32
}

// takes tells whether a receive takes what has that key.
func (k matchKey) takes(m matchKey) bool {
	return (k.peer == Any || k.peer == m.peer) && (k.tag == AnyTag || k.tag == m.tag)
}

// Post posts a receive, operation op; if its message has come already, it returns that, and from whom it is, instead.
func (q *Matching[M]) Post(op, peer int32, tag uint32) (m M, from int32, ok bool) {
	key := matchKey{peer, tag}
	exact := peer != Any && tag != AnyTag
	at := q.came.oldest(key)
	if !exact {
		for at = q.came.first(); at != none && !key.takes(q.came.nodes[at].key); {
			at = q.came.nodes[at].next
		}
	}
	if at != none {
		n := q.came.remove(at)
		return n.value, n.key.peer, true
	}
	q.count++
	if exact {
		q.posted.add(key, op, q.count)
	} else {
		q.open = append(q.open, openReceive{key, op, q.count})
	}
	return m, 0, false
}

// Arrive returns the receive that a message is for, or keeps the message until there is one.
func (q *Matching[M]) Arrive(from int32, tag uint32, m M) (op int32, ok bool) {
	key := matchKey{from, tag}
	exact := q.posted.oldest(key)
	for i := range q.open {
		r := q.open[i]
		if exact != none && q.posted.nodes[exact].number < r.number {
			break
		}
		if r.key.takes(key) {
			q.open = append(q.open[:i], q.open[i+1:]...)
			return r.op, true
		}
	}
	if exact != none {
		return q.posted.remove(exact).value, true
	}
	q.count++
	q.came.add(key, m, q.count)
	return 0, false
}

// Oldest returns the receive that waits longest; false if none does.
func (q *Matching[M]) Oldest() (op int32, ok bool) {
	first := q.posted.first()
	switch {
	case len(q.open) > 0 && (first == none || q.open[0].number < q.posted.nodes[first].number):
		return q.open[0].op, true
	case first != none:
		return q.posted.nodes[first].value, true
	}
	return 0, false
}

// Unasked returns the oldest message that no receive has asked for: from whom it is and its tag; false if there is none.
func (q *Matching[M]) Unasked() (from int32, tag uint32, ok bool) {
	at := q.came.first()
	if at == none {
		return 0, 0, false
	}
	key := q.came.nodes[at].key
	return key.peer, key.tag, true
}

// none is no place.
const none = 0

// line is what waits, in order, and of each key by itself. Place 0 of its nodes stands for the beginning and the end of the line.
type line[T any] struct {
	nodes []lineNode[T]
	ends  map[matchKey][2]int32 // of a key that has any: its first and last place
	free  int32                 // the first place that is not used, each of which has the next
}

type lineNode[T any] struct {
	key        matchKey
	number     uint64
	prev, next int32 // of all
	follows    int32 // the next of its key
	value      T
}

func (l *line[T]) first() int32 {
	if len(l.nodes) == 0 {
		return none
	}
	return l.nodes[0].next
}

// oldest is the first place of a key.
func (l *line[T]) oldest(key matchKey) int32 { return l.ends[key][0] }

func (l *line[T]) add(key matchKey, value T, number uint64) {
	if l.nodes == nil {
		l.nodes, l.ends = make([]lineNode[T], 1, 4), map[matchKey][2]int32{}
	}
	at := l.free
	if at == none {
		at = int32(len(l.nodes))
		l.nodes = append(l.nodes, lineNode[T]{})
	} else {
		l.free = l.nodes[at].next
	}
	last := l.nodes[0].prev
	l.nodes[at] = lineNode[T]{key: key, number: number, prev: last, value: value}
	l.nodes[last].next, l.nodes[0].prev = at, at
	ends, known := l.ends[key]
	if known {
		l.nodes[ends[1]].follows = at
	} else {
		ends[0] = at
	}
	ends[1] = at
	l.ends[key] = ends
}

// remove removes a place, the first of its key.
func (l *line[T]) remove(at int32) lineNode[T] {
	n := l.nodes[at]
	l.nodes[n.prev].next, l.nodes[n.next].prev = n.next, n.prev
	if n.follows == none {
		delete(l.ends, n.key)
	} else {
		l.ends[n.key] = [2]int32{n.follows, l.ends[n.key][1]}
	}
	l.nodes[at] = lineNode[T]{next: l.free}
	l.free = at
	return n
}
