package programs

import (
	"slices"

	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/storage"
)

// StorageResult is what initiators have measured.
type StorageResult struct {
	IOs, Reads int // operations that are done, and those of them that read
	Bytes      units.Bytes
	// Latency is that of an operation, in an open loop from when it was to begin.
	Latency Spread
	// Begun and Ended are when the first began and the last was done.
	Begun, Ended units.Time
	// PerSecond are operations in a second from the first to the last.
	PerSecond float64
	// Sum is all latencies together, and Area the integral of how many operations were under way over that time, counted for itself: by
	// Little's law they are equal to the picosecond. UnderWay is Area by the time, so what was under way in the mean.
	Sum, Area units.Time
	UnderWay  float64
	// FullArea is that part of Area in which jobs had more to begin, and FullSpan the time of all jobs for which they had.
	FullArea, FullSpan units.Time
	// Empty is what an operation takes when no other is under way, the mean of some; Never if it is not
	// known. Theory is what its parts add up to where targets pass on what is written: Way to the first target and back,
	// Hop to another from there, and devices. Never if they are not known.
	Empty, Theory, Way, Hop units.Time
	// Queueing is the mean latency that the theory of queues (M/D/k) gives with that and the device alone in an open loop of Poisson
	// arrivals; Never if it says nothing.
	Queueing units.Time
	// ByArrivals is how many operations begin a second in an open loop. ByDepth, ByDevice and ByLink are the most that queue depth and Empty,
	// the channels and the rates of the devices, or links would allow a second; 0 where they set no bound. ByCores is what the
	// targets' cores would, if each operation took them as long as it did: those of their threads, and over TCP all
	// of their hosts, on which kernels work.
	ByArrivals, ByDepth, ByDevice, ByLink, ByCores float64
	// Target and Initiator are the processor time of an operation at either end; TargetLoad is the share
	// of these cores that this is, and TargetKept that which targets keep from others.
	Target, Initiator      units.Time
	TargetLoad, TargetKept float64
	// Messages is how many messages either end sent for an operation, and Copies how often a processor copied its data.
	Messages, Copies float64
	// Stalls are commands that met garbage collection.
	Stalls int
	// Rebuilt is how much a spare has got, at RebuildRate.
	Rebuilt     units.Bytes
	RebuildRate units.Rate
}

// Samples are all operations that are done, job by job.
func (s *Storage) Samples() (all []StorageSample) {
	for _, j := range s.jobs {
		all = append(all, j.samples...)
	}
	return all
}

// Result is what the initiators have measured.
func (s *Storage) Result() StorageResult {
	r := StorageResult{Empty: units.Never, Theory: units.Never, Way: units.Never, Hop: units.Never, Queueing: units.Never, Begun: units.Never}
	var took []units.Time
	var initiators, targets storageMeter
	for _, j := range s.jobs {
		for _, sample := range j.samples {
			took = append(took, sample.Took)
			r.Bytes += sample.Size
			r.Sum += sample.Took
			if !sample.Write {
				r.Reads++
			}
		}
		r.Area += j.under.area
		if j.begun {
			r.Begun = min(r.Begun, j.from)
			r.FullArea += j.under.until
			r.FullSpan += j.under.started - j.from
			used := j.used
			if j.done < s.Commands {
				used = s.meterOf(j.box).since(j.before)
			}
			used.copied += j.copied
			initiators.add(used)
		}
		r.Ended = max(r.Ended, j.to)
	}
	for _, threads := range s.targets {
		r.Stalls += threads[0].disk.Stalls
		for _, t := range threads {
			switch {
			case t.left:
				targets.add(t.used)
			case t.begun:
				targets.add(s.meterOf(t.box).since(t.before))
			}
		}
	}
	r.IOs = len(took)
	r.Latency = newSpread(took)
	s.rebuilt(&r)
	s.bounds(&r)
	span := r.Ended - r.Begun
	if r.IOs == 0 || span <= 0 {
		return r
	}
	r.PerSecond = perSecond(r.IOs, span)
	r.UnderWay = float64(r.Area) / float64(span)
	n := units.Time(r.IOs)
	r.Target, r.Initiator = targets.busy/n, initiators.busy/n
	r.Messages = float64(targets.messages+initiators.messages) / float64(r.IOs)
	r.Copies = float64(targets.copied+initiators.copied) / float64(r.Bytes)
	cores := s.usable()
	r.TargetLoad = float64(targets.busy) / float64(float64(span)*float64(cores))
	r.TargetKept = r.TargetLoad
	if !s.targets[0][0].thread.Sleeps() {
		r.TargetKept = 1
	}
	if r.Target > 0 {
		r.ByCores = float64(cores) / r.Target.Seconds()
	}
	return r
}

