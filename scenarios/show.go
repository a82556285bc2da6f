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
	if len(s.Show) == 0 {
		return nil
	}
	values := s.values()
	for _, key := range s.Show {
		for _, v := range shown(values, key) {
			all = append(all, results.Parameter{Key: v.Path, Value: v.Text, From: s.fromOf(v.Path)})
		}
	}
	return all
}

// values are all values of the scenario.
func (s *Spec) values() (all []strictyaml.Value) {
	strictyaml.Walk(s, func(v strictyaml.Value) { all = append(all, v) })
	return all
}

// shown are the value at a key, or all values of the block at it.
func shown(values []strictyaml.Value, key string) (at []strictyaml.Value) {
	for _, v := range values {
		if rest, is := strings.CutPrefix(v.Path, key); is && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			at = append(at, v)
		}
	}
	return at
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
	if len(s.Show) == 0 {
		return nil
	}
	values := s.values()
	for i, key := range s.Show {
		if len(shown(values, key)) > 0 {
			continue
		}
		var paths []string
		for _, v := range values {
			paths = append(paths, v.Path)
		}
		right := "want one such as switch.ecn.kmin; rdmasim explain params lists them"
		if near := nearest(key, paths); near != "" {
			right = fmt.Sprintf("did you mean %q?", near)
		}
		faults = append(faults, units.Field(fmt.Sprintf("show[%d]", i), key, "no key of this scenario", right))
	}
	return faults
}
