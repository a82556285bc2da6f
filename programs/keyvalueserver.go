package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// kvServer is a thread of a server.
type kvServer struct {
	of     *KeyValue
	thread *host.Thread
	box    *Mailbox
	served int
	byes   int
	begun  bool
	busy   units.Time // of the thread when the first request came that is no probe
	worked units.Time // since then, up to the last such
	err    error
}

// Done implements [host.Program].
func (s *kvServer) Done() bool {
	return s.err != nil || s.byes == s.box.Channels() && s.box.Idle()
}

// Failed implements [host.Program].
func (s *kvServer) Failed() error { return s.err }

// Waits implements [host.Program].
func (s *kvServer) Waits() string {
	text := fmt.Sprintf("waits for requests; %d served, %d of %d clients have left", s.served, s.byes, s.box.Channels())
	if why := s.box.Waits(); why != "" {
		text += "; " + why
	}
	return text
}

// Step implements [host.Program].
func (s *kvServer) Step(t *host.Thread) {
	for !s.Done() {
		before := t.Busy()
		a, ok, err := s.box.Next(t)
		switch {
		case err != nil:
			s.err = fmt.Errorf("%w; %d requests served", err, s.served)
			return
		case !ok:
			return
		case a.Tag == kvBye:
			s.byes++
			continue
		case a.Tag != kvProbe:
			if !s.begun {
				s.begun, s.busy = true, before
			}
			t.Work(s.of.Service)
			s.served++
		}
		if s.err = s.box.Channel(a.From).Send(t, s.answer(&a)); s.err != nil {
			return
		}
		if s.begun {
			s.worked = t.Busy() - s.busy
		}
	}
}

// answer is the answer to a request.
func (s *kvServer) answer(a *Arrival) host.Message {
	switch {
	case a.Wrote:
		return host.Message{Size: confirmed, Tag: a.Tag, A: mixed(uint64(a.Tag))}
	case a.B == kvPut:
		return host.Message{Size: confirmed, Tag: a.Tag, A: stored(a.A)}
	}
	return host.Message{Size: s.of.sizeOf(a.A), Tag: a.Tag, A: stored(a.A)}
}
