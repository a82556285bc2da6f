package strictyaml

import (
	"strconv"
	"strings"
)

// From says who gave a value.
type From int

// The sources of a value.
const (
	FromFile    From = iota // written in the file
	FromSet                 // an override on the command line
	FromProfile             // the chosen profile of a kind
	FromPreset              // the chosen preset of a struct
	FromDefault             // the default of the key
)

// Origin is where a value came from.
type Origin struct {
	From From
	Pos  Position // for FromFile and FromSet
	Note string   // for the others: the name of profile or preset, the published source of the value
}

// String returns the origin as it stands in the comments of a resolved document.
func (o Origin) String() string {
	switch o.From {
	case FromProfile:
		return "profile " + o.Note
	case FromPreset:
		return "preset " + o.Note
	case FromDefault:
		if o.Note == "" {
			return "default"
		}
		return "default: " + o.Note
	}
	return o.Pos.String()
}

// Given tells whether the user wrote the value, in the file or as an override.
func (o Origin) Given() bool { return o.From == FromFile || o.From == FromSet }

// Origins remembers, for each path of a decoded document, where its value came from.
type Origins struct {
	file   string
	byPath map[string]Origin
}

func newOrigins(file string) *Origins {
	return &Origins{file: file, byPath: map[string]Origin{}}
}

func (o *Origins) record(path string, from Origin) { o.byPath[path] = from }

// Of returns the origin of the value at path, and false if nothing is known about that path.
func (o *Origins) Of(path string) (Origin, bool) {
	from, ok := o.byPath[path]
	return from, ok
}

// Given tells whether the user wrote the value at path, in the file or as an override.
func (o *Origins) Given(path string) bool {
	from, ok := o.byPath[path]
	return ok && from.Given()
}

// At returns the position of the value at path. A value the user did not write has the position of the innermost
// block around it that the user did write.
func (o *Origins) At(path string) Position {
	for ; path != ""; path = parent(path) {
		if from, ok := o.byPath[path]; ok && from.Given() {
			return from.Pos
		}
	}
	return Position{File: o.file, Line: 1, Col: 1}
}

// parent returns the path of the block around path: a.b for a.b.c and for a.b[0], "" for a.
func parent(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

// join returns the path of key inside the block at path.
func join(path, key string) string {
	if path == "" || key == "" || key[0] == '[' {
		return path + key
	}
	return path + "." + key
}

// entryPath returns the path of entry i of the list at path.
func entryPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
