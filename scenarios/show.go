package scenarios

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// parameters are the values that the scenario shows with its results, in the order in which it names them.
func (s *Spec) parameters() (all []results.Parameter) {
	for _, key := range s.Show {
		s.eachShown(key, func(v strictyaml.Value) {
			all = append(all, results.Parameter{Key: v.Path, Value: v.Text, From: s.fromOf(v.Path)})
		})
	}
	return all
}

// eachShown visits the value at a key, or all values of the block at it.
func (s *Spec) eachShown(key string, visit func(v strictyaml.Value)) {
	strictyaml.Walk(s, func(v strictyaml.Value) {
		if rest, is := strings.CutPrefix(v.Path, key); is && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			visit(v)
		}
	})
}

// fromOf says where the value at a path comes from.
func (s *Spec) fromOf(path string) string {
	from, known := s.origins.Of(path)
	switch {
	case !known:
		return "not given"
	case from.Given():
		return "given: " + from.String()
	}
	return from.String()
}

// checkShow refuses keys that the scenario does not have. Errors have keys relative to the scenario.
func (s *Spec) checkShow() (faults []error) {
	for i, key := range s.Show {
		found := false
		s.eachShown(key, func(strictyaml.Value) { found = true })
		if found {
			continue
		}
		var paths []string
		strictyaml.Walk(s, func(v strictyaml.Value) { paths = append(paths, v.Path) })
		right := "want one such as switch.ecn.kmin; rdmasim explain params lists them"
		if near := nearest(key, paths); near != "" {
			right = fmt.Sprintf("did you mean %q?", near)
		}
		faults = append(faults, units.Field(fmt.Sprintf("show[%d]", i), key, "no key of this scenario", right))
	}
	return faults
}
