package workloads

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// GPUs are the parameters of hosts with GPUs that sum up what all of them have.
type GPUs struct {
	noFlows
	Hosts       []string    `key:"hosts" doc:"selectors of the hosts, in the order of the ring; all if not given"`
	GPUs        int         `key:"gpus" default:"8" min:"1" max:"64" doc:"GPUs of each host" source:"servers with 8 accelerators"`
	Rails       int         `key:"rails" default:"0" min:"0" max:"64" doc:"NICs of each host that are used, in the order of their ports, NIC i of one with NIC i of the next; 0: all"`
	Algorithm   string      `key:"algorithm" default:"ring" oneof:"ring|hierarchical" doc:"ring: one ring through all GPUs, host by host; hierarchical: the GPUs of a host sum up among themselves first and spread the result last, in between rings of hosts sum up on each rail what its GPUs have"`
	Channels    int         `key:"channels" default:"2" min:"1" max:"256" doc:"rings on each rail, among which data is divided, each with a queue pair, or a socket, to the next host" source:"NCCL: two channels for a ring in either place"`
	Proxies     int         `key:"proxies" default:"1" min:"1" max:"64" doc:"threads of a host that drive the channels of a rail; as helper threads of sockets: NCCL_SOCKET_NTHREADS, with channels/proxies sockets each: NCCL_NSOCKS_PERTHREAD" source:"NCCL: one, but on some clouds"`
	Chunk       units.Bytes `key:"chunk" default:"512KiB" min:"4KiB" max:"64MiB" doc:"most data of a message between hosts" source:"NCCL: NCCL_BUFFSIZE of 4 MiB for 8 steps"`
	Window      int         `key:"window" default:"8" min:"2" max:"4096" doc:"messages on their way to the next host on each channel" source:"NCCL: 8 steps"`
	NVLink      units.Rate  `key:"nvlink" default:"2400Gbps" min:"1Gbps" doc:"rate at which a GPU can send to others of its host" source:"NVIDIA A100: 300 GB/s in each direction"`
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

// AllReducePerf is all_reduce_perf of nccl-tests.
type AllReducePerf struct {
	GPUs       `key:",inline"`
	From       units.Bytes `key:"min_bytes" default:"32MiB" min:"1B" max:"64GiB" doc:"size that is measured first (-b)" source:"nccl-tests"`
	To         units.Bytes `key:"max_bytes" default:"32MiB" min:"1B" max:"64GiB" doc:"size that is not exceeded (-e)" source:"nccl-tests"`
	Factor     int         `key:"step_factor" default:"2" min:"2" max:"1024" doc:"each further size is so many times the one before (-f)"`
	Iterations int         `key:"iterations" default:"20" min:"1" max:"100000" doc:"operations of each size that are measured (-n)" source:"nccl-tests"`
	Warmup     int         `key:"warmup" default:"1" min:"0" max:"100000" doc:"operations of each size before these (-w)" source:"nccl-tests"`
}

// Training is a training job whose GPUs have the same model and exchange gradients in each step.
type Training struct {
	GPUs      `key:",inline"`
	Steps     int         `key:"steps" default:"3" min:"1" max:"100000" doc:"steps of the job"`
	Gradients units.Bytes `key:"gradients" default:"400MB" min:"1KB" max:"1TiB" doc:"gradients of each GPU, that all sum up in each step" source:"assumed: 100 million parameters of 4 bytes"`
	Bucket    units.Bytes `key:"bucket" default:"25MiB" min:"0B" max:"1TiB" doc:"gradients that are exchanged at a time; 0B: all" source:"PyTorch DistributedDataParallel: bucket_cap_mb"`
	Compute   units.Time  `key:"compute" default:"100ms" min:"0s" max:"100s" doc:"time of the GPUs for a step" source:"assumed"`
	Overlap   int         `key:"overlap" default:"0" min:"0" max:"100" doc:"percent of it, at its end, during which buckets become ready, evenly, so that they can be exchanged meanwhile; 0: all are at its end"`
}

// GPUJob is the program of an [AllReducePerf] or of a [Training].
type GPUJob struct {
	*GPUs
	Perf     *AllReducePerf // one of the two
	Training *Training
	Sizes    []units.Bytes // of a test
	Members  []int         // indices into Env.Hosts
}

// Begins implements [Task].
func (g *GPUs) Begins() units.Time { return g.Start }

// Class implements [Task].
func (g *GPUs) Class() int { return g.Priority }

// Queues implements [Task].
func (j *GPUJob) Queues() Queues {
	pairs := len(j.Members) * j.Channels * max(1, j.Rails)
	return Queues{Pairs: pairs, Requests: 4 * pairs * j.Window, Receives: 4 * pairs * j.Window}
}

// maxOperations bounds the operations of a job, of each of which all hosts keep when it was.
const maxOperations = 1 << 20

// members finds the hosts.
func (g *GPUs) members(env Env, operations int) ([]int, error) {
	hosts, err := newDirectory(env).findOrAll("hosts", g.Hosts)
	problems := []error{err, moment("start", g.Start)}
	if err == nil && len(hosts) < 2 {
		problems = append(problems, units.Field("hosts", fmt.Sprint(len(hosts)), "no ring over a network", "at least 2 hosts"))
	}
	if most := maxOperations / max(1, len(hosts)); operations > most {
		problems = append(problems, &units.FieldError{Problem: fmt.Sprintf("%d operations of %d hosts are too many", operations, len(hosts)), Want: fmt.Sprintf("at most %d", most)})
	}
	if g.Proxies > g.Channels {
		problems = append(problems, units.Field("proxies", g.Proxies, "more than there are channels for", fmt.Sprintf("at most channels, %d", g.Channels)))
	}
	return hosts, errors.Join(problems...)
}

// Programs returns the program.
func (w *AllReducePerf) Programs(env Env) ([]Program, error) {
	var sizes []units.Bytes
	for size := w.From; size <= w.To; size *= units.Bytes(w.Factor) {
		sizes = append(sizes, size)
	}
	members, err := w.members(env, len(sizes)*(w.Iterations+w.Warmup))
	if w.To < w.From {
		err = errors.Join(err, units.Field("max_bytes", w.To, "less than min_bytes", "at least "+w.From.String()))
	}
	if err != nil {
		return nil, err
	}
	return []Program{{Task: &GPUJob{GPUs: &w.GPUs, Perf: w, Sizes: sizes, Members: members}}}, nil
}

// Programs returns the program.
func (w *Training) Programs(env Env) ([]Program, error) {
	buckets := 1
	if w.Bucket > 0 {
		buckets = int(min(maxOperations, (w.Gradients+w.Bucket-1)/w.Bucket))
	}
	members, err := w.members(env, w.Steps*buckets)
	if err != nil {
		return nil, err
	}
	return []Program{{Task: &GPUJob{GPUs: &w.GPUs, Training: w, Members: members}}}, nil
}
