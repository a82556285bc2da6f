package rnic

// A sharedList is what one end of a connection writes for the other one to read beside packets:
// see beside.go, whose lists are of one sort and long. Both ends begin with the same page.

// perPage is how many things a page of a list has.
const perPage = 8

type page[T any] struct {
	things [perPage]T
	next   *page[T]
}

// pageWriter is the end of a list.
type pageWriter[T any] struct {
	page    *page[T]
	used    int
	written int64
}

func newPageWriter[T any]() pageWriter[T] { return pageWriter[T]{page: new(page[T])} }

// add makes room at the end, for the caller to write there before a packet leaves that says so.
func (w *pageWriter[T]) add() *T {
	if w.used == perPage {
		w.page.next = new(page[T])
		w.page, w.used = w.page.next, 0
	}
	at := &w.page.things[w.used]
	w.used++
	w.written++
	return at
}

// pageReader is how far a list has been read.
type pageReader[T any] struct {
	page *page[T]
	used int
	read int64
}

// take reads the next thing, of which is known that it is there.
func (r *pageReader[T]) take() *T {
	if r.used == perPage {
		r.page, r.used = r.page.next, 0
	}
	at := &r.page.things[r.used]
	r.used++
	r.read++
	return at
}
