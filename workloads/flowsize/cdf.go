package flowsize

import (
	"fmt"
	"math"
	"sort"

	"github.com/rdmasim/rdmasim/sim/units"
)

// MaxSize is the largest size a distribution may have: 1 PiB.
const MaxSize units.Bytes = 1 << 50

// Point says that a share of all flows are no larger than a size.
type Point struct {
	Size    units.Bytes // 0 to MaxSize
	Percent float64     // 0 to 100
}

// CDF is a distribution of flow sizes. Make one with New.
type CDF struct{ points []Point }

// New returns the distribution through the points: between two of them sizes are equally likely, and what lies below the
// first has its size. Neither sizes nor shares may descend, and the last share must be 100. Equal sizes with different
// shares make that size likely; equal shares with different sizes leave those between out.
func New(points []Point) (*CDF, error) {
	if len(points) == 0 {
		return nil, fmt.Errorf("a distribution without points")
	}
	for i, p := range points {
		if problem := p.problem(points[:i]); problem != "" {
			return nil, &PointError{i, problem}
		}
	}
	if last := points[len(points)-1].Percent; last != 100 {
		return nil, &PointError{len(points) - 1, fmt.Sprintf("the last share is %v and not 100", last)}
	}
	return &CDF{points}, nil
}

// PointError tells what is wrong with a point.
type PointError struct {
	Index   int // of the point, from 0
	Problem string
}

// Error says which point it is and what is wrong with it.
func (e *PointError) Error() string { return fmt.Sprintf("point %d: %s", e.Index+1, e.Problem) }

// problem says what is wrong with a point after those before it.
func (p Point) problem(before []Point) string {
	switch {
	case p.Size < 0:
		return fmt.Sprintf("the size %d is negative", p.Size)
	case p.Size > MaxSize:
		return fmt.Sprintf("the size %d is more than %d", p.Size, MaxSize)
	case !(p.Percent >= 0 && p.Percent <= 100):
		return fmt.Sprintf("%v is no share in percent, from 0 to 100", p.Percent)
	case len(before) == 0:
		return ""
	}
	last := before[len(before)-1]
	switch {
	case p.Size < last.Size:
		return fmt.Sprintf("the size %d is less than the one before it, %d", p.Size, last.Size)
	case p.Percent < last.Percent:
		return fmt.Sprintf("the share %v is less than the one before it, %v", p.Percent, last.Percent)
	}
	return ""
}

// Mean returns the mean size in bytes, before sizes are rounded up to whole bytes.
func (c *CDF) Mean() float64 {
	return c.moment(func(a, b float64) float64 { return (a + b) / 2 })
}

// SecondMoment returns the mean of the squares of the sizes.
func (c *CDF) SecondMoment() float64 {
	return c.moment(func(a, b float64) float64 {
		return (float64(a*a) + float64(a*b) + float64(b*b)) / 3
	})
}

// moment adds up what each piece of the distribution, from size a to size b, has on average, by its share of the flows.
func (c *CDF) moment(between func(a, b float64) float64) float64 {
	sum, last := 0.0, Point{Size: c.points[0].Size}
	for _, p := range c.points {
		share := (p.Percent - last.Percent) / 100
		sum += float64(share * between(float64(last.Size), float64(p.Size)))
		last = p
	}
	return sum
}

// Size returns the size that a share u of all flows, from 0 to 1, do not exceed: rounded up to whole bytes, and at
// least 1. With u uniformly random it is a size of the distribution.
func (c *CDF) Size(u float64) units.Bytes {
	percent := float64(100 * u)
	i := sort.Search(len(c.points)-1, func(i int) bool { return c.points[i].Percent >= percent })
	to := c.points[i]
	if i == 0 || to.Percent <= percent {
		return max(1, to.Size)
	}
	from := c.points[i-1]
	along := (percent - from.Percent) / (to.Percent - from.Percent)
	size := float64(from.Size) + float64(along*float64(to.Size-from.Size))
	return max(1, units.Bytes(math.Ceil(size)))
}
