package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Sweep is runs of a scenario in which a key, or several in lockstep, have one value after the other.
type Sweep struct {
	Name string              `key:"name" required:"true" doc:"name of the sweep, for expectations and files; its runs are named NAME-VALUE"`
	Doc  string              `key:"doc" doc:"what is asked"`
	Set  strictyaml.Settings `key:"set" required:"true" doc:"keys as --set has them, each with the list of its values; of several keys all lists are equally long, and each run has the next of each. The first key is the axis: its values go up or down"`

	Quotient `key:",inline"`

	Levels []Quantity `key:"levels" doc:"levels of the metric: it is told at which value of the first key the metric crosses each, on a straight line between two runs"`
	Also   []Quotient `key:"also" doc:"what else is printed of each run"`

	rounds []strictyaml.Settings // by value
	named  []string              // the runs that the metrics are about
	unit   Unit                  // of the first key's values
	at     []*float64            // these, nil for words
}

// Validate checks that lists are equally long and the axis goes one way.
func (w *Sweep) Validate() error {
	rounds, err := w.Set.Rounds()
	switch {
	case err != nil:
		return under("set", err)
	case len(rounds) < 2:
		return &units.FieldError{Key: "set", Problem: "fewer than two values", Want: "want lists of values"}
	case w.Metric == nil:
		return &units.FieldError{Key: "metric", Problem: "missing", Want: "what is measured in each run, such as flow.fct.p99"}
	}
	var faults []error
	for _, path := range w.Set.Paths() {
		root := path[:strings.IndexAny(path+".", ".[")]
		if slices.Contains(ownOfFile, root) {
			faults = append(faults, &units.FieldError{Key: "set." + path, Problem: root + " is the same in all runs of a file", Want: "leave it out"})
		}
	}
	for i := range w.Also {
		if w.Also[i].Metric == nil {
			faults = append(faults, &units.FieldError{Key: fmt.Sprintf("also[%d].metric", i), Problem: "missing", Want: "what is measured in each run, such as goodput"})
		}
	}
	w.rounds = rounds
	return errors.Join(append(faults, w.findAxis())...)
}

// findAxis reads the values of the first key as quantities, if they all are of one unit, and refuses an axis that goes up and
// down.
func (w *Sweep) findAxis() error {
	w.at = make([]*float64, len(w.rounds))
	var all []Quantity
	for _, r := range w.rounds {
		var q Quantity
		if q.UnmarshalText([]byte(r.Texts()[0])) != nil {
			return nil
		}
		all = append(all, q)
	}
	for _, q := range all { // a plain 0 is of any unit
		if q.Text != "0" && w.unit == "" {
			w.unit = q.Unit
		}
	}
	if w.unit == "" {
		w.unit = Number
	}
	key := "set." + w.Set.Paths()[0]
	for i, q := range all {
		if q.Unit != w.unit && q.Text != "0" {
			return units.Field(key, q.Text, "is a "+string(q.Unit), "the others are each a "+string(w.unit))
		}
		if i > 1 && cmp.Compare(all[i-1].Value, q.Value) != cmp.Compare(all[0].Value, all[1].Value) || i > 0 && all[i-1].Value == q.Value {
			return units.Field(key, q.Text, "does not go on from "+all[i-1].Text+" as the values before", "want values that go up, or down")
		}
		w.at[i] = &all[i].Value
	}
	return nil
}

// quotients are all that is measured in each run.
func (w *Sweep) quotients() (keys []string, all []*Quotient) {
	keys, all = []string{""}, []*Quotient{&w.Quotient}
	for i := range w.Also {
		keys, all = append(keys, fmt.Sprintf("also[%d]", i)), append(all, &w.Also[i])
	}
	return keys, all
}

// runName is what the run at a value is called, of those that the metrics are about the one of a name.
func (w *Sweep) runName(point int, of string) string {
	value := strings.ReplaceAll(w.rounds[point].Texts()[0], "/", "_") // 1/8
	if checkName(value) != nil {
		value = fmt.Sprint(point + 1)
	}
	name := w.Name + "-" + value
	if of != base || len(w.named) > 1 {
		name += "-" + of
	}
	return name
}

// quotientAt is a quotient about the runs at a value.
func (w *Sweep) quotientAt(point int, q *Quotient) *Quotient {
	at := *q
	own := w.runName(point, q.run())
	if d := q.divisor(); d != nil {
		other := w.runName(point, d.run())
		d.Run = &other
		at.RatioTo = &RatioTo{*d}
	}
	at.Run = &own
	return &at
}

