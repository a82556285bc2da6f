package scenarios

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/fabric/topology/hostlist"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// period is the time between two samples of a series, 0 if it was not asked for.
func (m *Measure) period(series string) units.Time {
	if !slices.Contains(m.Series, series) {
		return 0
	}
	return m.Every.Else(fabric.OnChange)
}

// seriesOf has the fabric record the series that were asked for.
func (m *Measure) seriesOf(c *fabric.Config, graph *topology.Graph) {
	c.QueueSamples, c.GroupSamples = m.period(record.QueueDepth), m.period(record.PGOccupancy)
	c.UsageSamples = m.period(record.LinkUtilisation)
	c.RecordPauses = slices.Contains(m.Series, record.Pause)
	if len(m.Match) > 0 {
		wanted := m.wanted()
		c.Sampled = func(node, port int) bool { return wanted.fit(graph, node, port) }
	}
}

// seriesOfQPs has the NICs record the series that were asked for.
func (m *Measure) seriesOfQPs(c *rnic.Config, net *fabric.Network) {
	c.RateSamples, c.AlphaSamples = m.period(record.QPRate), m.period(record.QPAlpha)
	if len(m.Match) > 0 {
		wanted := m.wanted()
		c.Sampled = func(endpoint int32) bool {
			e := &net.Routes.Endpoints[endpoint]
			return wanted.fit(net.Graph, e.Host, e.Port)
		}
	}
}

// seriesOfTCP has the hosts record the series of TCP that were asked for.
func (m *Measure) seriesOfTCP(c *host.Cluster) {
	period := m.period(record.TCPWindow)
	if period == 0 {
		return
	}
	var wanted func(node int) bool
	if len(m.Match) > 0 {
		names := m.wanted()
		wanted = func(node int) bool {
			for port := range c.Net.Graph.Ports(node) {
				if names.fit(c.Net.Graph, node, port) {
					return true
				}
			}
			return false
		}
	}
	c.SampleWindows(period, wanted)
}

// portNames are names of ports and of nodes, which stand for all their ports, and patterns of either. In a pattern * stands
// for any letters and ? for any one.
type portNames struct {
	exact    map[string]bool
	patterns []string
}

// wanted are the names and patterns of match, with lists and ranges written out.
func (m *Measure) wanted() portNames {
	var all []string
	for _, text := range m.Match {
		names, err := hostlist.Expand(text)
		if err != nil {
			panic(err) // checked before
		}
		all = append(all, names...)
	}
	return newPortNames(all)
}

func newPortNames(all []string) portNames {
	p := portNames{exact: map[string]bool{}}
	for _, name := range all {
		if strings.ContainsAny(name, `*?[\`) {
			p.patterns = append(p.patterns, name)
		} else {
			p.exact[name] = true
		}
	}
	return p
}

// fit tells whether a port, or the node it belongs to, has one of the names.
func (p *portNames) fit(graph *topology.Graph, node, port int) bool {
	name, full := graph.Nodes[node].Name, graph.PortName(node, port)
	return p.exact[name] || p.exact[full] || slices.ContainsFunc(p.patterns, func(pattern string) bool {
		return fits(pattern, name) || fits(pattern, full)
	})
}

// fits tells whether a name fits a pattern.
func fits(pattern, name string) bool {
	// To path.Match a slash is no letter; to us it is.
	fit, err := path.Match(strings.ReplaceAll(pattern, "/", "|"), strings.ReplaceAll(name, "/", "|"))
	return err == nil && fit
}

// checkPatterns finds patterns that cannot be read.
func (m *Measure) checkPatterns() error {
	var faults []error
	for i, text := range m.Match {
		if _, err := hostlist.Expand(text); err != nil {
			faults = append(faults, units.Field(fmt.Sprintf("match[%d]", i), text, err.Error(), "such as leaf*, leaf0:3 or h[0-7]"))
		}
	}
	return errors.Join(faults...)
}

// checkMatch finds patterns that nothing fits. Its errors carry keys relative to measure.
func (m *Measure) checkMatch(graph *topology.Graph) error {
	if len(m.Match) == 0 {
		return nil
	}
	var faults []error
	known := allPorts(graph)
	for i, text := range m.Match {
		key := fmt.Sprintf("match[%d]", i)
		names, _ := hostlist.Expand(text) // its error is checkPatterns'
		for _, name := range names {
			if !known[name] && !anyPort(graph, newPortNames([]string{name})) {
				faults = append(faults, units.Field(key, name, "fits no node and no port", likely(graph, name)))
				break
			}
		}
	}
	return errors.Join(faults...)
}

// allPorts are the names of all nodes and ports.
func allPorts(graph *topology.Graph) map[string]bool {
	names := map[string]bool{}
	for node := range graph.Nodes {
		names[graph.Nodes[node].Name] = true
		for port := range graph.Ports(node) {
			names[graph.PortName(node, port)] = true
		}
	}
	return names
}

// anyPort tells whether any node or port fits.
func anyPort(graph *topology.Graph, wanted portNames) bool {
	for node := range graph.Nodes {
		for port := range graph.Ports(node) {
			if wanted.fit(graph, node, port) {
				return true
			}
		}
	}
	return false
}

// likely suggests the name of the network that was probably meant.
func likely(graph *topology.Graph, name string) string {
	var names []string
	for _, n := range graph.Nodes {
		names = append(names, n.Name)
	}
	if near := strictyaml.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return fmt.Sprintf("nodes of this network are called such as %s and %s", names[0], names[len(names)-1])
}
