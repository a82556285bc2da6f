package programs_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A run in which ranks say that they have moved more than their links carry in that time ends with an error: here each says, when its collective
// is over, that this had been longer than it was. Busbw of ranks that share a NIC may be above its rate only where an algorithm keeps part of it in the host.
func TestACollectiveThatIsFasterThanItsLinksIsAnError(t *testing.T) {
	for _, tc := range []struct {
		what           string
		hosts, perNode int
		algorithm      string
		kind           collective.Kind
		times, of      units.Bytes // what they say
		faster         bool
	}{
		{what: "what was moved", hosts: 4, perNode: 1, algorithm: "ring", kind: collective.AllReduce, times: 1, of: 1},
		// A ring of 4 MiB takes its formula and up to 4 % more.
		{what: "a twentieth more", hosts: 4, perNode: 1, algorithm: "ring", kind: collective.AllReduce, times: 21, of: 20, faster: true},
		{what: "twice as much", hosts: 4, perNode: 1, algorithm: "ring", kind: collective.AllGather, times: 2, of: 1, faster: true},
		{what: "twice as much around ranks that share NICs", hosts: 3, perNode: 2, algorithm: "ring", kind: collective.AllReduce, times: 2, of: 1, faster: true},
		{what: "twice as much to all others", hosts: 4, perNode: 1, algorithm: "direct", kind: collective.AllToAll, times: 2, of: 1, faster: true},
		{what: "more by halves of the ranks that share NICs, of which much stays in hosts", hosts: 4, perNode: 4, algorithm: "hierarchical", kind: collective.AllReduce, times: 2, of: 1},
	} {
		net, c, o := jobHosts(t, tc.hosts, 1, tc.perNode)
		a, known := collective.ByName(tc.algorithm)
		if !known {
			t.Fatal(tc.algorithm)
		}
		o.Algorithms[tc.kind] = a
		s := &schedule.Job{Groups: [][]int32{{}}}
		for r := range o.Ranks {
			s.Groups[0] = append(s.Groups[0], int32(r))
			b := schedule.NewBuilder()
			sum := b.Add(schedule.Op{Kind: schedule.Collective, What: tc.kind, Size: 4 * units.MiB})
			b.Requires(b.Add(schedule.Op{Kind: schedule.Calc, Time: units.Millisecond}), sum)
			g, err := b.Graph()
			if err != nil {
				t.Fatal(err)
			}
			s.Ranks = append(s.Ranks, g)
		}
		o.Noise = func(rank int) units.Time { // what it computes then is when all have ended
			op := s.Ranks[rank].Op(0)
			op.Size = 4 * units.MiB * tc.times / tc.of
			return 0
		}
		if _, err := programs.NewJob(c, o, s); err != nil {
			t.Fatal(err)
		}
		_, err := c.Run(context.Background(), net.Run)
		var audit *host.AuditError
		if found := errors.As(err, &audit) && strings.Contains(err.Error(), "for which links that carry"); found != tc.faster {
			t.Errorf("%s: error %v; want one about links: %v", tc.what, err, tc.faster)
		}
	}
}
