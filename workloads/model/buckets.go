package model

import "github.com/rdmasim/rdmasim/sim/units"

// Bucket is gradients that are summed up together: those of the layers from First to Last, in the order in which they become ready.
type Bucket struct {
	First, Last int
	Size        units.Bytes
}

// Buckets puts the gradients of layers, given in the order in which they become ready, into buckets: each is closed once it has at least
// so many bytes, the first one already with at least first. Layers without gradients are in none that has no others.
func Buckets(gradients []units.Bytes, first, size units.Bytes) (all []Bucket) {
	open := Bucket{First: -1}
	most := first
	for i, g := range gradients {
		if g == 0 {
			continue
		}
		if open.First < 0 {
			open.First = i
		}
		open.Last, open.Size = i, open.Size+g
		if open.Size >= most {
			all = append(all, open)
			open, most = Bucket{First: -1}, size
		}
	}
	if open.First >= 0 {
		all = append(all, open)
	}
	return all
}
