package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/sim"
)

const (
	balls = "balls into bins: Mitzenmacher and Upfal, Probability and Computing, chapter 5"
	salts = 20_000
)

// chooser is a switch of which only the path choice matters.
type chooser interface{ Choose(flow uint32, n int) int }

// saltedSwitches returns switches that differ in their salts.
func saltedSwitches(n int) ([]chooser, error) {
	spec, err := scenarios.Parse("salts", []byte("name: salts\ntopology: {kind: star, hosts: 2}\nworkloads: [{kind: flows, flows: [{from: h0, to: h1, size: 1B}]}]\n"))
	if err != nil {
		return nil, err
	}
	run, err := spec.Build()
	if err != nil {
		return nil, err
	}
	net := run.Cluster.Net
	routes := topology.NewRoutes(net.Graph)
	var all []chooser
	for seed := range n {
		cfg := *net.Config
		cfg.PathSeed = uint64(seed)
		one, err := fabric.New(net.Graph, routes, cfg)
		if err != nil {
			return nil, err
		}
		all = append(all, one.Switch(net.Graph.Switches()[0]))
	}
	return all, nil
}

// tuples draws 5-tuples: two of 4096 endpoints, and a source port as adapters choose it.
func tuples() func() uint32 {
	draw := sim.NewStream(1, "tuples", "ecmp")
	return func() uint32 {
		src := int32(draw.Uint64N(4096))
		dst := (src + 1 + int32(draw.Uint64N(4095))) % 4096
		return rnic.TupleHash(src, dst, uint16(0xC000|draw.Uint64N(0x4000)))
	}
}

// spread is what flows on links come to, over many salts.
type spread struct {
	apart     float64 // share of the salts with which no two flows are on one link
	used      float64 // mean share of the links that carry a flow
	most      float64 // mean number of flows on the fullest link
	mostSigma float64 // standard deviation of that mean
}

func spreadOf(switches []chooser, flows, links int, tuple func() uint32) (s spread) {
	var sum, squares float64
	for _, sw := range switches {
		load := make([]int, links)
		fullest, used := 0, 0
		for range flows {
			port := sw.Choose(tuple(), links)
			load[port]++
			fullest = max(fullest, load[port])
			if load[port] == 1 {
				used++
			}
		}
		if fullest == 1 {
			s.apart++
		}
		s.used += float64(used) / float64(links)
		sum, squares = sum+float64(fullest), squares+float64(fullest*fullest)
	}
	n := float64(len(switches))
	s.apart, s.used, s.most = s.apart/n, s.used/n, sum/n
	s.mostSigma = math.Sqrt((squares/n - s.most*s.most) / n)
	return s
}

// ecmpSpread holds the hashes of NICs and switches against balls that are thrown into bins at random.
func ecmpSpread(context.Context, int) (rows []Row, err error) {
	switches, err := saltedSwitches(salts)
	if err != nil {
		return nil, err
	}
	tuple := tuples()
	because := fmt.Sprintf("3 sigma of %d salts", salts)
	for _, c := range []struct {
		flows, links int
		apart, most  float64 // 0: too rare to be seen, or not tabulated
	}{
		{2, 4, .75, 0}, {4, 4, .09375, 0}, {8, 8, .002403, 2.597}, {4, 16, .6665, 0}, {8, 64, .6340, 0},
		{16, 16, 0, 3.078}, {32, 8, 0, 7.048}, {64, 8, 0, 12.235},
	} {
		s := spreadOf(switches, c.flows, c.links, tuple)
		row := func(what string, expected, found, sigma float64) {
			rows = append(rows, near(Row{Rule: fmt.Sprintf("%d flows hashed onto %d links: %s", c.flows, c.links, what), Source: balls, Because: because},
				expected, found, 3*sigma))
		}
		if c.apart > 0 {
			row("chance that none collide, m!/((m-n)! m^n)", c.apart, s.apart, math.Sqrt(c.apart*(1-c.apart)/salts))
		}
		p := 1 - math.Pow(1-1/float64(c.links), float64(c.flows))
		row("share of the links that are used, 1-(1-1/m)^n", p, s.used, math.Sqrt(p*(1-p)/float64(c.links)/salts))
		if c.most > 0 {
			row("flows on the fullest link", c.most, s.most, s.mostSigma)
		}
	}
	return rows, nil
}

// ecmpUniform spreads 100,000 tuples over the links of a switch, and over the pairs of links of two switches in a row.
func ecmpUniform(context.Context, int) (rows []Row, err error) {
	const flows = 100_000
	switches, err := saltedSwitches(2)
	if err != nil {
		return nil, err
	}
	first, second := switches[0], switches[1]
	row := func(what string, counts []int) {
		k := float64(len(counts))
		x := 0.
		for _, c := range counts {
			d := float64(c) - flows/k
			x += d * d / (flows / k)
		}
		rows = append(rows, near(Row{
			Rule:   fmt.Sprintf("chi-square of %d 5-tuples over %s", flows, what),
			Source: "Pearson's test: mean k-1, variance 2(k-1)", Because: "3 sigma",
		}, k-1, x, 3*math.Sqrt(2*(k-1))))
	}
	for _, links := range []int{3, 8, 16, 64} {
		counts, tuple := make([]int, links), tuples()
		for range flows {
			counts[first.Choose(tuple(), links)]++
		}
		row(fmt.Sprintf("%d links", links), counts)
	}
	const links = 8
	pairs, tuple := make([]int, links*links), tuples()
	for range flows {
		flow := tuple()
		pairs[first.Choose(flow, links)*links+second.Choose(flow, links)]++
	}
	row("the 64 pairs of links of two switches with salts of their own: the tiers do not polarise", pairs)
	return rows, nil
}
