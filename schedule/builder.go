package schedule

import (
	"fmt"
	"strings"
)

// Builder makes graphs, one after the other.
type Builder struct {
	chunks [][]Op // full ones
	open   []Op   // the last one; kept from graph to graph
	pairs  []pair
	enough []quorum
}

// quorum is an operation that some of those it waits for are enough for.
type quorum struct{ op, of uint32 }

// pair is an operation and one that it waits for.
type pair struct {
	after  uint32
	before Successor // with the mark of those that wait for the start only
}

// NewBuilder returns a builder of a graph without operations.
func NewBuilder() *Builder { return new(Builder) }

// Add adds an operation and returns its index: 0, 1, 2 …
// There are at most MaxOps of them.
func (b *Builder) Add(op Op) int {
	if len(b.open) == chunkOps {
		b.chunks, b.open = append(b.chunks, b.open), make([]Op, 0, chunkOps)
	}
	b.open = append(b.open, op)
	return b.Ops() - 1
}

// Ops returns how many operations have been added.
func (b *Builder) Ops() int { return len(b.chunks)<<chunkBits + len(b.open) }

// Op returns operation i. The pointer holds until the next call of a method of the builder.
func (b *Builder) Op(i int) *Op {
	if chunk := i >> chunkBits; chunk < len(b.chunks) {
		return &b.chunks[chunk][i&(chunkOps-1)]
	}
	return &b.open[i&(chunkOps-1)]
}

// Requires has operation after wait until operation before has finished. Both are indices that Add has returned, or
// will have by the time of Graph.
func (b *Builder) Requires(after, before int) {
	b.pairs = append(b.pairs, pair{uint32(after), Successor(before)})
}

// IRequires has operation after wait until operation before has started: for a send, until it has got its processor;
// for a receive, until it is posted.
func (b *Builder) IRequires(after, before int) {
	b.pairs = append(b.pairs, pair{uint32(after), Successor(before) | onStart})
}

// Suffices has operation op wait for n of those that it requires, whichever are first, in place of all of them; there
// are at least so many. It is what the n-th ticket of a common pool waits for.
func (b *Builder) Suffices(op, n int) {
	b.enough = append(b.enough, quorum{uint32(op), uint32(n)})
}

// Graph returns the graph of what has been added, and makes the builder ready for the next one. Operations that wait
// for each other in a circle are a [*CycleError].
func (b *Builder) Graph() (*Graph, error) {
	g := &Graph{ops: b.Ops()}
	g.chunks = append(make([][]Op, 0, len(b.chunks)+1), b.chunks...)
	if len(b.open) == chunkOps {
		g.chunks, b.open = append(g.chunks, b.open), nil
	} else {
		g.chunks = append(g.chunks, append(make([]Op, 0, len(b.open)), b.open...))
	}
	g.link(b.pairs)
	for _, q := range b.enough {
		g.needs[q.op] = q.of
	}
	err := g.circle(b.pairs)
	clear(b.chunks)
	b.chunks, b.open, b.pairs, b.enough = b.chunks[:0], b.open[:0], b.pairs[:0], b.enough[:0]
	if err != nil {
		return nil, err
	}
	return g, nil
}

// link sorts the pairs by whom the operations wait for, those of the same one in their order.
func (g *Graph) link(pairs []pair) {
	g.needs, g.first = make([]uint32, g.ops), make([]uint32, g.ops+1)
	g.follows = make([]Successor, len(pairs))
	for _, p := range pairs {
		g.needs[p.after]++
		g.first[p.before.Op()+1]++
	}
	for i := range g.ops {
		g.first[i+1] += g.first[i]
	}
	// Each beginning moves on to the next one's while its successors are filled in, and back at the end.
	for _, p := range pairs {
		at := &g.first[p.before.Op()]
		g.follows[*at] = Successor(p.after) | p.before&onStart
		*at++
	}
	copy(g.first[1:], g.first)
	g.first[0] = 0
}

// circle looks for operations that wait for each other.
func (g *Graph) circle(pairs []pair) error {
	forward := true
	for _, p := range pairs {
		forward = forward && p.before.Op() < int(p.after)
	}
	if forward {
		return nil
	}
	open := append([]uint32(nil), g.needs...) // what each still waits for
	ready := make([]uint32, 0, 1024)
	left := g.ops
	for i := range g.ops {
		if g.needs[i] > 0 {
			continue
		}
		for ready = append(ready, uint32(i)); len(ready) > 0; {
			last := ready[len(ready)-1]
			ready = ready[:len(ready)-1]
			left--
			for _, s := range g.Successors(int(last)) {
				if open[s.Op()] == 0 {
					continue // enough of what it waits for had finished before
				}
				if open[s.Op()]--; open[s.Op()] == 0 {
					ready = append(ready, uint32(s.Op()))
				}
			}
		}
	}
	if left == 0 {
		return nil
	}
	return &CycleError{Ops: walk(open, pairs)}
}

// walk follows operations that are never ready back to ones they wait for, which are never ready either, until one comes again.
func walk(open []uint32, pairs []pair) []int {
	const none = 1<<32 - 1
	before := make([]uint32, len(open))
	for i := range before {
		before[i] = none
	}
	at := uint32(none)
	for _, p := range pairs {
		if b := p.before.Op(); open[p.after] > 0 && open[b] > 0 && before[p.after] == none {
			before[p.after] = uint32(b)
			at = min(at, p.after)
		}
	}
	seen := make([]bool, len(open))
	for !seen[at] {
		seen[at] = true
		at = before[at]
	}
	circle := []int{int(at)}
	for next := before[at]; next != at; next = before[next] {
		circle = append(circle, int(next))
	}
	return circle
}

// CycleError tells that operations of a rank wait for each other, so that none of them would ever begin.
type CycleError struct {
	Ops []int // each waits for the next one, the last one for the first
}

// Error names the operations by their numbers.
func (e *CycleError) Error() string {
	return e.Text(func(op int) string { return fmt.Sprint("operation ", op) })
}

// Text is the error with the operations named by whoever knows what their user calls them. Of a long circle it names
// the first ones.
func (e *CycleError) Text(name func(op int) string) string {
	const most = 8
	var text strings.Builder
	text.WriteString(name(e.Ops[0]))
	for k, op := range append(e.Ops[1:len(e.Ops):len(e.Ops)], e.Ops[0]) {
		if k == most {
			fmt.Fprintf(&text, ", and so on round a circle of %d", len(e.Ops))
			break
		}
		if k > 0 {
			text.WriteString(", which")
		}
		text.WriteString(" waits for " + name(op))
	}
	return text.String()
}
