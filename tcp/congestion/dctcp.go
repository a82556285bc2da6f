package congestion

import "github.com/rdmasim/rdmasim/sim/units"

// DCTCP is the control of RFC 8257, for networks whose switches mark at a threshold.
var DCTCP = Kind{
	Name: "dctcp",
	Doc:  "DCTCP (RFC 8257): marks cut the window in proportion to the share of bytes that come marked",
	Params: func() Params {
		return &DCTCPParams{
			G: units.Ratio{Num: 1, Den: 16}, InitialAlpha: units.Ratio{Num: 1, Den: 1}, Beta: units.Ratio{Num: 1, Den: 2},
			Growth: Growth{Restart: true},
		}
	},
}

// DCTCPParams are the parameters of DCTCP.
type DCTCPParams struct {
	G            units.Ratio `key:"g" default:"1/16" max:"1" doc:"gain of the estimate α: the weight of the last window" source:"RFC 8257, section 4.2"`
	InitialAlpha units.Ratio `key:"initial_alpha" default:"1" max:"1" doc:"α before anything is known" source:"RFC 8257, section 3.3"`
	Beta         units.Ratio `key:"beta" default:"1/2" max:"1" doc:"share of what is in flight that a loss leaves" source:"RFC 8257, section 3.5 (as RFC 5681)"`
	Growth       `key:",inline"`
}

// New implements [Params].
func (p *DCTCPParams) New() Control {
	return &dctcp{reno: newReno(p.Growth), beta: p.Beta, g: p.G.Float(), alpha: p.InitialAlpha.Float()}
}

type dctcp struct {
	reno
	beta          units.Ratio
	g, alpha      float64
	acked, marked units.Bytes // of the present window
}

var (
	_ ExactMarks = (*dctcp)(nil)
	_ Restarter  = (*dctcp)(nil)
)

// WantsExactMarks implements [ExactMarks].
func (*dctcp) WantsExactMarks() bool { return true }

func (d *dctcp) OnAck(a *Ack, now units.Time) {
	d.acked += a.Acked
	d.marked += a.Marked
	if a.RoundStart && d.acked > 0 {
		m := float64(d.marked) / float64(d.acked)
		d.alpha = float64(d.alpha*(1-d.g)) + float64(d.g*m)
		d.acked, d.marked = 0, 0
	}
	d.reno.OnAck(a, now)
}

// OnECN cuts the window by α/2, which also ends slow start.
func (d *dctcp) OnECN(units.Bytes, units.Time) {
	d.reduce(units.Bytes(float64(d.cwnd) * (1 - d.alpha/2)))
}

func (d *dctcp) OnLoss(inFlight units.Bytes, _ units.Time) {
	d.reduce(d.beta.Of(d.flight(inFlight)))
	d.recovering = true
}

func (d *dctcp) OnTimeout(inFlight units.Bytes, _ units.Time) {
	d.timeout(d.beta.Of(inFlight))
}

func (d *dctcp) State() State {
	s := d.reno.State()
	s.Alpha = d.alpha
	return s
}
