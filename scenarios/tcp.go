package scenarios

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/tcp/congestion"
	"github.com/rdmasim/rdmasim/wire"
	"github.com/rdmasim/rdmasim/workloads"
)

// TCP holds the settings of TCP.
type TCP struct {
	Control    strictyaml.Block `key:"congestion_control" kinds:"tcp_congestion_control" default:"{kind: cubic}" doc:"how senders react to loss and to marks" source:"Linux: tcp_congestion_control"`
	tcp.Config `key:",inline"`
}

// tcpControlSet is the set of kinds of TCP's congestion control.
const tcpControlSet = "tcp_congestion_control"

func tcpControlKinds(registry []congestion.Kind) []strictyaml.Kind {
	var kinds []strictyaml.Kind
	for _, k := range registry {
		kinds = append(kinds, strictyaml.Kind{Name: k.Name, Doc: k.Doc, New: func(string) any { return k.Params() }})
	}
	return kinds
}

// speaks tells whether any workload of the scenario goes over a transport.
func (s *Spec) speaks(word string) bool {
	generators, _ := s.generators()
	for _, w := range generators {
		if transport, err := w.Over(workloads.Env{Transport: s.Host.Transport}); err == nil && transport == word {
			return true
		}
		if short, is := w.(*workloads.ShortConnections); is && short.Beside == overTCP {
			return true
		}
	}
	return false
}

// speaksTCP tells whether any goes over the TCP of kernels.
func (s *Spec) speaksTCP() bool { return s.speaks(overTCP) }

// useTCP gives the hosts of a cluster TCP, if any workload needs it.
func (s *Spec) useTCP(c *host.Cluster) {
	if !s.speaksTCP() {
		return
	}
	params := s.Host.TCP.Control.Params.(congestion.Params)
	c.UseTCP(&host.TCP{
		Config: s.Host.TCP.Config, Control: params.New, Class: s.class(s.Host.DSCP.TCP), Tagged: s.Switch.tagged(),
	}, &s.Host.Kernel)
}

// largestTCP is the largest frame of TCP, of hosts or of adapters; 0 if there are none.
func (s *Spec) largestTCP() units.Bytes {
	if !s.speaksTCP() && !s.speaks(iwarp) {
		return 0
	}
	return units.Bytes(wire.TCPFrame(int(s.Host.TCP.MTU)-wire.TCPIPHeaders, 0) + s.Switch.tag())
}

// classOf is the class of the data of a workload, by its transport and the priority that it asks for.
func (s *Spec) classOf(transport string, priority int) rnic.Class {
	if transport == overTCP && priority == workloads.HostPriority {
		return s.class(s.Host.DSCP.TCP)
	}
	class := s.dataClass(priority)
	class.IWARP = transport == iwarp
	return class
}

// lintTCP warns of TCP in a class that never loses.
func (s *Spec) lintTCP() []string {
	class := s.class(s.Host.DSCP.TCP)
	if !s.speaksTCP() || !s.Switch.PFC.Lossless(class.Priority) {
		return nil
	}
	return []string{s.Problem("host.dscp.tcp", fmt.Sprintf("%d is mapped to priority %d, which is lossless: there TCP fills buffers until it is paused, with all that shares them",
		class.DSCP, class.Priority), "").Error()}
}
