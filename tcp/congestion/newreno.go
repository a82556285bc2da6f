package congestion

import "github.com/rdmasim/rdmasim/sim/units"

// NewReno is what RFC 5681 and RFC 6582 standardise.
var NewReno = Kind{
	Name: "newreno",
	Doc:  "NewReno (RFC 5681, RFC 6582): a segment more for each round trip, half the window at a loss",
	Params: func() Params {
		half := units.Ratio{Num: 1, Den: 2}
		return &NewRenoParams{Beta: half, BetaECN: half, Growth: Growth{Restart: true}}
	},
}

// NewRenoParams are the parameters of NewReno.
type NewRenoParams struct {
	Beta    units.Ratio `key:"beta" default:"1/2" max:"1" doc:"share of what is in flight that a loss leaves" source:"RFC 5681, section 3.1, eq. 4"`
	BetaECN units.Ratio `key:"beta_ecn" default:"1/2" max:"1" doc:"share of what is in flight that a mark leaves; 4/5 is RFC 8511" source:"RFC 3168, section 6.1.2"`
	Growth  `key:",inline"`
}

// New implements [Params].
func (p *NewRenoParams) New() Control {
	return &newRenoControl{reno: newReno(p.Growth), beta: p.Beta, betaECN: p.BetaECN}
}

type newRenoControl struct {
	reno
	beta, betaECN units.Ratio
}

func (c *newRenoControl) OnLoss(inFlight units.Bytes, _ units.Time) {
	c.reduce(c.beta.Of(c.flight(inFlight)))
	c.recovering = true
}

func (c *newRenoControl) OnECN(inFlight units.Bytes, _ units.Time) {
	c.reduce(c.betaECN.Of(c.flight(inFlight)))
}

func (c *newRenoControl) OnTimeout(inFlight units.Bytes, _ units.Time) {
	c.timeout(c.beta.Of(inFlight))
}
