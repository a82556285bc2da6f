package scenarios

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/credit"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
	"github.com/rdmasim/rdmasim/workloads"
)

// Values of host.transport, and of the key transport of workloads.
const (
	rocev2     = workloads.RoCEv2
	infiniband = workloads.InfiniBand
	iwarp      = workloads.IWARP
	overTCP    = workloads.TCP
)

// transportKey is the key that chooses how messages travel.
const transportKey = "host.transport"

// suggestion is the value of a key on InfiniBand links, unless it is given, its source, and its default otherwise.
type suggestion struct{ key, value, source, otherwise string }

// infinibandValues are those of a network of InfiniBand links. What follows from the links themselves (no PFC, no marks) has
// no other value than these.
var infinibandValues = []suggestion{
	{"switch.pipeline", "110ns", "vendors' figures for InfiniBand switches are 90 to 130 ns from port to port", "300ns"},
	{"switch.forwarding", cutThrough, "InfiniBand switches cut through", "store-and-forward"},
	{"switch.pfc.enabled", "false", "links have credits", "true"},
	{"switch.ecn.enabled", "false", "links have credits, and this model no congestion control of InfiniBand", "true"},
	{"host.cnp.enabled", "false", "no packet is marked", "true"},
	{"host.congestion_control", cc.None.Name, "InfiniBand networks seldom have any", "{kind: dcqcn, profile: scaled}"},
}

// foreign is a key, or a block of keys, that means nothing under a transport.
type foreign struct{ key, why, want string }

// foreignToInfiniBand are the keys of Ethernet: a value of theirs that differs from what stands there anyway is refused.
var foreignToInfiniBand = []foreign{
	{"profile", "the other simulator has Ethernet links only", "rdmasim"},
	{"link_ends", "they say how long ports take to obey a pause, and links with credits have none", "switch.credit_delay and host.credit_delay"},
	{"switch.preset", "it describes an Ethernet switch", "generic"},
	{"switch.buffer", "no memory is shared: each port has a buffer for each of its lanes", "switch.vl_buffer"},
	{"switch.cell", "buffers are given out in blocks of 64 bytes", "leave it out"},
	{"switch.release", "a packet holds the buffer of its lane until its last bit has left", "leave it out"},
	{"switch.qos_map", "packets have a service level and no DSCP", "host.service_level"},
	{"switch.dscp_map", "packets have a service level and no DSCP", "host.service_level"},
	{"switch.pg_map", "there are no priority groups: each lane of a port has its buffer", "leave it out"},
	{"switch.pfc", "links are flow-controlled by credits and not by pauses", "leave it out"},
	{"switch.ecn", "switches do not mark packets: the congestion control of InfiniBand is not modelled", "leave it out"},
	{"switch.lossy", "no lane ever loses a packet for lack of buffer", "leave it out"},
	{"switch.egress", "no queue is bounded: what is stored is bounded by the buffers of the lanes", "leave it out"},
	{"host.payload", "the MTU of InfiniBand is one of five", "host.mtu"},
	{"host.dscp", "packets have a service level and no DSCP", "host.service_level"},
	{"host.ect", "switches do not mark packets", "leave it out"},
	{"host.cnp", "switches do not mark packets, so that there is nothing to be notified of", "leave it out"},
	{"host.pfc_response", "links with credits have no pauses", "host.credit_delay"},
	{"host.receive.buffer", "a slow host's receive buffer is that of the lane", "host.vl_buffer"},
	{"host.receive.headroom", "with credits nothing arrives for which there is no room", "leave it out"},
	{"host.receive.xon_offset", "there are no pauses to end", "leave it out"},
}

// foreignToEthernet are the keys of InfiniBand.
var foreignToEthernet = []foreign{
	{"switch.vl_buffer", "Ethernet links have no virtual lanes", ""},
	{"switch.credit_delay", "Ethernet links have no credits", ""},
	{"host.vl_buffer", "Ethernet links have no virtual lanes", ""},
	{"host.credit_delay", "Ethernet links have no credits", ""},
	{"host.packet_gap", "what stands between frames on Ethernet is known: 20 bytes", ""},
	{"host.service_level", "Ethernet packets get their priority by host.dscp", ""},
}

// ServiceLevel holds the service levels of what NICs send on InfiniBand. A level is a virtual lane, and a priority.
type ServiceLevel struct {
	Data int `key:"data" default:"3" min:"0" max:"7" doc:"data" source:"assumed: as RoCE deployments number their lossless class"`
	Ack  int `key:"ack" default:"3" min:"0" max:"7" doc:"acknowledgements, positive and negative" source:"InfiniBand Architecture Specification, volume 1: the level of the request"`
}

// suggest puts the values of the transport that a document chooses where it has none.
func suggest(document *strictyaml.Document) {
	if document.Text(transportKey) != infiniband {
		return
	}
	for _, s := range infinibandValues {
		document.Suggest(s.key, s.value, "transport infiniband: "+s.source)
	}
}

// completeTransport has a variant that changes the transport say what that brings with it, for the keys that the scenario itself
// leaves to its transport: in a resolved scenario they are all written out.
func (s *Spec) completeTransport(v *Variant) {
	transport := v.Set.Text(transportKey)
	if transport == "" || (transport == infiniband) == s.onInfiniBand() {
		return
	}
	for _, own := range infinibandValues {
		value := own.otherwise
		if transport == infiniband {
			value = own.value
		}
		if !s.Given(own.key) {
			v.Set.Suggest(own.key, value, transportKey)
		}
	}
}

// links is the transport whose links the network has.
func (s *Spec) links() string {
	if s.onInfiniBand() {
		return infiniband
	}
	return rocev2
}

