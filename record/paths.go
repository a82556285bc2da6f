package record

import "strings"

// pathPorts lists the ports by which a flow's packets leave nodes.
func (r *Run) pathPorts(flow int) string {
	var names []string
	for _, step := range r.leaves(flow) {
		names = append(names, r.Cluster.Net.Graph.PortName(step.Node, step.Port))
	}
	return strings.Join(names, ">")
}

// pathWays tells for each of these ports among how many it was chosen.
func (r *Run) pathWays(flow int) string {
	var counts []string
	for _, step := range r.leaves(flow) {
		counts = append(counts, itoa(max(1, r.Cluster.Choices(step.Node, flow))))
	}
	return strings.Join(counts, ">")
}
