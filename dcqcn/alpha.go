package dcqcn

import "github.com/rdmasim/rdmasim/sim/units"

// negligible is the α that counts as none: a cut by it moves a rate of 1 Tb/s by a millionth of a bit per second. It
// bounds the ticks that a QP which was quiet for long has to make up for.
const negligible = 1e-18

// alpha is α, the estimate of congestion of one QP, with the clock on which it is updated. The clock has no event: whoever
// needs α calls advance first, which takes the ticks that fell due one after the other. The result is therefore the same
// to the last bit however often and whenever that happens.
type alpha struct {
	value  float64
	g      float64
	period units.Time
	due    units.Time // next tick; Never before the first CNP
	cnp    bool       // a CNP came since the last tick (ConnectX)
}

func newAlpha(c *Config) alpha {
	return alpha{value: c.InitialAlpha.Float(), g: c.G.Float(), period: c.AlphaTimer, due: units.Never}
}

// restart makes the next tick fall one period after now.
func (a *alpha) restart(now units.Time) { a.due = now + a.period }

// decay is the update of α without a CNP: α = (1−g)·α.
func (a *alpha) decay() {
	a.value = float64((1 - a.g) * a.value)
	if a.value < negligible {
		a.value = 0
	}
}

// absorb is the update of α with a CNP: α = (1−g)·α + g.
func (a *alpha) absorb() { a.value = float64((1-a.g)*a.value) + a.g }

// advance takes the ticks due at or before now.
func (a *alpha) advance(now units.Time) {
	for a.due <= now {
		if a.value == 0 && !a.cnp {
			a.due += ((now-a.due)/a.period + 1) * a.period
			return
		}
		a.tick()
	}
}

func (a *alpha) tick() {
	if a.cnp {
		a.absorb()
	} else {
		a.decay()
	}
	a.cnp = false
	a.due += a.period
}
