package strictyaml

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// badBytes finds the first byte no YAML text may contain, which the YAML library reports without a place.
func badBytes(file string, data []byte) (Problem, bool) {
	if len(data) > maxSize {
		return Problem{Pos: Position{File: file}, Wrong: fmt.Sprintf("the file has %d bytes", len(data)), Right: fmt.Sprintf("want at most %d", maxSize)}, true
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if what := badRune(r, size); what != "" {
			return Problem{Pos: place(file, data, i), Wrong: what, Right: "want UTF-8 text"}, true
		}
		i += size
	}
	return Problem{}, false
}

func badRune(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return "a byte that is not UTF-8"
	case r < ' ' && r != '\n' && r != '\r' && r != '\t', r == 0x7f, r >= 0x80 && r < 0xa0 && r != 0x85:
		return fmt.Sprintf("a control character (%U)", r)
	}
	return ""
}

// place turns a byte offset into a position.
func place(file string, data []byte, offset int) Position {
	before := data[:offset]
	lineStart := 1 + bytes.LastIndexByte(before, '\n')
	return Position{File: file, Line: 1 + bytes.Count(before, []byte("\n")), Col: 1 + utf8.RuneCount(before[lineStart:])}
}

var (
	lineOf        = regexp.MustCompile(`^line (\d+): (.*)$`)
	unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// hints says what would be right for the syntax errors people make. The library's parser (not its scanner) counts
// lines from 0: zeroBased.
var hints = []struct {
	message, right string
	zeroBased      bool
}{
	{"mapping values are not allowed in this context", "put quotation marks around a text with a colon, or check the indentation", false},
	{"could not find expected ':'", "want key: value", false},
	{"did not find expected ',' or '}'", "close the { or put a comma between its keys", true},
	{"did not find expected ',' or ']'", "close the [ or put a comma between its values", true},
	{"did not find expected key", "check the indentation: keys of one block begin in one column", true},
	{"did not find expected '-' indicator", "check the indentation: all entries of a list begin with -", true},
	{"did not find expected node content", "want a value here", true},
	{"did not find expected <document start>", "one file holds one document", true},
	{"found unexpected end of stream", "close the quotation mark", false},
	{"found character that cannot start any token", "put quotation marks around the text", false},
}

// syntaxProblem turns an error of the YAML library into a problem with a place.
func syntaxProblem(file string, data []byte, err error) Problem {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	p := Problem{Pos: Position{File: file, Line: 1, Col: 1}, Wrong: message}
	if m := lineOf.FindStringSubmatch(message); m != nil {
		p.Pos.Line, _ = strconv.Atoi(m[1])
		p.Wrong = m[2]
	}
	for _, h := range hints {
		if h.message == p.Wrong {
			p.Right = h.right
			if h.zeroBased {
				p.Pos.Line++
			}
		}
	}
	if m := unknownAnchor.FindStringSubmatch(p.Wrong); m != nil {
		if at := bytes.Index(data, []byte("*"+m[1])); at >= 0 {
			p.Pos = place(file, data, at)
		}
		p.Wrong, p.Right = fmt.Sprintf("the alias *%s has no anchor &%s before it", m[1], m[1]), "write the value out"
	}
	return tabProblem(data, p)
}

// tabProblem blames a tab in the indentation, the cause that is hardest to see, where the problem is one. The library
// names the line on which the block begins; the tab stands in that line or in one that follows.
func tabProblem(data []byte, p Problem) Problem {
	lines := bytes.Split(data, []byte("\n"))
	last := p.Pos.Line
	if strings.Contains(p.Wrong, "tab character") {
		last = len(lines)
	}
	for i := p.Pos.Line; i <= min(last, len(lines)); i++ {
		line := lines[i-1]
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if tab := bytes.IndexByte(indent, '\t'); tab >= 0 {
			p.Pos.Line, p.Pos.Col = i, tab+1
			p.Wrong, p.Right = "a tab in the indentation", "indent with spaces"
			return p
		}
	}
	return p
}
