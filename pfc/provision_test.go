package pfc_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// metres is the delay of a cable at 5 ns a metre.
func metres(m units.Time) units.Time { return m * 5 * units.Nanosecond }

// SONiC's buffer manager sizes the lossless groups of Spectrum switches with MTU
// 9100 and small packets; its size is the headroom and 19 KiB for the pipeline.
func TestSpectrumHeadroomIsThatOfSONiCsBufferManager(t *testing.T) {
	const kib = 1024
	for _, tc := range []struct {
		machine string
		gbps    units.Rate
		size    [3]units.Bytes // at 5, 40 and 300 m
	}{
		{"spectrum", 100, [3]units.Bytes{92160, 100352, 163840}},
		{"spectrum2", 100, [3]units.Bytes{101376, 111616, 183296}},
		{"spectrum2", 400, [3]units.Bytes{179200, 218112, 506880}},
		{"spectrum4", 400, [3]units.Bytes{231424, 283648, 668672}},
	} {
		rule := pfc.ProvisionOf(tc.machine)
		for i, length := range []units.Time{5, 40, 300} {
			xoff, ok := rule(tc.gbps*units.Gbps, metres(length))
			if !ok || xoff+19*kib != tc.size[i] {
				t.Errorf("%s, %dG, %d m: size %d, want %d", tc.machine, tc.gbps, length, xoff+19*kib, tc.size[i])
			}
		}
	}
}

func TestTablesGoByTheNextLongerCable(t *testing.T) {
	for _, tc := range []struct {
		machine string
		gbps    units.Rate
		metres  units.Time
		want    units.Bytes // 0: no figure
	}{
		{"tomahawk", 100, 5, 165568},
		{"tomahawk", 100, 6, 177632},
		{"tomahawk2", 100, 40, 59696},
		{"tomahawk2", 100, 300, 101088},
		{"tomahawk2", 100, 301, 0},
		{"tomahawk2", 25, 5, 0},
		{"trident3", 100, 2, 49408},
		{"tomahawk3", 400, 40, 190500},
		{"tomahawk3", 400, 300, 0},
	} {
		got, ok := pfc.ProvisionOf(tc.machine)(tc.gbps*units.Gbps, metres(tc.metres))
		if got != tc.want || ok != (tc.want > 0) {
			t.Errorf("%s, %dG, %d m: %d, want %d", tc.machine, tc.gbps, tc.metres, got, tc.want)
		}
	}
	if pfc.ProvisionOf("jericho") != nil {
		t.Error("a rule for a machine that has none")
	}
}
