package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/fabric/topology/hostlist"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// eachPart calls f for everything that is measured for expectations, with the path under which it stands and the run that
// it is about.
func (s *Spec) eachPart(f func(path string, part *Selection, run int)) {
	names, _ := s.runs()
	for i := range s.Expect {
		keys, parts := s.Expect[i].parts()
		for k := range parts {
			f(strings.TrimSuffix(fmt.Sprintf("expect[%d].%s", i, keys[k]), "."), parts[k], slices.Index(names, parts[k].run()))
		}
	}
	for i := range s.Sweeps {
		s.Sweeps[i].eachPart(func(key string, part *Selection) {
			f(strings.TrimSuffix(fmt.Sprintf("sweep[%d].%s", i, key), "."), part, slices.Index(names, part.run()))
		})
	}
}

// eachPart calls f for everything that is measured in runs of the sweep, with its key within it.
func (w *Sweep) eachPart(f func(key string, part *Selection)) {
	keys, quotients := w.quotients()
	for k, q := range quotients {
		for point := range w.rounds {
			within, parts := w.quotientAt(point, q).parts()
			for i := range parts {
				f(strings.Trim(keys[k]+"."+within[i], "."), parts[i])
			}
		}
	}
}

// checkMeasured refuses expectations about series that their run does not record.
func (s *Spec) checkMeasured() (problems strictyaml.Problems) {
	_, specs := s.runs()
	s.eachPart(func(path string, part *Selection, run int) {
		table, _ := splitColumn(*part.Metric)
		series, is := strings.CutPrefix(table, record.SeriesFolder)
		if _, plain := findMetric(*part.Metric); plain || !is || slices.Contains(specs[run].Measure.Series, series) {
			return
		}
		err := units.Field("metric", *part.Metric, "the series "+series+" is not recorded in "+part.runText(), "add it to measure.series")
		problems = append(problems, strictyaml.Locate(err, path, s.origins)...)
	})
	return problems
}

// runText names the run that is meant in a sentence.
func (s *Selection) runText() string {
	if s.run() == base {
		return "this scenario"
	}
	return "variant " + s.run()
}

// checkPicked refuses expectations whose rows are known before the run, and are none or too many.
func (s *Spec) checkPicked(runs []*record.Run) (problems strictyaml.Problems) {
	_, specs := s.runs()
	s.eachPart(func(path string, part *Selection, run int) {
		if err := part.checkPicked(runs[run], &specs[run].Measure); err != nil {
			problems = append(problems, strictyaml.Locate(err, path, s.origins)...)
		}
	})
	return problems
}

// checkPicked looks at the rows that a table will have, as far as that is known.
func (s *Selection) checkPicked(run *record.Run, measure *Measure) error {
	what, err := s.subject()
	if err != nil || what.metric != nil {
		return err
	}
	if why, want := run.Lacks(what.table); why != "" && s.take() != "count" {
		return units.Field("metric", *s.Metric, why, want)
	}
	fixed := record.Fixed(what.table)
	if s.Where == nil && (fixed == nil || s.take() != "only") {
		return nil
	}
	var known []condition
	for _, c := range s.where() {
		if slices.Contains(fixed, c.column) {
			known = append(known, c)
		}
	}
	if len(known) == 0 && s.Where != nil {
		return s.checkPriority(what.table, run)
	}
	before := *run // what tables note in it while they are made must not outlast this
	before.Report = host.Report{}
	table := what.table
	if strings.HasPrefix(table, record.SeriesFolder) {
		table = "ports" // of which a series has as many rows as it likes
	}
	rows := before.Table(table)
	possible := pick(rows, nil)
	if table != what.table {
		records := measure.records(what.table, run.Cluster.Net.Graph)
		node, number := rows.Column("node"), rows.Column("port")
		possible = slices.DeleteFunc(possible, func(row int) bool {
			port, _ := number.Number(row)
			return !records(node.Cell(row), int(port))
		})
	}
	const pickOne = "add take: max, mean, sum or the like"
	switch found := among(possible, pick(rows, known)); {
	case s.Where == nil && len(found) > 1:
		return units.Field("metric", *s.Metric, fmt.Sprintf("%s has %d rows", what.table, len(found)), "name one of them by where, or "+pickOne)
	case s.Where == nil:
		return nil
	case len(found) == 0:
		return units.Field("where", describe(known), "no row of "+what.table+" is like that", likeliest(rows, possible, known))
	case table == what.table && len(found) > 1 && s.take() == "only" && len(known) == len(*s.Where):
		return units.Field("where", describe(known), fmt.Sprintf("%d rows of %s are like that", len(found), what.table), "name one of them, or "+pickOne)
	}
	return s.checkPriority(what.table, run)
}

// checkPriority refuses a series about queues or groups of a priority that no packet has: it would be 0 for ever.
func (s *Selection) checkPriority(table string, run *record.Run) error {
	var q Quantity
	text, asked := (*s.Where)["priority"]
	if !asked || !record.OfSwitches(table) || q.UnmarshalText([]byte(text)) != nil {
		return nil
	}
	used := map[string]bool{}
	for _, node := range run.Cluster.Net.Graph.Switches() {
		for _, p := range run.Cluster.Net.ConfigOf(node).Priorities {
			used[strconv.Itoa(p)] = true
			if float64(p) == q.Value {
				return nil
			}
		}
	}
	return units.Field("where.priority", text, "no packet of this run has this priority", "one of "+commas(slices.Sorted(maps.Keys(used))))
}

// among returns those of some rows that are among the possible ones, both in ascending order.
func among(possible, rows []int) []int {
	return slices.DeleteFunc(rows, func(row int) bool {
		_, is := slices.BinarySearch(possible, row)
		return !is
	})
}

// records returns what tells whether a series is recorded of a port of a node.
func (m *Measure) records(table string, g *topology.Graph) func(name string, port int) bool {
	at := map[string]int{}
	for node := range g.Nodes {
		at[g.Nodes[node].Name] = node
	}
	wanted := m.wanted()
	return func(name string, port int) bool {
		node := at[name]
		if record.OfSwitches(table) && g.Nodes[node].Kind != topology.Switch {
			return false
		}
		return len(m.Match) == 0 || wanted.fit(g, node, port)
	}
}

// likeliest suggests a value for the first of the conditions that no possible row fulfils.
func likeliest(rows *results.Table, possible []int, conditions []condition) string {
	for _, c := range conditions {
		if len(among(possible, pick(rows, []condition{c}))) > 0 {
			continue
		}
		var values []string
		for _, row := range possible {
			values = append(values, rows.Column(c.column).Cell(row))
		}
		slices.Sort(values)
		return c.column + ": " + hostlist.DidYouMean(c.value, slices.Compact(values))
	}
	return "each of these alone fits some rows, but not all together"
}

func describe(conditions []condition) string {
	words := make([]string, len(conditions))
	for i, c := range conditions {
		words[i] = c.column + ": " + c.value
	}
	return strings.Join(words, ", ")
}
