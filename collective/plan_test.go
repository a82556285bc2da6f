package collective_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/rdmasim/rdmasim/collective"
)

// link is where messages stay in order: from a strand of a rank to that of another.
type link struct {
	from, to int
	strand   int
}

// letter is a message under way: for each of its chunks the set of ranks whose contributions it has.
type letter struct {
	first, count int32
	holds        uint64
}

// room is ranks that go through their plans, with messages that take as long as chance has it.
type room struct {
	kind   Kind
	shape  Shape
	root   int
	plans  []Plan
	holds  [][]uint64 // by rank and chunk, the contributions
	sent   [][]int    // by rank and strand
	came   [][]int    // by rank and strand, how many receives are complete
	mail   [][]letter // by [room.index]
	links  []link     // with mail
	window int        // how many messages of a strand may be under way to another rank
}

func newRoom(a *Algorithm, k Kind, s Shape, root, pieces int) *room {
	r := &room{kind: k, shape: s, root: root, window: math.MaxInt, mail: make([][]letter, s.Ranks*s.Ranks*most)}
	for rank := range s.Ranks {
		p := a.Plan(k, s, rank, root, pieces)
		r.plans = append(r.plans, p)
		holds := make([]uint64, max(1, p.Chunks)) // a barrier has a chunk: who is known to have come
		for c := range holds {
			if k == Barrier || Begins(k, s, rank, root, int32(c), p.Chunks) {
				holds[c] = 1 << rank
			}
		}
		r.holds = append(r.holds, holds)
		r.sent = append(r.sent, make([]int, len(p.Strands)))
		r.came = append(r.came, make([]int, len(p.Strands)))
	}
	return r
}

// most is as many strands as any plan has.
const most = 4

// index is the place of a link among all.
func (r *room) index(l link) int { return (l.from*r.shape.Ranks+l.to)*most + l.strand }

// post has a rank send all that may go.
func (r *room) post(rank int) error {
	for again := true; again; {
		again = false
		for i, strand := range r.plans[rank].Strands {
			for r.sent[rank][i] < len(strand.Sends) {
				s := strand.Sends[r.sent[rank][i]]
				if int(s.After) > r.came[rank][s.Strand] {
					break
				}
				if int(s.After) > len(r.plans[rank].Strands[s.Strand].Receives) {
					return fmt.Errorf("rank %d sends after %d receives of %d", rank, s.After, len(r.plans[rank].Strands[s.Strand].Receives))
				}
				at := link{rank, int(s.Peer), i}
				mail := &r.mail[r.index(at)]
				if len(*mail) == r.window {
					break
				}
				r.sent[rank][i]++
				again = true
				l := letter{first: s.First, count: s.Count}
				switch {
				case r.kind == Barrier:
					l.holds = r.holds[rank][0]
				case r.plans[rank].Apart:
					if s.Count != 1 || s.First != s.Peer {
						return fmt.Errorf("rank %d sends chunks %d+%d to rank %d", rank, s.First, s.Count, s.Peer)
					}
					l.holds = 1 << rank
				default:
					l.holds = r.holds[rank][s.First]
					for c := s.First; c < s.First+s.Count; c++ {
						if r.holds[rank][c] != l.holds || l.holds == 0 {
							return fmt.Errorf("rank %d sends chunks %d+%d, which have contributions %b and %b", rank, s.First, s.Count, l.holds, r.holds[rank][c])
						}
					}
				}
				if int(s.Peer) == rank {
					return fmt.Errorf("rank %d sends to itself", rank)
				}
				if len(*mail) == 0 {
					r.links = append(r.links, at)
				}
				*mail = append(*mail, l)
			}
		}
	}
	return nil
}

// deliver hands the first message of the i-th link that has one to its receiver; it tells whether it could.
func (r *room) deliver(i int) (bool, error) {
	at := r.links[i]
	if at.strand >= len(r.plans[at.to].Strands) {
		return false, fmt.Errorf("rank %d has no strand %d, to which rank %d sends", at.to, at.strand, at.from)
	}
	receives, came := r.plans[at.to].Strands[at.strand].Receives, &r.came[at.to][at.strand]
	if *came == len(receives) {
		return false, fmt.Errorf("rank %d has nowhere to receive what rank %d sends", at.to, at.from)
	}
	next := receives[*came]
	if int(next.Peer) != at.from {
		return false, nil
	}
	mail := &r.mail[r.index(at)]
	l := (*mail)[0]
	if *mail = (*mail)[1:]; len(*mail) == 0 {
		r.links[i] = r.links[len(r.links)-1]
		r.links = r.links[:len(r.links)-1]
	}
	if err := r.take(at, next, l); err != nil {
		return false, err
	}
	*came++
	if err := r.post(at.from); err != nil {
		return false, err
	}
	return true, r.post(at.to)
}

