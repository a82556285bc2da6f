package collective_test

import (
	"container/heap"
	"math"
	"math/bits"
	"testing"
	"unsafe"

	. "github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/sim/units"
)

// bit is the first of a message on its way to its receiver.
type bit struct {
	at    units.Time
	order int
	link  link
	busy  units.Time
}

type firstBits []bit

func (b firstBits) Len() int      { return len(b) }
func (b firstBits) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b *firstBits) Push(x any)   { *b = append(*b, x.(bit)) }
func (b *firstBits) Pop() any     { x := (*b)[len(*b)-1]; *b = (*b)[:len(*b)-1]; return x }
func (b firstBits) Less(i, j int) bool {
	return b[i].at < b[j].at || b[i].at == b[j].at && b[i].order < b[j].order
}

// clocked is ranks that go through their plans in the time that the alpha-beta model has messages take, with ports that
// are busy with one message at a time.
type clocked struct {
	shape      Shape
	size       units.Bytes
	cost       Cost
	plans      []Plan
	sent, came [][]int
	waits      [][][]int    // by rank and strand, how many messages of a rank have come that could not be taken
	out, in    []units.Time // when each port is free, of messages between nodes and within them
	way        firstBits
	order      int
	chains     [][]int        // of messages under way, how many follow each other up to each of them
	followed   [][][]int      // by rank and strand, the same after so many receives
	window     int            // messages that a strand of a rank has under way to one of another, at most; 0 if any
	taken      [][]units.Time // when the sender knows that each message has been taken
	posted     []int
	done       units.Time
	longest    int
}

// clock is how long an operation takes, and the longest chain of messages of which each needs the one before.
func clock(a *Algorithm, k Kind, s Shape, root, pieces int, size units.Bytes, cost Cost, window int) (units.Time, int) {
	links := s.Ranks * s.Ranks * most
	c := &clocked{shape: s, size: size, cost: cost, window: window, out: make([]units.Time, 2*s.Ranks), in: make([]units.Time, 2*s.Ranks),
		chains: make([][]int, links), taken: make([][]units.Time, links), posted: make([]int, links)}
	for rank := range s.Ranks {
		p := a.Plan(k, s, rank, root, pieces)
		c.plans = append(c.plans, p)
		c.sent = append(c.sent, make([]int, len(p.Strands)))
		c.came = append(c.came, make([]int, len(p.Strands)))
		var waits [][]int
		var chains [][]int
		for range p.Strands {
			waits, chains = append(waits, make([]int, s.Ranks)), append(chains, []int{0})
		}
		c.waits, c.followed = append(c.waits, waits), append(c.followed, chains)
	}
	for rank := range s.Ranks {
		c.post(rank, 0)
	}
	arrived := firstBits{}
	for len(c.way) > 0 || len(arrived) > 0 {
		if len(arrived) == 0 || len(c.way) > 0 && c.way.before(arrived) {
			b := heap.Pop(&c.way).(bit)
			if b.link.from == b.link.to {
				c.post(b.link.from, b.at)
				continue
			}
			at := c.port(b.link.to, b.link.from)
			b.at = max(b.at, c.in[at]) + b.busy
			c.in[at] = b.at
			heap.Push(&arrived, b)
			continue
		}
		b := heap.Pop(&arrived).(bit)
		c.take(b)
	}
	return c.done, c.longest
}

// before tells whether the first of one heap comes before that of another.
func (b firstBits) before(o firstBits) bool {
	return b[0].at < o[0].at || b[0].at == o[0].at && b[0].order < o[0].order
}

// index is the place of a link among all.
func (c *clocked) index(l link) int { return (l.from*c.shape.Ranks+l.to)*most + l.strand }

// port is which of a rank's ports messages from or to another use.
func (c *clocked) port(rank, peer int) int {
	if c.shape.Joined(rank, peer) {
		return 2*rank + 1
	}
	return 2 * rank
}

// take has a rank take what it can now that a message has come.
func (c *clocked) take(b bit) {
	c.done = max(c.done, b.at)
	at := b.link
	c.waits[at.to][at.strand][at.from]++
	came := &c.came[at.to][at.strand]
	receives := c.plans[at.to].Strands[at.strand].Receives
	for *came < len(receives) {
		from := int(receives[*came].Peer)
		if c.waits[at.to][at.strand][from] == 0 {
			break
		}
		c.waits[at.to][at.strand][from]--
		l := c.index(link{from, at.to, at.strand})
		if c.window > 0 {
			alpha := c.cost.Alpha
			if c.shape.Joined(from, at.to) {
				alpha = c.cost.LocalAlpha
			}
			c.taken[l] = append(c.taken[l], b.at+alpha)
			c.order++
			heap.Push(&c.way, bit{b.at + alpha, c.order, link{from, from, at.strand}, 0})
		}
		chains := &c.followed[at.to][at.strand]
		*chains = append(*chains, max((*chains)[*came], c.chains[l][0]))
		c.chains[l] = c.chains[l][1:]
		*came++
	}
	c.post(at.to, b.at)
}

