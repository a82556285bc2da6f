package scenarios

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
	"github.com/rdmasim/rdmasim/storage"
	"github.com/rdmasim/rdmasim/workloads"
)

// Programs returns all programs of the workloads on a network, in their order. Errors carry keys relative to workloads;
// see [Spec.Locate].
func (s *Spec) Programs(graph *topology.Graph) ([]workloads.Program, error) {
	generators, labels := s.generators()
	all, err := workloads.GeneratePrograms(generators, labels, s.env(graph))
	if err != nil {
		return nil, err
	}
	var faults []error
	for i := range all {
		key := fmt.Sprintf("[%d]", slices.Index(labels, all[i].Workload))
		if test, is := all[i].Task.(*workloads.Perftest); is {
			o := s.perftest(test, all[i].Transport)
			if all[i].Transport == iwarp && o.Service != rnic.RC {
				faults = append(faults, units.Field(key+".connection", o.Service, "iWARP has reliable connections only", "RC"))
			}
			if err := o.Check(units.Bytes(s.Host.PacketPayload())); err != nil {
				faults = append(faults, s.ofWorkload(key, err))
			}
		}
		if s.OneWorker() {
			faults = append(faults, units.Field(key, all[i].Workload, "not with profile "+s.Profile+": that simulator has nothing like it", "a workload of flows"))
		}
	}
	return all, errors.Join(faults...)
}

// ofWorkload puts the key of a workload before that of an error about its options. What a test has as the first of its
// sizes may stand in the scenario at size.
func (s *Spec) ofWorkload(key string, err error) error {
	var f *units.FieldError
	if !errors.As(err, &f) {
		return err
	}
	moved := *f
	if moved.Key == "sizes[0]" && s.Given("workloads"+key+".size") {
		moved.Key = "size"
	}
	if moved.Key = key + "." + moved.Key; f.Key == "" {
		moved.Key = key // the options as a whole
	}
	return &moved
}

// traffic returns the flows of the workloads, and the flows together with what stands for programs where only
// classes and starts matter.
func (s *Spec) traffic(graph *topology.Graph) (flows, all []workloads.Flow, programs []workloads.Program, err error) {
	flows, noFlows := s.Flows(graph)
	programs, noPrograms := s.Programs(graph)
	if err := errors.Join(noFlows, noPrograms, s.checkWorkloadTransports(s.env(graph))); err != nil {
		return nil, nil, nil, err
	}
	all = slices.Clip(flows)
	for i := range programs {
		p := &programs[i]
		all = append(all, workloads.Flow{Workload: p.Workload, Start: p.Begins(), Priority: p.Class()})
	}
	return flows, all, programs, nil
}

// perftest is a test with the options of the scenario.
func (s *Spec) perftest(p *workloads.Perftest, transport string) programs.Options {
	test, known := programs.TestNamed(p.Test)
	if !known {
		panic("scenarios: no test " + p.Test)
	}
	o := programs.Options{
		Test: test, Sizes: p.Sizes, Iterations: p.Iterations, QPs: p.QPs, TxDepth: p.TxDepth, RxDepth: p.RxDepth, Inline: p.Inline,
		CQMod: p.CQMod, PostList: p.PostList, Atomic: rnic.FetchAdd, Bidirectional: p.Bidirectional, Events: p.Events, Gbits: p.Gbits,
		Start: p.Start, Transport: transportOf(transport),
	}
	for _, service := range []rnic.Service{rnic.RC, rnic.UC, rnic.UD} {
		if service.String() == p.Connection {
			o.Service = service
		}
	}
	if p.Swap {
		o.Atomic = rnic.CompareSwap
	}
	if p.All {
		o.Sizes = programs.AllSizes()
		if o.Service == rnic.UD {
			o.Sizes = slices.DeleteFunc(o.Sizes, func(size units.Bytes) bool { return size > units.Bytes(s.Host.PacketPayload()) })
		}
	}
	return o
}

// transportOf is how a program's messages travel.
func transportOf(word string) programs.Transport {
	t, known := programs.TransportNamed(word)
	if !known {
		panic("scenarios: no transport " + word)
	}
	return t
}

