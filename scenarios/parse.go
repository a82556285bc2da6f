package scenarios

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/workloads"
)

// Parse reads a scenario from the text of a file and applies overrides of the form switch.ecn.kmin=200KB. The name of
// the file stands in positions, and paths in the scenario are relative to its folder. The error lists all problems,
// one a line.
//
// Only kinds that name a file of their own read anything beside the text.
func Parse(file string, text []byte, overrides ...string) (*Spec, error) {
	document := strictyaml.Parse(file, text)
	for _, o := range overrides {
		document.Set(o)
	}
	spec, problems := decode(file, document)
	if len(problems) == 0 {
		problems = spec.readVariants(file, text, overrides)
	}
	if len(problems) == 0 {
		problems = spec.checkMeasured()
	}
	if len(problems) > 0 {
		problems.Sort()
		return nil, problems
	}
	return spec, nil
}

// setBase tells the kinds that read files where the scenario lies.
func (s *Spec) setBase(dir string) {
	blocks := append([]strictyaml.Block{s.Topology}, s.Workloads...)
	for _, b := range blocks {
		if reader, ok := b.Params.(interface{ SetBase(dir string) }); ok {
			reader.SetBase(dir)
		}
	}
}

// Network returns the topology that the scenario describes. Errors carry keys relative to topology; see [Spec.Locate].
func (s *Spec) Network() (*topology.Graph, error) {
	return s.Topology.Params.(topology.Builder).Build()
}

// Resolved returns the scenario as YAML with every value written out, defaults included, and a comment on each line
// that tells where the value came from. [Parse] reads it as the same scenario.
func (s *Spec) Resolved() []byte { return strictyaml.Encode(s, s.origins) }

// Hash returns a SHA-256 digest, in hexadecimal, of all values of the scenario wherever they came from: two scenarios
// with one hash describe one run. What stands in files that the scenario names is not part of it.
func (s *Spec) Hash() string {
	sum := sha256.Sum256(strictyaml.Encode(s, nil))
	return hex.EncodeToString(sum[:])
}

// At returns where the value at a path such as switch.pfc.headroom was written: "file:line:col", or "--set path" for
// an override. For a default it is the place of the innermost block around it that was written.
func (s *Spec) At(path string) string { return s.origins.At(path).String() }

// Given tells whether the value at a path was written by the user and not a default.
func (s *Spec) Given(path string) bool { return s.origins.Given(path) }

// Problem returns an error about the value at a path, in the form of the parser's own: "file:line:col: path: what is
// wrong; what would be right".
func (s *Spec) Problem(path, wrong, right string) error {
	return strictyaml.Problem{Pos: s.origins.At(path), Path: path, Wrong: wrong, Right: right}
}

// Locate adds the places in the file to an error made of units.FieldError values whose keys are relative to the block
// at path.
func (s *Spec) Locate(path string, err error) error {
	if found := strictyaml.Locate(err, path, s.origins); len(found) > 0 {
		return found
	}
	return nil
}

// generators returns the workloads, and a label for each: its kind, numbered where there are several of one kind.
func (s *Spec) generators() (generators []workloads.Workload, labels []string) {
	count := map[string]int{}
	for _, b := range s.Workloads {
		generators = append(generators, b.Params.(workloads.Workload))
		labels = append(labels, numbered(b.Kind, count))
	}
	return generators, labels
}