// post has a rank send all that may go.
func (c *clocked) post(rank int, now units.Time) {
	for i, strand := range c.plans[rank].Strands {
		for c.sent[rank][i] < len(strand.Sends) {
			s := strand.Sends[c.sent[rank][i]]
			if int(s.After) > c.came[rank][s.Strand] {
				break
			}
			to := link{rank, int(s.Peer), i}
			l := c.index(to)
			if c.window > 0 && c.posted[l] >= c.window && (len(c.taken[l]) <= c.posted[l]-c.window || c.taken[l][c.posted[l]-c.window] > now) {
				break
			}
			c.posted[l]++
			c.sent[rank][i]++
			local := c.shape.Joined(rank, int(s.Peer))
			rate, alpha := c.cost.Rate, c.cost.Alpha
			if local {
				rate, alpha = c.cost.LocalRate, c.cost.LocalAlpha
			}
			busy := rate.Serialise(int(c.plans[rank].Bytes(c.size, s.First, s.Count)))
			at := c.port(rank, int(s.Peer))
			begins := max(now, c.out[at])
			c.out[at] = begins + busy
			chain := c.followed[rank][s.Strand][s.After] + 1
			c.longest = max(c.longest, chain)
			c.chains[l] = append(c.chains[l], chain)
			c.order++
			heap.Push(&c.way, bit{begins + alpha, c.order, to, busy})
		}
	}
}

// exactly tells whether a formula is said to be exact on an ideal network, and else between which parts of it the time lies.
func exactly(a *Algorithm, k Kind, s Shape, pieces int) (exact bool, least, most float64) {
	power := s.Ranks&(s.Ranks-1) == 0
	switch a.Name {
	case "tree", "double-tree":
		return k == Broadcast || pieces == 1 && a.Name == "tree", 0.78, 1.12 // what else the ports do while the first and the last pieces are under way
	case "recursive-doubling", "halving-doubling":
		return s.PerNode == 1 || power && s.PerNode&(s.PerNode-1) == 0, 0.5, 1.6 // those on one node begin earlier, and are in the way of others
	}
	return true, 1, 1
}

func TestAnIdealNetworkTakesTheTimeOfTheFormula(t *testing.T) {
	cost := Cost{Alpha: 5 * units.Microsecond, Rate: 100 * units.Gbps, LocalAlpha: units.Microsecond, LocalRate: 800 * units.Gbps}
	everyPlan(t, func(t *testing.T, a *Algorithm, k Kind, s Shape, root, pieces int) {
		switch {
		case s.Ranks > 17 && s.Ranks != 24 && s.Ranks != 32, testing.Short() && s.Ranks > 9:
			return // others take long to try, and are alike
		case s.Nodes() == 1 && a.Name == "double-tree", root > 0 && s.PerNode > 1:
			return // both trees are the same chain then; the formulas are those of root 0
		}
		for _, each := range []int{100, 100_000} { // alpha or bandwidth counts
			size := units.Bytes(s.Ranks * pieces * each * 64)
			got, _ := clock(a, k, s, root, pieces, size, cost, 0)
			want := a.Theory(k, s, size, pieces, cost)
			exact, least, most := exactly(a, k, s, pieces)
			if part := float64(got) / float64(want); exact && got != want || !exact && (part < least || part > most) {
				t.Errorf("%s of %s, %+v, root %d, %d pieces: %s, not %s", k, size, s, root, pieces, got, want)
			}
		}
	})
}

