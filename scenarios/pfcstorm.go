package scenarios

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// PFCStorm is a NIC that pauses its peer over and over without cause, as in Guo et al., RDMA over Commodity Ethernet at
// Scale, SIGCOMM 2016.
type PFCStorm struct {
	Host     string      `key:"host" required:"true" doc:"the host, or a selector of several; all its NICs break down"`
	Priority int         `key:"priority" default:"3" min:"0" max:"7" doc:"the lossless priority that is paused" source:"RoCE deployments: data in priority 3"`
	From     units.Time  `key:"from" doc:"when it begins" source:"assumed"`
	To       *units.Time `key:"to" doc:"when it ends; never if left out"`
}

// Validate checks that the storm begins before it ends.
func (s *PFCStorm) Validate() error {
	if s.To != nil && *s.To <= s.From {
		return units.Field("to", *s.To, "not after from, "+s.From.String(), "a later time, or none")
	}
	return nil
}

// breakNICs has the NICs of the scenario's storms break down. Errors carry keys of the scenario.
func (s *Spec) breakNICs(c *host.Cluster) error {
	var faults []error
	for i := range s.PFCStorms {
		storm, key := &s.PFCStorms[i], fmt.Sprintf("pfc_storms[%d]", i)
		if !s.Switch.PFC.Lossless(storm.Priority) {
			faults = append(faults, units.Field(key+".priority", storm.Priority, "not lossless: nobody would obey its pauses", "one of switch.pfc.priorities"))
			continue
		}
		hosts, err := directory(c.Net.Graph).Find(key+".host", storm.Host)
		faults = append(faults, err)
		for _, h := range hosts {
			storm.strike(c.Hosts[h])
		}
	}
	return errors.Join(faults...)
}

// strike has the NICs of a host break down.
func (s *PFCStorm) strike(h *host.Host) {
	to := units.Never
	if s.To != nil {
		to = *s.To
	}
	for _, nic := range h.NICs() {
		nic.Storm(s.Priority, s.From, to)
	}
}