// addPrograms makes the programs of a run.
func (s *Spec) addPrograms(c *host.Cluster, run *record.Run, all []workloads.Program) error {
	for i := range all {
		err := s.addProgram(c, run, &all[i])
		var field *units.FieldError
		switch {
		case errors.As(err, &field):
			_, labels := s.generators()
			return s.Locate("workloads", s.ofWorkload(fmt.Sprintf("[%d]", slices.Index(labels, all[i].Workload)), err))
		case err != nil:
			return s.Problem("workloads", err.Error(), "programs on hosts that can reach each other")
		}
	}
	return nil
}

// addProgram makes a program.
func (s *Spec) addProgram(c *host.Cluster, run *record.Run, p *workloads.Program) error {
	data, transport := s.classOf(p.Transport, p.Class()), transportOf(p.Transport)
	switch task := p.Task.(type) {
	case *workloads.Perftest:
		options := s.perftest(task, p.Transport)
		options.Data = data
		test, err := programs.New(c, task.Client, task.Server, options)
		run.Perftests = append(run.Perftests, record.Perftest{Workload: p.Workload, Perftest: test})
		return err
	case *workloads.Calls:
		calls, err := programs.NewCalls(c, task.Clients, task.Server, programs.CallOptions{
			Via: programs.Via(slices.Index(programs.Ways, task.Via)), Connections: task.Connections, Outstanding: task.Outstanding,
			Calls: task.Count, Request: task.Request, Reply: task.Reply, Think: task.Think, Threads: task.Threads, Shared: task.Shared,
			Receives: task.Receives, Refill: task.Refill, MinRNR: task.MinRNR, RNRRetries: task.RNRRetries, Events: task.Events,
			Start: task.Start, Data: data, Transport: transport,
		})
		run.Calls = append(run.Calls, record.Calls{Workload: p.Workload, Calls: calls})
		return err
	case *workloads.ShortSessions:
		options := s.shortLived(task, data)
		options.Transport, options.DataTCP = transport, s.classOf(overTCP, p.Class())
		test, err := programs.NewShortLived(c, options)
		run.ShortConnections = append(run.ShortConnections, record.ShortConnections{Workload: p.Workload, ShortLived: test})
		return err
	case *workloads.LockClients:
		test, err := programs.NewLock(c, programs.LockOptions{
			Clients: task.Between.Clients, Server: task.Between.Server, Acquisitions: task.Acquisitions,
			ReadWrite: task.Counter == "read-write", Swap: task.Release == "compare-and-swap", Hold: task.Hold, Rest: task.Rest,
			Backoff: task.Backoff, MaxBackoff: task.MaxBackoff, Guard: task.Guard, Start: task.Start, Data: data, Transport: transport,
		})
		run.Locks = append(run.Locks, record.Lock{Workload: p.Workload, Lock: test})
		return err
	}
	return s.addMessaging(c, run, p, programs.ChannelOptions{Transport: transport, Data: data})
}

