package tcp

import (
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// script is a test that plays the peer of one endpoint by hand. Both streams begin with offset 0.
type script struct {
	t    *testing.T
	end  *Endpoint
	ctl  *reno
	now  units.Time
	edge int64 // of the window that the script offers
}

// newScript returns a script with an established endpoint of a Linux host, but for what change says,
// without quick acknowledgements.
func newScript(t *testing.T, change func(*Config)) *script {
	cfg := Defaults()
	cfg.QuickAcks = 0
	if change != nil {
		change(&cfg)
	}
	s := &script{t: t, ctl: &reno{}, edge: cfg.capacity()}
	s.end = NewEndpoint(&cfg, s.ctl, 1<<32-3000)
	s.end.Establish(NewEndpoint(&cfg, &reno{}, 77))
	return s
}

// sends is what the endpoint sends now, without windows.
func (s *script) sends() []string {
	var out []string
	for {
		seg, ok := s.end.Next(s.now, 64*units.KiB)
		if !ok {
			return out
		}
		out = append(out, s.line(&seg))
	}
}

// line is a segment in words: flags but ACK and PSH, offset and payload, what it acknowledges if it
// has no payload.
func (s *script) line(seg *Segment) string {
	text := describe(s.end, seg)
	words := strings.Fields(text)
	if i := slices.Index(words, "win"); i >= 0 {
		words = slices.Delete(words, i, i+2)
	}
	if i := slices.Index(words, "ack"); i >= 0 && seg.Payload > 0 {
		words = slices.Delete(words, i, i+2)
	}
	flags := strings.NewReplacer("A", "", "P", "").Replace(words[0])
	if flags == "" {
		words = words[1:]
		if seg.Payload == 0 {
			words = words[1:] // where an acknowledgement stands is not interesting
		}
	} else {
		words[0] = flags
	}
	return strings.Join(words, " ")
}

// want checks what the endpoint sends now.
func (s *script) want(want ...string) {
	s.t.Helper()
	if got := s.sends(); !slices.Equal(got, want) {
		s.t.Errorf("at %v: sends %q, want %q", s.now, got, want)
	}
}

// wantUntil lets time pass and checks what the endpoint sends, each line with its time.
func (s *script) wantUntil(until units.Time, want ...string) {
	s.t.Helper()
	var got []string
	for s.end.Deadline() <= until {
		s.now = max(s.now, s.end.Deadline())
		s.end.OnTimer(s.now)
		for _, line := range s.sends() {
			got = append(got, s.now.String()+": "+line)
		}
	}
	s.now = until
	if !slices.Equal(got, want) {
		s.t.Errorf("until %v: sends %q, want %q", until, got, want)
	}
}

// later lets so much time pass, in which nothing is due.
func (s *script) later(d units.Time) {
	s.t.Helper()
	s.wantUntil(s.now + d)
}

// ack acknowledges up to an offset, with the blocks [from, to) given in pairs.
func (s *script) ack(upTo int64, blocks ...int64) {
	s.answer(ACK, upTo, blocks...)
}

// answer is ack with other flags.
func (s *script) answer(flags Flags, upTo int64, blocks ...int64) {
	seg := Segment{Seq: s.end.peerNumber(s.end.in.next), Ack: s.end.number(upTo), Flags: flags, Packets: 1, Window: units.Bytes(s.edge - upTo)}
	for i := 0; i < len(blocks); i += 2 {
		seg.Sacks[i/2] = Range{s.end.number(blocks[i]), s.end.number(blocks[i+1])}
		seg.SackCount++
	}
	s.end.Receive(&seg, s.now)
}

// data brings the endpoint n bytes at an offset of the peer's stream, in so many packets of which so
// many are marked.
func (s *script) data(at int64, n units.Bytes, packets, marked int) {
	s.end.Receive(&Segment{
		Seq: s.end.peerNumber(at), Ack: s.end.number(s.end.una), Flags: ACK, Payload: n, Packets: packets, Marked: marked,
		Window: units.Bytes(s.edge - s.end.una),
	}, s.now)
}

// read has the application read all.
func (s *script) read() { s.end.Read(s.now, 1<<40) }
