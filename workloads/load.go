package workloads

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// shareOfHost returns the payload that every sender is to offer, as a share of the rate of its own links, so that the links
// of the tier are under the load asked for. Of the traffic of a sender, the part crosses those links that goes to
// receivers outside its rack or its pod; the links are those of the racks or pods that have senders.
func (w *OpenLoop) shareOfHost(env Env, from, to []int) (float64, error) {
	load := w.Load.Float()
	zones, what := env.Racks, "rack"
	switch w.Tier {
	case "core":
		zones, what = env.Pods, "pod"
	case "fabric":
	default:
		return load, nil
	}
	var capacity units.Rate
	crossing := 0.0 // bit/s, if every sender filled its links
	counted := make([]bool, len(zones.Uplinks))
	for _, src := range from {
		zone := zones.Of[src]
		crossing += float64(float64(env.HostRate(src)) * zones.shareOutside(src, to))
		if !counted[zone] {
			counted[zone] = true
			capacity += zones.Uplinks[zone]
		}
	}
	if capacity == 0 || crossing == 0 {
		return 0, units.Field("tier", w.Tier, fmt.Sprintf("no flow of these hosts leaves its %s", what), "another tier, or other hosts")
	}
	share := load * float64(capacity) / crossing
	if share > 1 {
		return 0, units.Field("load", w.Load, fmt.Sprintf("hosts would have to send at %.0f %% of their rate", 100*share),
			fmt.Sprintf("at most %.0f%%", 100*load/share))
	}
	return share, nil
}

// shareOutside returns the part of the receivers, the host itself left out, that stand in another zone.
func (z Zones) shareOutside(host int, to []int) float64 {
	all, outside := 0, 0
	for _, dst := range to {
		if dst == host {
			continue
		}
		all++
		if z.Of[dst] != z.Of[host] {
			outside++
		}
	}
	return float64(outside) / float64(all)
}
