package topology

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// ParkingLot is a chain of switches sw0, sw1 … with senders at each and receivers at the last: like cars that leave a
// parking lot, those who start far back meet newcomers at every junction. Senders h0, h1 … fill the switches in order;
// the receivers are r0, r1 … A switch's ports are those to its senders, to its receivers, to the switch before it and to
// the one after it.
//
// Two senders at the first switch and two at the last are the parking lot of DCQCN (SIGCOMM 2015, section 2.2); one
// sender at the first, several at the last and two receivers are its victim flow.
type ParkingLot struct {
	Senders    []int     `key:"senders" default:"[1, 1, 1]" min:"0" max:"4096" doc:"senders at each switch of the chain, from the one farthest from the receivers on" source:"assumed"`
	Receivers  int       `key:"receivers" default:"1" min:"1" max:"4096" doc:"receivers at the last switch" source:"assumed"`
	HostLink   HostCable `key:"host_link" doc:"the cables between hosts and switches"`
	SwitchLink HostCable `key:"switch_link" doc:"the cables between switches"`
}

// Validate checks that the chain has a switch, that somebody stands at its far end, and that there are senders.
func (p *ParkingLot) Validate() error {
	var problems []error
	switch n := len(p.Senders); {
	case n == 0:
		problems = append(problems, &units.FieldError{Key: "senders", Problem: "a chain of no switch", Want: "such as [1, 1, 1]"})
	case p.Senders[0] < 1:
		problems = append(problems, units.Field("senders[0]", p.Senders[0], "the chain begins with a switch that nobody uses",
			"at least 1"))
	case n > MaxPorts:
		problems = append(problems, &units.FieldError{Key: "senders", Problem: fmt.Sprintf("a chain of %d switches", n),
			Want: fmt.Sprintf("at most %d", MaxPorts)})
	}
	return errors.Join(problems...)
}

// Build returns the graph.
func (p *ParkingLot) Build() (*Graph, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	var net plan
	var at []int // switch in the chain, by host
	for i, senders := range p.Senders {
		for range senders {
			net.add(Host, fmt.Sprint("h", len(at)))
			at = append(at, i)
		}
	}
	for i := range p.Receivers {
		net.add(Host, fmt.Sprint("r", i))
		at = append(at, len(p.Senders)-1)
	}
	first := len(at)
	for i := range p.Senders {
		net.add(Switch, fmt.Sprint("sw", i))
	}
	for host, sw := range at {
		net.cable(host, first+sw, p.HostLink, 1)
	}
	for i := range len(p.Senders) - 1 {
		net.cable(first+i, first+i+1, p.SwitchLink, 1)
	}
	return net.graph()
}
