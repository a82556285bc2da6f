package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// MediaOptions are those of streams of frames that have to be there in time.
type MediaOptions struct {
	// From and To are the hosts of each stream's sender and receiver, which differ.
	From, To []int
	// Rate is how many frames a second there are, Frames how many each stream has; both at least 1.
	Rate, Frames int
	// Sizes are those of all frames of a stream, and Phases when its first is due after the start.
	Sizes  [][]units.Bytes
	Phases []units.Time
	// Slices is in how many pieces a frame is sent, at least 1, evenly over the part Spread of its time,
	// from 0 to 1.
	Slices int
	Spread float64
	// Deadline is how long after it was due a frame must be whole at the receiver.
	Deadline units.Time
	Events   bool
	Start    units.Time
	Channel  ChannelOptions
}

// Media is streams of frames, a burst each. A frame is due by a timetable that sender and receiver have in common, as
// their clocks are set by the same protocol; it goes by WRITEs with immediate into the receiver's memory, or over
// a socket.
type Media struct {
	MediaOptions
	senders   []*mediaSender
	receivers []*mediaReceiver
}

// NewMedia makes the senders and receivers of streams on hosts of a cluster. It is an error if they cannot reach
// each other.
func NewMedia(c *host.Cluster, o MediaOptions) (*Media, error) {
	m := &Media{MediaOptions: o}
	for _, sizes := range o.Sizes {
		for _, size := range sizes {
			m.Channel.Memory = max(m.Channel.Memory, m.slice(size, 0))
		}
	}
	for i := range o.From {
		s, r := &mediaSender{of: m, stream: i}, &mediaReceiver{of: m, stream: i}
		s.thread = c.AddThread(o.From[i], s, mailboxThread(c, &o.Channel, "media sender", o.Start, o.Events))
		s.box = NewMailbox(c, o.From[i], s.thread)
		r.thread = c.AddThread(o.To[i], r, mailboxThread(c, &o.Channel, "media receiver", o.Start, o.Events))
		r.box = NewMailbox(c, o.To[i], r.thread)
		if _, _, err := Open(s.box, r.box, i, m.Channel); err != nil {
			return nil, err
		}
		m.senders, m.receivers = append(m.senders, s), append(m.receivers, r)
	}
	return m, nil
}

// due is when a frame of a stream, counted from 0, is due to be sent.
func (m *Media) due(stream, frame int) units.Time {
	return m.Start + m.Phases[stream] + units.Time(int64(units.Second)/int64(m.Rate)*int64(frame)+int64(units.Second)%int64(m.Rate)*int64(frame)/int64(m.Rate))
}

// slice is the size of a slice of a frame, of which the first may be a byte longer.
func (m *Media) slice(frame units.Bytes, slice int) units.Bytes {
	n := units.Bytes(m.Slices)
	size := frame / n
	if units.Bytes(slice) < frame%n {
		size++
	}
	return size
}

// sliceAt is how long after its frame a slice is due.
func (m *Media) sliceAt(slice int) units.Time {
	period := units.Second / units.Time(m.Rate)
	return units.Time(float64(float64(period)*m.Spread)) * units.Time(slice) / units.Time(m.Slices)
}

// mediaSender is the program of a stream's sender.
type mediaSender struct {
	of     *Media
	stream int
	thread *host.Thread
	box    *Mailbox
	frame  int
	slice  int
	alarm  units.Time
	err    error
}

// Done implements [host.Program].
func (s *mediaSender) Done() bool { return s.err != nil || s.frame == s.of.Frames && s.box.Idle() }

// Failed implements [host.Program].
func (s *mediaSender) Failed() error { return s.err }

