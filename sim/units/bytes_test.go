package units_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

func TestSizeIsReadAsPeopleWriteIt(t *testing.T) {
	checkParse(t, units.ParseBytes, map[string]units.Bytes{
		"4MiB": 4194304, "1MB": 1000000, "400KB": 400000, "4096": 4096, "4096B": 4096, "9216B": 9216, "0": 0, "0KB": 0,
		"12KiB": 12288, "1GB": 1000000000, "1GiB": 1073741824, "2TB": 2000000000000, "1TiB": 1 << 40,
		"1.5MiB": 1572864, "0.5KiB": 512, "8388607.9990234375TiB": math.MaxInt64 - (1<<30 - 1),
	})
}

func TestSizeIsRefusedWithTheRightSpelling(t *testing.T) {
	const oneOf = "; write a size such as 4MiB, in one of B, KB, MB, GB, TB"
	const bits = " (b is a bit, B a byte)"
	checkRefused(t, units.ParseBytes, map[string]string{
		"4mib":       `"4mib": unknown unit "mib"; did you mean "MiB"? units are case-sensitive` + bits,
		"4kB":        `"4kB": unknown unit "kB"; did you mean "KB"? units are case-sensitive`,
		"4Mb":        `"4Mb": unknown unit "Mb"; did you mean "MB"? units are case-sensitive` + bits,
		"4M":         `"4M": unknown unit "M"; did you mean "MB"?`,
		"10MBytes":   `"10MBytes": unknown unit "MBytes"; did you mean "MB"?`,
		"4cells":     `"4cells": unknown unit "cells"` + oneOf,
		"5us":        `"5us": a time where a size is wanted; write a size such as 4MiB`,
		"10Gbps":     `"10Gbps": a rate where a size is wanted; write a size such as 4MiB`,
		"1/8":        `"1/8": a ratio where a size is wanted; write a size such as 4MiB`,
		"1.5":        `"1.5": not a whole number of bytes; the smallest step is 1B`,
		"1.0001KB":   `"1.0001KB": not a whole number of bytes; the smallest step is 1B`,
		"-1":         `"-1": must not be negative; write a size such as 4MiB`,
		"1e6":        `"1e6": a number with an exponent; write a size such as 4MiB`,
		"8388608TiB": `"8388608TiB": too large; the largest is 9223372.036854775807TB`,
	})
}

func TestSizePrintsInItsShortestExactForm(t *testing.T) {
	for size, want := range map[units.Bytes]string{
		0: "0B", 1: "1B", 84: "84B", 1024: "1KiB", 4178: "4178B", 1500: "1500B", 4 * units.MiB: "4MiB",
		1536 * units.KiB: "1536KiB", 400 * units.KB: "400KB", 1600 * units.KB: "1.6MB", 32 * units.MiB: "32MiB",
		3200 * units.KB: "3.2MB", // also 3125KiB, which nobody would write
		units.GB:        "1GB", 12345678: "12345678B", 2048 * units.TiB: "2048TiB", -400 * units.KB: "-400KB", -units.KiB: "-1KiB",
	} {
		if got := size.String(); got != want {
			t.Errorf("%d bytes print as %s, want %s", int64(size), got, want)
		}
	}
}

func TestSizeForPeopleIsDecimal(t *testing.T) {
	for size, want := range map[units.Bytes]string{
		412345: "412KB", 4 * units.MiB: "4.19MB", 1500: "1.5KB", 84: "84B", 0: "0B", -1500: "-1.5KB",
	} {
		if got := size.Human(); got != want {
			t.Errorf("%d bytes read %s, want %s", int64(size), got, want)
		}
	}
}

func ExampleBytes() {
	kmin, _ := units.ParseBytes("400KB")
	buffer, _ := units.ParseBytes("32MiB")
	fmt.Println(kmin, buffer, buffer.Human())
	// Output: 400KB 32MiB 33.6MB
}
