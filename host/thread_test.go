package host_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// pieces is a program that computes for a number of pieces of work, one after the other,
// and then ends, or waits for what never comes.
type pieces struct {
	each    units.Time
	left    int
	began   []units.Time // when each was begun
	forever bool
	err     error
}

func (p *pieces) Step(t *host.Thread) {
	for p.left > 0 && !t.Working() {
		p.left--
		p.began = append(p.began, t.Now())
		t.Work(p.each)
	}
}

func (p *pieces) Done() bool    { return p.err != nil || p.left == 0 && !p.forever }
func (p *pieces) Failed() error { return p.err }
func (p *pieces) Waits() string { return "waits for a letter" }

// A core has no more than its time, however many threads look for something to do on it all the
// time, and whatever has begun there and not ended when the run ends.
func TestACoreHasNoMoreThanItsTime(t *testing.T) {
	const limit = 1000
	for _, c := range []struct {
		what          string
		threads       int
		each          units.Time
		sleep         bool
		work, looking units.Time
	}{
		{"one thread that looks for something", 1, 100, false, 300, 700},
		{"three that do", 3, 100, false, 900, 100},
		{"three that sleep", 3, 100, true, 900, 0},
		{"work that the end of the run cuts off", 2, 400, false, 1000, 0},
	} {
		net := simtest.Star(2, gbps100, 500*units.Nanosecond)
		net.Run.Limit, net.Run.UntilDone = limit, false
		cluster := net.Cluster(t)
		cluster.CPU = host.CPU{Cores: 1}
		for range c.threads {
			cluster.AddThread(0, &pieces{each: c.each, left: 3, forever: true}, host.ThreadOptions{Events: c.sleep})
		}
		net.Finish(t, cluster)
		all := cluster.Hosts[0].Cores(limit, 0, limit)
		if len(all) != 1 || all[0].Time.Total() != c.work || all[0].Spinning != c.looking {
			t.Errorf("%s: %+v, want %v of work and %v of looking for it", c.what, all, c.work, c.looking)
		}
	}
}

// Threads on cores of their own work at the same time; on one core they take turns, one
// piece each, and the core is busy for the sum.
func TestThreadsOfOneCoreTakeTurns(t *testing.T) {
	for _, shared := range []bool{false, true} {
		net := simtest.Star(2, gbps100, 500*units.Nanosecond)
		c := net.Cluster(t)
		c.CPU = host.CPU{Cores: 2}
		if shared {
			c.CPU.Cores = 1
		}
		a, b := &pieces{each: 100, left: 3}, &pieces{each: 40, left: 3}
		first := c.AddThread(0, a, host.ThreadOptions{Name: "a"})
		second := c.AddThread(0, b, host.ThreadOptions{Name: "b"})
		mustBe(t, net.Finish(t, c), host.Done)
		wantA, wantB := []units.Time{0, 100, 200}, []units.Time{0, 40, 80}
		if shared { // a b a b a b: 0-100, 100-140, 140-240, 240-280, 280-380, 380-420
			wantA, wantB = []units.Time{0, 140, 280}, []units.Time{100, 240, 380}
		}
		for i := range 3 {
			if a.began[i] != wantA[i] || b.began[i] != wantB[i] {
				t.Errorf("shared %v: piece %d begun at %v and %v, want %v and %v", shared, i, a.began[i], b.began[i], wantA[i], wantB[i])
			}
		}
		if first.Busy() != 300 || second.Busy() != 120 {
			t.Errorf("shared %v: busy for %v and %v, want 300ps and 120ps", shared, first.Busy(), second.Busy())
		}
	}
}

// A thread that looks for completions keeps its core from the start to the end of its
// program, whatever it works; one that sleeps keeps it for its work alone.
func TestSpinningCountsOnlyForThreadsThatDoNotSleep(t *testing.T) {
	net := simtest.Star(2, gbps100, 500*units.Nanosecond)
	c := net.Cluster(t)
	start := 2 * units.Microsecond
	looks := c.AddThread(0, &pieces{each: 100, left: 3}, host.ThreadOptions{Start: start})
	sleeps := c.AddThread(0, &pieces{each: 100, left: 3, forever: true}, host.ThreadOptions{Start: start, Events: true})
	spins := c.AddThread(0, &pieces{each: 100, left: 3, forever: true}, host.ThreadOptions{Start: start})
	mustBe(t, net.Finish(t, c), host.Stalled)
	later := start + 1000
	if u := looks.Usage(later); u.Busy != 300 || u.Spinning != 0 {
		t.Errorf("a thread that worked all its life: %+v, want 300 ps busy and none spinning", u)
	}
	if u := sleeps.Usage(later); u.Busy != 300 || u.Spinning != 0 || u.Cores(1000) != 0.3 {
		t.Errorf("a thread that sleeps: %+v, %v of a core, want 300 ps busy, none spinning, 0.3 of a core", u, u.Cores(1000))
	}
	if u := spins.Usage(later); u.Busy != 300 || u.Spinning != 700 || u.Cores(1000) != 1 {
		t.Errorf("a thread that looks: %+v, %v of a core, want 300 ps busy, 700 ps spinning, a whole core", u, u.Cores(1000))
	}
}

// A run with programs ends when they have ended. One that waits for what nobody will
// send makes it stall, and the report tells what it waits for; one that gives up makes
// it fail, and the report tells why.
func TestReportTellsWhatProgramsWaitFor(t *testing.T) {
	for _, c := range []struct {
		name    string
		program pieces
		want    host.Outcome
		cause   string
	}{
		{"ends", pieces{each: 100, left: 1}, host.Done, ""},
		{"waits", pieces{each: 100, left: 1, forever: true}, host.Stalled, "waits for a letter"},
		{"gives up", pieces{err: errors.New("no letters any more")}, host.Failed, "no letters any more"},
	} {
		net := simtest.Star(2, gbps100, 500*units.Nanosecond)
		cluster := net.Cluster(t)
		cluster.AddThread(0, &c.program, host.ThreadOptions{Name: "postman"})
		r := net.Finish(t, cluster)
		mustBe(t, r, c.want)
		var told []string
		for _, w := range cluster.ThreadWaits(r.Now) {
			told = append(told, w.Thread.Name()+" "+w.Host+": "+w.Cause)
		}
		want := ""
		if c.cause != "" {
			want = "postman h0: " + c.cause
		}
		if got := strings.Join(told, "; "); got != want {
			t.Errorf("%s: reported %q, want %q", c.name, got, want)
		}
	}
}

// A host that is paused lets its threads go on when it is back.
func TestThreadsOfAPausedHostWait(t *testing.T) {
	net := simtest.Star(2, gbps100, 500*units.Nanosecond)
	c := net.Cluster(t)
	p := &pieces{each: units.Microsecond, left: 2}
	c.AddThread(0, p, host.ThreadOptions{})
	if err := c.Inject(host.Faults{Pauses: []host.Pause{{Host: 0, Span: fabric.Span{From: 500 * units.Nanosecond, To: 10 * units.Microsecond}}}}); err != nil {
		t.Fatal(err)
	}
	mustBe(t, net.Finish(t, c), host.Done)
	if p.began[0] != 0 || p.began[1] != 10*units.Microsecond {
		t.Errorf("pieces begun at %v, want 0 and, when the host is back, 10 us", p.began)
	}
}
