package record

import (
	"cmp"
	"slices"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// tierLinks are the cables of one direction between two tiers.
type tierLinks struct {
	from, to int
	links    int
	rate     units.Rate
	bytes    units.Bytes
	packets  int64
	busy     units.Time
	most     units.Time // of one cable
}

// byTier adds up what was sent over cables, one way each, from the hosts' tier upwards.
func (r *Run) byTier() []tierLinks {
	var tiers []tierLinks
	g := r.Cluster.Net.Graph
	r.eachPort(func(p port) {
		from, to := g.Nodes[p.node].Tier, g.Nodes[g.Ports(p.node)[p.index].Peer].Tier
		i := slices.IndexFunc(tiers, func(t tierLinks) bool { return t.from == from && t.to == to })
		if i < 0 {
			i = len(tiers)
			tiers = append(tiers, tierLinks{from: from, to: to})
		}
		t, sent := &tiers[i], p.total().Tx
		t.links++
		t.rate += p.Rate()
		t.bytes += units.Bytes(sent.Bytes)
		t.packets += int64(sent.Packets)
		t.busy += r.busy(p)
		t.most = max(t.most, r.busy(p))
	})
	slices.SortFunc(tiers, func(a, b tierLinks) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return tiers
}

// Tiers is the table of traffic by tier: it shows how much of the work ever left a rack or a pod.
func (r *Run) Tiers() *results.Table {
	t := results.NewTable("tiers.csv", "one row for the links, one way, from one tier of nodes to another; hosts are tier 0, their switches tier 1")
	from, to := t.Int("from_tier", "", "tier of the nodes that send"), t.Int("to_tier", "", "tier of the nodes that receive")
	links, speed := t.Int("links", "links", "links between the tiers"), t.Rate("rate_gbps", "rate of all these links together, one way")
	packets, bytes := t.Int("tx_packets", "packets", "packets sent over them"), t.Bytes("tx_bytes", "L2 bytes of the packets sent over them")
	use := t.Float("utilisation", "", "mean over the links of the share of the time flows were under way for which they were busy")
	most := t.Float("utilisation_max", "", "the same of the busiest of the links")
	work := r.underWay()
	for _, tier := range r.byTier() {
		from.Append(int64(tier.from))
		to.Append(int64(tier.to))
		links.Append(int64(tier.links))
		speed.Append(tier.rate)
		packets.Append(tier.packets)
		bytes.Append(tier.bytes)
		use.Append(work.share(tier.busy / units.Time(tier.links)))
		most.Append(work.share(tier.most))
	}
	return t
}
