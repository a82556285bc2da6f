package scenarios

import (
	"reflect"
	"strings"
	"testing"
)

// What a host may have for its transport and for loss is listed with all its values, in the order of the key.
func TestTransportsAndRecoveriesAreListedAsTheirKeysHaveThem(t *testing.T) {
	for field, list := range map[string][]choice{"Transport": transports, "Recovery": recoveries} {
		f, _ := reflect.TypeFor[Host]().FieldByName(field)
		var names []string
		for _, c := range list {
			names = append(names, c.name)
		}
		if got := strings.Join(names, "|"); got != f.Tag.Get("oneof") {
			t.Errorf("%s: listed are %s, the key has %s", field, got, f.Tag.Get("oneof"))
		}
	}
}

// A sentence does not end within a number, nor without its question mark.
func TestAFirstSentenceIsWhole(t *testing.T) {
	for text, want := range map[string]string{
		"Between hosts in PCIe 4.0 slots. And so on": "Between hosts in PCIe 4.0 slots",
		"How a pause travels: slowly":                "How a pause travels",
		"Where is the GPU? Here":                     "Where is the GPU?",
		"Three classes at one port.":                 "Three classes at one port",
	} {
		if got := firstSentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
