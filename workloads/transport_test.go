package workloads

import "testing"

// What a workload does not say of its transport, the hosts say; on InfiniBand links there is nothing else, and elsewhere
// InfiniBand is not.
func TestAWorkloadTravelsAsItSaysOrAsHostsDo(t *testing.T) {
	for _, c := range []struct{ host, own, want, problem string }{
		{"", "", RoCEv2, ""},
		{"", HostTransport, RoCEv2, ""},
		{TCP, HostTransport, TCP, ""},
		{InfiniBand, HostTransport, InfiniBand, ""},
		{InfiniBand, InfiniBand, InfiniBand, ""},
		{RoCEv2, TCP, TCP, ""},
		{TCP, RoCEv2, RoCEv2, ""},
		{TCP, IWARP, IWARP, ""},
		{"", InfiniBand, "", `[0].transport: "infiniband": the links of this network are Ethernet, as host.transport is rocev2; rocev2, iwarp or tcp; or host.transport: infiniband`},
		{InfiniBand, TCP, "", `[0].transport: "tcp": the links of this network are InfiniBand, as host.transport says, and carry nothing else; infiniband, or leave it out`},
	} {
		env := hosts(2, 1)
		env.Transport = c.host
		travel := Travel{Transport: c.own}
		flows, err := Generate([]Workload{&Permutation{Transfer: once(1), Travel: travel}}, []string{"w"}, env)
		calls := &RPC{Server: "h0", Via: "send", Connections: 1, Outstanding: 1, Count: 1, Threads: 1, Refill: 1, Travel: travel}
		programs, wrong := GeneratePrograms([]Workload{calls}, []string{"w"}, env)
		if c.problem != "" {
			wantError(t, err, c.problem)
			wantError(t, wrong, c.problem)
			continue
		}
		if err != nil || wrong != nil {
			t.Errorf("%q on hosts with %q: %v, %v", c.own, c.host, err, wrong)
		} else if flows[0].Transport != c.want || programs[0].Transport != c.want {
			t.Errorf("%q on hosts with %q: flows over %s, calls over %s; want %s", c.own, c.host, flows[0].Transport, programs[0].Transport, c.want)
		}
	}
}

// A message without payload is a packet over RDMA; on a stream it is nothing, and would never come.
func TestAMessageWithoutPayloadDoesNotTravelOverTCP(t *testing.T) {
	for _, transport := range []string{RoCEv2, IWARP, TCP} {
		_, err := Generate([]Workload{&Permutation{Transfer: once(0), Travel: Travel{Transport: transport}}}, []string{"w"}, hosts(2, 1))
		if transport == TCP {
			wantError(t, err, "[0]: a message without payload, of which nothing would come over tcp; a size of at least 1B, or another transport")
		} else if err != nil {
			t.Errorf("over %s: %v", transport, err)
		}
	}
}
