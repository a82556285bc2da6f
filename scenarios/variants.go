package scenarios

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Variant is another run of a scenario, in which a few keys have other values.
type Variant struct {
	Name string              `key:"name" required:"true" doc:"name of the variant, for expectations and for its folder of results"`
	Doc  string              `key:"doc" doc:"what is different"`
	Set  strictyaml.Settings `key:"set" required:"true" doc:"keys as --set has them, such as switch.ecn.kmin or \"workloads[0].size\", whose brackets want quotation marks, each with its value in this run; it goes before what --set says of all runs"`

	spec *Spec  // the scenario of this run
	at   string // of a run of a sweep: the path of the sweep
}

// maxVariants bounds how many runs one file can ask for; each is read, checked and built before the first begins.
const maxVariants = 100

// ownOfFile are the keys that say what the runs of a file are, and so cannot differ between them.
var ownOfFile = []string{"name", "description", "variants", "sweep", "expect"}

// Validate checks that the variant differs, in what can differ.
func (v *Variant) Validate() error {
	if len(v.Set.Paths()) == 0 {
		return &units.FieldError{Key: "set", Problem: "changes nothing", Want: "want keys with their values in this run"}
	}
	var faults []error
	for _, path := range v.Set.Paths() {
		root := path[:strings.IndexAny(path+".", ".[")]
		if slices.Contains(ownOfFile, root) {
			faults = append(faults, &units.FieldError{Key: "set." + path, Problem: root + " is the same in all runs of a file", Want: "leave it out"})
		}
	}
	return errors.Join(faults...)
}

// checkVariantName refuses a name that another run has, and one that cannot be that of a folder. Its error has a key
// relative to the variant.
func (s *Spec) checkVariantName(variant int) error {
	name := s.Variants[variant].Name
	switch {
	case checkName(name) != nil:
		return checkName(name)
	case name == base:
		return units.Field("name", name, "the name of the file's own run", "choose another")
	case slices.ContainsFunc(s.Variants[:variant], func(o Variant) bool { return strings.EqualFold(o.Name, name) }):
		return units.Field("name", name, "the name of another variant", "choose another")
	}
	return nil
}

// runs are the scenarios of all runs of the file, its own first, with their names.
func (s *Spec) runs() (names []string, specs []*Spec) {
	names, specs = []string{base}, []*Spec{s}
	for _, v := range s.others() {
		names, specs = append(names, v.Name), append(specs, v.spec)
	}
	return names, specs
}

// others are the variants and behind them the runs of sweeps.
func (s *Spec) others() (all []*Variant) {
	for i := range s.Variants {
		all = append(all, &s.Variants[i])
	}
	for i := range s.swept {
		all = append(all, &s.swept[i])
	}
	return all
}

// readVariants makes the scenarios of the variants out of the text of the file. Their problems are those that come from
// their settings.
func (s *Spec) readVariants(file string, text []byte, overrides []string) (problems strictyaml.Problems) {
	for i, v := range s.others() {
		at := v.at
		if at == "" {
			at = fmt.Sprintf("variants[%d]", i)
		}
		s.completeTransport(v)
		document := strictyaml.Parse(file, text)
		for _, o := range overrides {
			document.Set(o)
		}
		document.Without(ownOfFile[1:]...)
		document.Apply(v.Set)
		document.Put("name", s.Name+"."+v.Name, s.origins.At(at+".name"))
		if v.Doc != "" {
			document.Put("description", v.Doc, s.origins.At(at+".doc"))
		}
		spec, found := decode(file, document)
		v.spec = spec
		for _, p := range found {
			p.Wrong += " (in " + v.noun() + " " + v.Name + ")"
			problems = append(problems, p)
		}
	}
	return problems
}

// decode reads a scenario without its variants out of a document.
func decode(file string, document *strictyaml.Document) (*Spec, strictyaml.Problems) {
	spec := new(Spec)
	var problems strictyaml.Problems
	suggest(document)
	spec.origins, problems = document.Decode(spec, kinds())
	spec.setBase(filepath.Dir(file))
	problems = strictyaml.Validate(spec, spec.origins, problems)
	if problems = spec.check(problems); len(problems) == 0 {
		spec.Warnings = spec.warnings()
	}
	return spec, problems
}

// noun is what the run is called in sentences.
func (v *Variant) noun() string {
	if v.at != "" {
		return "run"
	}
	return "variant"
}
