package workloads

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// GPUs are the parameters of ranks that are GPUs: what NCCL, the hosts and NVLink make of collectives.
type GPUs struct {
	noFlows
	Placing     `key:",inline"`
	GPUs        int `key:"gpus" default:"8" min:"1" max:"64" doc:"GPUs of each host, each a rank; GPU g is near NIC g*rails/gpus" source:"servers with 8 accelerators"`
	Rails       int `key:"rails" default:"0" min:"0" max:"64" doc:"NICs of each host that are used, in the order of their ports; 0: all"`
	Algorithms  `key:",inline"`
	Channels    int         `key:"channels" default:"2" min:"1" max:"256" doc:"parts in which data of a collective goes at once: on each rail, where a channel's messages all go by one (rings, trees), else between each two ranks" source:"NCCL: two channels for a ring in either place"`
	Proxies     int         `key:"proxies" default:"1" min:"1" max:"64" doc:"threads of a host that drive the channels of a rail; as helper threads of sockets: NCCL_SOCKET_NTHREADS, with channels/proxies sockets each: NCCL_NSOCKS_PERTHREAD" source:"NCCL: one, but on some clouds"`
	QPs         int         `key:"qps_per_connection" default:"1" min:"1" max:"128" doc:"queue pairs, or sockets, of a channel between two ranks" source:"NCCL: NCCL_IB_QPS_PER_CONNECTION"`
	Split       bool        `key:"split_data_on_qps" default:"false" doc:"whether each message goes over all of them in parts; else messages go over one after the other" source:"NCCL: NCCL_IB_SPLIT_DATA_ON_QPS, 0 since 2.20"`
	Chunk       units.Bytes `key:"chunk" default:"512KiB" min:"4KiB" max:"64MiB" doc:"most data of a message of a collective" source:"NCCL: NCCL_BUFFSIZE of 4 MiB for 8 steps"`
	Window      int         `key:"window" default:"8" min:"2" max:"4096" doc:"messages on their way to a neighbour on each channel" source:"NCCL: 8 steps"`
	PXN         bool        `key:"pxn" default:"true" doc:"whether a message for a GPU near another NIC goes to the GPU near that NIC first, over NVLink, so that it does not change rails in the network" source:"NCCL 2.12: PCI x NVLink; NCCL_PXN_DISABLE"`
	NVLink      units.Rate  `key:"nvlink" default:"2400Gbps" min:"1Gbps" doc:"rate at which a GPU can send to others of its host, and take from them" source:"NVIDIA A100: 300 GB/s in each direction"`
	NVLinkDelay units.Time  `key:"nvlink_delay" default:"1us" max:"1s" doc:"delay of each message between GPUs of a host" source:"assumed"`
	Direct      bool        `key:"gpudirect" default:"true" doc:"whether adapters reach the memory of GPUs (GPUDirect RDMA); over tcp they never do"`
	Staging     units.Rate  `key:"staging" default:"200Gbps" min:"1Gbps" doc:"if they do not: rate at which data of each rail is copied between GPU and host memory, in each direction" source:"PCI Express 4.0 with 16 lanes"`
	Launch      units.Time  `key:"launch" default:"5us" max:"1s" doc:"time from when data is ready until its operation begins on the GPUs" source:"assumed: the launch of a kernel"`
	Overhead    units.Time  `key:"overhead" default:"500ns" max:"1s" doc:"processor time of a proxy for each message, at either end, beside verbs or system calls" source:"assumed"`
	Events      bool        `key:"events" default:"false" doc:"whether proxies sleep until something has come and do not look for it all the time"`
	Start       units.Time  `key:"start" default:"0s" doc:"when they start; they are connected by then"`
	Priority    int         `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Travel      `key:",inline"`
}

// ranks implements [Jobber].
func (g *GPUs) ranks(env Env) (*RankJob, error) {
	places, err := g.places(env, g.GPUs)
	algorithms, unknown := g.Own.choose(g.Usual)
	problems := []error{err, unknown, moment("start", g.Start)}
	if err == nil && len(places) < 2 {
		problems = append(problems, units.Field("hosts", fmt.Sprint(len(places)), "one GPU alone", "at least 2"))
	}
	if g.Proxies > g.Channels {
		problems = append(problems, units.Field("proxies", g.Proxies, "more than there are channels for", fmt.Sprintf("at most channels, %d", g.Channels)))
	}
	job := &RankJob{
		Places: places, PerHost: g.GPUs, Rails: g.Rails, Channels: g.Channels, Proxies: g.Proxies, QPs: g.QPs, Split: g.Split, Algorithms: algorithms,
		Chunk: g.Chunk, Window: g.Window, PXN: g.PXN, Local: g.NVLink, LocalDelay: g.NVLinkDelay, AnyStaging: g.Staging, Launch: g.Launch,
		Events: g.Events, Eager: g.Chunk, Credits: 64, Overhead: g.Overhead, Start: g.Start, Priority: g.Priority,
	}
	if !g.Direct {
		job.Staging = g.Staging
	}
	return job, errors.Join(problems...)
}

// maxOperations bounds the collectives of a job, of each of which all ranks keep when it was.
const maxOperations = 1 << 26

// Perf are the parameters of a test of nccl-tests.
type Perf struct {
	GPUs       `key:",inline"`
	From       units.Bytes `key:"min_bytes" default:"32MiB" min:"1B" max:"64GiB" doc:"size that is measured first (-b)" source:"nccl-tests"`
	To         units.Bytes `key:"max_bytes" default:"32MiB" min:"1B" max:"64GiB" doc:"size that is not exceeded (-e)" source:"nccl-tests"`
	Factor     int         `key:"step_factor" default:"2" min:"2" max:"1024" doc:"each further size is so many times the one before (-f)"`
	Iterations int         `key:"iterations" default:"20" min:"1" max:"100000" doc:"operations of each size that are measured (-n)" source:"nccl-tests"`
	Warmup     int         `key:"warmup" default:"1" min:"0" max:"100000" doc:"operations of each size before these (-w)" source:"nccl-tests"`
	of         collective.Kind
}

// perfOf is the test of a kind of collective.
func perfOf(k collective.Kind) func() Workload { return func() Workload { return &Perf{of: k} } }

// Test is its name in nccl-tests.
func (w *Perf) Test() string {
	return [...]string{"all_reduce_perf", "reduce_scatter_perf", "all_gather_perf", "broadcast_perf", "reduce_perf", "alltoall_perf"}[w.of]
}

// Kind is the collective that it measures.
func (w *Perf) Kind() collective.Kind { return w.of }

// Programs returns the program.
func (w *Perf) Programs(env Env) ([]Program, error) {
	all, err := jobOf(w, w.Test(), env)
	for _, p := range all {
		p.Task.(*RankJob).Perf = w
	}
	return all, err
}

// schedule implements [Jobber]: one size after the other, each so often that those which are not measured have another label.
func (w *Perf) schedule(_ Env, job *RankJob) (*schedule.Job, error) {
	if w.To < w.From {
		return nil, units.Field("max_bytes", w.To, "less than min_bytes", "at least "+w.From.String())
	}
	n := len(job.Places)
	out := &schedule.Job{Groups: [][]int32{everyRank(n)}, Labels: []string{"", "warm-up"}}
	b := schedule.NewBuilder()
	for size := w.From; size <= w.To; size *= units.Bytes(w.Factor) {
		for i := range w.Warmup + w.Iterations {
			op := schedule.Op{Kind: schedule.Collective, What: w.of, Size: size}
			if i < w.Warmup {
				op.Label = 1
			}
			if at := b.Add(op); at > 0 {
				b.Requires(at, at-1)
			}
		}
		if b.Ops() > maxOperations/n {
			return nil, &units.FieldError{Problem: fmt.Sprintf("%d operations of %d ranks are too many", b.Ops(), n), Want: fmt.Sprintf("at most %d", maxOperations/n)}
		}
	}
	graph, err := b.Graph()
	for range n {
		out.Ranks = append(out.Ranks, graph)
	}
	return out, err
}
