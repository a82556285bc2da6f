package programs

import (
	"fmt"
	"math"
	"slices"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
)

// storageOp is an operation of a job that is under way.
type storageOp struct {
	arrived, posted units.Time
	write           bool
	size            units.Bytes
	tag             uint32 // of its commands, without the place
	first           int    // target
	back            int    // answers that have come
	parity          bool   // some of those that counted
}

// StorageSample is an operation that is done.
type StorageSample struct {
	// Waited is the time until its last command was posted, from when it began, or in an open loop from when it was to; Took that
	// until it was done.
	Waited, Took units.Time
	Write        bool
	Size         units.Bytes
}

// storageJob is the program of an initiator.
type storageJob struct {
	of      *Storage
	number  int
	thread  *host.Thread
	box     *Mailbox
	ops     slots[storageOp]
	opened  int  // sessions
	opening bool // they have been asked for
	probes  int  // operations that go before all others and are left, and likewise writes that targets do nothing about
	bare    int
	probing bool
	empty   []units.Time // what they took
	hop     []units.Time
	begun   bool
	random  variate.Source // of arrivals
	due     units.Time     // of the next
	arrived int
	backlog queue[units.Time] // of those that wait for a place
	started int
	done    int
	late    int // answers that have not come though their operation is done
	left    bool
	from    units.Time
	to      units.Time
	before  storageMeter // when it began
	used    storageMeter // until it was done
	samples []StorageSample
	copied  units.Bytes // between what came and who wanted it
	under   littleMeter
	err     error
}

// littleMeter integrates how many operations are under way over time.
type littleMeter struct {
	now     int
	changed units.Time
	area    units.Time // operations times picoseconds
	started units.Time // when the last began, and what the integral was then
	until   units.Time
}

// add counts operations that begin or end at a time. What began while its job was at work with something else is told late.
func (m *littleMeter) add(n int, at units.Time) {
	if at < m.changed {
		m.area += units.Time(n) * (m.changed - at)
		at = m.changed
	}
	m.area += units.Time(m.now) * (at - m.changed)
	m.now += n
	m.changed = at
	if n > 0 {
		m.started, m.until = at, m.area
	}
}

// Done implements [host.Program].
func (j *storageJob) Done() bool {
	return j.err != nil || j.left && j.box.Idle()
}

// Failed implements [host.Program].
func (j *storageJob) Failed() error { return j.err }

