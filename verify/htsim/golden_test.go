package htsim_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/rdmasim/rdmasim/internal/golden"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/verify/htsim"
)

// Every flow finishes at the same picosecond, every pause begins and ends at the same, and every link carries the same.
func TestHtsimAndRdmasimAgreeToThePicosecond(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(golden.Dir(t, "htsim"), "*"))
	if err != nil {
		t.Fatal(err)
	}
	wants := map[string]struct {
		flows, pauses int
		last          units.Time
	}{
		"roce_one_4K":         {1, 0, 14_027_520},
		"roce_one_2M":         {1, 0, 184_088_320},
		"roce_mtu1024_one_2M": {1, 0, 190_723_840},
		"roce_bidir_2M":       {2, 0, 186_612_480},
		"roce_two2one_2M":     {2, 82, 349_806_080},
		"roce_incast15_256K":  {15, 77, 327_851_520},
		"roce_incast32_1024K": {32, 1339, 2_732_650_880},
		"roce_perm16_2M":      {16, 234, 359_724_800},
	}
	compared := 0
	for _, folder := range folders {
		c, err := htsim.Read(folder)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Compare(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		want, known := wants[r.Case]
		switch {
		case r.Skipped != "":
			t.Logf("%s is skipped: %s", r.Case, r.Skipped)
			continue
		case !known:
			t.Errorf("%s: a case that this test does not know", r.Case)
		case !r.Exact():
			t.Errorf("%s: found %s, expected %s; first: %v", r.Case, r.Found(), r.Expected(), r.First)
		}
		compared++
		if r.Flows != want.flows || r.Pauses != want.pauses || r.Last != want.last {
			t.Errorf("%s: %d flows, %d pauses, the last done at %v; want %+v", r.Case, r.Flows, r.Pauses, r.Last, want)
		}
	}
	if compared != len(wants) {
		t.Errorf("%d cases compared, want %d", compared, len(wants))
	}
}
