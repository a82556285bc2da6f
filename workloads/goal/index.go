package goal

import (
	"fmt"
	"io"
	"math"
)

// Index tells where operations stand in a file. It is made when somebody asks, since schedules do not keep it.
type Index struct {
	binary bool
	ranks  [][]spot
	others map[place]string // labels that are not l and a number
	label  spot             // of the operation that is read next
	other  string
}

// spot is the line of an operation and the number of its label; none if it has no such label.
type spot struct{ line, label uint32 }

const noLabel = math.MaxUint32

// Locate reads the file at path once more, and keeps 8 bytes for each operation of it.
func Locate(path string) (*Index, error) {
	return open(path, func(from io.Reader) (*Index, error) {
		in, isBinary, err := unpack(from)
		x := &Index{binary: isBinary, others: map[place]string{}}
		if err != nil || isBinary {
			return x, err
		}
		r := newText(in, 1)
		r.index = x
		x.forget()
		_, err = r.read()
		return x, err
	})
}

func (x *Index) forget() { x.label, x.other = spot{label: noLabel}, "" }

// named keeps the label of the operation that follows.
func (x *Index) named(label []byte) {
	if n := ordinal(label); n >= 0 {
		x.label.label = uint32(n)
	} else {
		x.other = string(label)
	}
}

// add adds the next operation of a rank.
func (x *Index) add(rank, line int) {
	for rank >= len(x.ranks) {
		x.ranks = append(x.ranks, nil)
	}
	if x.other != "" {
		x.others[place{rank, len(x.ranks[rank])}] = x.other
	}
	x.label.line = uint32(line)
	x.ranks[rank] = append(x.ranks[rank], x.label)
	x.forget()
}

// Where says where an operation stands: line 12 (l6), or record 5 of a binary file. It is empty if there is no such operation.
func (x *Index) Where(rank, op int) string {
	switch {
	case x.binary:
		return fmt.Sprintf("record %d", op)
	case rank >= len(x.ranks) || op >= len(x.ranks[rank]):
		return ""
	}
	at := x.ranks[rank][op]
	text := fmt.Sprintf("line %d", at.line)
	if other := x.others[place{rank, op}]; other != "" {
		return text + fmt.Sprintf(" (%s)", other)
	}
	if at.label != noLabel {
		text += fmt.Sprintf(" (l%d)", at.label)
	}
	return text
}
