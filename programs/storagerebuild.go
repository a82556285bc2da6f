package programs

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/storage"
)

// RebuildOptions are those of a spare target that gets its data from the others.
type RebuildOptions struct {
	Spare int // host; none of the initiators and targets
	// Size is what is to be rebuilt; 0 for as much as there is time for until the initiators are done.
	Size  units.Bytes
	Chunk units.Bytes
	// Rate is how much is begun in a time at the most; 0 for no throttle. Depth is how many chunks are under way at the most.
	Rate  units.Rate
	Depth int
}

// storageRebuild is the program of a spare: it reads chunks from targets, of parts as many for each chunk as an operation has
// data parts, and writes what it has to its own device.
type storageRebuild struct {
	of     *Storage
	thread *host.Thread
	box    *Mailbox
	disk   *storage.Disk
	chunks slots[rebuildChunk]
	ends   pending[int]
	begun  bool
	called bool // at the time when the next chunk may begin
	given  int
	done   int
	byes   int // threads of targets that serve no initiators any more
	left   bool
	from   units.Time
	to     units.Time
	before storageMeter
	err    error
}

// rebuildChunk is one under way.
type rebuildChunk struct{ left int }

// addRebuild makes the program of the spare.
func (s *Storage) addRebuild() error {
	if s.Rebuild == nil {
		return nil
	}
	r := &storageRebuild{of: s, disk: storage.NewDisk(&s.Device, s.Random("device/"+nameOf(s.cluster, s.Rebuild.Spare)))}
	r.thread = s.cluster.AddThread(s.Rebuild.Spare, r, mailboxThread(s.cluster, &s.Channel, "storage rebuild", s.Start, s.InitiatorEvents))
	r.box = NewMailbox(s.cluster, s.Rebuild.Spare, r.thread)
	o := s.Channel
	o.Credits = 2*s.Rebuild.Depth + 4
	for _, threads := range s.targets {
		for k, t := range threads {
			if _, _, err := Open(r.box, t.box, k, o); err != nil {
				return err
			}
		}
	}
	s.rebuild = r
	return nil
}

// joins tells whether a channel of a target leads to the spare.
func (r *storageRebuild) joins(c OneSided) bool {
	return c.Peer() == nameOf(r.of.cluster, r.of.Rebuild.Spare)
}

// Done implements [host.Program].
func (r *storageRebuild) Done() bool {
	return r.err != nil || r.left && r.byes == r.box.Channels() && r.box.Idle()
}

// Failed implements [host.Program].
func (r *storageRebuild) Failed() error { return r.err }

// Waits implements [host.Program].
func (r *storageRebuild) Waits() string {
	text := fmt.Sprintf("waits for data to rebuild; %d chunks done, %d under way", r.done, r.chunks.used)
	if why := r.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// fail ends the program.
func (r *storageRebuild) fail(err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%w; %d chunks rebuilt", err, r.done)
	}
}

// Step implements [host.Program].
func (r *storageRebuild) Step(t *host.Thread) {
	for !r.Done() && !t.Working() {
		switch {
		case r.ends.due(t.Now()):
			r.wrote(t)
			continue
		case r.next(t):
			continue
		}
		a, ok, err := r.box.Next(t)
		if r.fail(err); !ok {
			return
		}
		r.take(t, &a)
	}
}

// all tells whether no more chunks are to be begun.
func (r *storageRebuild) all() bool {
	o := r.of.Rebuild
	if o.Size > 0 {
		return units.Bytes(r.given)*o.Chunk >= o.Size
	}
	return r.byes == r.box.Channels()
}

// next begins a chunk if it is time for one, or ends the work; it tells whether it has.
func (r *storageRebuild) next(t *host.Thread) bool {
	o := r.of.Rebuild
	due := r.of.Start + r.of.settle()
	switch {
	case r.left:
		return false
	case r.all():
		if r.chunks.used > 0 {
			return false
		}
		r.left = true
		for _, c := range slices.Clone(r.box.channels) {
			r.fail(r.of.leave(t, c))
		}
		return true
	case r.chunks.used >= o.Depth:
		return false
	}
	if o.Rate > 0 {
		due += units.Time(r.given) * o.Rate.Serialise(int(o.Chunk))
	}
	if t.Now() < due {
		if !r.called {
			r.called = true
			t.CallAt(due)
		}
		return false
	}
	r.called = false
	if !r.begun {
		r.begun, r.from, r.before = true, t.Now(), r.of.meterOf(r.box)
	}
	parts := max(1, r.of.Layout.Data)
	i := r.chunks.take(rebuildChunk{left: parts})
	n, cores := len(r.of.targets), r.of.Cores
	for k := range parts {
		t.Work(r.of.InitiatorSoftware / 2)
		to := r.box.channels[(r.given+k)%n*cores+r.given/n%cores]
		r.fail(r.of.give(t, to, uint32(i)<<storageSlot|storageCopied, o.Chunk, 0))
	}
	r.given++
	return true
}

// take goes on after a part, or when a target has no more to do.
func (r *storageRebuild) take(t *host.Thread, a *Arrival) {
	if a.Tag&storageKinds == storageBye {
		r.byes++
		return
	}
	t.Work(r.of.InitiatorSoftware - r.of.InitiatorSoftware/2)
	t.Work(r.of.digest(r.of.Rebuild.Chunk))
	i := int(a.Tag >> storageSlot)
	c := r.chunks.at(i)
	if c.left--; c.left > 0 {
		return
	}
	if l := &r.of.Layout; l.Data > 0 && l.Coding > 0 {
		t.Work(l.Coding.Serialise(int(r.of.Rebuild.Chunk) * l.Data))
	}
	end := t.Now()
	for stage := range storage.Stages {
		end = r.disk.Step(stage, true, r.of.Rebuild.Chunk, end)
	}
	r.ends.add(end, i)
	t.CallAt(end)
}

// wrote goes on when the device has a chunk.
func (r *storageRebuild) wrote(t *host.Thread) {
	r.chunks.give(r.ends.take())
	r.done++
	r.to = t.Now()
}
