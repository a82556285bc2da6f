package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/storage"
)

// storageCommand is a command that a target has not answered yet.
type storageCommand struct {
	from int // channel
	tag  uint32
	size units.Bytes
	hops int // targets that it is to be passed on to
	left int // what has to be done before it is answered
}

// deviceEnd is a stage of a command at a device that will be over at a time.
type deviceEnd struct {
	command int
	next    int // stage; [storage.Stages] if the device is done
	at      units.Time
}

// storageTarget is a thread of a target.
type storageTarget struct {
	of       *Storage
	number   int // of the target
	thread   *host.Thread
	box      *Mailbox
	disk     *storage.Disk // of all threads of the target
	peers    []OneSided    // the other targets by number, itself left out; nil where none passes on anything
	users    int           // channels of those that give commands of their own: initiators
	commands slots[storageCommand]
	ends     pending[deviceEnd]
	asleep   bool // it has found nothing to do
	served   int
	byes     int
	ended    int          // of these, from users
	left     bool         // it has told the other targets that no more will come from it
	before   storageMeter // when the first command came that is no probe
	used     storageMeter // until it left
	begun    bool
	probes   int // commands to the next target that it makes before all others, which are left
	probing  bool
	probed   units.Time
	hop      []units.Time // what they took
	err      error
}

// storageMeter is what a thread has done so far.
type storageMeter struct {
	busy     units.Time
	messages int
	copied   units.Bytes
}

// meterOf reads what a mailbox and its thread have done; of messages those of operations, not those by which a spare gets its data.
func (o *Storage) meterOf(m *Mailbox) (s storageMeter) {
	s.busy = m.Busy()
	for _, c := range m.channels {
		if o.rebuild != nil && o.rebuild.joins(c) {
			continue
		}
		s.messages += c.Given()
		s.copied += c.Copied()
	}
	return s
}

// since is what has been done since a reading.
func (s storageMeter) since(before storageMeter) storageMeter {
	return storageMeter{s.busy - before.busy, s.messages - before.messages, s.copied - before.copied}
}

func (s *storageMeter) add(o storageMeter) {
	s.busy += o.busy
	s.messages += o.messages
	s.copied += o.copied
}

// Done implements [host.Program].
func (s *storageTarget) Done() bool {
	return s.err != nil || s.byes == s.box.Channels() && s.left && s.commands.used == 0 && s.box.Idle()
}

// Failed implements [host.Program].
func (s *storageTarget) Failed() error { return s.err }

// Waits implements [host.Program].
func (s *storageTarget) Waits() string {
	text := fmt.Sprintf("waits for commands; %d served, %d at the device, %d of %d others have left", s.served, s.ends.len(), s.byes, s.box.Channels())
	if why := s.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// fail ends the thread.
func (s *storageTarget) fail(err error) {
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("%w; %d commands served", err, s.served)
	}
}

// Step implements [host.Program].
func (s *storageTarget) Step(t *host.Thread) {
	for !s.Done() && !t.Working() {
		switch {
		case s.probe(t):
			continue
		case s.ends.due(t.Now()):
			s.over(t)
			continue
		case !s.left && s.ended == s.users && s.probes == 0:
			s.leave(t)
			continue
		}
		a, ok, err := s.box.Next(t)
		if err != nil {
			s.fail(err)
			return
		}
		if !ok {
			s.asleep = !t.Working()
			return
		}
		s.asleep = false
		s.take(t, &a)
	}
}

// leave tells the other targets that no more will come from this one: none that uses it does any more.
func (s *storageTarget) leave(t *host.Thread) {
	s.left, s.used = true, s.of.meterOf(s.box).since(s.before)
	for _, c := range s.box.channels {
		if !s.isUser(c) {
			s.fail(s.of.leave(t, c))
		}
	}
}

// isUser tells whether a channel is that of an initiator.
func (s *storageTarget) isUser(c OneSided) bool {
	for _, p := range s.peers {
		if p == c {
			return false
		}
	}
	return s.of.rebuild == nil || !s.of.rebuild.joins(c)
}

// probe gives a command to the next target, which does not pass it on, to measure the way there; it tells whether it has.
func (s *storageTarget) probe(t *host.Thread) bool {
	if s.probes == 0 || s.probing {
		return false
	}
	if due := s.of.Start + s.of.settle() - settling/2; t.Now() < due {
		if s.probed == 0 {
			s.probed = due
			t.CallAt(due)
		}
		return false
	}
	s.probing, s.probed = true, t.Now()
	t.Work(s.of.InitiatorSoftware / 2)
	_, size := s.of.operation(0, 0)
	s.fail(s.of.give(t, s.peers[1], storageWrite|storageBare|storageProbe|storageCopied, size, 0))
	return true
}

