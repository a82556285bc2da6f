package strictyaml

import (
	"reflect"
	"slices"
)

// The two keys of a block that choose its other keys.
const (
	kindKey    = "kind"
	profileKey = "profile"
)

// Block is a value whose kind key chooses which other keys it has: a topology, a workload, a congestion control. A
// kind may come in profiles, published sets of values that the other keys then override.
type Block struct {
	Kind    string
	Profile string // empty if the kind has no profiles
	Params  any    // pointer to the kind's tagged struct
}

var blockType = reflect.TypeFor[Block]()

// Kind is one possible kind of a [Block].
type Kind struct {
	Name, Doc string
	Profiles  []Profile                        // the first is the default; nil for a kind without profiles
	New       func(profile string) any         // pointer to a new tagged struct that holds the profile's values
	Source    func(profile, key string) string // where a profile's value comes from; nil without profiles
}

// Profile is a named set of values for the keys of a kind.
type Profile struct{ Name, Doc string }

// KindSets holds the kinds a document can choose from, by the name in the field's kinds tag.
type KindSets map[string][]Kind

// block decodes n, a mapping with a kind key or the bare name of a kind, into b.
func (d *decoder) block(n *node, b *Block, path string, f Field) {
	if n.shape == scalar && !n.null {
		word := *n
		n = &node{shape: mapping, origin: n.origin}
		n.put(kindKey, &word)
	}
	if n.shape != mapping {
		d.wrongShape(n, path, "a block with a kind")
		return
	}
	graft(n, f)
	kind := d.kind(n, path, f.Kinds)
	if kind == nil {
		return
	}
	b.Kind = kind.Name
	var values *filled
	if len(kind.Profiles) > 0 {
		profile, ok := d.profile(n, kind, path)
		if !ok {
			return
		}
		b.Profile = profile
		values = &filled{func(key string) (Origin, bool) {
			return Origin{From: FromProfile, Note: named(profile, kind.Source(profile, key))}, true
		}}
	} else if p := n.lookup(profileKey); p != nil {
		d.problem(p, join(path, profileKey), quote(p.text)+": the kind "+kind.Name+" has no profiles", "leave the key out")
	}
	b.Params = kind.New(b.Profile)
	d.structure(n, reflect.ValueOf(b.Params).Elem(), path, values, kindKey, profileKey)
}

// graft lends n the kind of the field's default if n names none, and its profile if n names the same kind and no
// profile: who overrides one parameter of the default wants the others to stay.
func graft(n *node, f Field) {
	if f.Default == "" {
		return
	}
	standard, _ := parseValue(f.Default, Origin{From: FromDefault, Note: f.Source})
	for _, key := range []string{kindKey, profileKey} {
		value := standard.lookup(key)
		if kind := n.lookup(kindKey); kind != nil && kind.text != standard.lookup(kindKey).text || value == nil {
			return
		}
		if n.lookup(key) == nil {
			n.put(key, value)
		}
	}
}

// kind returns the kind that n names, or nil after reporting why there is none.
func (d *decoder) kind(n *node, path, set string) *Kind {
	kinds := d.kinds[set]
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	word := n.lookup(kindKey)
	if word == nil {
		d.problem(n, path, "the key kind is missing", "want "+oneOf(names))
		return nil
	}
	where := join(path, kindKey)
	d.origins.record(where, word.origin)
	if word.shape != scalar {
		d.wrongShape(word, where, oneOf(names))
		return nil
	}
	for i, k := range kinds {
		if k.Name == word.text {
			return &kinds[i]
		}
	}
	d.problem(word, where, "unknown kind "+word.quoted(), meant(word.text, names))
	return nil
}

// profile returns the profile that n asks for, or the kind's first; false after reporting that there is no such
// profile.
func (d *decoder) profile(n *node, kind *Kind, path string) (string, bool) {
	where := join(path, profileKey)
	word := n.lookup(profileKey)
	if word == nil {
		d.origins.record(where, Origin{From: FromDefault, Note: kind.Profiles[0].Doc})
		return kind.Profiles[0].Name, true
	}
	d.origins.record(where, word.origin)
	names := make([]string, len(kind.Profiles))
	for i, p := range kind.Profiles {
		names[i] = p.Name
	}
	if word.shape != scalar {
		d.wrongShape(word, where, oneOf(names))
		return "", false
	}
	if slices.Contains(names, word.text) {
		return word.text, true
	}
	d.problem(word, where, "unknown profile "+word.quoted()+" of "+kind.Name, meant(word.text, names))
	return "", false
}
