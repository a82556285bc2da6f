package hardware

import "strings"

// Class is how good the evidence for a figure is.
type Class string

// The classes, the best first.
const (
	// Documented is what a vendor, a standard or a paper has published.
	Documented Class = "documented"
	// Driver is what the code of a driver shows.
	Driver Class = "driver"
	// Fitted is what makes the model agree with measurements that somebody has published.
	Fitted Class = "fitted"
	// Assumed is an estimate.
	Assumed Class = "assumed"
)

// classes are all of them.
var classes = []Class{Documented, Driver, Fitted, Assumed}

// Evidence takes the source of a figure apart: its class, and who has it or what it
// follows from. A source that does not begin with a class is that of something published, of
// a driver if it names one, or an assumption if it says so. No source has no class.
func Evidence(source string) (class Class, from string) {
	word, rest, _ := strings.Cut(source, ":")
	for _, c := range classes {
		if Class(word) == c {
			return c, strings.TrimSpace(rest)
		}
	}
	switch {
	case source == "":
		return "", ""
	case strings.HasPrefix(source, string(Assumed)):
		return Assumed, strings.Trim(strings.TrimPrefix(source, string(Assumed)), "; ")
	case strings.Contains(source, "driver"):
		return Driver, source
	}
	return Documented, source
}
