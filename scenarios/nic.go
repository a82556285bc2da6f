package scenarios

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Slot is hosts with a PCIe slot of their own.
type Slot struct {
	Hosts      []string `key:"hosts" required:"true" doc:"selectors of hosts: names, patterns such as h[0-3], racks such as rack1/*"`
	Generation *int     `key:"generation" min:"1" max:"6" doc:"generation of PCI Express, if it differs"`
	Width      *int     `key:"width" oneof:"1|2|4|8|12|16" doc:"lanes, if they differ"`
	Memory     *string  `key:"memory" oneof:"host|near|far|bounce" doc:"where payload is, if it differs: see host.nic.memory"`
}

// hardware is the scenario's adapter in the slot.
func (s *Slot) hardware(common *hardware.Config) *hardware.Config {
	own := *common
	if s.Generation != nil {
		own.PCIe.Generation = *s.Generation
	}
	if s.Width != nil {
		own.PCIe.Width = *s.Width
	}
	if s.Memory != nil {
		own.Memory = *s.Memory
	}
	return &own
}

// equip gives the NICs of hosts with slots of their own their adapters. Errors carry keys of the scenario.
func (s *Spec) equip(c *host.Cluster) error {
	var faults []error
	for i := range s.Host.Slots {
		slot := &s.Host.Slots[i]
		own := slot.hardware(&s.Host.NIC)
		for k, pattern := range slot.Hosts {
			hosts, err := directory(c.Net.Graph).Find(fmt.Sprintf("host.slots[%d].hosts[%d]", i, k), pattern)
			faults = append(faults, err)
			for _, h := range hosts {
				for _, nic := range c.Hosts[h].NICs() {
					nic.Equip(own)
				}
			}
		}
	}
	return errors.Join(faults...)
}

// narrowSlots warns of NICs whose slots carry less payload than their links.
func (s *Spec) narrowSlots(c *host.Cluster) []string {
	payload := units.Bytes(c.NIC.MTU)
	onWire := c.NIC.FrameBytes(wire.WriteMiddle, c.NIC.MTU) + c.NIC.Framing.Interframe()
	var first string
	narrow := 0
	for h, node := range c.Net.Graph.Hosts() {
		for port, nic := range c.Hosts[h].NICs() {
			cfg := nic.Hardware()
			if cfg == nil {
				continue
			}
			send, receive := cfg.SendRate(payload), cfg.ReceiveRate(payload)
			slot := min(send, receive)
			link := units.Rate(units.Ratio{Num: int64(payload), Den: int64(onWire)}.Of(units.Bytes(nic.Rate())))
			if slot == 0 || slot >= link {
				continue
			}
			if narrow++; narrow == 1 {
				first = fmt.Sprintf("%s is in a slot of PCIe %d with %d lanes (%v raw) that lets it send %v of payload and receive %v; its link carries %v",
					c.Net.Graph.PortName(node, port), cfg.PCIe.Generation, cfg.PCIe.Width, cfg.PCIe.Raw().Human(), send.Human(), receive.Human(), link.Human())
			}
		}
	}
	switch {
	case narrow == 0:
		return nil
	case narrow == 2:
		first += "; so is one other port"
	case narrow > 2:
		first += fmt.Sprintf("; so are %d other ports", narrow-1)
	}
	return []string{s.Problem("host.nic.pcie", first, "").Error()}
}

// machines writes what each profile of adapters and of operating systems gives to which key.
func (d *document) machines() {
	for i, m := range profiledMachines() {
		d.say("## " + [...]string{"Profiles of adapters", "Profiles of operating systems"}[i] + "\n")
		d.say("`" + m.key + ".profile` names " + [...]string{"an adapter and its host", "an operating system"}[i] + ". The keys of `" + m.key +
			"` below then have these values unless they are given; all others have\n" +
			"their defaults. Each source begins with the class of its evidence: documented by a vendor, a standard or a paper; what the code of a driver shows;\n" +
			"fitted to published measurements; or assumed. `rdmasim explain params NAME " + m.key + "` tells it of a scenario.\n")
		for _, p := range m.profiles {
			d.say("### `" + m.key + ".profile: " + p.name + "`\n")
			d.say(sentence(p.doc) + "\n")
			if p.values == nil {
				continue
			}
			d.header("key", "value", "source")
			eachKey(reflect.ValueOf(p.values).Elem(), "", func(key string, value reflect.Value) {
				if source := p.source(key); source != "" {
					d.row("`"+key+"`", "`"+strictyaml.Text(value.Interface())+"`", source)
				}
			})
			d.say("")
		}
	}
}
