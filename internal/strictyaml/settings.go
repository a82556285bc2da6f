package strictyaml

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Settings are overrides that stand in a document: a block whose keys are paths such as switch.ecn.kmin, for
// [Document.Apply] to put in place. Their values may have any shape.
type Settings struct{ list []setting }

// setting is one override, and where its key stands.
type setting struct {
	path  string
	key   Position
	value *node
}

var settingsType = reflect.TypeFor[Settings]()

// Paths returns what is overridden, in the order of the document.
func (s Settings) Paths() []string {
	paths := make([]string, len(s.list))
	for i := range s.list {
		paths[i] = s.list[i].path
	}
	return paths
}

// String returns the settings as a block on one line.
func (s Settings) String() string {
	words := make([]string, len(s.list))
	for i, set := range s.list {
		words[i] = plainOrQuoted(set.path) + ": " + set.value.flow()
	}
	return "{" + strings.Join(words, ", ") + "}"
}

// settings decodes a block of overrides; whether there are such keys is found when they are put in place.
func (d *decoder) settings(n *node, s *Settings, path string) {
	if n.shape != mapping {
		d.wrongShape(n, path, "a block of keys such as switch.ecn.kmin: 200KB")
		return
	}
	d.origins.record(path, n.origin)
	for _, e := range n.entries {
		d.origins.record(join(path, e.key), Origin{From: FromFile, Pos: e.keyPos})
		if !assignment.MatchString(e.key + "=") {
			d.problemAt(e.keyPos, join(path, e.key), "not a key of the document", "want a path such as switch.ecn.kmin")
			continue
		}
		s.list = append(s.list, setting{e.key, e.keyPos, e.value})
	}
}

// Apply puts settings of this or an equal document in place of what the document says, as [Document.Set] does with
// overrides from a command line. What is wrong with them is reported by [Document.Decode] at the place of their keys.
func (d *Document) Apply(s Settings) {
	if d.root == nil || d.root.null {
		return
	}
	for _, set := range s.list {
		value := set.value.clone()
		value.rehome(Origin{From: FromSet, Pos: set.key})
		if err := assign(d.root, split(set.path), value); err != nil {
			d.report(set.key, set.path, err.Error(), "")
		}
	}
}

// Without takes keys out of the document, as if it had none of them.
func (d *Document) Without(keys ...string) {
	if d.root == nil {
		return
	}
	for _, key := range keys {
		d.root.remove(key)
	}
}

// clone returns a copy that shares nothing with n.
func (n *node) clone() *node {
	c := *n
	c.items = slices.Clone(n.items)
	for i := range c.items {
		c.items[i] = c.items[i].clone()
	}
	c.entries = slices.Clone(n.entries)
	for i := range c.entries {
		c.entries[i].value = c.entries[i].value.clone()
	}
	return &c
}

// flow writes a value on one line.
func (n *node) flow() string {
	var words []string
	switch {
	case n.shape == list:
		for _, item := range n.items {
			words = append(words, item.flow())
		}
		return "[" + strings.Join(words, ", ") + "]"
	case n.shape == mapping:
		for _, e := range n.entries {
			words = append(words, plainOrQuoted(e.key)+": "+e.value.flow())
		}
		return "{" + strings.Join(words, ", ") + "}"
	case n.null:
		return "null"
	case n.plain && !strings.ContainsAny(n.text, ",[]{}#:\n"):
		return n.text
	}
	return quoted(n.text)
}

// Put gives a key of the document a text, as if it stood at a place.
func (d *Document) Put(key, text string, at Position) {
	if d.root == nil || d.root.null {
		return
	}
	d.root.put(key, &node{text: text, origin: Origin{From: FromFile, Pos: at}})
}

// Rounds takes settings apart whose values are lists of equal length: the n-th of what it returns has the n-th value of each
// list, under the same keys. The error is a *units.FieldError whose key is relative to the settings.
func (s Settings) Rounds() ([]Settings, error) {
	var rounds []Settings
	for i, set := range s.list {
		switch n := len(set.value.items); {
		case set.value.shape != list:
			return nil, &units.FieldError{Key: set.path, Value: set.value.flow(), Problem: "not a list", Want: "want the values one after the other, such as [1us, 2us, 5us]"}
		case i == 0:
			rounds = make([]Settings, n)
		case n != len(rounds):
			return nil, &units.FieldError{
				Key: set.path, Problem: fmt.Sprintf("%d values, where %s has %d", n, s.list[0].path, len(rounds)), Want: "want as many of each",
			}
		}
		for k := range rounds {
			rounds[k].list = append(rounds[k].list, setting{set.path, set.value.items[k].origin.Pos, set.value.items[k]})
		}
	}
	return rounds, nil
}

// Texts are the values, each on one line, in the order of [Settings.Paths].
func (s Settings) Texts() []string {
	texts := make([]string, len(s.list))
	for i, set := range s.list {
		texts[i] = set.value.flow()
	}
	return texts
}

// With returns the settings with others behind them, which go before them where both set a key.
func (s Settings) With(others Settings) Settings {
	return Settings{slices.Concat(s.list, others.list)}
}
