package results

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Tier is the traffic one way over all links between two tiers of a network.
type Tier struct {
	Name    string  `json:"name" doc:"what its links join, in the direction of the traffic, such as leaf to spine"`
	Links   int     `json:"links" doc:"links of the tier"`
	Bytes   int64   `json:"size_bytes" doc:"L2 bytes sent over them this way, acknowledgements included"`
	Busiest float64 `json:"utilisation_max" doc:"share of the time flows were under way for which the busiest of them was busy"`
}

// tierLine lists the bytes by tier.
func (s *Summary) tierLine() string {
	parts := make([]string, len(s.Tiers))
	for i, t := range s.Tiers {
		parts[i] = fmt.Sprintf("%s %s", t.Name, units.Bytes(t.Bytes).Human())
	}
	return strings.Join(parts, ", ")
}
