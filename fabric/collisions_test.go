package fabric

import (
	"fmt"
	"math"
	"testing"
)

// The chance that n flows on m links, each link equally likely, do not collide is m!/((m-n)!·m^n), and a link is used with a chance
// of 1-(1-1/m)^n. Whatever the flows, over all the salts that switches may have it must come to that.
func TestFlowsCollideOnLinksAsOftenAsChanceHasIt(t *testing.T) {
	for _, c := range []struct {
		flows, links int
		apart        float64
	}{{2, 4, 0.75}, {4, 4, 0.09375}, {8, 8, 0.002403}, {4, 16, 0.6665}, {8, 64, 0.6340}, {16, 16, 1.13e-6}} {
		const salts = 40_000
		apart, used := 0, 0.0
		for i := range salts {
			s := salted(fmt.Sprint("leaf", i))
			taken := make([]bool, c.links)
			free := 0
			for flow := range c.flows {
				if port := s.Choose(uint32(1000+flow), c.links); !taken[port] {
					taken[port] = true
					free++
				}
			}
			used += float64(free) / float64(c.links)
			if free == c.flows {
				apart++
			}
		}
		sigma := math.Sqrt(c.apart * (1 - c.apart) / salts)
		if got := float64(apart) / salts; math.Abs(got-c.apart) > 4*sigma {
			t.Errorf("%d flows on %d links stay apart with a chance of %.5f, want %.5f within %.5f", c.flows, c.links, got, c.apart, 4*sigma)
		}
		// Links are used less independently than if each were drawn for itself, so that this bounds the deviation.
		p := 1 - math.Pow(1-1/float64(c.links), float64(c.flows))
		sigma = math.Sqrt(p * (1 - p) / float64(c.links) / salts)
		if got := used / salts; math.Abs(got-p) > 4*sigma {
			t.Errorf("%d flows use %.5f of %d links, want %.5f within %.5f", c.flows, got, c.links, p, 4*sigma)
		}
	}
}
