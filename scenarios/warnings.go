package scenarios

import (
	"fmt"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/rnic"
)

// warnings returns sentences about values that are allowed but seldom meant, in the order in which a packet meets
// what they are about.
func (s *Spec) warnings() []string {
	var sentences []string
	warn := func(path, format string, args ...any) {
		sentences = append(sentences, s.Problem(path, fmt.Sprintf(format, args...), "").Error())
	}
	if s.onInfiniBand() {
		return nil // no lane loses anything, and none is set aside in vain
	}
	pfc, dscp := &s.Switch.PFC, &s.Host.DSCP
	data, ack, cnp := s.Switch.Priority(dscp.Data), s.Switch.Priority(dscp.Ack), s.Switch.Priority(dscp.CNP)
	_, wantsCNPs := s.Host.Control.Params.(cc.Params).CNPs()

	roce := s.speaks(rocev2)
	if roce && pfc.Enabled && !pfc.Lossless(data) {
		warn("host.dscp.data", "data DSCP %d maps to priority %d, which is not lossless", dscp.Data, data)
	}
	if roce && wantsCNPs && cnp == data {
		warn("host.dscp.cnp", "CNP DSCP %d maps to priority %d, that of the data: notifications queue and pause with it", dscp.CNP, cnp)
	}
	if roce && wantsCNPs && !s.Switch.ECN.Enabled {
		warn("host.congestion_control", "%s reacts to ECN marks, and switch.ecn is off", s.Host.Control.Kind)
	}
	windowed := s.Host.Window > 0 || recovery(s.Host.Recovery) == rnic.Selective
	if roce && !pfc.Enabled && !wantsCNPs && !windowed {
		warn("switch.pfc.enabled", "without PFC and with congestion control %s nothing slows senders but loss", s.Host.Control.Kind)
	}
	for p, by := range s.roces {
		if by != "" && pfc.Enabled && !pfc.Lossless(p) && !s.Given("switch.lossy") { // who sets that knows of it
			warn(by, "some flows ask for priority %d, which is not lossless", p)
		}
	}
	for i, p := range pfc.Priorities {
		used := p == data || p == ack || p == cnp && wantsCNPs || s.asked[p] != ""
		if pfc.Enabled && !used {
			warn(fmt.Sprintf("switch.pfc.priorities[%d]", i), "priority %d is lossless and no packet uses it: its headroom is lost to the others", p)
		}
	}
	return sentences
}
