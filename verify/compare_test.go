package verify

import "testing"

// A value at the very edge of its band is in it, one beyond is not, on either side.
func TestABandHasTwoEdges(t *testing.T) {
	for _, tc := range []struct {
		row       Row
		met       bool
		deviation string
		band      string
	}{
		{near(Row{}, 8, 8.5, .5), true, "+0.5 (+6.2%)", "±0.5"},
		{near(Row{}, 8, 7.5, .5), true, "-0.5 (-6.2%)", "±0.5"},
		{near(Row{}, 8, 8.75, .5), false, "+0.75 (+9.4%)", "±0.5"},
		{near(Row{}, 8, 7.25, .5), false, "-0.75 (-9.4%)", "±0.5"},
		{near(Row{}, 0, 0, .5), true, "+0", "±0.5"},
		{within(Row{}, -8, -9, .125), true, "-1 (+12%)", "±12.5%"},
		{within(Row{}, 8, 9.5, .125), false, "+1.5 (+19%)", "±12.5%"},
		{equal(Row{}, 3, 3), true, "", "exact"},
		{equal(Row{}, 3, 4), false, "", "exact"},
	} {
		if r := tc.row; r.Met != tc.met || r.Deviation != tc.deviation || r.Band != tc.band {
			t.Errorf("%s for %s: met %t, deviation %q, band %q; want %t, %q, %q", r.Found, r.Expected, r.Met, r.Deviation, r.Band, tc.met, tc.deviation, tc.band)
		}
	}
}