// onInfiniBand tells whether the network has InfiniBand links.
func (s *Spec) onInfiniBand() bool { return s.Host.Transport == infiniband }

// plainValues are the values of a scenario that chooses a transport and says nothing else, by key.
var plainValues = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, transport := range [...]string{rocev2, infiniband} {
		text := "name: plain\ntopology: star\nhost: {transport: " + transport + "}\nworkloads: [{kind: all-to-all, size: 1KB}]\n"
		document := strictyaml.Parse("plain.yaml", []byte(text))
		suggest(document)
		plain := new(Spec)
		if _, problems := document.Decode(plain, kinds()); len(problems) > 0 {
			panic(problems)
		}
		all[transport] = valuesOf(plain)
	}
	return all
})

func valuesOf(s *Spec) map[string]string {
	values := map[string]string{}
	strictyaml.Walk(s, func(v strictyaml.Value) { values[v.Path] = v.Text })
	return values
}

// checkTransport refuses what the transport of the scenario does not have. What is written out, but says no more than what
// stands there anyway, is let pass: so it is in a resolved scenario.
func (s *Spec) checkTransport() error {
	switch s.Host.Transport {
	case infiniband:
		faults := s.refuseForeign(foreignToInfiniBand, "with transport infiniband")
		if params, is := s.Host.Control.Params.(cc.Params); is {
			if _, wants := params.CNPs(); wants {
				faults = append(faults, units.Field("host.congestion_control", s.Host.Control.Kind,
					"it reacts to marks, and InfiniBand switches set none", cc.None.Name+" or "+cc.Fixed.Name))
			}
		}
		return errors.Join(faults...)
	}
	faults := s.refuseForeign(foreignToEthernet, "without transport infiniband")
	if s.Host.Transport == iwarp {
		faults = append(faults, s.refuseForeignToIWARP()...)
	}
	return errors.Join(faults...)
}

// checkWorkloadTransports refuses workloads whose own transport another simulator has nothing like. Errors carry keys relative to
// workloads.
func (s *Spec) checkWorkloadTransports(env workloads.Env) error {
	generators, _ := s.generators()
	var faults []error
	for i, w := range generators {
		transport, err := w.Over(env)
		if err == nil && (transport == overTCP || transport == iwarp) && s.OneWorker() {
			faults = append(faults, units.Field(fmt.Sprintf("[%d].transport", i), transport, "not with profile "+s.Profile+": that simulator has nothing like it", rocev2))
		}
	}
	return errors.Join(faults...)
}

// refuseForeign finds values that the user gave to keys that mean nothing.
func (s *Spec) refuseForeign(keys []foreign, when string) (faults []error) {
	plain, inLinkEnds := plainValues()[s.links()], false
	strictyaml.Walk(s, func(v strictyaml.Value) {
		key, model := v.Path, v.Path
		if i := strings.Index(key, "]."); i >= 0 && strings.HasPrefix(key, "switch_overrides[") {
			model = "switch." + key[i+len("]."):]
		}
		i := 0
		for i < len(keys) && !covers(keys[i].key, model) {
			i++
		}
		if i == len(keys) || !s.Given(key) || v.Text == plain[model] || inLinkEnds && keys[i].key == "link_ends" {
			return
		}
		inLinkEnds = inLinkEnds || keys[i].key == "link_ends" // once for all of them
		want := keys[i].want
		if want == "" {
			want = transportKey + ": " + infiniband + ", or leave it out"
		}
		faults = append(faults, units.Field(key, v.Text, "means nothing "+when+": "+keys[i].why, want))
	})
	return faults
}

// covers tells whether a key is that of a block, or stands in it.
func covers(block, key string) bool {
	rest, is := strings.CutPrefix(key, block)
	return is && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// framing is what frames look like on the wire; nil for RoCEv2 as it is.
func (s *Spec) framing() *wire.Framing {
	if s.onInfiniBand() {
		return wire.InfiniBand(int(s.Host.PacketGap))
	}
	return s.profile().framing
}

// dscps are the DSCPs by which switches know the sorts of packet. On InfiniBand they stand for service levels.
func (s *Spec) dscps() DSCP {
	if !s.onInfiniBand() {
		return s.Host.DSCP
	}
	l := s.Host.ServiceLevel
	return DSCP{Data: l.Data << 3, Ack: l.Ack << 3, CNP: l.Ack << 3, Management: l.Ack << 3}
}

// useCredits gives switches the flow control of InfiniBand, by the settings at a key.
func (s *Spec) useCredits(c *fabric.Config, sw *Switch, key string) error {
	if !s.onInfiniBand() {
		return nil
	}
	c.UseCredits(fabric.Credits{Buffer: sw.VLBuffer, Delay: sw.CreditDelay},
		fabric.Credits{Buffer: s.Host.VLBuffer, Delay: s.Host.CreditDelay}, s.framing())
	need := units.Bytes(credit.Blocks(c.MaxFrame)) * credit.Block
	var faults []error
	for _, b := range []struct {
		key  string
		size units.Bytes
	}{{key + ".vl_buffer", sw.VLBuffer}, {"host.vl_buffer", s.Host.VLBuffer}} {
		if b.size < need && (key == "switch" || !strings.HasPrefix(b.key, "host.")) {
			faults = append(faults, units.Field(b.key, b.size, fmt.Sprintf("no full packet fits: one of %dB takes up %d blocks of 64 bytes",
				int64(c.MaxFrame), credit.Blocks(c.MaxFrame)), "at least "+need.String()))
		}
	}
	return errors.Join(faults...)
}
