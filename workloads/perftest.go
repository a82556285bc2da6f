package workloads

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Perftest is one of the tests of the linux-rdma perftest suite between two hosts, with options
// of its command line; 0 and nil leave one to perftest's default.
type Perftest struct {
	Test           string // name of its program, such as ib_write_lat
	Client, Server int    // indices into Env.Hosts, different from each other
	Connection     string // RC, UC or UD
	Sizes          []units.Bytes
	All            bool // 2 B, 4 B, 8 B … to 8 MiB in place of sizes
	Iterations     int  // on each queue pair
	QPs            int
	TxDepth        int
	RxDepth        int
	Inline         *units.Bytes
	CQMod          int
	PostList       int
	Swap           bool // compare-and-swap, not fetch-and-add
	Bidirectional  bool
	Events         bool
	Gbits          bool
	Start          units.Time
	Priority       int
}

// Begins implements [Task].
func (p *Perftest) Begins() units.Time { return p.Start }

// Class implements [Task].
func (p *Perftest) Class() int { return p.Priority }

// Queues implements [Task].
func (p *Perftest) Queues() Queues {
	or := func(v, otherwise int) int {
		if v == 0 {
			v = otherwise
		}
		return min(v, p.Iterations)
	}
	pairs, ends := max(1, p.QPs), 1
	if p.Bidirectional {
		ends = 2
	}
	return Queues{Pairs: pairs, Requests: pairs * ends * or(p.TxDepth, 1), Receives: pairs * ends * or(p.RxDepth, 0)}
}

