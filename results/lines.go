package results

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lines collects the lines of a CSV file and writes them in large pieces.
type lines struct {
	to     io.Writer
	buffer []byte
	err    error
}

// pieceSize is about how much is written at once.
const pieceSize = 1 << 16

// add adds a line of so many cells, of which write appends the i-th.
func (l *lines) add(cells int, write func(dst []byte, i int) []byte) {
	for i := range cells {
		if i > 0 {
			l.buffer = append(l.buffer, ',')
		}
		l.buffer = write(l.buffer, i)
	}
	l.buffer = append(l.buffer, '\n')
	if len(l.buffer) >= pieceSize {
		_ = l.flush() // the error stays in l
	}
}

// flush writes what has been collected and returns the first error there was.
func (l *lines) flush() error {
	if l.err == nil {
		_, l.err = l.to.Write(l.buffer)
	}
	l.buffer = l.buffer[:0]
	return l.err
}

// appendWords appends words as a cell of a CSV file, in quotes if they have in them what means something there.
func appendWords(dst []byte, words string) []byte {
	if !needsQuotes(words) {
		return append(dst, words...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(words, `"`, `""`)...)
	return append(dst, '"')
}

func needsQuotes(words string) bool {
	if words == "" {
		return false
	}
	for i := range len(words) {
		switch words[i] {
		case ',', '"', '\r', '\n':
			return true
		}
	}
	first, _ := utf8.DecodeRuneInString(words)
	return unicode.IsSpace(first) || words == `\.`
}