// rebuilt works out what a spare has got.
func (s *Storage) rebuilt(r *StorageResult) {
	if b := s.rebuild; b != nil && b.done > 0 {
		r.Rebuilt = units.Bytes(b.done) * s.Rebuild.Chunk
		r.RebuildRate = over(s.Rebuild.Chunk, b.done, b.to-b.from)
	}
}

// usable is how many cores work for the targets.
func (s *Storage) usable() int {
	if all := s.cluster.CPU.Cores; s.Channel.Transport == TCP && all > 0 {
		return all * len(s.targets)
	}
	return s.Cores * len(s.targets)
}

// MeanBlock is the mean size of operations.
func (s *Storage) MeanBlock() units.Bytes {
	var sum units.Bytes
	var shares int
	for _, b := range s.Blocks {
		sum += b.Size * units.Bytes(b.Share)
		shares += b.Share
	}
	return sum / units.Bytes(shares)
}

// bounds works out what theory allows.
func (s *Storage) bounds(r *StorageResult) {
	depth := len(s.jobs) * min(s.Depth, s.Commands)
	if s.Every > 0 {
		r.ByArrivals = float64(len(s.jobs)) * float64(units.Second) / s.Every
	}
	s.boundByDevices(r)
	s.boundByLinks(r)
	if empty := s.jobs[0].empty; len(empty) > 0 {
		r.Empty = newSpread(slices.Clone(empty)).Mean
		r.ByDepth = perSecond(depth, r.Empty)
		s.theory(r)
	}
}

// theory works out what an operation takes, out of its parts.
func (s *Storage) theory(r *StorageResult) {
	way, hop := s.jobs[0].hop, s.targets[0][0].hop
	if len(way) > 0 && len(hop) > 0 {
		r.Way, r.Hop = newSpread(slices.Clone(way)).Median, newSpread(slices.Clone(hop)).Median
	}
	if s.Reads == 0 && r.Way != units.Never && s.Device.StallChance == 0 && s.Device.Times == storage.Constant && len(s.Blocks) == 1 {
		device, size := s.Device.Write, s.Layout.part(s.Blocks[0].Size)
		if s.Device.Rate > 0 {
			device += s.Device.Rate.Serialise(int(size))
		}
		passed := r.Hop
		if s.Layout.Chain {
			passed = r.Hop * units.Time(s.Layout.Copies-1)
		} else {
			passed += units.Time(s.Layout.Copies-2) * s.nics(s.Targets[:1])[0].Rate().Serialise(int(size))
		}
		r.Theory = r.Way + max(device, passed+device)
	}
	d := &s.Device
	if s.Every == 0 || !s.Poisson || d.Times != storage.Constant || d.StallChance > 0 || d.Rate > 0 || d.Sustained > 0 || s.Layout.spread() > 1 || s.Reads > 0 && s.Reads < 100 {
		return
	}
	rate := r.ByArrivals / float64(len(s.targets)) / float64(units.Second)
	if wait, ok := storage.DeterministicWait(d.Channels, rate, d.Mean(s.Reads == 0)); ok {
		r.Queueing = r.Empty + units.Time(wait)
	}
}

