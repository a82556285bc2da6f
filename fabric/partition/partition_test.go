package partition_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/partition"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// drawGraph draws a network in which every node but the first is cabled to an earlier
// one, and some to more.
func drawGraph(t *rapid.T, most int) *partition.Graph {
	g := &partition.Graph{}
	n := rapid.IntRange(1, most).Draw(t, "nodes")
	times := rapid.SampledFrom([]units.Time{1, 2, 5, 30, 300, 1000})
	for i := range n {
		g.Nodes = append(g.Nodes, partition.Node{
			Weight: int64(rapid.IntRange(1, 20).Draw(t, "weight")), Tier: rapid.IntRange(0, 3).Draw(t, "tier"),
		})
		if i == 0 {
			continue
		}
		for range rapid.IntRange(1, 2).Draw(t, "cables") {
			cable(g, rapid.IntRange(0, i-1).Draw(t, "to"), i, times.Draw(t, "up"), times.Draw(t, "down"))
		}
	}
	return g
}

// cable joins two nodes.
func cable(g *partition.Graph, a, b int, there, back units.Time) {
	g.Links = append(g.Links, partition.Link{From: int32(a), To: int32(b), LookAhead: there}, partition.Link{From: int32(b), To: int32(a), LookAhead: back})
}

// placed is where the nodes of a plan are: by node, the worker and the place in its order.
func placed(t interface{ Fatalf(string, ...any) }, p partition.Plan, nodes int) (worker, place []int) {
	worker, place = slices.Repeat([]int{-1}, nodes), make([]int, nodes)
	count := 0
	for w, s := range p.Shares {
		if len(s.Nodes) == 0 {
			t.Fatalf("worker %d has no node", w)
		}
		for i, node := range s.Nodes {
			if worker[node] != -1 {
				t.Fatalf("node %d is placed twice", node)
			}
			worker[node], place[node] = w, i
			count++
		}
	}
	if count != nodes {
		t.Fatalf("%d of %d nodes are placed", count, nodes)
	}
	return worker, place
}

// Every node has one worker, and nothing a node sends arrives before the look-ahead
// has passed: that between workers, or, if it goes to a node that does not stand
// further on in the order, that of the worker.
func TestLookAheadsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 40)
		workers := rapid.IntRange(1, 6).Draw(t, "workers")
		p := g.Divide(workers)
		if len(p.Shares) > workers {
			t.Fatalf("%d workers, %d were asked for", len(p.Shares), workers)
		}
		worker, place := placed(t, p, len(g.Nodes))
		across, within := units.Never, slices.Repeat([]units.Time{units.Never}, len(p.Shares))
		for _, l := range g.Links {
			switch w := worker[l.From]; {
			case worker[l.To] != w:
				across = min(across, l.LookAhead)
			case place[l.To] < place[l.From]:
				within[w] = min(within[w], l.LookAhead)
			}
		}
		for w, s := range p.Shares {
			if s.LookAhead != within[w] {
				t.Fatalf("look-ahead of worker %d is %v, must be %v", w, s.LookAhead, within[w])
			}
		}
		if p.LookAhead != across {
			t.Fatalf("look-ahead between workers is %v, must be %v", p.LookAhead, across)
		}
	})
}

// No share is much heavier than an equal one, if single nodes are light enough for that:
// of each tier a worker gets its part, and at most one node more.
func TestSharesAreAboutEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 60)
		workers := int64(rapid.IntRange(1, 6).Draw(t, "workers"))
		p := g.Divide(int(workers))
		total, atMost := int64(0), int64(0)
		var heaviest [4]int64
		for _, n := range g.Nodes {
			total += n.Weight
			heaviest[n.Tier] = max(heaviest[n.Tier], n.Weight)
		}
		atMost = total / workers
		for _, h := range heaviest {
			atMost += h
		}
		atMost = max(atMost, total*110/100/workers)
		for w, s := range p.Shares {
			weight := int64(0)
			for _, node := range s.Nodes {
				weight += g.Nodes[node].Weight
			}
			if weight > atMost {
				t.Fatalf("worker %d has %d of %d among %d, at most %d is fair", w, weight, total, workers, atMost)
			}
		}
	})
}

// No order of the nodes gives one worker a longer look-ahead.
func TestOrderHasTheLongestLookAhead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 6)
		best := units.Time(0)
		for _, place := range permutations(len(g.Nodes)) {
			lookAhead := units.Never
			for _, l := range g.Links {
				if place[l.To] < place[l.From] {
					lookAhead = min(lookAhead, l.LookAhead)
				}
			}
			best = max(best, lookAhead)
		}
		if got := g.Divide(1).Shares[0].LookAhead; got != best {
			t.Fatalf("look-ahead %v, another order has %v", got, best)
		}
	})
}

func permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{{}}
	}
	for _, p := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return all
}

// A ring is cut in two arcs, however its nodes are numbered.
func TestARingIsCutInArcs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 40).Draw(t, "nodes")
		round := make([]int, n)
		for i := range round {
			round[i] = i
		}
		round = rapid.Permutation(round).Draw(t, "round")
		g := &partition.Graph{Nodes: slices.Repeat([]partition.Node{{Weight: 1, Tier: 1}}, n)}
		for i, node := range round {
			cable(g, node, round[(i+1)%n], 1000, 1000)
		}
		worker, _ := placed(t, g.Divide(2), n)
		cuts := 0
		for i := range g.Links {
			if l := &g.Links[i]; worker[l.From] != worker[l.To] {
				cuts++
			}
		}
		if cuts != 4 { // links, of two cables
			t.Fatalf("%d links are cut", cuts)
		}
	})
}

// The same network is divided in the same way every time: nothing hangs on the order
// of a map.
func TestDivisionRepeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 40)
		workers := rapid.IntRange(1, 6).Draw(t, "workers")
		first, second := g.Divide(workers), g.Divide(workers)
		for w := range first.Shares {
			if !slices.Equal(first.Shares[w].Nodes, second.Shares[w].Nodes) || cmp.Compare(first.LookAhead, second.LookAhead) != 0 {
				t.Fatalf("worker %d: %v, then %v", w, first.Shares[w], second.Shares[w])
			}
		}
	})
}
