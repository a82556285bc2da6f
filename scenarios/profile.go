package scenarios

import (
	"strings"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// profile is another simulator whose simplifications rdmasim can adopt, so that its results can be compared flow by flow. It is
// configuration of the same model: it sets what no key of a scenario says. A key that it overrules is refused, or named in its doc.
type profile struct {
	name, doc string
	framing   *wire.Framing                         // nil for that of the wire
	fabric    func(*fabric.Config, *topology.Graph) // what else differs in switches and links; nil for nothing
	nic       func(*rnic.Config)                    // likewise in NICs
	start     func(units.Time) units.Time           // when a flow starts that is to start at a time; nil for then
	refuses   func(*Spec) []error                   // what cannot be had with it; nil for nothing
}

// profiles lists the values of the key profile. A new one is a file and a line here, and its name in the key's oneof tag.
var profiles = []profile{
	{name: "rdmasim", doc: "true to the wire"},
	htsim,
	hpccNS3,
	conweave,
}

// profile is the one that the scenario asks for.
func (s *Spec) profile() *profile {
	for i := range profiles {
		if profiles[i].name == s.Profile {
			return &profiles[i]
		}
	}
	return &profiles[0]
}

// OneWorker tells whether the scenario's order of events is that of another simulator, so that
// it runs on one worker however many are asked for.
func (s *Spec) OneWorker() bool { return s.profile().framing != nil }

// adjust adopts the profile in the configuration of switches and links.
func (p *profile) adjust(c *fabric.Config, g *topology.Graph) {
	c.Framing = p.framing
	if p.fabric != nil {
		p.fabric(c, g)
	}
}

// startAt is when a flow starts that is to start at a time.
func (p *profile) startAt(at units.Time) units.Time {
	if p.start == nil {
		return at
	}
	return p.start(at)
}

// adjustNIC adopts the profile in the configuration of NICs.
func (p *profile) adjustNIC(c *rnic.Config) {
	c.Framing = p.framing
	if p.nic != nil {
		p.nic(c)
	}
}

// refusals are keys of a scenario that ask for what a profile's simulator does not have.
type refusals struct {
	profile string
	faults  []error
}

func (r *refusals) refuse(key string, given bool) {
	if given {
		r.faults = append(r.faults, &units.FieldError{Key: key, Problem: "not with profile " + r.profile + ": that simulator has nothing like it", Want: "leave it out"})
	}
}

// refuseRecovery refuses selective repeat and adaptive retransmission, of hosts and of workloads.
func (r *refusals) refuseRecovery(s *Spec) {
	strictyaml.Walk(s, func(v strictyaml.Value) {
		if v.Path == "host.recovery" || strings.HasPrefix(v.Path, "workloads[") && strings.HasSuffix(v.Path, "].recovery") {
			r.refuse(v.Path, recovery(v.Text) > rnic.GoBackZero)
		}
	})
}

// refuseUnderAny refuses what none of the other simulators has, and a serial run therefore does not do.
func refuseUnderAny(s *Spec, profile string) *refusals {
	r, sw := &refusals{profile: profile}, &s.Switch
	r.refuse("faults", len(s.Faults) > 0)
	r.refuse("switch.forwarding", sw.Forwarding == cutThrough)
	r.refuse("switch.scheduler", len(sw.Scheduler.Weights) > 0 || len(sw.Scheduler.Shapers) > 0 || len(sw.Scheduler.PerFlow) > 0)
	r.refuse("switch.pfc.watchdog", sw.PFC.Watchdog.Enabled)
	r.refuse("switch_overrides", len(s.Overrides) > 0)
	r.refuse("host.receive", s.Host.Receive.Drain.Given || len(s.Host.Receive.Slow) > 0)
	r.refuse("host.nic", !s.Host.NIC.Ideal())
	return r
}
