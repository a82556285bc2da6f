package record_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A flow alone over links of one rate cuts through with all its frames but those that
// are all header: none, with 64 B.
func TestTheShareOfFramesThatCutThroughIsTold(t *testing.T) {
	check(t, []because{
		{"a flow alone", func(t *testing.T) *record.Run {
			net := simtest.Chain(3, 100*units.Gbps, units.Microsecond)
			net.Fabric.Header = 64
			return ended(t, net, "none", simtest.Flow(0, 1, units.MB))
		}, []string{"Cut-through: switches passed 100% of the frames on before their last bit was in"}, ""},
		{"a switch that stores", lone, []string{"PFC never acted"}, "Cut-through"},
	})
}
