package scenarios

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
)

// Markdown returns docs/scenario.md: every key of the language with its type, default, range, meaning and source,
// made from the same tags that the parser reads.
func Markdown() string {
	var d document
	d.say(`# Scenario files

A scenario is one YAML file. This page lists every key; it is generated from the parser's own tables. The parser is strict: an unknown key, an impossible
value or a wrong unit is reported as ` + "`file:line:col: key: what is wrong; what would be right`" + `, all mistakes at once, and nothing is run.

Quantities are written with their units: times ` + "`1.5us`" + ` (ps, ns, us, ms, s), rates ` + "`100Gbps`" + ` (bps, Kbps, Mbps, Gbps, Tbps), sizes ` + "`400KB`" + `
(B, KB, MB, GB, TB are powers of 1000; KiB, MiB, GiB, TiB of 1024), ratios ` + "`20%`, `1/8` or `0.25`" + `. Hosts are chosen by name or pattern:
` + "`h3`, `\"h[0-15]\"`, `\"*\"`" + `, or by where they stand: ` + "`\"rack1/*\"`" + ` and ` + "`\"pod0/*\"`" + ` for all hosts of a rack or a pod, ` + "`\"rack[0-3]/0\"`" + ` for
the first of each of four racks, ` + "`rack1/h9`" + ` for one that must be there; brackets and stars want quotation marks. A rack is a set of hosts with the switches that
their NICs lead to, a pod what is joined without the highest tier of switches; both are numbered from 0 in the order of their hosts.

Any key can be overridden on the command line: ` + "`--set switch.ecn.kmin=200KB`, `--set workloads[0].size=2MB`, `--set host.congestion_control=none`" + `.

A complete example, the built-in scenario ` + "`incast`" + `:
`)
	example, err := Open("incast")
	if err != nil {
		panic(err) // it is part of the program
	}
	d.say("```yaml\n" + string(example) + "```\n")
	d.say("## Keys of a scenario\n")
	d.structure(reflect.TypeFor[Spec](), "", "### ")
	d.comparisons()
	d.presets()
	d.machines()
	d.kinds("Kinds of topology", "`topology`", topologySet)
	d.kinds("Kinds of workload", "each entry of `workloads`", workloadSet)
	d.kinds("Kinds of fault", "each entry of `faults`", faultSet)
	d.kinds("Kinds of congestion control", "`host.congestion_control`", controlSet)
	d.kinds("Kinds of congestion control of TCP", "`host.tcp.congestion_control`", tcpControlSet)
	d.metrics()
	return d.String()
}

// document is the text under way.
type document struct{ strings.Builder }

func (d *document) say(text string) { d.WriteString(text + "\n") }

// row writes one row of a table.
func (d *document) row(cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	d.say("| " + strings.Join(cells, " | ") + " |")
}

// header writes the head of a table.
func (d *document) header(names ...string) {
	d.row(names...)
	d.say("|" + strings.Repeat(" --- |", len(names)))
}

// structure writes the table of the keys of t, and then those of the blocks inside it.
func (d *document) structure(t reflect.Type, path, heading string) {
	fields := strictyaml.Fields(t)
	if path != "" {
		d.say(heading + "`" + path + "`\n")
	}
	if len(fields) == 0 {
		d.say("No further keys.\n")
		return
	}
	d.header("key", "type", "default", "range", "meaning", "source of the default")
	for _, f := range fields {
		d.row("`"+f.Key+"`", typeOf(f.Type), defaultOf(f), rangeOf(f), f.Doc, f.Source)
	}
	d.say("")
	for _, f := range fields {
		switch inner := innerStruct(f.Type); {
		case inner == nil:
		case f.Like != "":
			d.likes(inner, f, path, heading)
		default:
			d.structure(inner, inside(path, f), heading)
		}
	}
}

// inside returns the path of the block that is the value, or each entry of the value, of a field.
func inside(path string, f strictyaml.Field) string {
	if path != "" {
		path += "."
	}
	path += f.Key
	if f.Type.Kind() == reflect.Slice {
		path += "[]"
	}
	return path
}

// kinds writes the section of one set of kinds.
func (d *document) kinds(title, where, set string) {
	d.say("## " + title + "\n")
	d.say("The value of " + where + " is a block whose key `kind` chooses its other keys. The name of a kind may stand alone if none of its other keys is needed.\n")
	for _, k := range kinds()[set] {
		d.say("### `kind: " + k.Name + "`\n")
		d.say(sentence(k.Doc) + "\n")
		t := reflect.TypeOf(k.New("")).Elem()
		if len(k.Profiles) == 0 {
			d.structure(t, "", "#### ")
			continue
		}
		d.profiles(k, t)
	}
}

