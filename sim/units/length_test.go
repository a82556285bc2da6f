package units_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

func TestLengthIsReadAsPeopleWriteIt(t *testing.T) {
	checkParse(t, units.ParseLength, map[string]units.Length{
		"40m": 40_000, "2.5m": 2500, "50cm": 500, "3mm": 3, "10km": 10_000_000, "0": 0,
	})
}

func TestLengthIsRefusedWithTheRightSpelling(t *testing.T) {
	checkRefused(t, units.ParseLength, map[string]string{
		"40":    `"40": no unit; write a length such as 40m, in one of mm, m, km`,
		"500ns": `"500ns": a time where a length is wanted; write a length such as 40m`,
		"40M":   `"40M": unknown unit "M"; did you mean "m"? units are case-sensitive`,
		"-1m":   `"-1m": must not be negative; write a length such as 40m`,
	})
	checkRefused(t, units.ParseTime, map[string]string{
		"40km": `"40km": a length where a time is wanted; write a time such as 1.5us`,
	})
}

func TestEveryLengthReadsBackAsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, units.Length(drawInt64(t)), units.ParseLength) })
}