// take takes a message, or the data of a command that writes.
func (s *storageTarget) take(t *host.Thread, a *Arrival) {
	switch {
	case a.Got:
		s.have(t, int(a.Tag))
	case a.Tag&storageAnswer != 0:
		s.passed(t, a)
	case a.Tag&storageKinds == storageBye:
		s.byes++
		if s.isUser(s.box.channels[a.From]) {
			s.ended++
		}
	case a.Tag&storageKinds == storageOpen:
		s.fail(s.box.channels[a.From].Send(t, host.Message{Size: s.of.Protocol.Opened, Tag: a.Tag | storageAnswer}))
	default:
		s.command(t, a)
	}
}

// command takes a command.
func (s *storageTarget) command(t *host.Thread, a *Arrival) {
	if a.Tag&storageProbe == 0 && !s.begun {
		s.begun, s.before = true, s.of.meterOf(s.box)
	}
	t.Work(s.of.TargetSoftware / 2)
	size := units.Bytes(a.B)
	i := s.commands.take(storageCommand{from: a.From, tag: a.Tag, size: size, hops: int(a.A)})
	write := a.Tag&storageKinds == storageWrite
	if write && s.of.inline(write, size) == 0 {
		s.fail(s.box.channels[a.From].Get(t, size, uint32(i)))
		return
	}
	s.have(t, i)
}

// have goes on with a command of which all is here.
func (s *storageTarget) have(t *host.Thread, i int) {
	c := s.commands.at(i)
	write := c.tag&storageKinds == storageWrite
	if write {
		t.Work(s.of.digest(c.size))
	}
	if c.tag&storageBare != 0 {
		s.finish(t, i)
		return
	}
	c.left = 1
	s.passOn(t, i, c)
	s.goOn(t, deviceEnd{i, 0, t.Now()})
}

// passOn gives what is written to the targets that follow.
func (s *storageTarget) passOn(t *host.Thread, i int, c *storageCommand) {
	tag := uint32(i)<<storageSlot | storageWrite | storageCopied | c.tag&storageProbe
	for k := range c.hops {
		hops := 0
		if s.of.Layout.Chain {
			hops = c.hops - 1
		}
		t.Work(s.of.InitiatorSoftware / 2)
		s.fail(s.of.give(t, s.peers[(s.number+1+k)%len(s.peers)], tag, c.size, hops))
		c.left++
		if s.of.Layout.Chain {
			return
		}
	}
}

// goOn has the device go on with a command. What goes on in the device does not wait for the thread.
func (s *storageTarget) goOn(t *host.Thread, e deviceEnd) {
	c := s.commands.at(e.command)
	from := e.at
	for e.next < storage.Stages && e.at == from {
		e.at = s.disk.Step(e.next, c.tag&storageKinds == storageWrite, c.size, e.at)
		e.next++
	}
	s.ends.add(e.at, e)
	t.CallAt(e.at)
}

// over goes on after what is over first.
func (s *storageTarget) over(t *host.Thread) {
	if s.ends.first().next < storage.Stages {
		s.goOn(t, s.ends.take())
		return
	}
	if s.asleep && t.Sleeps() {
		s.asleep = false
		if t.Work(s.of.wake); t.Working() {
			return
		}
	}
	s.less(t, s.ends.take().command)
}

// passed goes on after the answer of another target.
func (s *storageTarget) passed(t *host.Thread, a *Arrival) {
	t.Work(s.of.InitiatorSoftware - s.of.InitiatorSoftware/2)
	if a.Tag&storageBare != 0 {
		s.probing = false
		s.probes--
		s.hop = append(s.hop, t.Now()-s.probed)
		return
	}
	s.less(t, int(a.Tag>>storageSlot))
}

// less counts something of a command that is done, and answers it when that is all.
func (s *storageTarget) less(t *host.Thread, i int) {
	c := s.commands.at(i)
	if c.left--; c.left == 0 {
		s.finish(t, i)
	}
}

// finish answers a command.
func (s *storageTarget) finish(t *host.Thread, i int) {
	c := *s.commands.at(i)
	s.commands.give(i)
	t.Work(s.of.TargetSoftware - s.of.TargetSoftware/2)
	s.fail(s.of.answer(t, s.box.channels[c.from], c.tag, c.size))
	s.served++
}

// slots are places that are used again.
type slots[T any] struct {
	all  []T
	free []int
	used int
}

// take takes a place for a value.
func (s *slots[T]) take(v T) int {
	s.used++
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		s.all[i] = v
		return i
	}
	s.all = append(s.all, v)
	return len(s.all) - 1
}

// at is what is in a place, until the next is taken.
func (s *slots[T]) at(i int) *T { return &s.all[i] }

// give gives a place back.
func (s *slots[T]) give(i int) {
	s.used--
	s.free = append(s.free, i)
}