// take puts what a message has where its receive says.
func (r *room) take(at link, v Receive, l letter) error {
	holds := r.holds[at.to]
	switch {
	case r.kind == Barrier:
		holds[0] |= l.holds
		return nil
	case r.plans[at.to].Apart:
		if v.First != v.Peer || v.Count != 1 || holds[v.First] != 0 {
			return fmt.Errorf("rank %d receives chunks %d+%d from rank %d", at.to, v.First, v.Count, v.Peer)
		}
		holds[v.First] = l.holds
		return nil
	case v.First != l.first || v.Count != l.count:
		return fmt.Errorf("rank %d expects chunks %d+%d of rank %d, which sends %d+%d", at.to, v.First, v.Count, at.from, l.first, l.count)
	}
	for c := v.First; c < v.First+v.Count; c++ {
		if v.Reduce {
			if twice := holds[c] & l.holds; twice != 0 {
				return fmt.Errorf("rank %d sums up contributions %b to chunk %d twice", at.to, twice, c)
			}
			holds[c] |= l.holds
		} else {
			holds[c] = l.holds
		}
	}
	return nil
}

// run goes through the operation in an order that chance chooses.
func (r *room) run(rng *rand.Rand) error {
	for rank := range r.plans {
		if err := r.post(rank); err != nil {
			return err
		}
	}
	for len(r.links) > 0 {
		first := rng.IntN(len(r.links))
		ok := false
		for k := 0; k < len(r.links) && !ok; k++ {
			var err error
			if ok, err = r.deliver((first + k) % len(r.links)); err != nil {
				return err
			}
		}
		if !ok {
			return fmt.Errorf("%d messages have come that nobody can take yet", len(r.links))
		}
	}
	for rank, p := range r.plans {
		for i, strand := range p.Strands {
			if r.sent[rank][i] < len(strand.Sends) || r.came[rank][i] < len(strand.Receives) {
				return fmt.Errorf("rank %d is stuck: strand %d has sent %d messages of %d and received %d of %d",
					rank, i, r.sent[rank][i], len(strand.Sends), r.came[rank][i], len(strand.Receives))
			}
		}
	}
	return r.whole()
}

// whole is an error if a rank does not have what it must end with.
func (r *room) whole() error {
	for rank, holds := range r.holds {
		for c, got := range holds {
			want := uint64(1)<<r.shape.Ranks - 1
			chunks := r.plans[rank].Chunks
			if r.kind != Barrier {
				if !Wants(r.kind, r.shape, rank, r.root, int32(c), chunks) {
					continue
				}
				first, count := Contributors(r.kind, r.shape, r.root, int32(c), chunks)
				want = (uint64(1)<<count - 1) << first
			}
			if got != want {
				return fmt.Errorf("rank %d ends with contributions %b to chunk %d, not %b", rank, got, c, want)
			}
		}
	}
	return nil
}

// shapes are those that all algorithms are tried on.
func shapes(short bool) (all []Shape) {
	most := 33
	if short {
		most = 17
	}
	for n := 1; n <= most; n++ {
		for _, g := range []int{1, 2, 3, 4, 8} {
			if n%g == 0 {
				all = append(all, Shape{n, g})
			}
		}
	}
	return append(all, Shape{64, 1}, Shape{64, 8})
}

// everyPlan calls a function for every algorithm, kind, shape, root and number of pieces.
func everyPlan(t *testing.T, do func(t *testing.T, a *Algorithm, k Kind, s Shape, root, pieces int)) {
	for i := range Algorithms {
		a := &Algorithms[i]
		t.Run(a.Name, func(t *testing.T) {
			for _, k := range a.Kinds {
				for _, s := range shapes(testing.Short()) {
					if a.Fits(k, s) != nil {
						continue
					}
					for _, root := range []int{0, s.Ranks / 2, s.Ranks - 1} {
						if root > 0 && !k.Rooted() {
							break
						}
						for _, pieces := range []int{1, 2, 5} {
							if s.Ranks > 33 && pieces > 2 {
								continue
							}
							do(t, a, k, s, root, pieces)
						}
					}
				}
			}
		})
	}
}

