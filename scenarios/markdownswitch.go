package scenarios

import (
	"reflect"
	"strings"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
)

// likes writes the keys that the entries of a list have beside those of the block they are like.
func (d *document) likes(entry reflect.Type, f strictyaml.Field, path, heading string) {
	d.say(heading + "`" + inside(path, f) + "`\n")
	d.header("key", "type", "default", "range", "meaning", "source of the default")
	for _, own := range strictyaml.Fields(entry) {
		if !isKeyOf(reflect.TypeFor[Switch](), own.Key) {
			d.row("`"+own.Key+"`", typeOf(own.Type), defaultOf(own), rangeOf(own), own.Doc, own.Source)
		}
	}
	d.say("\nAnd the keys of `" + f.Like + "`; what an entry leaves out is as it says there.\n")
}

func isKeyOf(t reflect.Type, key string) bool {
	for _, f := range strictyaml.Fields(t) {
		if f.Key == key {
			return true
		}
	}
	return false
}

// comparisons writes what each profile adopts.
func (d *document) comparisons() {
	d.say("## Profiles\n")
	d.say("`profile` is for comparison only: it adopts the simplifications of another simulator where no key speaks of them. What keys speak of is\n" +
		"set by these as ever, so that a comparison also wants the other simulator's thresholds, delays and so on. What the other simulator has\n" +
		"nothing like, such as faults or, of DCQCN with `hpcc-ns3`, the paper's machine and the byte counter, is refused.\n")
	d.header("profile", "what it adopts")
	for _, p := range profiles {
		d.row("`"+p.name+"`", p.doc)
	}
	d.say("")
}

// presets writes what each preset of a switch gives to which key.
func (d *document) presets() {
	d.say("## Presets of a switch\n")
	d.say("`switch.preset` names a machine. The keys below then have these values unless they are given; all others have their defaults.\n")
	for _, m := range machines {
		d.say("### `preset: " + m.name + "`\n")
		d.say(m.doc + ".\n")
		d.header("key", "value", "source")
		var s Switch
		m.fill(&s)
		eachKey(reflect.ValueOf(&s).Elem(), "", func(key string, value reflect.Value) {
			if source := m.sources[key]; source != "" {
				d.row("`"+key+"`", "`"+strictyaml.Text(value.Interface())+"`", source)
			}
		})
		d.say("")
	}
}

// eachKey calls visit for each single value in a tagged struct, with its dotted key.
func eachKey(v reflect.Value, path string, visit func(key string, value reflect.Value)) {
	for _, f := range strictyaml.Fields(v.Type()) {
		key, value := strings.TrimPrefix(path+"."+f.Key, "."), f.In(v)
		if value.Kind() == reflect.Pointer && !value.IsNil() {
			value = value.Elem()
		}
		if innerStruct(value.Type()) != nil && value.Kind() == reflect.Struct {
			eachKey(value, key, visit)
			continue
		}
		visit(key, value)
	}
}
