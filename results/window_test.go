package results

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

func TestSummaryTextSaysWhichFlowsCount(t *testing.T) {
	for want, to := range map[string]units.Time{
		"nearest rank of 16 flows that start from 1ms to 6ms;": 6 * units.Millisecond,
		"nearest rank of 16 flows that start from 1ms on;":     units.Never,
	} {
		s := incast()
		s.Window = &Window{From: Micros(units.Millisecond), To: Micros(to), Flows: 16}
		if text := strings.Join(strings.Fields(rendered(t, s, 80)), " "); !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}
