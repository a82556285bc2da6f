package hostlist

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func ExampleExpand() {
	names, err := Expand("h[0-2], pod[0-1]-tor[0-1]")
	fmt.Println(names, err)
	// Output: [h0 h1 h2 pod0-tor0 pod0-tor1 pod1-tor0 pod1-tor1] <nil>
}

func ExampleNearest() {
	fmt.Println(Nearest("leef0", []string{"h0", "leaf0", "spine0"}))
	// Output: leaf0
}

func TestExpandKeepsWrittenOrderAndLeadingZeros(t *testing.T) {
	for text, want := range map[string]string{
		"h0":              "h0",
		"h[3]":            "h3",
		"h[8-11]":         "h8 h9 h10 h11",
		"h[08-10]":        "h08 h09 h10",
		"h[0,4-5]":        "h0 h4 h5",
		"h9,h[1-2],gpu-3": "h9 h1 h2 gpu-3",
		"h[0-1]nic[0-1]":  "h0nic0 h0nic1 h1nic0 h1nic1",
	} {
		names, err := Expand(text)
		if got := strings.Join(names, " "); got != want || err != nil {
			t.Errorf("Expand(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestExpandSaysWhatItCannotRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "a name is missing",
		"h0,,h1":                 "a name is missing",
		"h[0-3":                  `"h[0-3": [ without ]`,
		"h0-3]":                  `"h0-3]": ] without [`,
		"h[]":                    `"h[]": nothing between [ and ]`,
		"h[a-c]":                 `"h[a-c]": "a-c" is no number and no range such as 0-3`,
		"h[1--3]":                `"h[1--3]": "1--3" is no number and no range such as 0-3`,
		"h[-3]":                  `"h[-3]": "-3" is no number and no range such as 0-3`,
		"h[3-0]":                 `"h[3-0]": the range "3-0" runs downwards`,
		"h[0-3],h2":              `"h2" stands there twice`,
		"h[0-1048576]":           `"h[0-1048576]": "0-1048576" stands for more than 1048576 names`,
		"h[0-1999]r[0-1999]":     `"h[0-1999]r[0-1999]" stands for more than 1048576 names`,
		"a[0-999999],b[0-99999]": `"a[0-999999],b[0-99999]" stands for more than 1048576 names`,
	} {
		if names, err := Expand(text); err == nil || err.Error() != want {
			t.Errorf("Expand(%q) = %d names, %v; want %s", text, len(names), err, want)
		}
	}
}

func TestExpandNeverPanicsAndNeverRepeatsAName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[h0-3\[\],-]{0,12}`).Draw(t, "text")
		names, err := Expand(text)
		if err != nil {
			return
		}
		slices.Sort(names)
		if len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Fatalf("Expand(%q) repeats a name: %q", text, names)
		}
	})
}

func TestNearestSuggestsOnlyWhatIsNear(t *testing.T) {
	names := []string{"h0", "h1", "h10", "storage0", "spine1"}
	for name, want := range map[string]string{
		"hh0": "h0", "storge0": "storage0", "spnie1": "spine1", "h2": "", "h100": "", "gateway": "", "": "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestDidYouMeanFallsBackToWhatThereIs(t *testing.T) {
	hosts := []string{"h0", "h1", "h2", "h3", "h4", "h5"}
	for _, c := range []struct {
		name       string
		candidates []string
		want       string
	}{
		{"g0", hosts, `did you mean "h0"?`},
		{"h6", hosts, "one of h0, h1, h2 … h5"},
		{"gateway", hosts[:2], "one of h0, h1"},
	} {
		if got := DidYouMean(c.name, c.candidates); got != c.want {
			t.Errorf("DidYouMean(%q) = %s, want %s", c.name, got, c.want)
		}
	}
}