// addMessaging makes a program whose parts pass each other messages.
func (s *Spec) addMessaging(c *host.Cluster, run *record.Run, p *workloads.Program, over programs.ChannelOptions) error {
	switch task := p.Task.(type) {
	case *workloads.Collective:
		test, err := programs.NewMPI(c, programs.MPIOptions{
			Ranks: task.Members, Algorithm: programs.MPIAlgorithm(slices.Index(programs.MPIAlgorithms, task.Algorithm)), Size: task.Size,
			Iterations: task.Iterations, Warmup: task.Warmup, Compute: task.Compute, Reduce: task.ReduceRate, Events: task.Events,
			Start: task.Start, Channel: channel(&task.Messaging, over), Random: random(task.Rand), Noise: programs.Noise{
				Duration: task.OSNoise.Duration, Period: task.Period, Probability: task.Probability.Float(), Exponential: task.Shape == "exponential",
			},
		})
		run.Collectives = append(run.Collectives, record.Collective{Workload: p.Workload, MPI: test})
		return err
	case *workloads.ValueClients:
		o := programs.KeyValueOptions{
			Clients: task.From, Servers: task.To, Threads: task.ServerCores, Chain: task.Chain, Queries: task.Queries,
			Outstanding: task.Outstanding, Interval: task.Interval, Keys: variate.NewZipf(task.Keys, task.Zipf.Float()), Puts: task.Puts,
			Key: task.Key, Value: task.Greatest, Sizes: task.Draw, Service: task.Service, Think: task.Think, Bucket: task.Bucket,
			WritePuts: task.PutVia == "write-imm", Events: task.Events, Start: task.Start, Channel: channel(&task.Messaging, over),
			Random: random(task.Rand),
		}
		if task.Via == "read" {
			o.Reads = task.Reads
		}
		test, err := programs.NewKeyValue(c, o)
		run.KeyValues = append(run.KeyValues, record.KeyValue{Workload: p.Workload, KeyValue: test})
		return err
	case *workloads.FanOutQueries:
		test, err := programs.NewFanOut(c, programs.FanOutOptions{
			Roots: task.From, Leaves: task.To, Threads: task.LeafThreads, Fan: task.Fan, Need: task.Need, Queries: task.Queries,
			Outstanding: task.Outstanding, Interval: task.Interval, Request: task.Request, Reply: task.Reply, Think: task.Think,
			Service: programs.Service{
				Shape: programs.ServiceShape(slices.Index(programs.ServiceShapes, task.Shape)), Mean: task.Service, Sigma: task.Sigma.Float(),
				SlowShare: task.SlowShare.Float(), Slow: task.Slow,
			},
			Events: task.Events, Start: task.Start, Channel: channel(&task.Messaging, over), Random: random(task.Rand),
		})
		run.FanOuts = append(run.FanOuts, record.FanOut{Workload: p.Workload, FanOut: test})
		return err
	case *workloads.MediaStreams:
		over.Header, over.Eager, over.Credits, over.Overhead = programs.MessageHeader, 0, task.Credits, task.Overhead
		test, err := programs.NewMedia(c, programs.MediaOptions{
			From: task.Senders, To: task.Receivers, Rate: task.Rate, Frames: task.Frames, Sizes: task.Sizes, Phases: task.Phases,
			Slices: task.Slices, Spread: task.Spread.Float(), Deadline: task.Deadline, Events: task.Events, Start: task.Start, Channel: over,
		})
		run.Medias = append(run.Medias, record.Media{Workload: p.Workload, Media: test})
		return err
	case *workloads.StorageJobs:
		return s.addStorage(c, run, p.Workload, task, over)
	case *workloads.RankJob:
		return s.addRanks(c, run, p.Workload, task, over)
	}
	panic(fmt.Sprintf("scenarios: no program for %T", p.Task))
}

// sleeps is the word for software that sleeps until there is an event.
const sleeps = "events"

// addStorage makes initiators and targets of storage.
func (s *Spec) addStorage(c *host.Cluster, run *record.Run, label string, task *workloads.StorageJobs, over programs.ChannelOptions) error {
	protocol := storage.Named(task.Protocol)
	o := programs.StorageOptions{
		Initiators: task.From, Targets: task.To, Cores: task.Cores, Events: task.Software == sleeps, InitiatorEvents: task.InitiatorSoftware == sleeps,
		Depth: task.Depth, Commands: task.Commands, Poisson: task.Arrivals == "poisson", Reads: task.Reads,
		Layout:         programs.StorageLayout{Copies: task.Copies, Chain: task.Chain, Data: task.Data, Parity: task.Parity, Coding: task.Coding},
		TargetSoftware: task.TargetTime, InitiatorSoftware: task.InitiatorTime, InCapsule: task.InCapsule,
		Protocol: storage.Framing{
			Protocol: protocol, HeaderDigest: task.HeaderDigest, DataDigest: task.DataDigest, Pieces: protocol.Pieces,
			Collapsed: task.LastAnswers == "always" || task.LastAnswers == "auto" && protocol.Collapsed,
		},
		CopyRate: task.CopyRate, DigestRate: task.DigestRate, Start: task.Start, Channel: over,
		Device: storage.Device{
			Channels: task.DeviceChannels, Read: task.ReadTime, Write: task.WriteTime, Rate: task.DeviceRate, Sigma: task.Sigma,
			Times: storage.Distribution(slices.Index(storage.Distributions, task.DeviceTimes)),
			Stall: task.Stall, StallChance: int(math.Round(task.StallChance * 1e6)), Cache: task.WriteCache, Sustained: task.WriteRate,
		},
		Random: func(name string) variate.Source {
			random := sim.NewStream(s.Seed, "workloads", label+"/"+name)
			return &random
		},
	}
	for _, b := range task.Sizes() {
		o.Blocks = append(o.Blocks, programs.BlockShare(b))
	}
	if task.MaxData > 0 {
		o.Protocol.Pieces[1] = task.MaxData
	}
	if protocol.In == 0 {
		o.Protocol.Collapsed = false // the answer has the data in it
	}
	if task.IOPS > 0 {
		o.Every = float64(units.Second) / task.IOPS
	}
	if task.New >= 0 {
		o.Rebuild = &programs.RebuildOptions{Spare: task.New, Size: task.RebuildSize, Chunk: task.RebuildChunk, Rate: task.RebuildRate, Depth: task.RebuildDepth}
	}
	test, err := programs.NewStorage(c, o)
	run.Storages = append(run.Storages, record.Storage{Workload: label, Storage: test})
	return err
}