func TestEveryRankEndsWithEveryChunkFromEveryRankOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	everyPlan(t, func(t *testing.T, a *Algorithm, k Kind, s Shape, root, pieces int) {
		r := newRoom(a, k, s, root, pieces)
		if rng.IntN(2) == 0 { // as many as there are, or as few as can be
			r.window = 1
		}
		if err := r.run(rng); err != nil {
			t.Fatalf("%s, %+v, root %d, %d pieces, %d under way: %v", k, s, root, pieces, r.window, err)
		}
	})
}

// bad is a ring in which rank 1 of an all-reduce does not as it should.
func bad(spoil func(p *Plan)) *Algorithm {
	a, _ := ByName("ring")
	b := *a
	b.Plan = func(k Kind, s Shape, rank, root, pieces int) Plan {
		p := a.Plan(k, s, rank, root, pieces)
		if rank == 1 {
			spoil(&p)
		}
		return p
	}
	return &b
}

func TestAWrongPlanIsFound(t *testing.T) {
	for name, spoil := range map[string]func(p *Plan){
		"forgets to sum up":        func(p *Plan) { p.Strands[0].Receives[0].Reduce = false },
		"sums up what is summed":   func(p *Plan) { p.Strands[0].Receives[3].Reduce = true },
		"sends too early":          func(p *Plan) { p.Strands[0].Sends[1].After = 0 },
		"waits for what it causes": func(p *Plan) { p.Strands[0].Sends[0].After = 6 },
		"sends another part":       func(p *Plan) { p.Strands[0].Sends[0].First = 3 },
		"does not send the last":   func(p *Plan) { p.Strands[0].Sends = p.Strands[0].Sends[:5] },
		"sends once more":          func(p *Plan) { p.Strands[0].Sends = append(p.Strands[0].Sends, p.Strands[0].Sends[5]) },
	} {
		if newRoom(bad(spoil), AllReduce, Shape{4, 1}, 0, 1).run(rand.New(rand.NewPCG(1, 2))) == nil {
			t.Errorf("nobody notices that rank 1 %s", name)
		}
	}
}

func TestEveryKindHasAWordAndADefaultForAnyNumberOfRanks(t *testing.T) {
	for k := AllReduce; k <= Barrier; k++ {
		if got, ok := Named(k.String()); !ok || got != k {
			t.Errorf("%s reads back as %s", k, got)
		}
		for _, s := range shapes(true) {
			if err := Default(k).Fits(k, s); err != nil {
				t.Errorf("%s among %+v: %v", k, s, err)
			}
		}
	}
	if _, ok := Named("scan"); ok {
		t.Error("a scan is known")
	}
}

func TestChunksTakeUpAllBytesAndTheFirstOnesTheRest(t *testing.T) {
	p := Plan{Chunks: 4}
	for first, want := range []int64{26, 26, 25, 25} {
		if got := int64(p.Bytes(102, int32(first), 1)); got != want {
			t.Errorf("chunk %d of 102 bytes has %d, not %d", first, got, want)
		}
	}
	for count, want := range []int64{0, 26, 51, 76} {
		if got := int64(p.Bytes(102, 1, int32(count))); got != want {
			t.Errorf("%d chunks from 1 on have %d bytes, not %d", count, got, want)
		}
	}
}

func TestPiecesMakeADifferenceUnlessNothingIsCut(t *testing.T) {
	for i := range Algorithms {
		a := &Algorithms[i]
		for _, k := range a.Kinds {
			one, two := a.Plan(k, Shape{8, 1}, 3, 0, 1), a.Plan(k, Shape{8, 1}, 3, 0, 2)
			if cut := two.Chunks > one.Chunks; cut == a.Whole {
				t.Errorf("%s %s: %d chunks in one piece, %d in two", a.Name, k, one.Chunks, two.Chunks)
			}
		}
	}
}