// Waits implements [host.Program].
func (j *storageJob) Waits() string {
	text := fmt.Sprintf("waits for the answer of %s; %d of %d operations done", j.waitsFor(), j.done, j.of.Commands)
	if why := j.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// waitsFor names the target of the first operation under way, and how many more may have to answer.
func (j *storageJob) waitsFor() string {
	if len(j.of.Targets) == 1 {
		return j.box.channels[0].Peer()
	}
	return fmt.Sprintf("%d targets from %s to %s", len(j.of.Targets), j.box.channels[0].Peer(), j.box.channels[len(j.of.Targets)-1].Peer())
}

// fail ends the job.
func (j *storageJob) fail(err error) {
	if err != nil && j.err == nil {
		j.err = fmt.Errorf("%w; %d of %d operations done", err, j.done, j.of.Commands)
	}
}

// Step implements [host.Program].
func (j *storageJob) Step(t *host.Thread) {
	for !j.Done() && !t.Working() {
		if j.begin(t) || j.next(t) {
			continue
		}
		a, ok, err := j.box.Next(t)
		if j.fail(err); !ok {
			return
		}
		j.take(t, &a)
	}
}

// begin does what is to be done before the first operation, and makes the first ones of a closed loop when it is time; it tells
// whether it has done anything.
func (j *storageJob) begin(t *host.Thread) bool {
	if j.begun || j.probing {
		return false
	}
	due := j.of.Start + j.of.settle()
	switch {
	case !j.opening && !j.of.overRDMA() && j.of.Protocol.Open > 0:
		j.opening = true
		for _, c := range j.box.channels {
			j.fail(c.Send(t, host.Message{Size: j.of.Protocol.Open, Tag: storageOpen}))
		}
		return true
	case j.opening && j.opened < j.box.Channels():
		return false
	case j.probes > 0:
		write, size := j.of.operation(0, j.probes)
		j.probing = true
		j.make(t, t.Now(), write, size, storageProbe)
		return true
	case j.bare > 0:
		_, size := j.of.operation(0, 0)
		j.probing = true
		j.make(t, t.Now(), true, size, storageProbe|storageBare)
		return true
	case t.Now() < due:
		t.CallAt(due)
		return false
	}
	j.begun, j.from, j.before = true, t.Now(), j.of.meterOf(j.box)
	j.under.changed = t.Now()
	if j.of.Every > 0 {
		j.due = t.Now()
		j.schedule(t, true)
		return true
	}
	for range min(j.of.Depth, j.of.Commands) {
		j.start(t, t.Now())
	}
	return true
}

// schedule sets when the next operation of an open loop is to begin. The first is as far away as anybody who begins to look finds it.
func (j *storageJob) schedule(t *host.Thread, first bool) {
	gap := j.of.Every
	switch {
	case j.of.Poisson:
		gap = float64(gap * variate.Exponential(j.random))
	case first:
		gap = float64(gap * variate.Uniform(j.random))
	}
	j.due += units.Time(math.Round(gap))
	t.CallAt(j.due)
}

// next begins an operation of an open loop if it is time and there is a place for it; it tells whether it has.
func (j *storageJob) next(t *host.Thread) bool {
	if !j.begun || j.of.Every == 0 {
		return false
	}
	for j.arrived < j.of.Commands && j.due <= t.Now() {
		j.backlog.push(j.due)
		j.under.add(1, j.due)
		if j.arrived++; j.arrived < j.of.Commands {
			j.schedule(t, false)
		}
	}
	if j.started-j.done >= j.of.Depth {
		return false
	}
	at, ok := j.backlog.pop()
	if ok {
		j.start(t, at)
	}
	return ok
}

// start begins the next operation, which was to begin at a time.
func (j *storageJob) start(t *host.Thread, at units.Time) {
	if j.of.Every == 0 {
		j.under.add(1, t.Now())
	}
	write, size := j.of.operation(j.number, j.started)
	number := j.started
	j.started++
	j.makeAt(t, at, j.of.place(j.number, number), write, size, 0)
}

// make begins an operation at the first target.
func (j *storageJob) make(t *host.Thread, at units.Time, write bool, size units.Bytes, flags uint32) {
	j.makeAt(t, at, 0, write, size, flags)
}

// makeAt gives the commands of an operation.
func (j *storageJob) makeAt(t *host.Thread, at units.Time, first int, write bool, size units.Bytes, flags uint32) {
	l := &j.of.Layout
	tag := flags // of a read
	if write {
		tag = flags | storageWrite
		j.move(t, size)
		if l.Parity > 0 {
			j.code(t, size)
		}
	}
	i := j.ops.take(storageOp{arrived: at, write: write, size: size, tag: tag, first: first})
	hops := 0
	if write {
		hops = max(0, l.Copies-1)
	}
	for k := range l.parts() {
		t.Work(j.of.InitiatorSoftware / 2)
		to := j.box.channels[(first+k)%len(j.of.targets)]
		j.fail(j.of.give(t, to, uint32(i)<<storageSlot|tag, l.part(size), hops))
	}
	j.ops.at(i).posted = t.Now()
}

// move copies data between who reads or writes it and what the network brings or takes, if that is not one place.
func (j *storageJob) move(t *host.Thread, size units.Bytes) {
	if j.of.CopyRate > 0 {
		j.copied += size
		t.Work(j.of.CopyRate.Serialise(int(size)))
	}
}

// code works out parity, or data from it.
func (j *storageJob) code(t *host.Thread, size units.Bytes) {
	if rate := j.of.Layout.Coding; rate > 0 {
		t.Work(rate.Serialise(int(size)))
	}
}

// take goes on after an answer.
func (j *storageJob) take(t *host.Thread, a *Arrival) {
	switch {
	case a.Tag&storageKinds == storageOpen:
		j.opened++
		return
	case a.Tag&storageKinds == storageBye:
		return
	}
	t.Work(j.of.InitiatorSoftware - j.of.InitiatorSoftware/2)
	i := int(a.Tag >> storageSlot)
	if a.A != mixed(uint64(a.Tag&^storageAnswer)) {
		j.fail(fmt.Errorf("%s answered command %d wrongly", j.box.channels[a.From].Peer(), i))
		return
	}
	op, l := j.ops.at(i), &j.of.Layout
	part := (a.From - op.first + len(j.of.targets)) % len(j.of.targets)
	if !op.write {
		t.Work(j.of.digest(l.part(op.size)))
	}
	op.back++
	enough, all := l.parts(), l.parts()
	if !op.write && l.Data > 0 {
		enough = l.Data
	}
	if op.back <= enough && l.Data > 0 && part >= l.Data {
		op.parity = true
	}
	if op.back > enough {
		j.late--
	}
	if op.back == enough {
		j.late += all - enough
	}
	finished := *op
	if op.back == all {
		j.ops.give(i)
	}
	if finished.back == enough {
		j.finish(t, &finished)
	}
	j.leave(t)
}

// finish goes on after an operation.
func (j *storageJob) finish(t *host.Thread, op *storageOp) {
	if !op.write {
		if op.parity {
			j.code(t, op.size)
		}
		j.move(t, op.size)
	}
	took := t.Now() - op.arrived
	switch {
	case op.tag&storageBare != 0:
		j.probing = false
		j.bare--
		j.hop = append(j.hop, took)
		return
	case op.tag&storageProbe != 0:
		j.probing = false
		j.probes--
		j.empty = append(j.empty, took)
		return
	}
	j.samples = append(j.samples, StorageSample{op.posted - op.arrived, took, op.write, op.size})
	j.under.add(-1, t.Now())
	j.done++
	if j.of.Every == 0 && j.started < j.of.Commands {
		j.start(t, t.Now())
	}
	if j.done == j.of.Commands {
		j.to = t.Now()
		j.used = j.of.meterOf(j.box).since(j.before)
	}
}

// leave tells targets that no more will come when all answers have.
func (j *storageJob) leave(t *host.Thread) {
	if j.left || j.done < j.of.Commands || j.late > 0 {
		return
	}
	j.left = true
	for _, c := range slices.Clone(j.box.channels) {
		j.fail(j.of.leave(t, c))
	}
}
