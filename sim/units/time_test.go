package units_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

func TestTimeIsReadAsPeopleWriteIt(t *testing.T) {
	checkParse(t, units.ParseTime, map[string]units.Time{
		"1.5us": 1500 * units.Nanosecond, "500ns": 500 * units.Nanosecond, "10ms": 10 * units.Millisecond,
		"4.096us": 4096 * units.Nanosecond, "2s": 2 * units.Second, "250ps": 250,
		"55µs": 55 * units.Microsecond, "55μs": 55 * units.Microsecond, // both code points of µ
		"0": 0, "0ns": 0, "0.001ns": 1, "007us": 7 * units.Microsecond, "1.5000000000000000000us": 1500 * units.Nanosecond,
		"9223372.036854775807s": units.Never, "never": units.Never,
	})
}

func TestTimeIsRefusedWithTheRightSpelling(t *testing.T) {
	const oneOf = "; write a time such as 1.5us, in one of ps, ns, us, ms, s"
	checkRefused(t, units.ParseTime, map[string]string{
		"":            `empty; write a time such as 1.5us`,
		"5":           `"5": no unit` + oneOf,
		"1min":        `"1min": unknown unit "min"` + oneOf,
		"1MS":         `"1MS": unknown unit "MS"; did you mean "ms"? units are case-sensitive`,
		"1sec":        `"1sec": unknown unit "sec"; did you mean "s"?`,
		"10usec":      `"10usec": unknown unit "usec"; did you mean "us"?`,
		"100Gbps":     `"100Gbps": a rate where a time is wanted; write a time such as 1.5us`,
		"4KiB":        `"4KiB": a size where a time is wanted; write a time such as 1.5us`,
		"20%":         `"20%": a ratio where a time is wanted; write a time such as 1.5us`,
		"-5us":        `"-5us": must not be negative; write a time such as 1.5us`,
		"0.5ps":       `"0.5ps": not a whole number of picoseconds; the smallest step is 1ps`,
		"1e3us":       `"1e3us": a number with an exponent; write a time such as 1.5us`,
		"1E+3us":      `"1E+3us": a number with an exponent; write a time such as 1.5us`,
		"1 us":        `"1 us": a space after the number; write a time such as 1.5us`,
		"NaN":         `"NaN": not a number; write a time such as 1.5us`,
		"+5us":        `"+5us": not a number; write a time such as 1.5us`,
		".5us":        `".5us": not a number; write a time such as 1.5us`,
		"1.us":        `"1.us": not a number; write a time such as 1.5us`,
		"1.2.3us":     `"1.2.3us": not a number; write a time such as 1.5us`,
		"Never":       `"Never": not a number; write a time such as 1.5us`,
		"10000000s":   `"10000000s": too large; the largest is 9223372.036854775807s`,
		"1us ":        `"1us ": unknown unit "us "; did you mean "us"?`,
		"0x10us":      `"0x10us": unknown unit "x10us"` + oneOf,
		"1_000us":     `"1_000us": unknown unit "_000us"` + oneOf,
		"1.5\u0661us": `"1.5١us": unknown unit "١us"` + oneOf, // an Arabic digit
	})
}

func TestTimePrintsInTheLargestUnitItReaches(t *testing.T) {
	for time, want := range map[units.Time]string{
		0: "0s", 1: "1ps", 999: "999ps", 1000: "1ns", 1500 * units.Nanosecond: "1.5us", 87234567: "87.234567us",
		1000001: "1.000001us", 55 * units.Microsecond: "55us", 1500 * units.Millisecond: "1.5s", 90 * units.Second: "90s",
		-20480: "-20.48ns", units.Never: "never", math.MinInt64: "-9223372.036854775808s",
	} {
		if got := time.String(); got != want {
			t.Errorf("%d ps print as %s, want %s", int64(time), got, want)
		}
	}
}

func TestTimeForPeopleHasThreeDigits(t *testing.T) {
	for time, want := range map[units.Time]string{
		87234567: "87.2us", 5 * units.Microsecond: "5us", 1996: "2ns", 9994: "9.99ns", 9996: "10ns", 99960: "100ns",
		999400: "999ns", 999600: "1us", 1234: "1.23ns", 0: "0s", units.Never: "never", -87234567: "-87.2us",
		4000 * units.Second: "4000s", 999 * units.Picosecond: "999ps",
	} {
		if got := time.Human(); got != want {
			t.Errorf("%d ps read %s, want %s", int64(time), got, want)
		}
	}
}

func TestTimeAsFloat(t *testing.T) {
	rto := 4096 * units.Nanosecond << 14 // the InfiniBand timeout 4.096 us · 2^14
	if got := rto.Microseconds(); got != 67108.864 {
		t.Errorf("%v us, want 67108.864", got)
	}
	if got := rto.Seconds(); got != 0.067108864 {
		t.Errorf("%v s, want 0.067108864", got)
	}
	if got := (84 * 80 * units.Picosecond).Nanoseconds(); got != 6.72 {
		t.Errorf("%v ns, want 6.72", got)
	}
}

func ExampleTime() {
	retransmit := 4096 * units.Nanosecond << 14
	fmt.Println(retransmit, retransmit.Human())
	// Output: 67.108864ms 67.1ms
}

func ExampleParseTime() {
	_, err := units.ParseTime("55US")
	fmt.Println(err)
	// Output: "55US": unknown unit "US"; did you mean "us"? units are case-sensitive
}
