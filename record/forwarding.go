package record

import (
	"fmt"

	"github.com/rdmasim/rdmasim/results"
)

// whyForwarding says how many frames cut through switches; it is empty if none may.
func (r *Run) whyForwarding() string {
	var passed, stored uint64
	for _, node := range r.Cluster.Net.Graph.Switches() {
		p, s := r.Cluster.Net.Switch(node).CutThrough()
		passed += p
		stored += s
	}
	if passed+stored == 0 {
		return ""
	}
	return fmt.Sprintf("Cut-through: switches passed %s of the frames on before their last bit was in, and stored the others, "+
		"whose output was faster than their input, busy or paused.", results.Percent(float64(passed)/float64(passed+stored)))
}
