package memory

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Each region has a number of its own and one for each page that it touches, in turn.
func TestRegionsAndTheirPagesHaveNumbers(t *testing.T) {
	var s Space
	pd := s.AllocPD()
	three, _ := s.Register(pd, 4096-8, 4096+16, LocalWrite) // 8 B, a page, 8 B
	s.UsePages(2 * units.MiB)
	huge, _ := s.Register(pd, 4*1<<20, 4*units.MiB, LocalWrite)
	for _, c := range []struct {
		key           uint32
		va            uint64
		length        units.Bytes
		region, first uint32
		pages         int
	}{
		{three.LKey, 4096 - 8, 8, 0, 1, 1},
		{three.LKey, 4096 - 8, 4096 + 16, 0, 1, 3},
		{three.LKey, 4096, 4096, 0, 2, 1},
		{huge.LKey, 4 * 1 << 20, 8, 4, 5, 1},
		{huge.LKey, 6*1<<20 - 4, 8, 4, 5, 2},
		{huge.LKey, 6 * 1 << 20, 0, 0, 0, 0},
		{huge.LKey + 1, 6 * 1 << 20, 8, 0, 0, 0},
	} {
		region, first, pages := s.Translations(c.key, c.va, c.length)
		if region != c.region || first != c.first || pages != c.pages {
			t.Errorf("%d B at %#x: region %d, %d pages from %d on; want %d, %d from %d", c.length, c.va, region, pages, first, c.region, c.pages, c.first)
		}
	}
}
