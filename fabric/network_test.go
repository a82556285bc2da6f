package fabric

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
)

// 20 ports with 1875 kB of headroom each need 37.5 MB; in a buffer of 32 MB nothing
// is left to share, and unsigned arithmetic would make it 4 GB.
func TestHeadroomBeyondTheBufferIsRefused(t *testing.T) {
	cfg := plain()
	cfg.PFC.Headroom = 1875 * units.KB
	g := starOf(t, 20)
	_, err := New(g, topology.NewRoutes(g), cfg)
	var field *units.FieldError
	if !errors.As(err, &field) || field.Key != "switch.pfc.headroom" {
		t.Fatalf("error %v, want one about switch.pfc.headroom", err)
	}
	if want := "headroom 37.5MB exceeds 32MB buffer"; !strings.Contains(err.Error(), want) {
		t.Errorf("message %q, want %q in it", err, want)
	}
	cfg.Buffer = 38 * units.MB
	if _, err := New(g, topology.NewRoutes(g), cfg); err != nil {
		t.Errorf("in 38 MB: %v", err)
	}
}

func TestMinimaBeyondTheBufferAreRefused(t *testing.T) {
	cfg := plain()
	cfg.PFC.Minimum = 4 * units.MB
	g := starOf(t, 8)
	_, err := New(g, topology.NewRoutes(g), cfg)
	var field *units.FieldError
	if !errors.As(err, &field) || field.Key != "switch.pfc.pg_min" {
		t.Errorf("error %v, want one about switch.pfc.pg_min", err)
	}
}

// What is guaranteed and set aside comes off the buffer, the rest is shared.
func TestTheSharedPoolIsWhatIsNotSetAside(t *testing.T) {
	n := star(t, 4, func(c *Config) {
		c.Priorities, c.PFC.Headroom, c.PFC.Minimum, c.Lossy.Minimum = []int{1, 3}, 50*units.KB, 2*units.KB, units.KB
	})
	pool, _ := n.Switch(4).SharedPool()
	if want := 32*units.MB - 4*(50+2+1)*units.KB; pool != want {
		t.Errorf("pool of %d, want %d", pool, want)
	}
}

// allocated is the bytes allocated while f ran.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// Nothing in a switch is sized for the largest switch there might be: 300 ports are
// built like two, and a port costs the same in each.
func TestMemoryIsProportionalToPorts(t *testing.T) {
	cost := func(hosts int) float64 {
		g := starOf(t, hosts)
		routes := topology.NewRoutes(g)
		cfg := plain()
		cfg.Buffer = units.GB
		return allocated(func() {
			if _, err := New(g, routes, cfg); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, ports := range []struct{ few, many int }{{2, 64}, {64, 300}} {
		got, want := cost(ports.many)/cost(ports.few), float64(ports.many)/float64(ports.few)
		if got < 0.7*want || got > 1.2*want {
			t.Errorf("%d ports take %.1f times the memory of %d, want about %.1f times", ports.many, got, ports.few, want)
		}
	}
	if got := cost(2); got > 20_000 {
		t.Errorf("a switch of two ports takes %.0f bytes with its hosts' ports", got)
	}
}
