package bench

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rdmasim/rdmasim/sim/units"
)

func TestAnyNumberOfWorkersDoesTheSameWork(t *testing.T) {
	one, two := timed(t, tiny(), 1), timed(t, tiny(), 2)
	if one.Work != two.Work {
		t.Errorf("%+v with one worker, %+v with two", one.Work, two.Work)
	}
	if one.Workers != 1 || two.Workers != 2 {
		t.Errorf("%d and %d workers, want 1 and 2", one.Workers, two.Workers)
	}
}

// However fast the machine, the runs together last long enough, or their building does; what
// is told is the work of one of them, and what it took on average.
func TestAShortCaseIsRunLongEnoughAndToldOfOnce(t *testing.T) {
	runs := time.Duration(0)
	c := tiny()
	setup := c.Setup
	c.Setup = func() (*Setup, error) { runs++; return setup() }
	begun := time.Now()
	got, err := c.Time(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	other := time.Since(begun) - runs*got.Wall // building, above all
	if runs*(got.Wall+1) < enough && other < enough {
		t.Errorf("%d runs of %v", runs, got.Wall)
	}
	if once := timed(t, tiny(), 1); got.Work != once.Work {
		t.Errorf("%+v, want the work of one run, %+v", got.Work, once.Work)
	}
}

func TestRunsThatDifferAreAnError(t *testing.T) {
	c := tiny()
	size := 100 * units.KB
	c.Setup = func() (*Setup, error) {
		size += units.KB
		return Permutation(4, 1024, size)
	}
	if _, err := c.Time(context.Background(), 1); err == nil || !strings.Contains(err.Error(), "two runs differ") {
		t.Errorf("error %v", err)
	}
}

func TestARunThatDoesNotEndIsAnError(t *testing.T) {
	c := tiny()
	c.Setup = func() (*Setup, error) {
		s, err := Permutation(4, 1024, 100*units.KB)
		s.Flows[0].Start = longest - 1
		return s, err
	}
	if _, err := c.Time(context.Background(), 1); err == nil || !strings.Contains(err.Error(), "time-limit") {
		t.Errorf("error %v", err)
	}
}

func TestAnInterruptEndsARun(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := tiny().Time(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A child whose parent was killed would go on for minutes, and nobody would hear its answer.
func TestARunEndsWithTheProcessThatAskedForIt(t *testing.T) {
	if _, err := tiny().Time(attended{context.Background(), os.Getppid()}, 1); err != nil {
		t.Errorf("the parent is there: error %v", err)
	}
	if _, err := tiny().Time(attended{context.Background(), os.Getppid() + 1}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("the parent is another process: error %v", err)
	}
}

// The pieces are those of a network of 16 hosts and 20 switches of four ports.
func TestASurveyTakesTheNetworkToPieces(t *testing.T) {
	whole := timed(t, tiny(), 1)
	v, err := tiny().Survey(context.Background(), 1, whole.Simulated/2)
	if err != nil {
		t.Fatal(err)
	}
	if v.Hosts != 16 || v.Ports != 16+20*4 || v.Flows != 16 {
		t.Errorf("%d hosts, %d ports, %d flows", v.Hosts, v.Ports, v.Flows)
	}
	for what := withRoutes; what < stages; what++ {
		if v.Heap[what] <= v.Heap[what-1] {
			t.Errorf("after step %d of building %v are in use, after the one before %v", what, v.Heap[what], v.Heap[what-1])
		}
	}
	if v.Half.Hops == 0 || v.Half.Hops >= whole.Hops || v.Whole.Hops != whole.Hops {
		t.Errorf("%d packet-hops in half the time and %d in all of it, of %d", v.Half.Hops, v.Whole.Hops, whole.Hops)
	}
	if v.Half.Bytes <= 0 || v.Half.Bytes > v.Whole.Bytes {
		t.Errorf("%v asked for in half the time, %v in all of it", v.Half.Bytes, v.Whole.Bytes)
	}
	m := v.memory()
	if sum := 96*m.IdlePort + 16*m.IdleHost + 16*m.Flow + float64(m.Graph); int64(sum+0.5) != m.Built {
		t.Errorf("the pieces are %.1f bytes, the whole %d", sum, m.Built)
	}
}

// 1,000 bytes more for 500 packet-hops more.
func TestTheSteadyPartIsTheSecondHalf(t *testing.T) {
	v := Survey{Half: Allocation{500, 9000}, Whole: Allocation{1000, 10_000}}
	if got := v.Steady(); got != 2 {
		t.Errorf("%v bytes a packet-hop, want 2", got)
	}
}