// TestEnds are the parameters of all tests.
type TestEnds struct {
	noFlows
	Client   string     `key:"client" required:"true" doc:"the host that measures"`
	Server   string     `key:"server" required:"true" doc:"the other host"`
	Start    units.Time `key:"start" default:"0s" doc:"when both ends start; queue pairs are connected by then"`
	Events   bool       `key:"events" default:"false" doc:"whether programs sleep until there is a completion (perftest -e) and do not look for it all the time"`
	Priority int        `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Travel   `key:",inline"`
}

// TestSizes say which sizes are measured, one after the other.
type TestSizes struct {
	Size  *units.Bytes  `key:"size" min:"1B" max:"1GiB" doc:"payload of a message (-s); left out: 2B for latency, 64KiB for bandwidth, no more than the MTU for UD"`
	Sizes []units.Bytes `key:"sizes" min:"1B" max:"1GiB" unless:"size" doc:"several sizes, one after the other, in place of size"`
	All   bool          `key:"all" default:"false" unless:"size" doc:"all powers of two from 2 B to 8 MiB (-a), for UD to the MTU"`
}

// TestReceives are the parameters of tests whose other end posts receives.
type TestReceives struct {
	RxDepth int `key:"rx_depth" default:"512" min:"1" max:"16384" doc:"receives that are posted ahead (-r)" source:"perftest"`
}

// TestInline is the parameter of tests whose payload can be posted with the request.
type TestInline struct {
	Inline *units.Bytes `key:"inline" min:"0B" max:"912B" doc:"greatest payload that is posted inline (-I); left out: 220B for WRITE, 236B for SEND, 188B for datagrams in tests of latency, none in others"`
}

// LatencyRuns is how often latency is measured.
type LatencyRuns struct {
	Iterations int `key:"iterations" default:"1000" min:"5" max:"1000000" doc:"messages of each size (-n)" source:"perftest"`
}

// BandwidthRuns are the parameters of tests of bandwidth.
type BandwidthRuns struct {
	Iterations    int  `key:"iterations" default:"5000" min:"5" max:"1000000" doc:"messages of each size on each queue pair (-n)" source:"perftest"`
	QPs           int  `key:"qps" default:"1" min:"1" max:"16384" doc:"queue pairs (-q)" source:"perftest"`
	TxDepth       int  `key:"tx_depth" default:"128" min:"1" max:"16384" doc:"requests under way on each queue pair (-t)" source:"perftest"`
	CQMod         *int `key:"cq_mod" min:"1" max:"1024" doc:"messages for which there is one completion (-Q); left out: 100, but 1 for a single size above 8 KiB"`
	PostList      int  `key:"post_list" default:"1" min:"1" max:"1024" doc:"requests under one doorbell (-l); with more than 1, there is one completion for each list" source:"perftest"`
	Bidirectional bool `key:"bidirectional" default:"false" doc:"whether both ends send (-b); the result is the sum"`
	Gbits         bool `key:"report_gbits" default:"false" doc:"whether bandwidth is printed in Gb/s (--report_gbits) in place of MiB/s"`
}

// WriteLat is ib_write_lat.
type WriteLat struct {
	TestEnds    `key:",inline"`
	TestSizes   `key:",inline"`
	LatencyRuns `key:",inline"`
	TestInline  `key:",inline"`
	Connection  string `key:"connection" default:"RC" oneof:"RC|UC" doc:"service of the queue pairs (-c)" source:"perftest"`
}

// Programs returns the test.
func (w *WriteLat) Programs(env Env) ([]Program, error) {
	p := Perftest{Test: "ib_write_lat", Connection: w.Connection, Iterations: w.Iterations, Inline: w.Inline}
	return w.program(env, p, &w.TestSizes)
}

// SendLat is ib_send_lat.
type SendLat struct {
	TestEnds     `key:",inline"`
	TestSizes    `key:",inline"`
	LatencyRuns  `key:",inline"`
	TestReceives `key:",inline"`
	TestInline   `key:",inline"`
	Connection   string `key:"connection" default:"RC" oneof:"RC|UC|UD" doc:"service of the queue pairs (-c)" source:"perftest"`
}

// Programs returns the test.
func (w *SendLat) Programs(env Env) ([]Program, error) {
	p := Perftest{Test: "ib_send_lat", Connection: w.Connection, Iterations: w.Iterations, RxDepth: w.RxDepth, Inline: w.Inline}
	return w.program(env, p, &w.TestSizes)
}

// ReadLat is ib_read_lat.
type ReadLat struct {
	TestEnds    `key:",inline"`
	TestSizes   `key:",inline"`
	LatencyRuns `key:",inline"`
}

// Programs returns the test.
func (w *ReadLat) Programs(env Env) ([]Program, error) {
	return w.program(env, Perftest{Test: "ib_read_lat", Connection: "RC", Iterations: w.Iterations}, &w.TestSizes)
}

// AtomicLat is ib_atomic_lat.
type AtomicLat struct {
	TestEnds    `key:",inline"`
	LatencyRuns `key:",inline"`
	Atomic      string `key:"atomic" default:"FETCH_AND_ADD" oneof:"FETCH_AND_ADD|CMP_AND_SWAP" doc:"the operation (-A), on a word of 8 bytes" source:"perftest"`
}

// Programs returns the test.
func (w *AtomicLat) Programs(env Env) ([]Program, error) {
	p := Perftest{Test: "ib_atomic_lat", Connection: "RC", Iterations: w.Iterations, Swap: w.Atomic == "CMP_AND_SWAP"}
	return w.program(env, p, new(TestSizes))
}

// WriteBW is ib_write_bw.
type WriteBW struct {
	TestEnds      `key:",inline"`
	TestSizes     `key:",inline"`
	BandwidthRuns `key:",inline"`
	TestInline    `key:",inline"`
	Connection    string `key:"connection" default:"RC" oneof:"RC|UC" doc:"service of the queue pairs (-c)" source:"perftest"`
}

// Programs returns the test.
func (w *WriteBW) Programs(env Env) ([]Program, error) {
	return w.program(env, w.runs(Perftest{Test: "ib_write_bw", Connection: w.Connection, Inline: w.Inline}), &w.TestSizes)
}

// SendBW is ib_send_bw.
type SendBW struct {
	TestEnds      `key:",inline"`
	TestSizes     `key:",inline"`
	BandwidthRuns `key:",inline"`
	TestReceives  `key:",inline"`
	TestInline    `key:",inline"`
	Connection    string `key:"connection" default:"RC" oneof:"RC|UC|UD" doc:"service of the queue pairs (-c)" source:"perftest"`
}

// Programs returns the test.
func (w *SendBW) Programs(env Env) ([]Program, error) {
	p := Perftest{Test: "ib_send_bw", Connection: w.Connection, RxDepth: w.RxDepth, Inline: w.Inline}
	return w.program(env, w.runs(p), &w.TestSizes)
}

// ReadBW is ib_read_bw.
type ReadBW struct {
	TestEnds      `key:",inline"`
	TestSizes     `key:",inline"`
	BandwidthRuns `key:",inline"`
}

// Programs returns the test.
func (w *ReadBW) Programs(env Env) ([]Program, error) {
	return w.program(env, w.runs(Perftest{Test: "ib_read_bw", Connection: "RC"}), &w.TestSizes)
}

// runs adds the parameters of a test of bandwidth.
func (b *BandwidthRuns) runs(p Perftest) Perftest {
	p.Iterations, p.QPs, p.TxDepth, p.PostList = b.Iterations, b.QPs, b.TxDepth, b.PostList
	p.Bidirectional, p.Gbits = b.Bidirectional, b.Gbits
	if b.CQMod != nil {
		p.CQMod = *b.CQMod
	}
	return p
}

// program completes a test by its ends and its sizes, and checks it.
func (e *TestEnds) program(env Env, p Perftest, s *TestSizes) ([]Program, error) {
	hosts := newDirectory(env)
	client, noClient := hosts.single("client", e.Client)
	server, noServer := hosts.single("server", e.Server)
	problems := []error{noClient, noServer}
	if noClient == nil && noServer == nil && client == server {
		problems = append(problems, units.Field("server", e.Server, "client and server are the same host", "another host"))
	}
	if e.Start < 0 || e.Start == units.Never {
		problems = append(problems, units.Field("start", e.Start, "not a time at which a run can be", "0s or later"))
	}
	if s.All && len(s.Sizes) > 0 {
		problems = append(problems, units.Field("all", true, "sizes are given as well", "one of the two"))
	}
	if p.PostList > 1 && p.PostList > p.TxDepth {
		problems = append(problems, units.Field("post_list", p.PostList, "more than a send queue holds", fmt.Sprintf("at most tx_depth, %d", p.TxDepth)))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	p.Client, p.Server, p.Start, p.Events, p.Priority = client, server, e.Start, e.Events, e.Priority
	p.Sizes, p.All = s.Sizes, s.All
	if s.Size != nil {
		p.Sizes = []units.Bytes{*s.Size}
	}
	return []Program{{Task: &p}}, nil
}
