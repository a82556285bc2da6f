package units_test

import (
	"regexp"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// form is the pattern of a quantity, compiled.
func form(q interface{ Pattern() (string, string) }) (*regexp.Regexp, string) {
	pattern, example := q.Pattern()
	return regexp.MustCompile(pattern), example
}

// Whatever a quantity is printed as fits its pattern, and so does its example.
func TestAPatternFitsWhatIsPrinted(t *testing.T) {
	times, example := form(units.Time(0))
	if _, err := units.ParseTime(example); err != nil || !times.MatchString(example) {
		t.Errorf("example %q", example)
	}
	rates, _ := form(units.Rate(0))
	sizes, _ := form(units.Bytes(0))
	ratios, _ := form(units.Ratio{})
	lengths, _ := form(units.Length(0))
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(0, 1<<62).Draw(t, "v")
		den := rapid.Int64Range(1, 1<<40).Draw(t, "denominator")
		for text, pattern := range map[string]*regexp.Regexp{
			units.Time(v).String(): times, units.Rate(v).String(): rates, units.Bytes(v).String(): sizes,
			units.Ratio{Num: v, Den: den}.String(): ratios, units.Never.String(): times, units.Length(v).String(): lengths,
		} {
			if !pattern.MatchString(text) {
				t.Fatalf("%q does not fit %s", text, pattern)
			}
		}
	})
}

// What a parser refuses for its form, the pattern refuses; what it accepts, the pattern accepts.
func TestAPatternIsAsStrictAsTheParser(t *testing.T) {
	times, _ := form(units.Time(0))
	rates, _ := form(units.Rate(0))
	sizes, _ := form(units.Bytes(0))
	ratios, _ := form(units.Ratio{})
	lengths, _ := form(units.Length(0))
	for _, text := range []string{
		"0", "1", "1.5us", "1.5µs", "1.5 us", "-1us", "1us ", "us", ".5us", "5.us", "never", "100Gbps", "100gbps", "4MiB", "4Mb", "9216", "40m", "2.5km", "40M",
		"20%", "12.5%", "1/8", "1/0", "1e3", "",
	} {
		_, err := units.ParseTime(text)
		check(t, text, times, err)
		_, err = units.ParseRate(text)
		check(t, text, rates, err)
		_, err = units.ParseBytes(text)
		check(t, text, sizes, err)
		_, err = units.ParseLength(text)
		check(t, text, lengths, err)
		_, err = units.ParseRatio(text)
		check(t, text, ratios, err)
	}
}

func check(t *testing.T, text string, pattern *regexp.Regexp, err error) {
	t.Helper()
	if pattern.MatchString(text) != (err == nil) {
		t.Errorf("%q: fits %s: %v, but the parser says %v", text, pattern, pattern.MatchString(text), err)
	}
}
