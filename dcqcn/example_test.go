package dcqcn_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A CNP halves the rate of a QP; the timer brings it back.
func ExamplePaper() {
	qp := dcqcn.Paper().New(cc.Line{Rate: 100 * units.Gbps})
	pace := qp.Start(0)
	fmt.Println(pace.Rate, pace.Timer)

	pace = qp.OnCNP(10 * units.Microsecond)
	for range 3 {
		fmt.Println(pace.Rate, "until", pace.Timer)
		pace = qp.OnTimer(pace.Timer)
	}
	// Output:
	// 100Gbps never
	// 50Gbps until 65us
	// 75Gbps until 120us
	// 87.5Gbps until 175us
}

// Values and their sources, as a scenario's documentation shows them.
func ExampleKind() {
	for _, profile := range dcqcn.Kind.Profiles {
		config := dcqcn.Kind.Params(profile.Name).(*dcqcn.Config)
		fmt.Println(profile.Name, config.RateTimer, config.ByteCounter)
	}
	fmt.Println(dcqcn.Kind.Source("paper", "rate_timer"))
	// Output:
	// scaled 300us 0B
	// firmware 300us 32767B
	// paper 55us 10MB
	// DCQCN, SIGCOMM 2015, sections 3.1 and 5
}

func ExampleNotifier() {
	var np dcqcn.Notifier
	for _, at := range []units.Time{1 * units.Microsecond, 3 * units.Microsecond, 6 * units.Microsecond} {
		fmt.Println(at, np.OnCE(at, 4*units.Microsecond))
	}
	// Output:
	// 1us true
	// 3us false
	// 6us true
}
