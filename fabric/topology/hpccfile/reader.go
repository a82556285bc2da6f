package hpccfile

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxCount bounds the numbers of a header, so that a slip does not fill the memory.
const maxCount = 1 << 24

// maxLine is the longest line that is read; the list of switches is one line.
const maxLine = 1 << 24

// reader goes through a file line by line and keeps the first error, after which it reads nothing but zeros.
type reader struct {
	name   string
	lines  *bufio.Scanner
	line   int
	fields []string
	err    error
}

func newReader(name string, r io.Reader) *reader {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return &reader{name: name, lines: lines}
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s:%d: %s", r.name, max(r.line, 1), fmt.Sprintf(format, args...))
	}
}

// next moves to the next line that is not blank; it is false at the end of the file and after an error.
func (r *reader) next() bool {
	for r.err == nil && r.lines.Scan() {
		r.line++
		if r.fields = strings.Fields(r.lines.Text()); len(r.fields) > 0 {
			return true
		}
	}
	if err := r.lines.Err(); err != nil {
		r.fail("%v", err)
	}
	return false
}

// record moves to line i of the count that a header announced; what names such lines.
func (r *reader) record(i, count int, what string) bool {
	if r.next() {
		return true
	}
	r.fail("the file ends after %d of the %d %s that line 1 announces", i, count, what)
	return false
}

// end makes sure that nothing follows.
func (r *reader) end(count int, what string) {
	if r.next() {
		r.fail("more than the %d %s that line 1 announces", count, what)
	}
}

// numbers reads a line of n numbers, each below limit; it is nil after an error.
func (r *reader) numbers(what string, n, limit int) []int {
	switch {
	case !r.next():
		r.fail("the file ends where %s should stand", what)
	case len(r.fields) != n:
		r.fail("%d fields where %s should stand", len(r.fields), what)
	}
	if r.err != nil {
		return nil
	}
	numbers := make([]int, n)
	for i, field := range r.fields {
		numbers[i] = r.number(field, limit)
	}
	return numbers
}

// number reads a whole number below limit; it is 0 after an error.
func (r *reader) number(field string, limit int) int {
	n, err := strconv.ParseUint(field, 10, 32)
	switch {
	case err != nil:
		r.fail("%q is not a whole number", field)
		return 0
	case n >= uint64(limit):
		r.fail("%d is too large: at most %d", n, limit-1)
		return 0
	}
	return int(n)
}

// quantity reads a rate, a size or a time.
func (r *reader) quantity(value interface{ UnmarshalText([]byte) error }, text string) {
	if err := value.UnmarshalText([]byte(text)); err != nil {
		r.fail("%v", err)
	}
}
