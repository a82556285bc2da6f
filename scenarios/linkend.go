package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
)

// LinkEnd is what is special about the ports of some nodes towards some others.
type LinkEnd struct {
	At       []string             `key:"at" required:"true" doc:"nodes, by name or pattern such as spine[0-3]"`
	To       []string             `key:"to" required:"true" doc:"nodes, by name or pattern: meant are the ports of at on cables to these"`
	Response Standard[units.Time] `key:"pfc_response" default:"standard" doc:"time these ports take to obey a pause" source:"IEEE 802.3, as in SONiC's table of quanta by rate"`
}

// responses gives how long those ports take to obey a pause that do not do as switch.pfc.response of their switch says:
// hosts, and single ends of links. Errors carry keys of the scenario.
func (s *Spec) responses(g *topology.Graph) (func(node, port int) (units.Time, bool), error) {
	type end struct{ node, port int }
	at := map[end]units.Time{}
	for _, node := range g.Hosts() {
		for port := range g.Ports(node) {
			at[end{node, port}] = s.Host.Response.Else(-1)
		}
	}
	var faults []error
	for i := range s.LinkEnds {
		faults = append(faults, s.LinkEnds[i].each(g, fmt.Sprintf("link_ends[%d]", i), func(node, port int) {
			at[end{node, port}] = s.LinkEnds[i].Response.Else(-1)
		}))
	}
	return func(node, port int) (units.Time, bool) {
		response, differs := at[end{node, port}]
		return response, differs
	}, errors.Join(faults...)
}

// each calls f for the ports that are meant.
func (e *LinkEnd) each(g *topology.Graph, key string, f func(node, port int)) error {
	all := make([]int, len(g.Nodes))
	for node := range all {
		all[node] = node
	}
	from, wrongAt := findNodes(g, key+".at", e.At, "node", all)
	to, wrongTo := findNodes(g, key+".to", e.To, "node", all)
	if err := errors.Join(wrongAt, wrongTo); err != nil {
		return err
	}
	joined := false
	for _, node := range from {
		for port, p := range g.Ports(node) {
			if slices.Contains(to, p.Peer) {
				f(node, port)
				joined = true
			}
		}
	}
	if !joined {
		return units.Field(key+".to", commas(e.To), "no cable leads there from "+commas(e.At), "nodes with a cable between them")
	}
	return nil
}