// boundByDevices works out what devices allow.
func (s *Storage) boundByDevices(r *StorageResult) {
	reads := float64(s.Reads) / 100
	parts, copies := float64(s.Layout.parts()), float64(max(s.Layout.parts(), s.Layout.Copies))
	read, written := float64(reads*parts), float64((1-reads)*copies) // commands of devices for an operation
	busy := (float64(read*s.Device.Mean(false)) + float64(written*s.Device.Mean(true))) / float64(units.Second)
	bits := float64(8 * s.Layout.part(s.MeanBlock()))
	n := float64(len(s.targets))
	for _, b := range [...]struct{ most, each float64 }{
		{float64(n * float64(s.Device.Channels)), busy},
		{float64(n * float64(s.Device.Rate)), float64((read + written) * bits)},
		{float64(n * float64(s.Device.Sustained)), float64(written * bits)},
	} {
		if b.most > 0 && b.each > 0 && (r.ByDevice == 0 || b.most/b.each < r.ByDevice) {
			r.ByDevice = b.most / b.each
		}
	}
}

// boundByLinks works out what the links of targets and initiators allow, in each direction.
func (s *Storage) boundByLinks(r *StorageResult) {
	reads, parts := float64(s.Reads)/100, float64(s.Layout.parts())
	writes := 1 - reads
	passed := float64(writes * float64(max(1, s.Layout.Copies)-1)) // commands for an operation, from target to target
	size := s.Layout.part(s.MeanBlock())
	targets, initiators := s.nics(s.Targets), s.nics(s.Initiators)
	of := func(n *rnic.NIC) (read, written, command, answer float64) {
		return s.wireOfData(n, false, size), s.wireOfData(n, true, size), s.wire(n, s.commandSize(false, 0)), s.wire(n, max(1, s.answerSize(s.Reads == 0)))
	}
	for _, end := range [...]struct {
		nics  []*rnic.NIC
		takes func(n *rnic.NIC) float64
	}{
		{targets, func(n *rnic.NIC) float64 { // out
			read, written, command, answer := of(n)
			return float64(parts*(float64(reads*read)+answer)) + float64(passed*(written+command+answer))
		}},
		{targets, func(n *rnic.NIC) float64 { // in
			_, written, command, answer := of(n)
			return float64(parts*(float64(writes*written)+command)) + float64(passed*(written+command+answer))
		}},
		{initiators, func(n *rnic.NIC) float64 { // in
			read, _, _, answer := of(n)
			return float64(parts * (float64(reads*read) + answer))
		}},
		{initiators, func(n *rnic.NIC) float64 { // out
			_, written, command, _ := of(n)
			return float64(parts * (float64(writes*written) + command))
		}},
	} {
		var most float64
		for _, n := range end.nics {
			most += 1 / end.takes(n)
		}
		if r.ByLink == 0 || most < r.ByLink {
			r.ByLink = most
		}
	}
}

// nics are those of some hosts, each host once.
func (s *Storage) nics(hosts []int) (all []*rnic.NIC) {
	for i, at := range hosts {
		if !slices.Contains(hosts[:i], at) {
			all = append(all, s.cluster.Hosts[at].NICs()...)
		}
	}
	return all
}

// wireOfData is for how many seconds the data of a command keeps a NIC's link busy at the least.
func (s *Storage) wireOfData(n *rnic.NIC, write bool, size units.Bytes) float64 {
	if s.Channel.Transport == TCP {
		size, _ = s.Protocol.DataSize(write, size)
	}
	return s.wire(n, size)
}

// wire is that of a message.
func (s *Storage) wire(n *rnic.NIC, size units.Bytes) float64 {
	if s.Channel.Transport == TCP {
		// Headers are at least those of full segments: a packet may carry many messages.
		return float64(n.Rate().Serialise(int(size)).Seconds() * s.cluster.StreamOnWire())
	}
	return n.MessageTimes(size, false).Wire.Seconds()
}
