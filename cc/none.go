package cc

import "github.com/rdmasim/rdmasim/sim/units"

// None is the absence of congestion control: a QP sends at line rate whatever happens, and PFC alone restrains it.
var None = Kind{
	Name: "none",
	Doc:  "no congestion control: line rate always, restrained by PFC alone",
	Params: func(profile string) Params {
		if profile != "" {
			return nil
		}
		return &noParams{}
	},
}

// noParams are the parameters of None: there are none.
type noParams struct{}

func (*noParams) New(line Line) Controller { return constant(line.Rate) }

func (*noParams) CNPs() (interval units.Time, wanted bool) { return 0, false }

// constant is a controller that never reacts: its rate, in bit/s, is all its state.
type constant units.Rate

func (c constant) pace() Pace { return Pace{Rate: units.Rate(c), Timer: units.Never} }

func (c constant) Start(units.Time) Pace               { return c.pace() }
func (c constant) OnSend(units.Time, units.Bytes) Pace { return c.pace() }
func (c constant) OnAck(units.Time, *Ack) Pace         { return c.pace() }
func (c constant) OnCNP(units.Time) Pace               { return c.pace() }
func (c constant) OnLoss(units.Time, Loss) Pace        { return c.pace() }
func (c constant) OnTimer(units.Time) Pace             { return c.pace() }

func (c constant) State(units.Time) State {
	return State{Rate: units.Rate(c), Target: units.Rate(c)}
}
