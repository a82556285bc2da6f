package results

import "testing"

// A rate of things is read at a glance, whether it is a few or millions.
func TestFiguresAreReadAtAGlance(t *testing.T) {
	for x, want := range map[float64]string{3.09149: "3.091", 712.06: "712.1", 999.99: "1000", 14539: "14,540", 173982.6: "174,000", 828592.5: "828,600"} {
		if got := Figure(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}
