package scenarios_test

import (
	"fmt"

	"github.com/rdmasim/rdmasim/scenarios"
)

func ExampleLoad() {
	spec, err := scenarios.Load("incast", "host.mtu=1024", "switch.pfc.xoff=200KB")
	if err != nil {
		fmt.Println(err)
		return
	}
	network, err := spec.Network()
	if err != nil {
		fmt.Println(spec.Locate("topology", err))
		return
	}
	fmt.Println(network)
	fmt.Println("mtu", spec.Host.PacketPayload(), "from", spec.At("host.mtu"))

	_, err = scenarios.Load("incast", "switch.ecn.kmin=2MB")
	fmt.Println(err)
	// Output:
	// 32 hosts, 6 switches, 40 links (32 x 100Gbps, 8 x 400Gbps), oversubscription 1:1
	// mtu 1024 from --set host.mtu
	// --set switch.ecn.kmin: "2MB": above kmax; at most 1.6MB
}
