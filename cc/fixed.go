package cc

import "github.com/rdmasim/rdmasim/sim/units"

// Fixed paces each QP at a constant rate that the user gives: what a rate limit set by hand does.
var Fixed = Kind{
	Name: "fixed",
	Doc:  "a constant pacing rate for each QP, whatever happens",
	Params: func(profile string) Params {
		if profile != "" {
			return nil
		}
		return &FixedParams{}
	},
}

// FixedParams are the parameters of Fixed.
type FixedParams struct {
	// Rate is the pacing rate of each QP, greater than 0; a QP never exceeds its line.
	Rate units.Rate `key:"rate" required:"true" min:"1bps" doc:"pacing rate of each QP; the rate of its line if that is lower" source:"set by the user"`
}

// New returns a controller that paces at the lower of Rate and the rate of the line.
func (p *FixedParams) New(line Line) Controller { return constant(min(p.Rate, line.Rate)) }

// CNPs says that receivers send none: nobody would react to them.
func (p *FixedParams) CNPs() (interval units.Time, wanted bool) { return 0, false }