// profiles writes the keys of a kind whose defaults depend on the profile.
func (d *document) profiles(k strictyaml.Kind, t reflect.Type) {
	d.say("The key `profile` chooses the values that the other keys have unless they are given; the first profile is the default.\n")
	for _, p := range k.Profiles {
		d.say("- `" + p.Name + "`: " + p.Doc)
	}
	d.say("")
	names := []string{"key", "type", "range"}
	for _, p := range k.Profiles {
		names = append(names, "`"+p.Name+"`")
	}
	d.header(append(names, "meaning")...)
	for _, f := range strictyaml.Fields(t) {
		cells := []string{"`" + f.Key + "`", typeOf(f.Type), rangeOf(f)}
		for _, p := range k.Profiles {
			cells = append(cells, profileValue(k, p.Name, f.Key))
		}
		d.row(append(cells, f.Doc)...)
	}
	d.say("")
	for _, p := range k.Profiles {
		d.say("Sources of profile `" + p.Name + "`:\n")
		d.sources(k, p.Name, t)
	}
}

// sources lists where the values of a profile come from, keys of one source together.
func (d *document) sources(k strictyaml.Kind, profile string, t reflect.Type) {
	var order []string
	keys := map[string][]string{}
	for _, f := range strictyaml.Fields(t) {
		source := k.Source(profile, f.Key)
		if keys[source] == nil {
			order = append(order, source)
		}
		keys[source] = append(keys[source], "`"+f.Key+"`")
	}
	for _, source := range order {
		d.say("- " + commas(keys[source]) + ": " + source)
	}
	d.say("")
}

// metrics writes the section of what scenarios can make promises about.
func (d *document) metrics() {
	d.say("## Metrics\n")
	d.say(`An entry of ` + "`expect`" + ` names something measured and compares it by ` + "`equals`, `below`, `above`, `between: [low, high]` or `within: 2%` with `of`" + `; or it names an ` + "`outcome`" + `. What is measured is one of these metrics:
`)
	d.header("metric", "type", "meaning")
	for _, m := range Metrics {
		d.row("`"+m.Name+"`", string(m.Unit), m.Doc)
	}
	d.say(`
or a column of a table of results, with ` + "`where`" + ` for the rows that are meant and ` + "`take`" + ` for what to make of them. Divided by
something else, another row or another run, it is a ratio. Some examples, for a scenario with a variant ` + "`no-cc`" + `:

` + "```yaml" + `
variants:
  - {name: no-cc, doc: without congestion control, set: {host.congestion_control.kind: none}}
expect:
  - {metric: goodput, within: 2%, of: 98.04Gbps}
  - {metric: goodput, run: no-cc, above: 90Gbps}
  - {metric: flow.fct.p99, ratio_to: flow.fct.p50, below: 3}
  - {metric: flow.fct.p99, ratio_to: {run: no-cc}, below: 1.5}
  - {metric: flows.fct_us, where: {flow: 3}, below: 2ms}
  - {metric: flows.goodput_gbps, where: {flow: 3}, ratio_to: {where: {flow: 4}}, within: 5%, of: 1}
  - {metric: ports.tx_bytes, where: {node: leaf0, port: 3}, above: 1MB}
  - {metric: flows.status, where: {status: SUCCESS}, take: count, equals: 16}
  - {metric: series.queue_depth.queue_bytes, where: {node: leaf0, port: 0, priority: 3}, from: 10us, to: 1ms, take: mean, below: 2MB}
` + "```" + `

The columns are those of the files that a run leaves; ` + "`schema.json`" + ` beside them explains each. A value of a series (queue_depth,
pg_occupancy, qp_rate, qp_alpha, tcp_window, link_utilisation) holds until the next row of the same queue, group, queue pair or port, so that
` + "`mean`" + ` and percentiles are over time; all but ` + "`max` and `count`" + ` want conditions that leave one of these.
A sweep (` + "`sweep`" + `) is runs with one value of a key after the other; its crossings can be expected too, and so can what is measured in one of its runs,
which is called by the name of the sweep and the value. [compare.md](compare.md) has more:

` + "```yaml" + `
sweep:
  - {name: kmin, set: {switch.ecn.kmin: [20KB, 80KB, 400KB]}, metric: flow.fct.p99, levels: [100us, 1s]}
expect:
  - {crossing: kmin, level: 100us, between: [80KB, 400KB]}
  - {crossing: kmin, level: 1s, crossed: false}
  - {metric: flow.fct.p99, run: kmin-400KB, below: 80us}
` + "```" + `

What can be known to be wrong before the run is refused before it; a value that was not measured breaks the promise.
`)
	d.header("table", "columns")
	for _, table := range tableNames() {
		var columns []string
		for _, name := range columnNames(blank()[strings.Replace(table, ".", "/", 1)]) {
			columns = append(columns, "`"+name+"`")
		}
		d.row("`"+table+"`", commas(columns))
	}
}

func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func profileValue(k strictyaml.Kind, profile, key string) string {
	v := reflect.ValueOf(k.New(profile)).Elem()
	for _, f := range strictyaml.Fields(v.Type()) {
		if f.Key == key {
			return fmt.Sprintf("`%s`", strictyaml.Text(f.In(v).Interface()))
		}
	}
	panic("scenarios: no key " + key)
}
