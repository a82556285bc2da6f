package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is where a value was written: a place in a file, or an override given on the command line.
type Position struct {
	File string // name of the file as the user gave it
	Line int    // counted from 1; 0 means the file as a whole
	Col  int    // counted from 1, in characters
	Set  string // path of the override; empty for a value from the file
}

// String returns "file:line:col" or "--set path".
func (p Position) String() string {
	switch {
	case p.Set != "":
		return "--set " + p.Set
	case p.Line == 0:
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// before orders positions as a reader meets them: the file from its top, then the overrides.
func (p Position) before(q Position) int {
	return cmp.Or(cmp.Compare(p.Set, q.Set), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// Problem is one thing wrong with a document.
type Problem struct {
	Pos   Position
	Path  string // dotted path of the key, such as switch.ecn.kmin or workloads[0].size; empty for the document as a whole
	Wrong string // what is wrong
	Right string // what would be right; may be empty
}

// Error returns one line: "file:line:col: path: what is wrong; what would be right".
func (p Problem) Error() string {
	var line strings.Builder
	line.WriteString(p.Pos.String())
	if p.Path != "" && p.Path != p.Pos.Set {
		line.WriteString(": " + p.Path)
	}
	line.WriteString(": " + p.Wrong)
	if p.Right != "" {
		line.WriteString("; " + p.Right)
	}
	return line.String()
}

// Problems is everything wrong with a document, in the order of the positions.
type Problems []Problem

// Error returns one line for each problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Sort orders the problems by position; problems at one position keep their order.
func (ps Problems) Sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int { return a.Pos.before(b.Pos) })
}

// Touch tells whether a problem is known about the value at path, about anything inside it, or about a block around
// it. Problems of the document as a whole do not count.
func (ps Problems) Touch(path string) bool {
	return slices.ContainsFunc(ps, func(p Problem) bool {
		return within(p.Path, path) || p.Path != "" && within(path, p.Path)
	})
}

// within tells whether the value at path lies at or inside the value at outer.
func within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (outer == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// and adds a problem, up to the number anybody would read.
func (ps Problems) and(p Problem) Problems {
	if len(ps) >= maxProblems {
		return ps
	}
	return append(ps, p)
}
