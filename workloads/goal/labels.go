package goal

import (
	"fmt"
	"maps"
	"slices"
)

// labels are those of one rank. The usual ones, l1, l2, l3 …, are kept by number.
type labels struct {
	numbered []int32 // index of operation l<number>, and 1; 0 if there is none
	others   map[string]int32
}

// reset forgets all of them.
func (l *labels) reset() {
	l.numbered = l.numbered[:0]
	clear(l.others)
}

// ordinal returns the number of a label that is l and a number as one writes it; -1 of another one.
func ordinal(label []byte) int {
	if len(label) < 2 || len(label) > 10 || label[0] != 'l' || label[1] == '0' && len(label) > 2 {
		return -1
	}
	n := 0
	for _, c := range label[1:] {
		if !isDigit(c) {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// find returns the index of the operation of that label; -1 if there is none.
func (l *labels) find(label []byte) int {
	if n := ordinal(label); n >= 0 && n < len(l.numbered) && l.numbered[n] > 0 {
		return int(l.numbered[n]) - 1
	}
	if op, known := l.others[string(label)]; known {
		return int(op)
	}
	return -1
}

// add gives an operation a label that is not taken. Numbers that leave wide gaps are kept as other labels are.
func (l *labels) add(label []byte, op int) {
	n := ordinal(label)
	if n < 0 || n > 2*len(l.numbered)+64 {
		if l.others == nil {
			l.others = map[string]int32{}
		}
		l.others[string(label)] = int32(op)
		return
	}
	if more := n + 1 - len(l.numbered); more > 0 {
		old := len(l.numbered)
		l.numbered = slices.Grow(l.numbered, more)[:n+1]
		clear(l.numbered[old:])
	}
	l.numbered[n] = int32(op) + 1
}

// name returns the label of an operation; it is empty if it has none.
func (l *labels) name(op int) string {
	if n := slices.Index(l.numbered, int32(op)+1); n >= 0 {
		return fmt.Sprint("l", n)
	}
	for _, label := range slices.Sorted(maps.Keys(l.others)) {
		if l.others[label] == int32(op) {
			return label
		}
	}
	return ""
}
