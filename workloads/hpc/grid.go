package hpc

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Grid is ranks in rows, columns and layers; rank = x + X·(y + Y·z).
type Grid [3]int

// Ranks is how many there are.
func (g Grid) Ranks() int { return g[0] * g[1] * g[2] }

// At is where a rank is.
func (g Grid) At(rank int) [3]int {
	return [3]int{rank % g[0], rank / g[0] % g[1], rank / g[0] / g[1]}
}

// Rank is who is at a place.
func (g Grid) Rank(at [3]int) int { return at[0] + g[0]*(at[1]+g[1]*at[2]) }

// String is such as 4x4x2; a flat grid is 4x4.
func (g Grid) String() string {
	if g[2] == 1 {
		return fmt.Sprintf("%dx%d", g[0], g[1])
	}
	return fmt.Sprintf("%dx%dx%d", g[0], g[1], g[2])
}

// NewGrid puts so many ranks into a grid of as many dimensions, 2 or 3, that is as near to a square or a cube as can be, the first dimension being the
// largest, as MPI_Dims_create does.
func NewGrid(ranks, dimensions int) Grid {
	best := Grid{ranks, 1, 1}
	for z := 1; z*z*z <= ranks; z++ {
		if ranks%z != 0 || z > 1 && dimensions < 3 {
			continue
		}
		for y := z; z*y*y <= ranks; y++ {
			if g := (Grid{ranks / z / y, y, z}); ranks%(z*y) == 0 && g.surface() <= best.surface() {
				best = g
			}
		}
	}
	return best
}

// surface is how near a grid is to a square or a cube: the less the nearer.
func (g Grid) surface() int { return g[0]*g[1] + g[1]*g[2] + g[2]*g[0] }

// ParseGrid reads a grid such as 4x4 or 4x4x2.
func ParseGrid(text string) (Grid, error) {
	sides, ok := parseSides(text)
	if g := Grid(sides); ok && int64(g[0])*int64(g[1])*int64(g[2]) <= maxRanks {
		return g, nil
	}
	return Grid{}, &units.FieldError{Value: text, Problem: "not a grid", Want: "write ranks in each dimension such as 4x4 or 4x4x2"}
}

// ParseCells reads the cells of a block, such as 100x100 or 128x128x64.
func ParseCells(text string) ([3]int, error) {
	if sides, ok := parseSides(text); ok {
		return sides, nil
	}
	return [3]int{}, &units.FieldError{Value: text, Problem: "not a block of cells", Want: "write cells in each dimension such as 100x100 or 128x128x64"}
}

// parseSides reads two or three lengths, the third being 1 if there are two; each is at most maxRanks.
func parseSides(text string) (sides [3]int, ok bool) {
	sides = [3]int{1, 1, 1}
	parts := strings.Split(text, "x")
	if len(parts) < 2 || len(parts) > 3 {
		return sides, false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > maxRanks || strconv.Itoa(n) != part {
			return sides, false
		}
		sides[i] = n
	}
	return sides, true
}

// maxRanks bounds the ranks of a job, and the cells of a block in each dimension.
const maxRanks = 1 << 20