// checkSweeps checks what sweeps measure, and makes their runs. A sweep whose own keys have problems already is not looked at.
func (s *Spec) checkSweeps() (problems strictyaml.Problems) {
	s.swept = nil
	runs := []string{base}
	for _, v := range s.Variants {
		runs = append(runs, v.Name)
	}
	for i := range s.Sweeps {
		w, at := &s.Sweeps[i], fmt.Sprintf("sweep[%d]", i)
		before := len(problems)
		problems = append(problems, strictyaml.Locate(s.checkSweepName(i), at, s.origins)...)
		keys, quotients := w.quotients()
		for k, q := range quotients {
			name, unit, err := q.check(runs)
			problems = append(problems, strictyaml.Locate(under(keys[k], err), at, s.origins)...)
			for _, level := range w.Levels {
				if k == 0 && err == nil {
					problems = append(problems, strictyaml.Locate(level.mustBe("levels", name, unit), at, s.origins)...)
				}
			}
		}
		if len(problems) == before {
			problems = append(problems, s.addSweep(i, at)...)
		}
	}
	if n := len(s.Variants) + len(s.swept); n > maxVariants {
		wrong := fmt.Errorf("%d runs of variants and sweeps; want at most %d", n, maxVariants)
		problems = append(problems, strictyaml.Locate(wrong, "sweep", s.origins)...)
	}
	return problems
}

// checkSweepName refuses a name that another sweep has, and one that cannot be that of a file.
func (s *Spec) checkSweepName(sweep int) error {
	name := s.Sweeps[sweep].Name
	switch {
	case checkName(name) != nil:
		return checkName(name)
	case slices.ContainsFunc(s.Sweeps[:sweep], func(o Sweep) bool { return strings.EqualFold(o.Name, name) }):
		return units.Field("name", name, "the name of another sweep", "choose another")
	}
	return nil
}

// addSweep makes the runs of a sweep: at each value one for each run that its metrics are about.
func (s *Spec) addSweep(sweep int, at string) strictyaml.Problems {
	w := &s.Sweeps[sweep]
	w.named = nil
	_, quotients := w.quotients()
	for _, q := range quotients {
		_, parts := q.parts()
		for _, part := range parts {
			if !slices.Contains(w.named, part.run()) {
				w.named = append(w.named, part.run())
			}
		}
	}
	for point, set := range w.rounds {
		for _, of := range w.named {
			run := Variant{Name: w.runName(point, of), Doc: s.Name + " with " + set.String(), Set: set, at: at}
			if k := slices.IndexFunc(s.Variants, func(v Variant) bool { return v.Name == of }); k >= 0 {
				run.Set = s.Variants[k].Set.With(set)
				run.Doc += ", as " + of
			}
			taken := func(name string) bool { return strings.EqualFold(name, run.Name) }
			names, _ := s.runs()
			if slices.ContainsFunc(names, taken) {
				wrong := units.Field("name", w.Name, "its run "+run.Name+" has the name of another", "choose another name")
				return strictyaml.Locate(wrong, at, s.origins)
			}
			s.swept = append(s.swept, run)
		}
	}
	return nil
}

// judge says what was measured in each run of the sweep and where the levels are crossed, given the runs by their names.
func (w *Sweep) judge(s *Spec, runs map[string]*measured) results.Sweep {
	r := results.Sweep{Name: w.Name, Doc: w.Doc, Keys: w.Set.Paths(), Unit: string(w.unit), Levels: []results.Crossing{}}
	_, quotients := w.quotients()
	for _, q := range quotients {
		r.Columns = append(r.Columns, results.SweepColumn{Name: q.String(), Unit: string(q.unit())})
	}
	for point, set := range w.rounds {
		p := results.SweepPoint{Values: set.Texts(), At: w.at[point], Default: s.has(set), Outcome: results.Done}
		for _, of := range w.named {
			name := w.runName(point, of)
			p.Runs, p.Folders = append(p.Runs, name), append(p.Folders, results.SweepRunFolder(name))
			if own := runs[name].summary.Outcome; p.Outcome.Complete() {
				p.Outcome = own
			}
		}
		for _, q := range quotients {
			value, _, err := w.quotientAt(point, q).find(runs)
			found, why := &value, ""
			if err != nil {
				found, why = nil, cmp.Or(err.Error(), "not measured")
			}
			p.Found, p.Why = append(p.Found, found), append(p.Why, why)
		}
		r.Points = append(r.Points, p)
	}
	unit := w.Quotient.unit()
	for _, level := range w.Levels {
		r.Levels = append(r.Levels, r.FindCrossing(level.Text, level.Value,
			func(at float64) string { return results.HumanIn(string(w.unit), at) },
			func(v float64) string { return results.HumanIn(string(unit), v) }))
	}
	return r
}

