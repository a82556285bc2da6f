package faults

import (
	"errors"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// PFCStorm is NICs that pause their switch over and over without cause, as in Guo et
// al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016.
type PFCStorm struct {
	Hosts    []string `key:"hosts" required:"true" doc:"the hosts whose NICs break down, by name, pattern or place; * for all"`
	Priority int      `key:"priority" default:"3" min:"0" max:"7" doc:"the lossless priority that is paused" source:"RoCE deployments: data in priority 3"`
	Times    `key:",inline"`
}

// Plan implements [Fault].
func (p *PFCStorm) Plan(env *Env, _ string, plan *host.Faults) error {
	hosts, err := findHosts(env, p.Hosts)
	if env.Lossless&(1<<p.Priority) == 0 {
		err = errors.Join(err, units.Field("priority", p.Priority, "not lossless: nobody would obey its pauses", "one of switch.pfc.priorities"))
	}
	if err = errors.Join(err, tooMany(len(hosts), p.Count)); err != nil {
		return err
	}
	for _, h := range hosts {
		for _, s := range p.spans() {
			plan.Storms = append(plan.Storms, host.Storm{Host: h, Priority: p.Priority, Span: s})
		}
	}
	return nil
}
