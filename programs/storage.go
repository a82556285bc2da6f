package programs

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// StorageOptions are those of initiators that read and write blocks of a target.
type StorageOptions struct {
	Initiators []int // hosts, one for each job; several of one host are threads of it
	Target     int   // none of the initiators
	Cores      int   // threads of the target, at least 1
	// Events has the target's threads sleep until a command has come or a device is done; else they poll.
	Events bool
	// InitiatorEvents likewise has the initiators' threads sleep.
	InitiatorEvents bool
	// Depth is how many commands a job has under way, Commands how many it gives, at least 1.
	Depth, Commands int
	Block           units.Bytes
	Reads           int // of a hundred commands; the rest are writes
	// TargetSoftware and InitiatorSoftware are what an I/O takes a processor at either end
	// beside verbs or system calls, half when it begins and half when it ends.
	TargetSoftware, InitiatorSoftware units.Time
	// InCapsule is the most data of a write that travels with its command.
	InCapsule units.Bytes
	Device    Device
	Start     units.Time
	Channel   ChannelOptions // of it, data classes only: all else follows from the protocol
}

// Device is the storage of a target.
type Device struct {
	Channels    int // that work at the same time, at least 1
	Read, Write units.Time
	Rate        units.Rate // at which data of all channels go to or from it; 0 if that takes no time
}

// Sizes of the capsules of NVMe over Fabrics 1.1, and of what NVMe over TCP has in front of each.
const (
	commandCapsule units.Bytes = 64
	answerCapsule  units.Bytes = 16
	commonHeader   units.Bytes = 8
)

// Storage is initiators that read and write blocks of a target, as NVMe over Fabrics does: a command
// is a message of 64 bytes, its answer one of 16. Data that is read the target writes into the
// initiator's memory before it answers; data that is to be written it reads there, unless it came with the command.
// Over TCP it sends the one before its answer, and asks for the other (R2T).
type Storage struct {
	StorageOptions
	jobs    []*storageJob
	targets []*storageTarget
	devices deviceState
	wake    units.Time // from a device's interrupt until a thread runs that sleeps
	target  string
}

// NewStorage makes the programs on hosts of a cluster. It is an error if they cannot reach each
// other.
func NewStorage(c *host.Cluster, o StorageOptions) (*Storage, error) {
	s := &Storage{StorageOptions: o, target: nameOf(c, o.Target), wake: c.Rouse()}
	s.devices.free = make([]units.Time, o.Device.Channels)
	s.Channel.Header, s.Channel.Eager, s.Channel.Memory = 0, commandCapsule, o.Block
	if o.Channel.Transport == TCP {
		s.Channel.Header = commonHeader
	}
	if o.Block <= o.InCapsule {
		s.Channel.Eager += o.Block
	}
	// Never more than Depth commands are under way, and each answer brings their credits back.
	s.Channel.Credits = 2*o.Depth + 4
	for i := range o.Cores {
		t := &storageTarget{of: s}
		t.thread = c.AddThread(o.Target, t, mailboxThread(c, &o.Channel, fmt.Sprintf("storage target %d", i), o.Start, o.Events))
		t.box = NewMailbox(c, o.Target, t.thread)
		s.targets = append(s.targets, t)
	}
	for i, at := range o.Initiators {
		j := &storageJob{of: s, number: i, began: make([]units.Time, min(o.Depth, o.Commands))}
		j.thread = c.AddThread(at, j, mailboxThread(c, &o.Channel, "storage initiator", o.Start, o.InitiatorEvents))
		j.box = NewMailbox(c, at, j.thread)
		if i == 0 {
			j.probes = pings
		}
		if _, _, err := Open(j.box, s.targets[i%o.Cores].box, i, s.Channel); err != nil {
			return nil, err
		}
		s.jobs = append(s.jobs, j)
	}
	return s, nil
}

// TargetName is the name of the target's host.
func (s *Storage) TargetName() string { return s.target }

// Operations of commands, in the lower half of their tags; the upper half is the place among those
// under way.
const (
	storageRead uint32 = iota
	storageWrite
	storageBye
)

