package strictyaml

import (
	"slices"
	"strconv"
)

// shape is what a YAML node is made of.
type shape int

const (
	scalar shape = iota
	list
	mapping
)

// String names the shape as a user would.
func (s shape) String() string { return [...]string{"a single value", "a list", "a block of keys"}[s] }

// node is one value of the document, aliases resolved. It owns its children, so an override changes one place only.
type node struct {
	shape   shape
	text    string // of a scalar
	plain   bool   // a scalar without quotes, which may be a number
	null    bool   // a scalar that says nothing: "", ~ or null
	items   []*node
	entries []entry
	origin  Origin
}

// entry is one key of a mapping.
type entry struct {
	key    string
	keyPos Position
	value  *node
}

// lookup returns the value of key, or nil.
func (n *node) lookup(key string) *node {
	for _, e := range n.entries {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// put gives key a value, replacing one it already has.
func (n *node) put(key string, value *node) {
	for i, e := range n.entries {
		if e.key == key {
			n.entries[i] = entry{key: key, keyPos: value.origin.Pos, value: value}
			return
		}
	}
	n.entries = append(n.entries, entry{key: key, keyPos: value.origin.Pos, value: value})
}

// quoted returns the text of a scalar as an error message shows it.
func (n *node) quoted() string { return quote(n.text) }

// quote shortens a long text and puts it in quotation marks.
func quote(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return strconv.Quote(text)
}

// remove takes key out of a mapping.
func (n *node) remove(key string) {
	n.entries = slices.DeleteFunc(n.entries, func(e entry) bool { return e.key == key })
}
