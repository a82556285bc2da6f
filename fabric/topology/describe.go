package topology

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// String describes the graph in one line: "32 hosts, 6 switches, 40 links (32 x 100Gbps, 8 x 400Gbps),
// oversubscription 1:1".
func (g *Graph) String() string {
	parts := []string{counted(len(g.hosts), "host"), counted(len(g.switches), "switch"), g.describeLinks()}
	if ratio, ok := g.Oversubscription(); ok {
		parts = append(parts, fmt.Sprintf("oversubscription %d:%d", ratio.Num, ratio.Den))
	}
	return strings.Join(parts, ", ")
}

// describeLinks counts the links of each rate, the slowest first.
func (g *Graph) describeLinks() string {
	rates := make([]units.Rate, len(g.Links))
	for i, link := range g.Links {
		rates[i] = link.Rate
	}
	slices.Sort(rates)
	var byRate []string
	for len(rates) > 0 {
		same, _ := slices.BinarySearch(rates, rates[0]+1)
		byRate = append(byRate, fmt.Sprintf("%d x %v", same, rates[0]))
		rates = rates[same:]
	}
	return counted(len(g.Links), "link") + " (" + strings.Join(byRate, ", ") + ")"
}

// Oversubscription returns, in lowest terms, the greatest ratio at any switch of what its links towards the hosts
// carry to what its links away from them carry. It is false where no switch has links away from the hosts.
func (g *Graph) Oversubscription() (worst units.Ratio, ok bool) {
	for _, sw := range g.switches {
		down, up := g.capacity(sw)
		if down == 0 || up == 0 {
			continue
		}
		if ratio := (units.Ratio{Num: int64(down), Den: int64(up)}); !ok || ratio.Cmp(worst) > 0 {
			worst, ok = ratio, true
		}
	}
	if ok {
		divisor := gcd(worst.Num, worst.Den)
		worst = units.Ratio{Num: worst.Num / divisor, Den: worst.Den / divisor}
	}
	return worst, ok
}

// capacity adds up the rates of a switch's links to lower and to higher tiers.
func (g *Graph) capacity(sw int) (down, up units.Rate) {
	tier := g.Nodes[sw].Tier
	for _, port := range g.ports[sw] {
		switch peer := g.Nodes[port.Peer].Tier; {
		case peer < tier:
			down += g.Links[port.Link].Rate
		case peer > tier:
			up += g.Links[port.Link].Rate
		}
	}
	return down, up
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// counted returns "1 host", "2 hosts", "2 switches".
func counted(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "ch"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
