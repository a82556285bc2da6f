package record

import (
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/results"
)

// tiers sums up what went over the links by the tiers they join, links up first: so it
// is seen at once whether traffic left its rack.
func (r *Run) tiers() (up []results.Tier) {
	var down []results.Tier
	work := r.underWay()
	for _, t := range r.byTier() {
		tier := results.Tier{
			Name: r.tierName(t.from) + " to " + r.tierName(t.to), Links: t.links, Bytes: int64(t.bytes), Busiest: work.share(t.most),
		}
		if t.from <= t.to {
			up = append(up, tier)
		} else {
			down = append(down, tier)
		}
	}
	slices.Reverse(down)
	return append(up, down...)
}

// tierName is what the nodes of a tier are called, their numbers left out: leaf for
// leaf0 to leaf3. Where they have no name in common they are named by the tier.
func (r *Run) tierName(tier int) string {
	name := ""
	for _, n := range r.Cluster.Net.Graph.Nodes {
		switch own := strings.TrimRight(n.Name, "0123456789"); {
		case n.Tier != tier || own == name:
		case name == "" && own != "":
			name = own
		case tier == 0:
			return "hosts"
		default:
			return "tier " + itoa(tier)
		}
	}
	return name
}
