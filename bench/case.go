package bench

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Case is a network and what its hosts move, to be run as fast as can be.
type Case struct {
	Name  string // lower-case-with-dashes; what patterns match
	Doc   string // one line
	Hosts int
	Flow  string // size of a flow, or the name of its distribution
	MTU   int    // payload of a full packet, in bytes
	Full  bool   // takes long or much memory: only if all are asked for, or this one by its name
	Setup func() (*Setup, error)
}

// Cases lists all cases, small networks first. A new one is one line here, and one file
// if it is of a new kind.
var Cases = []Case{
	permutation("permutation-16", 4, 4096, 2*units.MB),
	permutation("permutation-128", 8, 4096, 2*units.MB),
	permutation("permutation-128-mtu1024", 8, 1024, 2*units.MB),
	full(permutation("permutation-432", 12, 4096, 2*units.MB)),
	permutation("permutation-1024", 16, 4096, 2*units.MB),
	full(permutation("permutation-1024-mtu1024", 16, 1024, 2*units.MB)),
	full(permutation("permutation-8192", 32, 4096, units.MB)),
	full(permutation("permutation-8192-mtu1024", 32, 1024, 200*units.KB)),
	full(permutation("permutation-65536", 64, 4096, 100*units.KB)),
	realistic("realistic-128", 8, 1024, 2*units.MB),
	allToAll("all-to-all-64", 4, 64*units.KiB),
	incast("incast-100", 8, 100, units.MB),
	full(sparse("sparse-65536", 64, 16, 20*units.MB)),
	webSearch("websearch-320", 300*units.Microsecond),
}

func full(c Case) Case {
	c.Full = true
	return c
}

// Find is the case of that name.
func Find(name string) (*Case, error) {
	for i := range Cases {
		if Cases[i].Name == name {
			return &Cases[i], nil
		}
	}
	return nil, fmt.Errorf("there is no case %q", name)
}

// Select returns the cases whose names match any of some patterns, in the order of the
// list: a pattern is a part of a name, or has * and ?; none match all. Those that take long
// are left out unless full, or unless one is named exactly. A pattern that selects nothing
// is an error.
func Select(patterns []string, full bool) (selected []Case, err error) {
	if len(patterns) == 0 {
		patterns = []string{""}
	}
	chosen := make([]bool, len(Cases))
	for _, pattern := range patterns {
		if err := choose(chosen, pattern, full); err != nil {
			return nil, err
		}
	}
	for i, c := range Cases {
		if chosen[i] {
			selected = append(selected, c)
		}
	}
	return selected, nil
}

// choose marks the cases that one pattern selects.
func choose(chosen []bool, pattern string, full bool) error {
	var long []string
	any := false
	for i, c := range Cases {
		switch {
		case !matches(pattern, c.Name):
		case c.Full && !full && c.Name != pattern:
			long = append(long, c.Name)
		default:
			chosen[i], any = true, true
		}
	}
	if any {
		return nil
	}
	if len(long) > 0 {
		return fmt.Errorf("%q selects only cases that take long: %s; use --full, or the whole name of one", pattern, strings.Join(long, ", "))
	}
	return fmt.Errorf("there is no case like %q; rdmasim bench --list prints them all", pattern)
}

// matches tells whether a name has the pattern as a part or, if the pattern has * or ?,
// fits it as a whole.
func matches(pattern, name string) bool {
	if strings.ContainsAny(pattern, "*?[") {
		fit, err := path.Match(pattern, name)
		return err == nil && fit
	}
	return strings.Contains(name, pattern)
}

// Names are the names of all cases.
func Names() []string {
	var names []string
	for _, c := range Cases {
		names = append(names, c.Name)
	}
	return slices.Clip(names)
}
