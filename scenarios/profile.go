package scenarios

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/wire"
)

// profile is another simulator whose simplifications rdmasim can adopt, so that its results can be compared flow by flow. It is
// configuration of the same model: it sets what no key of a scenario says, and leaves alone what a key does say.
type profile struct {
	name, doc string
	framing   *wire.Framing        // nil for that of the wire
	fabric    func(*fabric.Config) // what else differs in switches and links; nil for nothing
	nic       func(*rnic.Config)   // likewise in NICs
}

// profiles lists the values of the key profile. A new one is a file and a line here, and its name in the key's oneof tag.
var profiles = []profile{
	{name: "rdmasim", doc: "true to the wire"},
	htsim,
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

// frames is what frames look like.
func (p *profile) frames() *wire.Framing {
	if p.framing == nil {
		return &wire.RoCEv2
	}
	return p.framing
}

// adjust adopts the profile in the configuration of switches and links.
func (p *profile) adjust(c *fabric.Config) {
	c.Framing = p.framing
	if p.fabric != nil {
		p.fabric(c)
	}
}

// adjustNIC adopts the profile in the configuration of NICs.
func (p *profile) adjustNIC(c *rnic.Config) {
	c.Framing = p.framing
	if p.nic != nil {
		p.nic(c)
	}
}
