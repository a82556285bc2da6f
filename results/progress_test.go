package results

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rdmasim/rdmasim/sim/units"
)

// screen is a terminal reduced to the two control sequences that a progress line uses: cursor up and erase line.
type screen struct {
	mutex sync.Mutex
	raw   bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.raw.Write(p)
}

func (s *screen) written() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.raw.String()
}

// shown returns the lines that are left on the screen.
func (s *screen) shown() string {
	lines, at := []string{""}, 0
	for rest := s.written(); rest != ""; {
		switch {
		case strings.HasPrefix(rest, "\x1b[1A"), strings.HasPrefix(rest, "\x1b[A"):
			at--
			_, rest, _ = strings.Cut(rest, "A")
		case strings.HasPrefix(rest, "\x1b[2K"), strings.HasPrefix(rest, "\x1b[K"):
			lines[at] = ""
			_, rest, _ = strings.Cut(rest, "K")
		case rest[0] == '\n':
			if at++; at == len(lines) {
				lines = append(lines, "")
			}
			rest = rest[1:]
		default:
			lines[at], rest = lines[at]+rest[:1], rest[1:]
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func TestProgressShowsTheRunAndLeavesTheScreenClean(t *testing.T) {
	var s screen
	p := startProgress(&s, func() Snapshot {
		return Snapshot{Now: 1230 * units.Microsecond, FlowsDone: 4, FlowsTotal: 16, BytesDone: 1, BytesTotal: 2}
	}, time.Millisecond)
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(s.shown(), "1.23ms, 4 of 16 flows"); {
		if time.Now().After(deadline) {
			t.Fatalf("no progress line appeared: %q", s.written())
		}
		time.Sleep(time.Millisecond)
	}
	if !strings.Contains(s.shown(), "50%") {
		t.Errorf("half the payload is delivered, shown is %q", s.shown())
	}
	p.Stop()
	if left := s.shown(); left != "" {
		t.Errorf("left on the screen: %q", left)
	}
	before := s.written()
	time.Sleep(5 * time.Millisecond)
	if s.written() != before {
		t.Error("drawn to after Stop")
	}
}

func TestProgressStopsEvenBeforeItWasDrawn(t *testing.T) {
	for range 50 {
		var s screen
		startProgress(&s, func() Snapshot { return Snapshot{} }, time.Millisecond).Stop()
		if left := s.shown(); left != "" {
			t.Fatalf("left on the screen: %q", left)
		}
	}
}

func TestProgressIsSilentWhereThereIsNoTerminal(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := ShowProgress(f, func() Snapshot { t.Error("polled although nothing is shown"); return Snapshot{} })
	time.Sleep(2 * redrawEvery)
	p.Stop()
	if info, _ := f.Stat(); info.Size() != 0 {
		t.Errorf("%d bytes written", info.Size())
	}
}

func TestProgressText(t *testing.T) {
	tests := []struct {
		name    string
		s       Snapshot
		elapsed time.Duration
		want    string
	}{
		{"at the start there is no rate yet", Snapshot{FlowsTotal: 16}, 0, "0s, 0 of 16 flows"},
		// A quarter of the payload took 2 s, so three quarters take 6 s; 30 M hops in 2 s are 15 M/s.
		{"payload counts rather than flows", Snapshot{Now: units.Millisecond, FlowsTotal: 16, BytesDone: 25, BytesTotal: 100,
			PacketHops: 30_000_000}, 2 * time.Second, "1ms, 0 of 16 flows, 15.0 M hops/s, ETA 6s"},
		{"flows count where payload is unknown", Snapshot{Now: units.Millisecond, FlowsDone: 1, FlowsTotal: 2,
			PacketHops: 1_000_000}, time.Second, "1ms, 1 of 2 flows, 1.0 M hops/s, ETA 1s"},
		{"no ETA when all is delivered", Snapshot{Now: units.Second, FlowsDone: 2, FlowsTotal: 2}, time.Second,
			"1s, 2 of 2 flows, 0.0 M hops/s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := progressText(tt.s, tt.elapsed); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
