package host_test

import (
	"runtime"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// What counts is who has something to say: if only the hosts of one pod do, its racks
// are shared out, and not the pods.
func TestHostsThatTalkAreSharedOut(t *testing.T) {
	n, _ := permutation(8, 1024, 0)
	var flows []host.Flow
	for h := range 16 { // the first of eight pods
		flows = append(flows, simtest.Flow(h, (h+4)%16, units.MB))
	}
	n.Run.Workers = 2
	talking := map[int]int{}
	for w, share := range n.Cluster(t, flows...).Divide(n.Run).Shares {
		for _, node := range share.Nodes {
			if node < 16 {
				talking[w]++
			}
		}
	}
	if talking[0] != 8 || talking[1] != 8 {
		t.Errorf("of 16 hosts that talk one worker has %d and the other %d", talking[0], talking[1])
	}
}

// A flow that the limit cuts short is only as much work as there is time for.
func TestWorkBeyondTheLimitIsNone(t *testing.T) {
	n, _ := permutation(8, 1024, 0)
	flows := []host.Flow{simtest.Flow(0, 64, 1000*units.GB)}
	for h := 64; h < 80; h++ {
		flows = append(flows, simtest.Flow(h, (h+4-64)%16+64, 100*units.KB))
	}
	flows[0].Start = 990 * units.Microsecond // 10 us are a hundred packets
	n.Run.Workers, n.Run.Limit = 2, units.Millisecond
	for w, share := range n.Cluster(t, flows...).Divide(n.Run).Shares {
		busy := 0
		for _, node := range share.Nodes {
			if node >= 64 && node < 80 {
				busy++
			}
		}
		if busy < 6 || busy > 10 {
			t.Errorf("worker %d has %d of 16 busy hosts", w, busy)
		}
	}
}

// As many workers as cores, but one where there is little to do or there are few to do it,
// and as many as are asked for otherwise.
func TestNumberOfWorkersFollowsTheWork(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	large, flows := permutation(8, 1024, units.MB)
	pair := simtest.Star(2, gbps100, units.Microsecond)
	for name, c := range map[string]struct {
		net   *simtest.Net
		flows []host.Flow
		asked int
		want  int
	}{
		"much to do":         {large, flows, 0, 4},
		"nothing to do":      {large, nil, 0, 1},
		"little to do":       {large, flows[:2], 0, 1},
		"few to do it":       {pair, []host.Flow{simtest.Flow(0, 1, 10*units.GB)}, 0, 1},
		"asked for":          {large, flows[:2], 8, 8},
		"more than there is": {pair, flows[:0], 8, 3},
	} {
		c.net.Run.Workers = c.asked
		if got := len(c.net.Cluster(t, c.flows...).Divide(c.net.Run).Shares); got != c.want {
			t.Errorf("%s: %d workers, want %d", name, got, c.want)
		}
	}
}
