package units_test

import (
	"encoding"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rdmasim/rdmasim/sim/units"
)

// checkParse holds parse against what each text means.
func checkParse[T comparable](t *testing.T, parse func(string) (T, error), meaning map[string]T) {
	t.Helper()
	for text, want := range meaning {
		if got, err := parse(text); err != nil || got != want {
			t.Errorf("%q is read as %v (error %v), want %v", text, got, err, want)
		}
	}
}

// checkRefused holds the errors of parse against their exact text.
func checkRefused[T comparable](t *testing.T, parse func(string) (T, error), errors map[string]string) {
	t.Helper()
	for text, want := range errors {
		got, err := parse(text)
		if err == nil {
			t.Errorf("%q is read as %v, want it refused", text, got)
			continue
		}
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("error of %q (-want +got):\n%s", text, diff)
		}
	}
}

// drawInt64 draws from all of [0, 2^63), round numbers as often as ragged ones.
func drawInt64(t *rapid.T) int64 {
	step := rapid.SampledFrom([]int64{1, 1000, 1e6, 1e9, 1e12, 1 << 10, 1 << 20, 1 << 30}).Draw(t, "step")
	return step * rapid.Int64Range(0, math.MaxInt64/step).Draw(t, "steps")
}

func drawRatio(t *rapid.T, label string) units.Ratio {
	return units.Ratio{
		Num: rapid.Int64Range(0, math.MaxInt64).Draw(t, label+" numerator"),
		Den: rapid.Int64Range(1, math.MaxInt64).Draw(t, label+" denominator"),
	}
}

func TestEveryTimeReadsBackAsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, units.Time(drawInt64(t)), units.ParseTime) })
}

func TestEveryRateReadsBackAsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, units.Rate(drawInt64(t)), units.ParseRate) })
}

func TestEverySizeReadsBackAsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, units.Bytes(drawInt64(t)), units.ParseBytes) })
}

func TestEveryRatioReadsBackAsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := drawRatio(t, "ratio")
		back, err := units.ParseRatio(ratio.String())
		if err != nil || back.Cmp(ratio) != 0 {
			t.Fatalf("%d/%d prints as %v and reads back as %v (error %v)", ratio.Num, ratio.Den, ratio, back, err)
		}
		checkRoundTrip(t, back, units.ParseRatio)
	})
}

type quantity interface {
	comparable
	String() string
	encoding.TextMarshaler
}

func checkRoundTrip[T quantity](t interface{ Fatalf(string, ...any) }, value T, parse func(string) (T, error)) {
	text, err := value.MarshalText()
	if err != nil || string(text) != value.String() {
		t.Fatalf("%v marshals as %q (error %v)", value, text, err)
	}
	if back, err := parse(string(text)); err != nil || back != value {
		t.Fatalf("%#v prints as %q and reads back as %#v (error %v)", value, text, back, err)
	}
}

func TestAFailedUnmarshalLeavesTheValueAlone(t *testing.T) {
	delay, rate, size, share := 500*units.Nanosecond, 100*units.Gbps, units.MiB, units.Ratio{Num: 1, Den: 8}
	for _, value := range []encoding.TextUnmarshaler{&delay, &rate, &size, &share} {
		if err := value.UnmarshalText([]byte("12 parsecs")); err == nil {
			t.Errorf("%T took 12 parsecs", value)
		}
	}
	if delay != 500*units.Nanosecond || rate != 100*units.Gbps || size != units.MiB || share.Den != 8 {
		t.Errorf("a refused text changed %v, %v, %v or %v", delay, rate, size, share)
	}
	for value, text := range map[encoding.TextUnmarshaler]string{&delay: "2us", &rate: "1Tbps", &size: "9KB", &share: "5%"} {
		if err := value.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%T: %v", value, err)
		}
	}
	if delay != 2*units.Microsecond || rate != units.Tbps || size != 9*units.KB || share.Den != 20 {
		t.Errorf("unmarshalled %v, %v, %v, %v", delay, rate, size, share)
	}
}

func fuzz[T quantity](f *testing.F, parse func(string) (T, error), seeds ...string) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := parse(text)
		if err != nil {
			if _, ok := err.(*units.FieldError); !ok || err.Error() == "" {
				t.Fatalf("%q is refused with %T %v, want a FieldError", text, err, err)
			}
			return
		}
		checkRoundTrip(t, value, parse)
	})
}

func FuzzParseTime(f *testing.F) {
	fuzz(f, units.ParseTime, "1.5us", "500ns", "4.096us", "250ps", "0", "never", "55µs", "1MS", "-5us", "1e3us", "5", "")
}

func FuzzParseRate(f *testing.F) {
	fuzz(f, units.ParseRate, "100Gbps", "2.5Gbps", "1.6Tbps", "0", "100gbps", "12GB/s", "5us", "9223372036854775808bps")
}

func FuzzParseBytes(f *testing.F) {
	fuzz(f, units.ParseBytes, "4MiB", "400KB", "4096", "9216B", "1.5MiB", "4mib", "8388608TiB", "1/8")
}

func FuzzParseRatio(f *testing.F) {
	fuzz(f, units.ParseRatio, "20%", "1/8", "0.25", "1", "33.33%", "1/0", "-1/8", "1e-3", "0.000000000000000001%")
}
