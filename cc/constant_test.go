package cc_test

import (
	"reflect"
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/sim/units"
)

var line = cc.Line{Rate: 100 * units.Gbps, MTU: 4096, BaseRTT: 5 * units.Microsecond}

// everyCall makes each call a QP can make and returns the paces it was given.
func everyCall(c cc.Controller) []cc.Pace {
	return []cc.Pace{
		c.Start(0),
		c.OnSend(1, 4*units.KB),
		c.OnAck(2, &cc.Ack{Acked: 4 * units.KB, RTT: units.Millisecond, CE: true}),
		c.OnCNP(3),
		c.OnLoss(4, cc.SequenceNAK),
		c.OnLoss(5, cc.Timeout),
		c.OnTimer(6),
	}
}

func TestControllersThatControlNothingNeverReact(t *testing.T) {
	for _, tc := range []struct {
		name   string
		params cc.Params
		want   units.Rate
	}{
		{"none sends at line rate", cc.None.Params(""), 100 * units.Gbps},
		{"fixed sends at its rate", &cc.FixedParams{Rate: 40 * units.Gbps}, 40 * units.Gbps},
		{"fixed never exceeds its line", &cc.FixedParams{Rate: 400 * units.Gbps}, 100 * units.Gbps},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := cc.Pace{Rate: tc.want, Timer: units.Never}
			controller := tc.params.New(line)
			for i, got := range everyCall(controller) {
				if got != want {
					t.Errorf("call %d: pace %+v, want %+v", i, got, want)
				}
			}
			if got, want := controller.State(7), (cc.State{Rate: tc.want, Target: tc.want}); got != want {
				t.Errorf("state %+v, want %+v", got, want)
			}
		})
	}
}

func TestNobodyAsksForCNPsWithoutAReactionPoint(t *testing.T) {
	for _, kind := range []cc.Kind{cc.None, cc.Fixed} {
		if interval, wanted := kind.Params("").CNPs(); wanted || interval != 0 {
			t.Errorf("%s: CNPs() = %v, %v; want none", kind.Name, interval, wanted)
		}
	}
}

func TestKindsWithoutProfilesRefuseOne(t *testing.T) {
	for _, kind := range []cc.Kind{cc.None, cc.Fixed} {
		if kind.Params("paper") != nil {
			t.Errorf("%s has a profile %q", kind.Name, "paper")
		}
	}
}

func TestFixedRateMustBeGiven(t *testing.T) {
	field, _ := reflect.TypeFor[cc.FixedParams]().FieldByName("Rate")
	if field.Tag.Get("required") != "true" || field.Tag.Get("min") != "1bps" {
		t.Errorf("tags of Rate: %s", field.Tag)
	}
	if got := cc.Fixed.Params("").(*cc.FixedParams).Rate; got != 0 {
		t.Errorf("rate %v before the user gave one", got)
	}
}

func TestConstantControllersDoNotAllocate(t *testing.T) {
	controller, ack := cc.None.Params("").New(line), cc.Ack{}
	allocs := testing.AllocsPerRun(100, func() {
		controller.OnSend(0, units.KB)
		controller.OnAck(0, &ack)
		controller.OnCNP(0)
		controller.State(0)
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}
