package strictyaml_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/sim/units"
)

func Example() {
	var marking struct {
		Kmin units.Bytes `key:"kmin" default:"400KB" doc:"queue length at which marking begins" source:"HPCC, SIGCOMM 2019"`
		Kmax units.Bytes `key:"kmax" required:"true" doc:"queue length from which every packet is marked"`
	}
	document := strictyaml.Parse("ecn.yaml", []byte("kmax: 2MB\n"))
	origins, problems := document.Decode(&marking, nil)
	fmt.Print(len(problems), " problems\n", string(strictyaml.Encode(&marking, origins)))

	_, problems = strictyaml.Parse("ecn.yaml", []byte("kmaks: 2MB\nkmin: 5us\n")).Decode(&marking, nil)
	fmt.Println(problems)
	// Output:
	// 0 problems
	// kmin: 400KB                                     # default: HPCC, SIGCOMM 2019
	// kmax: 2MB                                       # ecn.yaml:1:7
	// ecn.yaml:1:1: kmaks: unknown key; did you mean "kmax"?
	// ecn.yaml:1:1: kmax: the key is missing; want queue length from which every packet is marked
	// ecn.yaml:2:7: kmin: "5us": a time where a size is wanted; write a size such as 4MiB
}
