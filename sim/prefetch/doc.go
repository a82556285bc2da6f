// Package prefetch asks for memory that will soon be needed. A switch knows at the start
// of a window which rings it is going to read and write; asked for all at once, their
// cache lines come in one after another while it works, instead of one by one when it
// meets them. At a thousand hosts, of which no processor's own cache holds the state,
// that is worth a third of a run's time.
package prefetch