// addRanks makes the ranks of a job.
func (s *Spec) addRanks(c *host.Cluster, run *record.Run, label string, task *workloads.RankJob, over programs.ChannelOptions) error {
	over.Eager, over.Credits, over.Copy, over.Overhead = task.Eager, task.Credits, task.CopyRate, task.Overhead
	o := programs.JobOptions{
		GPUs: task.PerHost, Rails: task.Rails, Channels: task.Channels, Threads: task.Proxies, QPs: task.QPs, Split: task.Split,
		Algorithms: task.Algorithms, Chunk: task.Chunk, Window: task.Window, PXN: task.PXN, NVLink: task.Local, NVLinkDelay: task.LocalDelay,
		Staging: task.Staging, Launch: task.Launch, SendTime: task.SendTime, ReceiveTime: task.ReceiveTime, ByteTime: task.ByteTime, Gap: task.Gap, Noise: task.Noise, InTurn: task.InTurn, Where: task.Where,
		Events: task.Events, Start: task.Start, Channel: over,
	}
	if over.Transport == programs.TCP {
		o.Staging = task.AnyStaging
	}
	rails := o.Rails
	if rails == 0 {
		rails = len(c.Hosts[task.Places[0].Host].NICs())
	}
	for _, place := range task.Places {
		o.Ranks = append(o.Ranks, programs.RankPlace{Host: place.Host, GPU: place.Slot, NIC: place.Slot * rails / task.PerHost})
	}
	job, err := programs.NewJob(c, o, task.Schedule)
	if err != nil {
		return err
	}
	run.Jobs = append(run.Jobs, record.Job{Workload: label, Kind: task.Kind, Perf: task.Perf != nil, Notes: task.Notes, Scale: task.Scale, Job: job})
	return nil
}

// random makes the random streams of a program out of those of its workload.
func random(of func(string) workloads.Rand) programs.Streams {
	return func(name string) programs.Random { return of(name) }
}

// channel is how programs of a workload pass messages.
func channel(m *workloads.Messaging, over programs.ChannelOptions) programs.ChannelOptions {
	over.Header, over.Eager, over.Credits = programs.MessageHeader, m.Eager, m.Credits
	over.Copy, over.Overhead = m.CopyRate, m.Overhead
	return over
}

// cpu is what threads cost, by the figures of the adapter. Of several requests under one doorbell each further one takes a
// quarter of the first; of the way of an event to its thread half is spent in waking it, three tenths in the handler of
// the interrupt, and the rest on the way there.
func (s *Spec) cpu() host.CPU {
	nic := &s.Host.NIC
	c := host.CPU{
		Cores: s.Host.Cores, Post: nic.Post, PostMore: nic.Post / 4, Poll: nic.Poll,
		InterruptDelay: nic.Event / 5, Interrupt: nic.Event * 3 / 10, IdleExit: s.Host.Kernel.Idle, IdleAfter: s.Host.Kernel.IdleFrom,
	}
	c.Wake = nic.Event - c.InterruptDelay - c.Interrupt
	return c
}