// Waits implements [host.Program].
func (s *mediaSender) Waits() string {
	text := fmt.Sprintf("sends frames; %d of %d sent", s.frame, s.of.Frames)
	if why := s.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// Step implements [host.Program].
func (s *mediaSender) Step(t *host.Thread) {
	for !s.Done() && !t.Working() {
		if s.frame < s.of.Frames && s.send(t) {
			continue
		}
		if _, ok, err := s.box.Next(t); err != nil {
			s.err = fmt.Errorf("%w; %d of %d frames sent", err, s.frame, s.of.Frames)
		} else if !ok {
			return
		}
	}
}

// send sends the next slice if it is time; it tells whether it has.
func (s *mediaSender) send(t *host.Thread) bool {
	m := s.of
	if due := m.due(s.stream, s.frame) + m.sliceAt(s.slice); t.Now() < due {
		if s.alarm != due {
			s.alarm = due
			t.CallAt(due)
		}
		return false
	}
	size := m.slice(m.Sizes[s.stream][s.frame], s.slice)
	if err := s.box.channels[0].PutTelling(t, size, uint32(s.frame)); err != nil {
		s.err = fmt.Errorf("%w; %d of %d frames sent", err, s.frame, m.Frames)
	}
	if s.slice++; s.slice == m.Slices {
		s.frame, s.slice = s.frame+1, 0
	}
	return true
}

// mediaReceiver is the program of a stream's receiver.
type mediaReceiver struct {
	of     *Media
	stream int
	thread *host.Thread
	box    *Mailbox
	slices int // of the frame that has not come whole
	whole  []units.Time
	err    error
}

// Done implements [host.Program].
func (r *mediaReceiver) Done() bool {
	return r.err != nil || len(r.whole) == r.of.Frames && r.box.Idle()
}

// Failed implements [host.Program].
func (r *mediaReceiver) Failed() error { return r.err }

// Waits implements [host.Program].
func (r *mediaReceiver) Waits() string {
	return fmt.Sprintf("waits for frames; %d of %d have come", len(r.whole), r.of.Frames)
}

// Step implements [host.Program].
func (r *mediaReceiver) Step(t *host.Thread) {
	for !r.Done() {
		a, ok, err := r.box.Next(t)
		switch {
		case err != nil:
			r.err = fmt.Errorf("%w; %d of %d frames have come", err, len(r.whole), r.of.Frames)
			return
		case !ok:
			return
		case a.Tag != uint32(len(r.whole)) || a.Size != r.of.slice(r.of.Sizes[r.stream][a.Tag], r.slices):
			r.err = fmt.Errorf("%v of frame %d came when slice %d of frame %d was next", a.Size, a.Tag, r.slices, len(r.whole))
			return
		}
		if r.slices++; r.slices == r.of.Slices {
			r.whole, r.slices = append(r.whole, t.Now()), 0
		}
	}
}

// MediaResult is what receivers have measured.
type MediaResult struct {
	Frames int // that have come whole
	Bytes  units.Bytes
	// Latency is the distribution of the times from when a frame was due until it was whole.
	Latency Spread
	// Jitter is that of the deviations of the time from one frame of a stream to the next from the time between those at which
	// they were due, whatever their sign. Alone is what it is if frames of these sizes take their time
	// on the sender's link and nothing else comes between.
	Jitter, Alone Spread
	// Wire is for how long a frame of mean size keeps the sender's link busy: the least that it takes.
	Wire units.Time
	// Late is how many frames were whole later than their deadline, or have not come though that is over.
	Late int
	// LateShare is their part of all whose deadline is over.
	LateShare float64
	// Sender and Receiver are the processor time of a frame at either end.
	Sender, Receiver units.Time
}

// Result is what the receivers have measured by a time.
func (m *Media) Result(now units.Time) MediaResult {
	var r MediaResult
	var latency, jitter, alone []units.Time
	var wire units.Time
	due := 0
	for i, from := range m.receivers {
		n := m.senders[i].box.cluster.Hosts[m.From[i]].NICs()[0]
		var last units.Time
		for k, whole := range from.whole {
			size := m.Sizes[i][k]
			r.Bytes += size
			took := whole - m.due(i, k)
			latency = append(latency, took)
			if took > m.Deadline {
				r.Late++
			}
			own := m.wire(n, size)
			wire += own
			if k > 0 {
				jitter = append(jitter, distance(took, latency[len(latency)-2]))
				alone = append(alone, distance(own, last))
			}
			last = own
		}
		due += len(from.whole)
		for k := len(from.whole); k < m.Frames && m.due(i, k)+m.Deadline < now; k++ {
			r.Late++
			due++
		}
		r.Sender += m.senders[i].box.Busy()
		r.Receiver += from.box.Busy()
	}
	r.Frames = len(latency)
	if r.Frames > 0 {
		n := units.Time(r.Frames)
		r.Wire, r.Sender, r.Receiver = wire/n, r.Sender/n, r.Receiver/n
	}
	if due > 0 {
		r.LateShare = float64(r.Late) / float64(due)
	}
	r.Latency, r.Jitter, r.Alone = newSpread(latency), newSpread(jitter), newSpread(alone)
	return r
}

// distance is how far apart two times are.
func distance(a, b units.Time) units.Time { return max(a-b, b-a) }

// wire is for how long a frame keeps a NIC's link busy at the least.
func (m *Media) wire(n *rnic.NIC, size units.Bytes) units.Time {
	if m.Channel.Transport == TCP {
		return n.Rate().Serialise(int(size))
	}
	return n.MessageTimes(m.slice(size, 0), false).Wire * units.Time(m.Slices)
}
