package results

import (
	"io"
	"os"

	"golang.org/x/term"
)

// The columns a summary is laid out for: what it needs, and beyond what lines become hard to follow.
const (
	minColumns = 72
	maxColumns = 100
)

// Columns returns the width for text written to f: that of the terminal, at most 100, or 80 if f is not a terminal.
func Columns(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 80
	}
	return min(width, maxColumns)
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// coloured reports whether text written to w may be coloured: on a terminal, unless the user asked for none
// (https://no-color.org).
func coloured(w io.Writer) bool { return IsTerminal(w) && os.Getenv("NO_COLOR") == "" }
