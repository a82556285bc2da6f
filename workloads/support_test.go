package workloads

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// hosts is a network of n hosts h0, h1 …, whose random streams depend on their names and on seed. Each sends at 100G; four make a
// rack with uplinks of 200G, eight a pod with uplinks of 100G.
func hosts(n int, seed uint64) Env {
	env := Env{
		Rand: func(stream string) Rand {
			hash := fnv.New64a()
			hash.Write([]byte(stream))
			return rand.NewPCG(seed, hash.Sum64())
		},
		HostRate: func(int) units.Rate { return 100 * units.Gbps },
	}
	for i := range n {
		env.Hosts = append(env.Hosts, fmt.Sprint("h", i))
		env.Racks.Of = append(env.Racks.Of, i/4)
		env.Pods.Of = append(env.Pods.Of, i/8)
	}
	for i := range (n + 3) / 4 {
		env.Racks.Uplinks = append(env.Racks.Uplinks, 200*units.Gbps)
		if i%2 == 0 {
			env.Pods.Uplinks = append(env.Pods.Uplinks, 100*units.Gbps)
		}
	}
	return env
}

// once is a transfer of one message.
func once(size units.Bytes) Transfer {
	return Transfer{Size: size, Messages: 1, QPs: 1, Priority: HostPriority}
}

// mustGenerate returns the flows of one workload.
func mustGenerate(t testing.TB, w Workload, env Env) []Flow {
	t.Helper()
	flows, err := Generate([]Workload{w}, []string{"w"}, env)
	if err != nil {
		t.Fatal(err)
	}
	return flows
}

// ends writes flows as "0>1 2>3".
func ends(flows []Flow) string {
	var text []string
	for _, f := range flows {
		text = append(text, fmt.Sprintf("%d>%d", f.Src, f.Dst))
	}
	return strings.Join(text, " ")
}

// wantError checks that err is exactly the lines of want.
func wantError(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %s", strings.Join(want, "\n"))
	}
	if got := err.Error(); got != strings.Join(want, "\n") {
		t.Errorf("error\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
