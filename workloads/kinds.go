package workloads

import "github.com/rdmasim/rdmasim/collective"

// Kind is a workload that a scenario can choose by name.
type Kind struct {
	Name string
	Doc  string          // one line
	New  func() Workload // a pointer to the parameters, all zero: defaults stand in the struct's tags
}

// Kinds lists all workloads. A new one is one file and one line here.
var Kinds = []Kind{
	{"flows", "flows listed one by one", func() Workload { return new(List) }},
	{"incast", "many hosts answer one at once", func() Workload { return new(Incast) }},
	{"permutation", "every host sends to one other and receives from one other", func() Workload { return new(Permutation) }},
	{"all-to-all", "every host sends to every other", func() Workload { return new(AllToAll) }},
	{"staggered", "long flows that start one after the other", func() Workload { return new(Staggered) }},
	{"open-loop", "flows of random sizes at random times, for a given load", func() Workload { return new(OpenLoop) }},
	{"periodic-incast", "every so often some hosts answer a random one at once", func() Workload { return new(PeriodicIncast) }},
	{"ib_write_lat", "perftest: latency of WRITE, of two hosts that look at memory and answer each other", func() Workload { return new(WriteLat) }},
	{"ib_send_lat", "perftest: latency of SEND, of two hosts that answer each other", func() Workload { return new(SendLat) }},
	{"ib_read_lat", "perftest: latency of READ", func() Workload { return new(ReadLat) }},
	{"ib_atomic_lat", "perftest: latency of fetch-and-add or compare-and-swap", func() Workload { return new(AtomicLat) }},
	{"ib_write_bw", "perftest: bandwidth and message rate of WRITE", func() Workload { return new(WriteBW) }},
	{"ib_send_bw", "perftest: bandwidth and message rate of SEND", func() Workload { return new(SendBW) }},
	{"ib_read_bw", "perftest: bandwidth and message rate of READ", func() Workload { return new(ReadBW) }},
	{"rpc", "clients call a server: by messages, by WRITE with immediate, or past it by READ", func() Workload { return new(RPC) }},
	{"short-connections", "clients connect to a server, send some requests and disconnect, again and again", func() Workload { return new(ShortConnections) }},
	{"distributed-lock", "clients take a lock in a server's memory by atomics, count up and give it back", func() Workload { return new(DistributedLock) }},
	{"mpi-allreduce", "MPI ranks, one at each host, sum up what they have again and again", func() Workload { return new(MPIAllreduce) }},
	{"mpi-barrier", "MPI ranks, one at each host, compute and wait for each other, again and again", func() Workload { return new(MPIBarrier) }},
	{"key-value", "clients get and put values of keys at servers, perhaps several in a row, by messages or past the server by READ", func() Workload { return new(KeyValue) }},
	{"fan-out", "roots ask many leaves at once, and wait for all answers or for the first of them", func() Workload { return new(FanOut) }},
	{"media", "video: bursts of frames, 60 a second, that have to be there in time", func() Workload { return new(Media) }},
	{"storage", "initiators read and write blocks of targets' devices, as NVMe over Fabrics, iSCSI and NFS do; copies, stripes, rebuilds", func() Workload { return new(Storage) }},
	{"all_reduce_perf", "nccl-tests: bandwidth of an allreduce of GPUs", perfOf(collective.AllReduce)},
	{"all_gather_perf", "nccl-tests: bandwidth of an all-gather of GPUs", perfOf(collective.AllGather)},
	{"reduce_scatter_perf", "nccl-tests: bandwidth of a reduce-scatter of GPUs", perfOf(collective.ReduceScatter)},
	{"broadcast_perf", "nccl-tests: bandwidth of a broadcast among GPUs", perfOf(collective.Broadcast)},
	{"reduce_perf", "nccl-tests: bandwidth of a reduce of GPUs", perfOf(collective.Reduce)},
	{"alltoall_perf", "nccl-tests: bandwidth of an all-to-all of GPUs", perfOf(collective.AllToAll)},
	{"training", "GPUs compute and exchange gradients, step by step", func() Workload { return new(Training) }},
	{"mpi-loop", "ranks compute and do one collective together, again and again, perhaps with noise", func() Workload { return new(Loop) }},
	{"goal", "ranks go through a schedule in GOAL, the traces of LogGOPSim and ATLAHS", func() Workload { return new(Goal) }},
	{"halo", "ranks of a simulation on a grid compute and exchange borders with their neighbours, step by step", func() Workload { return new(Halo) }},
	{"transpose", "ranks of a Fourier transform compute and transpose what they have, step by step", func() Workload { return new(Transpose) }},
	{"hpcc-file", "a flow.txt of the HPCC simulator", func() Workload { return new(HPCCFile) }},
	{"chakra", "GPUs do what execution traces of Chakra say, of PyTorch or of ASTRA-sim", func() Workload { return new(Chakra) }},
	{"astra-text", "GPUs go through a table of layers of ASTRA-sim 1.0 or SimAI", func() Workload { return new(AstraText) }},
	{"htsim-file", "a connection matrix (.cm) of htsim", func() Workload { return new(HtsimFile) }},
}
