package schedule

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/sim/units"
)

// job has a graph of operations that wait for nothing for each rank.
func job(ranks ...[]Op) *Job {
	j := new(Job)
	for _, ops := range ranks {
		b := NewBuilder()
		for _, op := range ops {
			b.Add(op)
		}
		g, err := b.Graph()
		if err != nil {
			panic(err)
		}
		j.Ranks = append(j.Ranks, g)
	}
	return j
}

func send(peer int32, tag uint32, size units.Bytes) Op {
	return Op{Kind: Send, Peer: peer, Tag: tag, Size: size}
}

func recv(peer int32, tag uint32, size units.Bytes) Op {
	return Op{Kind: Recv, Peer: peer, Tag: tag, Size: size}
}

func together(what collective.Kind, root int32, size units.Bytes) Op {
	return Op{Kind: Collective, What: what, Root: root, Size: size}
}

func grouped(j *Job, groups ...[]int32) *Job {
	j.Groups = groups
	return j
}

func TestJobsThatCanFinish(t *testing.T) {
	for name, j := range map[string]*Job{
		"messages in another order": job([]Op{send(1, 7, 10), send(1, 8, 20)}, []Op{recv(0, 8, 20), recv(0, 7, 10)}),
		"a receive may be larger":   job([]Op{send(1, 0, 10), send(1, 0, 30)}, []Op{recv(0, 0, 40), recv(0, 0, 10)}),
		"any tag":                   job([]Op{send(1, 7, 10), send(1, 8, 20)}, []Op{recv(0, 8, 20), recv(0, AnyTag, 10)}),
		"any rank":                  job([]Op{send(2, 7, 10)}, []Op{send(2, 7, 20), send(2, 6, 1)}, []Op{recv(1, 7, 20), recv(Any, 7, 99), recv(Any, AnyTag, 9)}),
		"collectives": grouped(job([]Op{together(collective.AllReduce, 0, 8), together(collective.Barrier, 5, 0)},
			[]Op{together(collective.Barrier, 0, 0), together(collective.AllReduce, 3, 8)}), []int32{1, 0}),
	} {
		if err := j.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatCannotFinishIsNamed(t *testing.T) {
	bcast := []Op{together(collective.Broadcast, 1, 8)}
	cases := map[string]*Job{
		"a job without ranks":                            job(),
		"2 of 1 repetitions to warm up: there must be":   {Ranks: job(nil).Ranks, Warmup: 2},
		"group 0 has rank 2: there are ranks 0 to 1":     grouped(job(nil, nil), []int32{0, 2}),
		"group 1 has rank 0 twice":                       grouped(job(nil, nil), nil, []int32{0, 1, 0}),
		"rank 0, operation 1 (calc of 0s): label 1 of 0": job([]Op{{}, {Label: 1}}),
		"rank 0, operation 0 (send of 1 bytes to rank 2, tag 0): there is no rank 2; there are ranks 0 to 1": job([]Op{send(2, 0, 1)}, nil),
		"rank 1, operation 0 (recv of 1 bytes from rank 1, any tag): a message of a rank to itself":          job(nil, []Op{recv(1, AnyTag, 1)}),
		"rank 0, operation 0 (send of 1 bytes to rank -1, tag 0): there is no rank -1":                       job([]Op{send(-1, 0, 1)}, nil),
		"rank 0, operation 0 (send of 1 bytes to rank 1, tag 4294967295): a message needs a tag below":       job([]Op{send(1, AnyTag, 1)}, nil),
		"rank 0, operation 0 (send of -1 bytes to rank 1, tag 0): a negative size":                           job([]Op{send(1, 0, -1)}, nil),
		"rank 0, operation 0 (calc of -1ps): a negative time":                                                job([]Op{{Time: -1}}),
		"rank 0, operation 0 (kind 9): no such operation":                                                    job([]Op{{Kind: 9}}),

		"rank 0, operation 0 (broadcast of 8 bytes in group 0): there is no group 0; there are 0":                          job(bcast, bcast),
		"rank 0, operation 0 (broadcast of 8 bytes in group 0): the rank is not in group 0":                                grouped(job(bcast, bcast), []int32{1}),
		"rank 0, operation 0 (broadcast of 8 bytes in group 0): the root is place 1 of a group of 1":                       grouped(job(bcast), []int32{0}),
		"rank 1, operation 0 (broadcast of 8 bytes in group 0): rank 0 of the same group has no such collective left":      grouped(job(nil, bcast), []int32{0, 1}),
		"rank 0, operation 1 (broadcast of 8 bytes in group 0): rank 1 of the same group has no such collective left":      grouped(job(append(bcast, bcast...), bcast), []int32{0, 1}),
		"rank 0, operation 0 (broadcast of 8 bytes in group 0): rank 1 of the same group has no such collective left":      grouped(job(bcast, []Op{together(collective.Broadcast, 1, 9)}), []int32{0, 1}),
		"rank 1, operation 0 (all-reduce of 8 bytes in group 0): rank 0 of the same group has no such collective left for": grouped(job(bcast, []Op{together(collective.AllReduce, 1, 8)}), []int32{0, 1}),

		"rank 0, operation 1 (send of 5 bytes to rank 1, tag 7): rank 1 has no receive left for it":                                                      job([]Op{send(1, 7, 4), send(1, 7, 5)}, []Op{recv(0, 7, 4)}),
		"rank 1, operation 0 (recv of 4 bytes from rank 0, tag 7): no message of rank 0 is left for it: it would wait forever":                           job([]Op{send(1, 8, 4)}, []Op{recv(0, 7, 4), recv(0, 8, 4)}),
		"rank 0, operation 0 (send of 4 bytes to rank 1, tag 8): rank 1 has no receive left for it":                                                      job([]Op{send(1, 8, 4)}, []Op{recv(0, 9, 4)}),
		"rank 0, operation 0 (send of 5 bytes to rank 1, tag 7): larger than what rank 1 receives with operation 1 (recv of 4 bytes from rank 0, tag 7)": job([]Op{send(1, 7, 5), send(1, 7, 2)}, []Op{recv(0, 7, 3), recv(0, 7, 4)}),
		"rank 2, operation 0 (recv of 9 bytes from any rank, tag 7): rank 2 has 1 receives for the 2 messages sent to it":                                job([]Op{send(2, 7, 1)}, []Op{send(2, 7, 2)}, []Op{recv(Any, 7, 9)}),
		"rank 2, operation 1 (recv of 9 bytes from rank 1, tag 5): no message of rank 1 is left for it: it would wait forever":                           job([]Op{send(2, 7, 1)}, []Op{send(2, 7, 2)}, []Op{recv(Any, 7, 9), recv(1, 5, 9)}),
	}
	for want, j := range cases {
		err := j.Check()
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
