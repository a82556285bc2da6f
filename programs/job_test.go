package programs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// jobHosts are hosts with NICs of 100 Gb/s and 500 ns at one switch without a pipeline, each with so many ranks.
func jobHosts(t *testing.T, hosts, nics, perNode int) (*simtest.Net, *host.Cluster, programs.JobOptions) {
	t.Helper()
	star := topology.Star{Hosts: hosts, NICsPerHost: nics}
	star.Link.Rate, star.Link.Delay = 100*units.Gbps, 500*units.Nanosecond
	net := simtest.Build(&star)
	net.NIC.Timeout = 14
	o := programs.JobOptions{
		GPUs: perNode, Channels: 2, Threads: 1, QPs: 1, Chunk: 512 * units.KiB, Window: 8, NVLink: 2400 * units.Gbps,
		Algorithms: map[collective.Kind]*collective.Algorithm{},
	}
	for k := collective.AllReduce; k <= collective.Barrier; k++ {
		o.Algorithms[k] = collective.Default(k)
	}
	for h := range hosts {
		for g := range perNode {
			o.Ranks = append(o.Ranks, programs.RankPlace{Host: h, GPU: g, NIC: g * nics / perNode})
		}
	}
	o.Channel = programs.DefaultChannel()
	o.Channel.Data = simtest.Data
	return net, net.Cluster(t), o
}

// together is a job whose ranks all do one collective after the other.
func together(ranks int, ops ...schedule.Op) *schedule.Job {
	j := &schedule.Job{Groups: [][]int32{{}}}
	for r := range ranks {
		j.Groups[0] = append(j.Groups[0], int32(r))
		b := schedule.NewBuilder()
		for i, op := range ops {
			op.Kind = schedule.Collective
			b.Add(op)
			if i > 0 {
				b.Requires(i, i-1)
			}
		}
		g, err := b.Graph()
		if err != nil {
			panic(err)
		}
		j.Ranks = append(j.Ranks, g)
	}
	return j
}

func finish(t *testing.T, net *simtest.Net, c *host.Cluster) {
	t.Helper()
	r, err := c.Run(context.Background(), net.Run)
	if err != nil || r.Outcome != host.Done {
		t.Fatalf("%v, %v: %v", r.Outcome, err, c.ThreadWaits(r.Now))
	}
}

// goodput is the share of a link's rate that payload has with an MTU of 4096: 4178 B on the wire for
// each packet.
var goodput = 4096.0 / 4178

// Every algorithm, on hosts with one and several ranks, over RDMA and with several queue pairs for each connection, ends with all contributions everywhere.
func TestEveryCollectiveEnds(t *testing.T) {
	for _, tc := range []struct {
		hosts, nics, perNode, qps int
		split, pxn                bool
	}{{4, 1, 1, 1, false, false}, {3, 1, 1, 2, false, false}, {2, 2, 4, 2, true, true}, {3, 2, 2, 1, false, true}, {5, 1, 1, 3, true, false}} {
		for i := range collective.Algorithms {
			a := &collective.Algorithms[i]
			for _, kind := range a.Kinds {
				net, c, o := jobHosts(t, tc.hosts, tc.nics, tc.perNode)
				if a.Fits(kind, collective.Shape{Ranks: len(o.Ranks), PerNode: tc.perNode}) != nil {
					continue
				}
				o.QPs, o.Split, o.PXN = tc.qps, tc.split, tc.pxn
				o.Algorithms[kind] = a
				s := together(len(o.Ranks), schedule.Op{What: kind, Size: 1000003, Root: 1}, schedule.Op{What: kind, Size: 70, Root: 0})
				s.Repeat = 2
				if err := s.Check(); err != nil {
					t.Fatal(err)
				}
				j, err := programs.NewJob(c, o, s)
				if err != nil {
					t.Fatal(err)
				}
				finish(t, net, c)
				r := j.Result()
				if r.Outcome != programs.Finished && r.Outcome != programs.Slowed || r.Steps != 2 {
					t.Fatalf("%s %v %+v: %+v", a.Name, kind, tc, r)
				}
				for _, p := range j.Parts() {
					// Rounds of a barrier within a host take less than those between hosts, and theory has rank 0 for the root.
					if p.Count != 2 || p.Mean < p.Theory*7/10 && kind != collective.Barrier && !kind.Rooted() {
						t.Errorf("%s %v %+v: %v of %v, theory %v", a.Name, kind, tc, p.Mean, p.Size, p.Theory)
					}
				}
			}
		}
	}
}

// The bandwidth at the bus of large messages is what the NICs of a host carry together, whatever
// their number is and whatever that of GPUs: 2(n-1)/n of the data crosses each link.
func TestTheBusBandwidthOfARingIsThatOfTheRails(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets: left to the whole suite")
	}
	for _, tc := range []struct{ hosts, nics, gpus int }{{2, 1, 1}, {2, 4, 8}, {4, 4, 4}, {8, 1, 1}} {
		net, c, o := jobHosts(t, tc.hosts, tc.nics, tc.gpus)
		j, err := programs.NewJob(c, o, together(tc.hosts*tc.gpus, schedule.Op{What: collective.AllReduce, Size: 64 * units.MiB}))
		if err != nil {
			t.Fatal(err)
		}
		finish(t, net, c)
		p := j.Parts()[0]
		n := float64(tc.hosts * tc.gpus)
		want := goodput * 100 * float64(tc.nics)
		if got := p.Busbw.Gbps(); got > want || got < 0.95*want {
			t.Errorf("%+v: %.1f Gb/s at the bus, want %.1f and at most 5 %% less", tc, got, want)
		}
		if got := float64(p.Busbw) / float64(p.Algbw); got < 2*(n-1)/n*0.999 || got > 2*(n-1)/n*1.001 {
			t.Errorf("%+v: the bus has %.4f times the algorithm's bandwidth, want 2(n-1)/n = %.4f", tc, got, 2*(n-1)/n)
		}
	}
}

// One rank that comes late by a millisecond delays what all do together by a millisecond.
// Plans of more messages than memory has room for are refused, with the key that makes them fewer.
func TestACollectiveOfTooManyMessagesIsRefused(t *testing.T) {
	_, c, o := jobHosts(t, 4, 1, 1)
	_, err := programs.NewJob(c, o, together(4, schedule.Op{What: collective.AllReduce, Size: 1 << 46}))
	if field := (*units.FieldError)(nil); !errors.As(err, &field) || field.Key != "chunk" {
		t.Errorf("error %v; want one about chunk", err)
	}
}

func TestAStragglerDelaysTheAllreduceByWhatItIsLate(t *testing.T) {
	took := func(late units.Time) units.Time {
		net, c, o := jobHosts(t, 4, 1, 1)
		s := together(4)
		for r := range 4 {
			b := schedule.NewBuilder()
			calc := schedule.Op{Kind: schedule.Calc, Time: 100 * units.Microsecond}
			if r == 2 {
				calc.Time += late
			}
			b.Requires(b.Add(schedule.Op{Kind: schedule.Collective, What: collective.AllReduce, Size: units.MiB}), b.Add(calc))
			s.Ranks[r], _ = b.Graph()
		}
		j, err := programs.NewJob(c, o, s)
		if err != nil {
			t.Fatal(err)
		}
		finish(t, net, c)
		return j.Result().Step
	}
	without, with := took(0), took(units.Millisecond)
	// Which of two packets goes first, data or an acknowledgement, may be another: 7 ns.
	if d := with - without - units.Millisecond; d < -10*units.Nanosecond || d > 10*units.Nanosecond {
		t.Errorf("later by a millisecond and %v", d)
	}
}
