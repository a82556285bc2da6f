package programs_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// On the wire at 100 Gb/s, with gaps and preambles: an acknowledgement of 86 B, a message of a collective without contents,
// 24 B, of 106 B, and a full packet of 4178 B.
const (
	ackTime    = 86 * 80 * units.Picosecond
	askTime    = 106 * 80 * units.Picosecond
	packetTime = 4178 * 80 * units.Picosecond
)

// followed is how many messages of an operation follow each other in its formula: the time that it gives where each takes one unit.
func followed(a *collective.Algorithm, k collective.Kind, n int) units.Time {
	one := collective.Cost{Message: func(units.Bytes) (busy, arrives units.Time) { return 0, 1 }}
	return a.Theory(k, collective.Shape{Ranks: n, PerNode: 1}, 1, 1, one)
}

// log2 is the binary logarithm of a power of two.
func log2(n int) (d units.Time) {
	for ; n > 1; n /= 2 {
		d++
	}
	return d
}

// alone is what a collective takes on ideal hosts with a NIC of 100 Gb/s each around a switch, one message after the other,
// and what theory says of it.
func alone(t *testing.T, n int, a *collective.Algorithm, op schedule.Op, change func(*programs.JobOptions)) (found, theory units.Time) {
	t.Helper()
	net, c, o := jobHosts(t, n, 1, 1)
	o.Channels, o.Window, o.Chunk = 1, 64, 64*units.MiB
	o.Algorithms[op.What] = a
	if change != nil {
		change(&o)
	}
	j, err := programs.NewJob(c, o, together(n, op))
	if err != nil {
		t.Fatal(err)
	}
	finish(t, net, c)
	p := j.Parts()[0]
	if r := j.Result(); r.Step != p.Mean || r.Step != p.Rank {
		t.Errorf("%s %v: the job takes %v, the collective %v, a rank is in it for %v; all begin at once and end at once", a.Name, op.What, r.Step, p.Mean, p.Rank)
	}
	return p.Mean, p.Theory
}

// On hosts that take no time, and a network that blocks nowhere, a collective in one piece takes the time of its formula to the picosecond,
// and one acknowledgement for each message but the first that follows another: who has received acknowledges it before he sends
// on.
func TestCollectivesTakeTheTimeOfTheirFormula(t *testing.T) {
	const size = 30 * 4096 // which all of these numbers divide, not always in full packets
	for i := range collective.Algorithms {
		a := &collective.Algorithms[i]
		for _, kind := range a.Kinds {
			for _, n := range []int{2, 3, 4, 5, 8} {
				if a.Fits(kind, collective.Shape{Ranks: n, PerNode: 1}) != nil {
					continue
				}
				power := n&(n-1) == 0
				least := (followed(a, kind, n) - 1) * ackTime
				most := least
				switch {
				case a.Name == "binomial" && kind == collective.Broadcast:
					// The root, and who has the data from it, sends on when it knows that the message before is there: two cables
					// and two acknowledgements later, once for each round but the last.
					if least = (log2(n) - 1) * (units.Microsecond + 2*ackTime); !power {
						continue // the formula does not know of it
					}
					most = least
				case a.Name == "direct":
					// All is posted in one instant, which queue pairs take in the order of their numbers: up to so many packets
					// for one rank at a time.
					least, most = 0, units.Time(n-1)*packetTime
				case a.Name == "double-tree" && n == 5, a.Name == "binomial" && !power, !power && (a.Name == "halving-doubling" || a.Name == "recursive-doubling"):
					// Not all ranks are alike: some acknowledge, or ask, while others send.
					least, most = 0, 2*followed(a, kind, n)*(ackTime+askTime)
				}
				found, theory := alone(t, n, a, schedule.Op{What: kind, Size: size}, nil)
				if late := found - theory; late < least || late > most {
					t.Errorf("%s %v among %d: %v, the formula and %v; want %v to %v more", a.Name, kind, n, found, late, least, most)
				}
			}
		}
	}
}

// A direct all-to-all has no two packets for one rank at a time, if those of a host are posted one after the other: then it takes the
// time of its formula too, and that of acknowledgements of messages that end before the last.
func TestADirectAllToAllOfRanksThatTakeTurnsTakesTheTimeOfItsFormula(t *testing.T) {
	for _, n := range []int{2, 3, 4, 8} {
		found, theory := alone(t, n, collective.Default(collective.AllToAll), schedule.Op{What: collective.AllToAll, Size: 30 * 4096}, func(o *programs.JobOptions) {
			o.Channel.Overhead = units.Nanosecond
		})
		if late := found - theory; late < 0 || late > units.Time(n-2)*ackTime {
			t.Errorf("among %d: %v, the formula and %v", n, found, late)
		}
	}
}

// In a pipeline of pieces acknowledgements share links with data, and so do messages that give credits back, one for every 16 here: a
// ring in pieces takes its formula and no more than those of all its messages.
func TestARingInPiecesTakesItsFormulaAndWhatAcknowledgementsDo(t *testing.T) {
	for _, kind := range []collective.Kind{collective.AllReduce, collective.ReduceScatter, collective.AllGather, collective.Broadcast, collective.Reduce} {
		for _, n := range []int{2, 3, 8} {
			const chunk, size = 8 * units.KiB, 24 * 32 * units.KiB
			found, theory := alone(t, n, collective.Default(kind), schedule.Op{What: kind, Size: size}, func(o *programs.JobOptions) {
				o.Chunk, o.Window = chunk, 32
			})
			messages := units.Time(followed(collective.Default(kind), kind, n)) * units.Time(size/chunk) / units.Time(n)
			if kind.Rooted() {
				messages = units.Time(size/chunk) + 2*units.Time(n) // every piece passes n-1 ranks, at each of which something else may be before it
			}
			most := messages * (ackTime + (askTime+ackTime)/16)
			if late := found - theory; late < 0 || late > most {
				t.Errorf("%v among %d in pieces of 8 KiB: %v, the formula and %v; want 0 to %v more", kind, n, found, late, most)
			}
		}
	}
}
