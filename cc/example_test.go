package cc_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A QP asks its controller for a pace, and is told the same one whatever it reports.
func ExampleFixed() {
	params := cc.Fixed.Params("").(*cc.FixedParams)
	params.Rate = 40 * units.Gbps

	qp := params.New(cc.Line{Rate: 100 * units.Gbps})
	fmt.Println(qp.Start(0).Rate)
	fmt.Println(qp.OnCNP(3 * units.Microsecond).Rate)
	// Output:
	// 40Gbps
	// 40Gbps
}

func ExampleNone() {
	qp := cc.None.Params("").New(cc.Line{Rate: 100 * units.Gbps})
	pace := qp.OnLoss(0, cc.Timeout)
	fmt.Println(pace.Rate, pace.Timer)
	// Output: 100Gbps never
}
