package hpc

import (
	"fmt"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Halo is a simulation on a grid of cells that is cut into blocks, one a rank: in each step a rank computes, and then sends each of its neighbours the
// cells at their common face, edge or corner, and waits for theirs.
type Halo struct {
	Grid
	// Neighbours is with how many blocks each shares: 4 in a flat grid, 6 in one of layers (faces), or 26 (edges and corners, too). At the rim of a grid that is not
	// Periodic there are fewer.
	Neighbours int
	Periodic   bool        // whether the grid goes on at the other side
	Cells      [3]int      // of a block in each dimension, at least 1 each
	Width      int         // how many rows of cells a neighbour needs, at least 1
	Cell       units.Bytes // what is sent of a cell
	Compute
	// Reductions is how many all-reduces of Reduction bytes follow each exchange, one after the other: the scalar products of a solver.
	Reductions int
	Reduction  units.Bytes
	Iterations int // at least 1
	Warmup     int // the first of these, which results leave out
}

// Labels under which results count what simulations do.
const (
	computing uint16 = iota + 1
	faces
	reductions
	transposes
)

// Labels are the words for them, as in [schedule.Job].
var Labels = []string{"", "compute", "halo", "reduction", "transpose"}

// direction is where a neighbour is: -1, 0 or 1 in each dimension.
type direction [3]int

// number is that of a direction, 0 to 26; that of the opposite one is 26 less it.
func (d direction) number() int { return d[0] + 1 + 3*(d[1]+1+3*(d[2]+1)) }

// distance is 1 for faces, 2 for edges and 3 for corners.
func (d direction) distance() int { return d[0]*d[0] + d[1]*d[1] + d[2]*d[2] }

// directions are those of the neighbours.
func (h *Halo) directions() (all []direction) {
	for n := range 27 {
		d := direction{n%3 - 1, n/3%3 - 1, n/9 - 1}
		if d.distance() == 0 || h.Neighbours != 26 && d.distance() > 1 || h.Neighbours == 4 && d[2] != 0 {
			continue
		}
		all = append(all, d)
	}
	return all
}

// Size is what a rank sends a neighbour: Width rows of cells at their common face, or edge, or corner. The direction is -1, 0 or 1 in each
// dimension.
func (h *Halo) Size(to [3]int) units.Bytes {
	size := h.Cell
	for i, d := range to {
		if d == 0 {
			size *= units.Bytes(h.Cells[i])
		} else {
			size *= units.Bytes(h.Width)
		}
	}
	return size
}

// neighbour is who is in a direction; -1 for nobody, or the rank itself.
func (h *Halo) neighbour(rank int, to direction) int {
	at := h.At(rank)
	for i, d := range to {
		at[i] += d
		if at[i] < 0 || at[i] >= h.Grid[i] {
			if !h.Periodic {
				return -1
			}
			at[i] = (at[i] + h.Grid[i]) % h.Grid[i]
		}
	}
	if peer := h.Rank(at); peer != rank {
		return peer
	}
	return -1
}

// Sends is how many messages of how many bytes a rank sends in a step.
func (h *Halo) Sends(rank int) (messages int, size units.Bytes) {
	for _, d := range h.directions() {
		if h.neighbour(rank, d) >= 0 {
			messages, size = messages+1, size+h.Size(d)
		}
	}
	return messages, size
}

// Bound is the time of a step by the alpha-beta model: a rank computes, and then sends all that it has to over one link, the last message of which
// takes alpha besides; reductions, which have their own formulas, and noise come on top.
func (h *Halo) Bound(alpha units.Time, rate units.Rate) units.Time {
	var most units.Bytes
	for r := range h.Ranks() {
		_, size := h.Sends(r)
		most = max(most, size)
	}
	return h.Time + alpha + rate.Serialise(int(most))
}

// Check finds what cannot be. Errors are *[units.FieldError].
func (h *Halo) Check() error {
	for i, n := range h.Cells {
		if n < 1 || n > maxRanks {
			return units.Field("cells", n, "not a number of cells", fmt.Sprintf("1 to %d", maxRanks))
		}
		if h.Width > n && h.Grid[i] > 1 {
			return units.Field("width", h.Width, fmt.Sprintf("a block has %d cells there", n), fmt.Sprintf("at most %d", n))
		}
	}
	switch {
	case h.Ranks() < 2:
		return units.Field("grid", h.Grid, "a single rank has no neighbours", "at least 2 ranks")
	case h.Neighbours != 4 && h.Neighbours != 6 && h.Neighbours != 26:
		return units.Field("neighbours", h.Neighbours, "not a number of neighbours", "4, 6 or 26")
	case h.Neighbours == 4 && h.Grid[2] != 1:
		return units.Field("neighbours", h.Neighbours, "a grid of layers has neighbours above and below", "6 or 26")
	case h.Reductions > 0 && h.Reduction < 1:
		return units.Field("reduction", h.Reduction, "nothing to sum up", "at least 1B")
	}
	for _, d := range h.directions() {
		if size := h.Size(d); size < 0 || size > maxMessage {
			return units.Field("cells", fmt.Sprint(h.Cells), "a face that is longer than a message can be", fmt.Sprintf("at most %v of a face", maxMessage))
		}
	}
	return nil
}

// maxMessage is the longest message.
const maxMessage = units.GiB

// Job makes the job, which has been checked.
func (h *Halo) Job() (*schedule.Job, error) {
	job := &schedule.Job{Labels: Labels, Repeat: h.Iterations, Warmup: h.Warmup}
	if h.Reductions > 0 {
		job.Groups = [][]int32{all(h.Ranks())}
	}
	b := schedule.NewBuilder()
	directions := h.directions()
	for rank := range h.Ranks() {
		last := h.Compute.add(b, nil)
		var pending []int
		for _, d := range directions {
			peer := h.neighbour(rank, d)
			if peer < 0 {
				continue
			}
			// A neighbour may be one in several directions; what it sends in one comes from the opposite one.
			sent := b.Add(schedule.Op{Kind: schedule.Send, Peer: int32(peer), Tag: uint32(d.number()), Size: h.Size(d), Label: faces})
			b.Requires(sent, last)
			received := b.Add(schedule.Op{Kind: schedule.Recv, Peer: int32(peer), Tag: uint32(26 - d.number()), Size: h.Size(d), Label: faces})
			b.Requires(received, last)
			pending = append(pending, sent, received)
		}
		for range h.Reductions {
			op := b.Add(schedule.Op{Kind: schedule.Collective, What: collective.AllReduce, Size: h.Reduction, Label: reductions})
			if len(pending) == 0 {
				pending = append(pending, last)
			}
			for _, before := range pending {
				b.Requires(op, before)
			}
			pending = []int{op}
		}
		g, err := b.Graph()
		if err != nil {
			return nil, err
		}
		job.Ranks = append(job.Ranks, g)
	}
	return job, nil
}

// all are so many ranks, in their order.
func all(n int) (ranks []int32) {
	for r := range n {
		ranks = append(ranks, int32(r))
	}
	return ranks
}
