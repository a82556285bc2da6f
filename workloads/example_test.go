package workloads_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads"
)

func Example() {
	incast := &workloads.Incast{To: "h0", FanIn: 2, Transfer: workloads.Transfer{
		Size: units.MB, Messages: 1, QPs: 1, Priority: workloads.HostPriority,
	}}
	env := workloads.Env{Hosts: []string{"h0", "h1", "h2", "h3"}}
	flows, err := workloads.Generate([]workloads.Workload{incast}, []string{"answers"}, env)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range flows {
		fmt.Println(f.ID, f.Workload, env.Hosts[f.Src], "to", env.Hosts[f.Dst], f.Bytes())
	}
	// Output:
	// 0 answers h1 to h0 1MB
	// 1 answers h2 to h0 1MB
}
