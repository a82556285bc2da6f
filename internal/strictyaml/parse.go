package strictyaml

import (
	"bytes"
	"errors"
	"io"

	"gopkg.in/yaml.v3"
)

// Limits on what a document may ask of its reader. They are far above any scenario and far below what would hurt.
const (
	maxSize     = 4 << 20 // bytes of a document
	maxKey      = 64      // bytes of a key
	maxDepth    = 32      // blocks inside blocks
	maxExpanded = 100_000 // values made by following aliases
	maxProblems = 200     // problems reported; the first ones explain the others
)

// Document is a parsed document: a tree of values with positions, and the problems met so far.
type Document struct {
	file     string
	root     *node // nil if the text is not YAML
	problems Problems
}

// Parse reads the one YAML document in data. The name of the file is used in positions only. What is wrong with the
// text is reported by [Document.Decode], together with what is wrong with its values.
func Parse(file string, data []byte) *Document {
	d := &Document{file: file}
	if p, bad := badBytes(file, data); bad {
		d.problems = append(d.problems, p)
		return d
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var first yaml.Node
	switch err := decoder.Decode(&first); {
	case errors.Is(err, io.EOF):
		d.report(Position{File: file, Line: 1, Col: 1}, "", "the file is empty", "")
		return d
	case err != nil:
		d.problems = append(d.problems, syntaxProblem(file, data, err))
		return d
	}
	c := converter{doc: d, open: map[*yaml.Node]bool{}}
	d.root = c.convert(first.Content[0], nil, 0)
	d.refuseSecond(decoder, data)
	return d
}

// refuseSecond reports a second document in the same file.
func (d *Document) refuseSecond(decoder *yaml.Decoder, data []byte) {
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		d.problems = append(d.problems, syntaxProblem(d.file, data, err))
	default:
		d.report(d.at(&second), "", "a second document begins here", "one file holds one document")
	}
}

func (d *Document) report(pos Position, path, wrong, right string) {
	d.problems = d.problems.and(Problem{Pos: pos, Path: path, Wrong: wrong, Right: right})
}

func (d *Document) at(n *yaml.Node) Position {
	return Position{File: d.file, Line: n.Line, Col: n.Column}
}
