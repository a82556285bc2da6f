package record_test

import (
	"io"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A report of 1,024 hosts with 16 flows each is to take well under a second.
func BenchmarkReportOf1024Hosts(b *testing.B) {
	link := topology.HostCable{Rate: 100 * units.Gbps, Delay: 500 * units.Nanosecond}
	net := simtest.Build(&topology.FatTree{K: 16, HostLink: link, FabricLink: topology.FabricCable(link)})
	hosts := len(net.Graph.Hosts())
	var flows []host.Flow
	for i := range 16 * hosts {
		flows = append(flows, simtest.Flow(i%hosts, (i*37+1)%hosts, 4*units.KB))
	}
	run := ended(b, net, "none", flows...)
	for b.Loop() {
		run.Summary()
		for _, t := range tables(run) {
			if err := t.WriteCSV(io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	}
}
