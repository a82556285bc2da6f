package workloads

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// A slip in a number of queue pairs or a depth is refused before it fills the memory; what is much but can be is not.
func TestProgramsThatWouldFillTheMemoryAreRefused(t *testing.T) {
	ends := TestEnds{Client: "h0", Server: "h1"}
	bw := func(qps, tx, rx int) Workload {
		return &SendBW{
			TestEnds: ends, Connection: "RC", TestReceives: TestReceives{RxDepth: rx},
			BandwidthRuns: BandwidthRuns{Iterations: 1_000_000, QPs: qps, TxDepth: tx, PostList: 1},
		}
	}
	rpc := func(connections, outstanding, receives int, shared bool) Workload {
		return &RPC{
			Server: "h0", Via: "send", Connections: connections, Outstanding: outstanding, Receives: receives, Shared: shared,
			Count: 1, Threads: 1, Refill: 1,
		}
	}
	pool := func(threads, pool int) Workload {
		return &ShortConnections{ProgramClients: ProgramClients{Server: "h0", Threads: threads}, Reuse: "queue-pairs", Pool: pool}
	}
	lock := func(threads int) Workload {
		return &DistributedLock{ProgramClients: ProgramClients{Server: "h0", Threads: threads}, MaxBackoff: units.Microsecond}
	}
	for _, c := range []struct {
		what string
		all  []Workload
		want string // empty: it can be
	}{
		{"a test at the bound of its queue pairs", []Workload{bw(16384, 128, 512)}, ""},
		{"and of its depth", []Workload{bw(16384, 16384, 1)}, fmt.Sprintf("[0]: too many requests under way in all workloads together: %d", 1<<28)},
		{"of receives", []Workload{bw(16384, 1, 16384)}, "too many receive requests"},
		{"calls of many connections", []Workload{rpc(16384, 16, 0, false)}, ""},
		{"with many under way", []Workload{rpc(16384, 4096, 0, false)}, "too many requests under way"},
		{"with many receives", []Workload{rpc(16384, 1, 65536, false)}, "too many receive requests"},
		{"with many receives that are shared", []Workload{rpc(16384, 1, 65536, true)}, ""},
		{"pools", []Workload{pool(128, 128)}, ""},
		{"large pools", []Workload{pool(1024, 65536)}, "too many connections in all workloads together: 469762048 with this one; at most 131072"},
		{"locks", []Workload{lock(1024)}, ""},
		{"all together", []Workload{pool(128, 128), lock(1024), lock(1024), lock(1024)}, "[3]: too many connections"},
	} {
		_, err := GeneratePrograms(c.all, make([]string, len(c.all)), hosts(8, 1))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}
