package strictyaml

// Text returns the single value at a path of keys, such as host.transport; nothing if there is none.
func (d *Document) Text(path string) string {
	n := d.root
	for _, s := range split(path) {
		if n == nil || s.key == "" {
			return ""
		}
		n = n.lookup(s.key)
	}
	if n == nil || n.shape != scalar {
		return ""
	}
	return n.text
}

// Suggest gives a key that the document does not have a value, as a preset would: what the user wrote stands, and so does a
// single value where the path leads through a block. The note says whose value it is, and its source. It must precede
// [Document.Decode], and follow all overrides. A value that is not YAML is a mistake in the program.
func (d *Document) Suggest(path, value, note string) {
	if d.root == nil || d.root.null {
		return
	}
	n, steps := d.root, split(path)
	for i, s := range steps {
		if n.shape != mapping {
			return
		}
		next := n.lookup(s.key)
		switch {
		case next != nil:
			n = next
			continue
		case i < len(steps)-1:
			next = &node{shape: mapping, origin: Origin{From: FromPreset, Note: note}}
		default:
			made, wrong := parseValue(value, Origin{From: FromPreset, Note: note})
			if wrong != "" {
				panic("strictyaml: suggestion " + value + " for " + path + ": " + wrong)
			}
			next = made
		}
		n.put(s.key, next)
		n = next
	}
}

// Suggest adds an override to the settings, at the place of another of them, unless they have one for that path, for a block
// around it or for something within it. A value that is not YAML is a mistake in the program.
func (s *Settings) Suggest(path, value, at string) {
	var place Position
	for _, set := range s.list {
		if within(set.path, path) || within(path, set.path) {
			return
		}
		if set.path == at {
			place = set.key
		}
	}
	made, wrong := parseValue(value, Origin{From: FromFile, Pos: place})
	if wrong != "" {
		panic("strictyaml: suggestion " + value + " for " + path + ": " + wrong)
	}
	s.list = append(s.list, setting{path, place, made})
}

// Text returns the single value that the settings give a path; nothing if they give none.
func (s *Settings) Text(path string) string {
	for _, set := range s.list {
		if set.path == path && set.value.shape == scalar {
			return set.value.text
		}
	}
	return ""
}