func TestManyPiecesBringTreesToWhatTheirPortsCanDo(t *testing.T) {
	const pieces, size = 256, 1 << 28
	cost := Cost{Alpha: 5 * units.Microsecond, Rate: 100 * units.Gbps}
	for _, c := range []struct {
		name  string
		kind  Kind
		ranks int
		times units.Time // that the busiest port has all data
	}{
		{"tree", AllReduce, 8, 3}, {"tree", AllReduce, 16, 3}, {"tree", Broadcast, 16, 2}, {"tree", Reduce, 16, 2},
		{"double-tree", AllReduce, 2, 1}, {"double-tree", AllReduce, 8, 2}, {"double-tree", AllReduce, 16, 2}, {"double-tree", AllReduce, 13, 2},
	} {
		a, _ := ByName(c.name)
		ports := c.times * cost.Rate.Serialise(size)
		theory := a.Theory(c.kind, Shape{c.ranks, 1}, size, pieces, cost)
		got, _ := clock(a, c.kind, Shape{c.ranks, 1}, 0, pieces, size, cost, 4)
		if got < ports || float64(got)/float64(ports) > 1.05 || math.Abs(float64(got)/float64(theory)-1) > 0.015 {
			t.Errorf("%s %s among %d: %s, while a port is busy for %s and the formula has %s", c.name, c.kind, c.ranks, got, ports, theory)
		}
		// Who sends as much as it likes fills the ports of those inside with what goes up, so that what comes down waits.
		if free, _ := clock(a, c.kind, Shape{c.ranks, 1}, 0, pieces, size, cost, 0); c.kind == AllReduce && c.ranks > 2 && float64(free) < 1.2*float64(got) {
			t.Errorf("%s among %d: with any number of messages under way %s, with four %s", c.name, c.ranks, free, got)
		}
	}
}

// log2 is the binary logarithm rounded up.
func log2(n int) int { return bits.Len(uint(n - 1)) }

func TestAsManyMessagesFollowEachOtherAsTheFormulaHasAlphas(t *testing.T) {
	cost := Cost{Alpha: units.Microsecond, Rate: 100 * units.Gbps}
	depth := func(n int) int { return log2(n) }
	for _, c := range []struct {
		name string
		kind Kind
		want func(n int) int
	}{
		{"ring", AllReduce, func(n int) int { return 2 * (n - 1) }},
		{"ring", ReduceScatter, func(n int) int { return n - 1 }},
		{"ring", AllGather, func(n int) int { return n - 1 }},
		{"ring", Broadcast, func(n int) int { return n - 1 }},
		{"chain", Reduce, func(n int) int { return n - 1 }},
		{"hierarchical", AllReduce, func(n int) int { return 2 * (n - 1) }},
		{"tree", Broadcast, depth},
		{"tree", AllReduce, func(n int) int { return 2 * depth(n) }},
		{"double-tree", AllReduce, func(n int) int { return 2 * depth(n) }},
		{"halving-doubling", AllReduce, func(n int) int { return 2 * log2(n) }},
		{"halving-doubling", ReduceScatter, log2},
		{"recursive-doubling", AllReduce, log2},
		{"binomial", Broadcast, log2},
		{"binomial", Reduce, log2},
		{"direct", AllToAll, func(int) int { return 1 }},
		{"pairwise", AllToAll, func(n int) int { return n - 1 }},
		{"dissemination", Barrier, log2},
	} {
		a, _ := ByName(c.name)
		for _, n := range []int{2, 4, 8, 16, 32, 48} {
			if n == 48 && c.name != "ring" && c.name != "dissemination" {
				continue
			}
			for _, pieces := range []int{1, 3} {
				if _, got := clock(a, c.kind, Shape{n, 1}, 0, pieces, 1<<20, cost, 0); got != c.want(n) {
					t.Errorf("%s %s among %d, %d pieces: %d messages follow each other, not %d", c.name, c.kind, n, pieces, got, c.want(n))
				}
			}
		}
	}
}