// unit is that of what is measured, which is known to exist.
func (e *Quotient) unit() Unit {
	if e.RatioTo != nil {
		return Number
	}
	what, err := e.Selection.subject()
	if err != nil {
		panic(err) // checked before
	}
	return what.unit
}

// has tells whether the scenario itself has the values of some settings.
func (s *Spec) has(set strictyaml.Settings) bool {
	texts := set.Texts()
	for i, path := range set.Paths() {
		value, known := s.Value(path)
		if !known || !sameQuantity(value, texts[i]) {
			return false
		}
	}
	return true
}

// sameQuantity tells whether two texts mean the same: 1000ns and 1us.
func sameQuantity(a, b string) bool {
	var p, q Quantity
	if p.UnmarshalText([]byte(a)) == nil && q.UnmarshalText([]byte(b)) == nil {
		return p.Value == q.Value && (p.Unit == q.Unit || p.Value == 0 || p.Unit == Number || q.Unit == Number) // bytes may stand without their unit
	}
	return strings.Trim(a, `"`) == strings.Trim(b, `"`)
}

// sweepNamed finds a sweep by its name.
func (s *Spec) sweepNamed(name string) *Sweep {
	for i := range s.Sweeps {
		if s.Sweeps[i].Name == name {
			return &s.Sweeps[i]
		}
	}
	return nil
}

// checkCrossing checks that the sweep exists, that the level is one of its levels, and that it is compared with values of its
// axis.
func (e *Expectation) checkCrossing(s *Spec) error {
	w := s.sweepNamed(*e.Crossing)
	if w == nil {
		var names []string
		for i := range s.Sweeps {
			names = append(names, s.Sweeps[i].Name)
		}
		if names == nil {
			return units.Field("crossing", *e.Crossing, "no such sweep", "the scenario has none; add a sweep of this name")
		}
		return units.Field("crossing", *e.Crossing, "no such sweep", DidYouMean(*e.Crossing, names))
	}
	var texts []string
	for _, l := range w.Levels {
		texts = append(texts, l.Text)
	}
	switch {
	case len(texts) == 0:
		return units.Field("crossing", *e.Crossing, "the sweep has no levels", "add levels to it")
	case e.Level == nil && len(texts) > 1:
		return units.Field("crossing", *e.Crossing, "the sweep has several levels", "add level, one of "+commas(texts))
	case e.Level != nil && !slices.ContainsFunc(w.Levels, func(l Quantity) bool { return l.Value == e.Level.Value && l.Unit == e.Level.Unit }):
		return units.Field("level", e.Level.Text, "not a level of the sweep", "one of "+commas(texts))
	case e.Crossed == nil && w.unit == "":
		return units.Field("crossing", *e.Crossing, "the values of "+w.Set.Paths()[0]+" are words: no value lies between them", "want crossed: true, or crossed: false")
	case e.RatioTo != nil || e.Where != nil || e.Take != nil || e.From != nil || e.To != nil || e.Run != nil:
		return &units.FieldError{Key: "crossing", Problem: "run, where, take, from, to and ratio_to belong to the metric of the sweep", Want: "give them there"}
	}
	return e.mustCompare(w.Set.Paths()[0], w.unit)
}

// crossingOf is the crossing that an expectation is about, among those of sweeps that have been run, with the sweep.
func (e *Expectation) crossingOf(sweeps []results.Sweep) (results.Crossing, *results.Sweep) {
	for i := range sweeps {
		if sweeps[i].Name != *e.Crossing {
			continue
		}
		for _, c := range sweeps[i].Levels {
			if e.Level == nil || c.Value == e.Level.Value {
				return c, &sweeps[i]
			}
		}
	}
	panic("scenarios: no crossing " + *e.Crossing) // checked before
}

// findCrossing is where the level is crossed, in the unit of the axis. The error says what there is in its place.
func (e *Expectation) findCrossing(sweeps []results.Sweep) (float64, Unit, error) {
	c, sweep := e.crossingOf(sweeps)
	if c.At == nil {
		return 0, Number, unknown(c.Text)
	}
	return *c.At, Unit(sweep.Unit), nil
}
