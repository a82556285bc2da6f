package scenarios

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/sim/units"
)

func TestTheWindowFollowsTheWarmUp(t *testing.T) {
	const ms = units.Millisecond
	for _, c := range []struct {
		sets []string
		want record.Window
	}{
		{nil, record.Window{}},
		{[]string{"measure.window=2ms"}, record.Window{To: 2 * ms}},
		{[]string{"measure.warmup=1ms"}, record.Window{From: ms, To: units.Never}},
		{[]string{"measure.warmup=1ms", "measure.window=2ms"}, record.Window{From: ms, To: 3 * ms}},
	} {
		if got := parsed(t, star, append(c.sets, "stop.when=time")...).window(); got != c.want {
			t.Errorf("%v: %v, want %v", c.sets, got, c.want)
		}
	}
}

// A run that waits for flows of which none would count is a mistake; one that ends by the clock may be after goodput only.
func TestAWindowWithoutFlowsIsRefused(t *testing.T) {
	_, err := Parse("s.yaml", []byte(star), "measure.warmup=1ms")
	if want := `measure.warmup: "1ms": no flow starts in the window that is measured, so that none would count; flows start from 0s to 0s`; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	_, err = Parse("s.yaml", []byte(star), "workloads[0].flows[0].start=2ms", "measure.window=1ms")
	if want := `measure.window: "1ms": no flow starts in the window that is measured, so that none would count; flows start from 2ms to 2ms`; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}
