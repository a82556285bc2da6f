package strictyaml

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// assignment is a.b[0].c=value, the path in its first group.
var assignment = regexp.MustCompile(`(?s)^([A-Za-z0-9_-]+(?:\[\d+\])*(?:\.[A-Za-z0-9_-]+(?:\[\d+\])*)*)=(.*)$`)

// step is one part of an override's path: a key, or an index into a list.
type step struct {
	key   string // empty for an index
	index int
}

// Set applies one override, written a.b[0].c=value, to the document; it must precede [Document.Decode]. The value is
// a single value, or a list [..] or a block {..} in YAML's flow form. Blocks on the way that the file does not have
// are made; entries of lists must exist. Setting the kind of a block to another kind empties the block, because the
// keys of one kind mean nothing to another. What is wrong is reported by Decode.
func (d *Document) Set(text string) {
	m := assignment.FindStringSubmatch(text)
	if m == nil {
		d.report(Position{File: d.file, Set: text}, "", "not an override", "want key=value, such as switch.ecn.kmin=200KB or workloads[0].size=1MB")
		return
	}
	if d.root == nil || d.root.null {
		return
	}
	pos := Position{File: d.file, Set: m[1]}
	value, problem := parseValue(m[2], Origin{From: FromSet, Pos: pos})
	if problem != "" {
		d.report(pos, m[1], quote(m[2])+" is not YAML", problem)
		return
	}
	if err := assign(d.root, split(m[1]), value); err != nil {
		d.report(pos, m[1], err.Error(), "")
	}
}

// split cuts a path, known to be well formed, into its steps.
func split(path string) []step {
	var steps []step
	for part := range strings.SplitSeq(path, ".") {
		key, indices, _ := strings.Cut(part, "[")
		steps = append(steps, step{key: key})
		for index := range strings.SplitSeq(indices, "[") {
			if n, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil {
				steps = append(steps, step{index: n})
			}
		}
	}
	return steps
}

// parseValue reads the value of an override or of a default tag; every node of it gets the given origin. The second
// result says what is wrong.
func parseValue(text string, from Origin) (*node, string) {
	if !strings.ContainsAny(text[:min(1, len(text))], `[{"'`) {
		return &node{text: text, plain: text != "", origin: from}, ""
	}
	d := Parse("", []byte(text))
	if len(d.problems) > 0 {
		return nil, d.problems[0].Wrong
	}
	d.root.rehome(from)
	return d.root, ""
}

// rehome gives n and everything inside it one origin.
func (n *node) rehome(from Origin) {
	n.origin = from
	for _, item := range n.items {
		item.rehome(from)
	}
	for i := range n.entries {
		n.entries[i].keyPos = from.Pos
		n.entries[i].value.rehome(from)
	}
}

// assign puts value at the end of the steps that begin at n.
func assign(n *node, steps []step, value *node) error {
	s, last := steps[0], len(steps) == 1
	if s.key == "" {
		if n.shape != list || s.index >= len(n.items) {
			return fmt.Errorf("there is no entry [%d] in the file", s.index)
		}
		if last {
			n.items[s.index] = value
			return nil
		}
		return assign(n.items[s.index], steps[1:], value)
	}
	if n.shape != mapping {
		return fmt.Errorf("%s is not a key here: the file has %s", s.key, n.shape)
	}
	if last {
		if old := n.lookup(kindKey); s.key == kindKey && old != nil && old.text != value.text {
			n.entries = nil
		}
		n.put(s.key, value)
		return nil
	}
	next := n.lookup(s.key)
	if next == nil {
		if steps[1].key == "" {
			return fmt.Errorf("there is no entry [%d] in the file", steps[1].index)
		}
		next = &node{shape: mapping, origin: value.origin}
		n.put(s.key, next)
	}
	return assign(next, steps[1:], value)
}