// probeSlot is the place of commands that go before all others.
const probeSlot = 0xffff

// operation is what a command of a job is.
func (s *Storage) operation(job, number int) uint32 {
	if int(mixed(uint64(job)<<32|uint64(number))%100) < s.Reads {
		return storageRead
	}
	return storageWrite
}

// capsule is how long a command is.
func (s *Storage) capsule(operation uint32) units.Bytes {
	if operation == storageWrite && s.Block <= s.InCapsule {
		return commandCapsule + s.Block
	}
	return commandCapsule
}

// storageJob is the program of an initiator.
type storageJob struct {
	of      *Storage
	number  int
	thread  *host.Thread
	box     *Mailbox
	began   []units.Time // commands under way
	probes  int          // left
	probing bool
	probed  units.Time
	empty   []units.Time // what they took
	begun   bool
	started int
	done    int
	from    units.Time
	to      units.Time
	busy    units.Time // of the thread when it began
	took    []units.Time
	err     error
}

// Done implements [host.Program].
func (j *storageJob) Done() bool {
	return j.err != nil || j.done == j.of.Commands && j.box.Idle()
}

// Failed implements [host.Program].
func (j *storageJob) Failed() error { return j.err }

// Waits implements [host.Program].
func (j *storageJob) Waits() string {
	text := fmt.Sprintf("waits for the answer of %s; %d of %d commands done", j.of.target, j.done, j.of.Commands)
	if why := j.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// Step implements [host.Program].
func (j *storageJob) Step(t *host.Thread) {
	for !j.Done() && !t.Working() {
		if j.begin(t) {
			continue
		}
		a, ok, err := j.box.Next(t)
		if err != nil {
			j.err = fmt.Errorf("%w; %d of %d commands done", err, j.done, j.of.Commands)
		}
		if !ok {
			return
		}
		j.answered(t, &a)
	}
}

// begin gives a command that goes before all others, or the first when it is time; it tells
// whether it has.
func (j *storageJob) begin(t *host.Thread) bool {
	switch due := j.of.Start + settling; {
	case j.begun || j.probing:
		return false
	case j.probes > 0:
		j.probing, j.probed = true, t.Now()
		j.give(t, probeSlot, j.of.operation(0, j.probes))
		return true
	case t.Now() < due:
		t.CallAt(due)
		return false
	}
	j.begun, j.from, j.busy = true, t.Now(), j.box.Busy()
	for i := range j.began {
		j.next(t, i)
	}
	return true
}

// next gives the next command in a place.
func (j *storageJob) next(t *host.Thread, slot int) {
	j.began[slot] = t.Now()
	j.give(t, slot, j.of.operation(j.number, j.started))
	j.started++
}

// give gives a command.
func (j *storageJob) give(t *host.Thread, slot int, operation uint32) {
	t.Work(j.of.InitiatorSoftware / 2)
	err := j.box.Channel(0).Send(t, host.Message{Size: j.of.capsule(operation), Tag: uint32(slot)<<16 | operation, A: uint64(slot)})
	if err != nil && j.err == nil {
		j.err = err
	}
}

// answered goes on after an answer.
func (j *storageJob) answered(t *host.Thread, a *Arrival) {
	t.Work(j.of.InitiatorSoftware - j.of.InitiatorSoftware/2)
	slot := int(a.Tag >> 16)
	if a.A != mixed(uint64(slot)) {
		j.err = fmt.Errorf("%s answered command %d wrongly", j.of.target, slot)
	}
	if slot == probeSlot {
		j.empty = append(j.empty, t.Now()-j.probed)
		j.probes--
		j.probing = false
		return
	}
	j.took = append(j.took, t.Now()-j.began[slot])
	j.done++
	switch {
	case j.started < j.of.Commands:
		j.next(t, slot)
	case j.done == j.of.Commands:
		j.to = t.Now()
		if err := j.box.Channel(0).Send(t, host.Message{Size: commandCapsule, Tag: storageBye}); err != nil {
			j.err = err
		}
	}
}

// deviceState is what a target's device is at.
type deviceState struct {
	free []units.Time // when each channel is
	bus  units.Time   // when the last data will have been transferred
	busy units.Time   // of all channels
}

// submit has a device do something from a time on: it is when that is done. It takes the channel
// that is free first.
func (d *deviceState) submit(o *Device, takes units.Time, size units.Bytes, now units.Time) units.Time {
	k := 0
	for i, free := range d.free {
		if free < d.free[k] {
			k = i
		}
	}
	end := max(now, d.free[k]) + takes
	if o.Rate > 0 {
		d.bus = max(d.bus, end) + o.Rate.Serialise(int(size))
		end = d.bus
	}
	d.free[k] = end
	d.busy += takes
	return end
}

// deviceEnd is something that a device will have done at a time.
type deviceEnd struct {
	from int // channel
	tag  uint32
}

// storageTarget is a thread of the target.
type storageTarget struct {
	of     *Storage
	thread *host.Thread
	box    *Mailbox
	ends   pending[deviceEnd] // of what it has submitted
	asleep bool               // it has found nothing to do
	served int
	byes   int
	from   units.Time // of the first command, likewise the last
	to     units.Time
	busy   units.Time // of the thread when the jobs began
	begun  bool
	err    error
}

// Done implements [host.Program].
func (s *storageTarget) Done() bool {
	return s.err != nil || s.byes == s.box.Channels() && s.box.Idle()
}

// Failed implements [host.Program].
func (s *storageTarget) Failed() error { return s.err }

// Waits implements [host.Program].
func (s *storageTarget) Waits() string {
	text := fmt.Sprintf("waits for commands; %d served, %d at the device, %d of %d initiators have left", s.served, s.ends.len(), s.byes, s.box.Channels())
	if why := s.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// Step implements [host.Program].
func (s *storageTarget) Step(t *host.Thread) {
	for !s.Done() && !t.Working() {
		if s.ends.due(t.Now()) {
			if s.asleep && t.Sleeps() {
				s.asleep = false
				t.Work(s.of.wake)
				continue
			}
			s.finish(t)
			continue
		}
		a, ok, err := s.box.Next(t)
		if err != nil {
			s.err = fmt.Errorf("%w; %d commands served", err, s.served)
			return
		}
		if !ok {
			s.asleep = !t.Working()
			return
		}
		s.asleep = false
		if s.take(t, &a); s.err != nil {
			return
		}
	}
}

// take takes a command, or the data of one that writes.
func (s *storageTarget) take(t *host.Thread, a *Arrival) {
	operation, probe := a.Tag&0xffff, a.Tag>>16 == probeSlot
	if operation == storageBye {
		s.byes++
		return
	}
	if !a.Got {
		if !probe && !s.begun {
			s.begun, s.from, s.busy = true, t.Now(), s.box.Busy()
		}
		t.Work(s.of.TargetSoftware / 2)
		if operation == storageWrite && s.of.Block > s.of.InCapsule {
			s.err = s.box.channels[a.From].Get(t, s.of.Block, a.Tag)
			return
		}
	}
	takes := s.of.Device.Read
	if operation == storageWrite {
		takes = s.of.Device.Write
	}
	end := s.of.devices.submit(&s.of.Device, takes, s.of.Block, t.Now())
	s.ends.add(end, deviceEnd{a.From, a.Tag})
	t.CallAt(end)
}

// finish answers the command that the device has done first.
func (s *storageTarget) finish(t *host.Thread) {
	e := s.ends.take()
	t.Work(s.of.TargetSoftware - s.of.TargetSoftware/2)
	to := s.box.channels[e.from]
	if e.tag&0xffff == storageRead {
		s.err = to.Put(s.of.Block)
	}
	if err := to.Send(t, host.Message{Size: answerCapsule, Tag: e.tag, A: mixed(uint64(e.tag >> 16))}); s.err == nil {
		s.err = err
	}
	s.served++
	s.to = t.Now()
}

// StorageResult is what initiators have measured.
type StorageResult struct {
	IOs     int // that are done
	Latency Spread
	// PerSecond are I/Os in a second from the first to the last.
	PerSecond float64
	// UnderWay is the product of rate and latency: by Little's law what is under way in the mean.
	UnderWay float64
	// Empty is what an I/O takes when no other is under way, the median of some; Never if it is not
	// known.
	Empty units.Time
	// ByDepth, ByDevice and ByLink are the most that queue depth and Empty, the channels and the rate of the
	// device, and the target's links would allow a second; 0 where they set no bound. ByCores is what the target's
	// cores would, if each I/O took them as long as it did: those of its threads, and over TCP all
	// of the host, on which its kernel works.
	ByDepth, ByDevice, ByLink, ByCores float64
	// Target and Initiator are the processor time of an I/O at either end; TargetLoad is the share
	// of these cores that this is, and TargetKept that which the target keeps from others.
	Target, Initiator      units.Time
	TargetLoad, TargetKept float64
}

// Result is what the initiators have measured.
func (s *Storage) Result() StorageResult {
	r := StorageResult{Empty: units.Never}
	var took []units.Time
	from, to := units.Never, units.Time(0)
	var initiator, target units.Time
	for _, j := range s.jobs {
		took = append(took, j.took...)
		if j.begun {
			from, initiator = min(from, j.from), initiator+j.box.Busy()-j.busy
		}
		to = max(to, j.to)
	}
	for _, t := range s.targets {
		if t.begun {
			target += t.box.Busy() - t.busy
		}
	}
	r.IOs = len(took)
	r.Latency = newSpread(took)
	s.bounds(&r)
	span := to - from
	if r.IOs == 0 || span <= 0 {
		return r
	}
	r.PerSecond = perSecond(r.IOs, span)
	r.UnderWay = float64(r.PerSecond * r.Latency.Mean.Seconds())
	n := units.Time(r.IOs)
	r.Target, r.Initiator = target/n, initiator/n
	cores := s.usable()
	r.TargetLoad = float64(target) / float64(float64(span)*float64(cores))
	r.TargetKept = r.TargetLoad
	if !s.targets[0].thread.Sleeps() {
		r.TargetKept = 1
	}
	if r.Target > 0 {
		r.ByCores = float64(cores) / r.Target.Seconds()
	}
	return r
}

// usable is how many cores work for the target.
func (s *Storage) usable() int {
	if all := s.targets[0].box.cluster.CPU.Cores; s.Channel.Transport == TCP && all > 0 {
		return all
	}
	return s.Cores
}

// bounds works out what theory allows.
func (s *Storage) bounds(r *StorageResult) {
	if empty := s.jobs[0].empty; len(empty) > 0 {
		r.Empty = newSpread(slices.Clone(empty)).Median
		depth := 0
		for _, j := range s.jobs {
			depth += len(j.began)
		}
		r.ByDepth = perSecond(depth, r.Empty)
	}
	reads := float64(s.Reads) / 100
	each := float64(reads*s.Device.Read.Seconds()) + float64((1-reads)*s.Device.Write.Seconds())
	if each > 0 {
		r.ByDevice = float64(s.Device.Channels) / each
	}
	bytes := float64(8 * s.Block)
	if s.Device.Rate > 0 {
		if most := float64(s.Device.Rate) / bytes; r.ByDevice == 0 || most < r.ByDevice {
			r.ByDevice = most
		}
	}
	// The link towards the initiators carries data that is read and answers, that from them commands and
	// data that is written.
	var there, back float64
	c := s.targets[0].box.cluster
	for _, n := range c.Hosts[s.Target].NICs() {
		out, in := s.wire(n, s.Block), s.wire(n, commandCapsule)
		there += 1 / (float64(reads*out) + s.wire(n, answerCapsule))
		back += 1 / (float64((1-reads)*out) + in)
	}
	r.ByLink = min(there, back)
}

// wire is for how many seconds a message keeps a NIC's link busy at the least.
func (s *Storage) wire(n *rnic.NIC, size units.Bytes) float64 {
	if s.Channel.Transport == TCP {
		return n.Rate().Serialise(int(size)).Seconds() // and headers, of one packet for many messages perhaps
	}
	return n.MessageTimes(size, false).Wire.Seconds()
}