func TestTheFormulasGiveTheirKnownFigures(t *testing.T) {
	const many = 1 << 19 // pieces
	flat := func(alpha units.Time, rate units.Rate) Cost { return Cost{Alpha: alpha, Rate: rate} }
	us5 := 5 * units.Microsecond
	for _, c := range []struct {
		name   string
		kind   Kind
		shape  Shape
		size   units.Bytes
		pieces int
		cost   Cost
		want   string // in the digits that it has
	}{
		{"ring", AllReduce, Shape{8, 1}, 1 << 30, 1, flat(us5, 400*units.Gbps), "37.651ms"},
		{"halving-doubling", AllReduce, Shape{8, 1}, 1 << 30, 1, flat(us5, 400*units.Gbps), "37.611ms"},
		{"double-tree", AllReduce, Shape{8, 1}, 1 << 30, many, flat(us5, 400*units.Gbps), "42.980ms"},
		{"ring", AllReduce, Shape{16, 1}, 1 << 20, 1, flat(us5, 100*units.Gbps), "307.29us"},
		{"halving-doubling", AllReduce, Shape{16, 1}, 1 << 20, 1, flat(us5, 100*units.Gbps), "197.29us"},
		{"recursive-doubling", AllReduce, Shape{16, 1}, 1 << 20, 1, flat(us5, 100*units.Gbps), "355.54us"},
		{"double-tree", AllReduce, Shape{16, 1}, 1 << 20, many, flat(us5, 100*units.Gbps), "207.77us"},
		{"ring", AllReduce, Shape{8, 1}, 256_000_000, 1, flat(us5, 100*units.Gbps), "35.91ms"},
		{"direct", AllToAll, Shape{16, 1}, 16_000_000, 1, flat(us5, 100*units.Gbps), "1.205ms"},
		{"pairwise", AllToAll, Shape{16, 1}, 16_000_000, 1, flat(us5, 100*units.Gbps), "1.275ms"},
		{"hierarchical", AllReduce, Shape{32, 8}, 1_000_000_000, 1, Cost{Rate: 400 * units.Gbps, LocalRate: 3600 * units.Gbps}, "7.639ms"},
		// 2·(7/8)·100 MB at 50 GB/s.
		{"ring", AllReduce, Shape{8, 1}, 100_000_000, 1, flat(0, 400*units.Gbps), "3.5ms"},
		// The bandwidth of a pipelined broadcast is the link's, however many ranks there are.
		{"ring", Broadcast, Shape{64, 1}, 1_000_000_000, many, flat(0, 400*units.Gbps), "20.0ms"},
		{"binomial", Broadcast, Shape{16, 1}, 1_000_000, 1, flat(us5, 400*units.Gbps), "100us"},
		{"dissemination", Barrier, Shape{48, 1}, 0, 1, flat(us5, 400*units.Gbps), "30us"},
		{"dissemination", Barrier, Shape{1000, 1}, 0, 1, flat(us5, 400*units.Gbps), "50us"},
	} {
		a, _ := ByName(c.name)
		got := a.Theory(c.kind, c.shape, c.size, c.pieces, c.cost)
		want, digit := reading(t, c.want)
		if got < want-digit/2 || got > want+digit/2 {
			t.Errorf("%s %s of %s among %+v: %s, not %s", c.name, c.kind, c.size, c.shape, got, c.want)
		}
	}
}

// reading is a time as it is written, and what its last digit stands for.
func reading(t *testing.T, text string) (at, digit units.Time) {
	at, err := units.ParseTime(text)
	if err != nil {
		t.Fatal(err)
	}
	unit, decimals := units.Microsecond, 0
	if text[len(text)-2] == 'm' {
		unit = units.Millisecond
	}
	for i := range text {
		if text[i] == '.' {
			decimals = len(text) - 3 - i
		}
	}
	return at, unit / units.Time(math.Pow10(decimals))
}

// moved is the most that a rank sends to other nodes or receives from them, in chunks, and how many chunks all data are.
func moved(a *Algorithm, k Kind, s Shape) (most, all int) {
	received := make([]int, s.Ranks)
	for rank := range s.Ranks {
		p := a.Plan(k, s, rank, 0, 1)
		all = int(p.Chunks)
		sent := 0
		for _, strand := range p.Strands {
			for _, m := range strand.Sends {
				if !s.Joined(rank, int(m.Peer)) {
					sent += int(m.Count)
					received[m.Peer] += int(m.Count)
				}
			}
		}
		most = max(most, sent)
	}
	for _, r := range received {
		most = max(most, r)
	}
	return most, all
}

func TestBusbwIsAboveThatOfANICOnlyWhereItIsSaid(t *testing.T) {
	for i := range Algorithms {
		a := &Algorithms[i]
		found := false
		for _, k := range a.Kinds {
			if k == Barrier {
				continue
			}
			for _, s := range shapes(false) {
				if s.Nodes() == 1 || a.Fits(k, s) != nil {
					continue
				}
				most, all := moved(a, k, s)
				num, den := BusFactor(k, s.Ranks)
				// busbw is factor·size/time, and the time at least most/all·size/rate.
				if exceeds := num*all > den*most; exceeds && (s.PerNode == 1 || !a.Exceeds) {
					t.Errorf("%s %s among %+v moves %d/%d of the data over a NIC, less than %d/%d", a.Name, k, s, most, all, num, den)
				} else if exceeds {
					found = true
				}
			}
		}
		if a.Exceeds && !found {
			t.Errorf("%s never moves less than busbw reckons with", a.Name)
		}
	}
}

func TestThePlansOfAThousandRanksFitInAHundredMegabytes(t *testing.T) {
	s := Shape{1024, 1}
	for _, k := range []Kind{AllReduce, AllGather, AllToAll} {
		a := Default(k)
		p := a.Plan(k, s, 517, 0, 1)
		var bytes uintptr
		for _, strand := range p.Strands {
			bytes += uintptr(cap(strand.Sends))*unsafe.Sizeof(Send{}) + uintptr(cap(strand.Receives))*unsafe.Sizeof(Receive{})
		}
		if all := bytes * 1024; all > 100_000_000 {
			t.Errorf("%s %s: %d bytes", a.Name, k, all)
		}
	}
}
