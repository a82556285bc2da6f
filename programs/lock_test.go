package programs_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/sim/units"
)

// lock is a test of a lock of hosts on one switch with adapters that take no time; the last
// host has the lock.
func lock(t *testing.T, hosts int, cpu host.CPU, o programs.LockOptions, change ...func(*simtest.Net, *host.Cluster)) (*programs.Lock, host.Report) {
	t.Helper()
	net := simtest.Star(hosts, 100*units.Gbps, 500*units.Nanosecond)
	net.NIC.Timeout = 14
	c := net.Cluster(t)
	c.CPU = cpu
	o.Data = simtest.Data
	for i := range hosts - 1 {
		o.Clients = append(o.Clients, i)
	}
	o.Server = hosts - 1
	l, err := programs.NewLock(c, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(net, c)
	}
	r := net.Finish(t, c)
	if r.Outcome != host.Done {
		t.Fatalf("%v at %v: %+v", r.Outcome, r.Now, c.ThreadWaits(r.Now))
	}
	return l, r
}

// variants are the ways to count and to release.
func variants(o programs.LockOptions) (all []programs.LockOptions) {
	for i := range 4 {
		o.ReadWrite, o.Swap = i&1 != 0, i&2 != 0
		all = append(all, o)
	}
	return all
}

// Alone, a client takes three round trips: two of atomics, and a WRITE whose
// acknowledgement comes as fast as that of any packet.
func TestALockAloneTakesItsRoundTrips(t *testing.T) {
	l, _ := lock(t, 2, host.CPU{}, programs.LockOptions{Acquisitions: 10})
	atomic := oneWay(withAtomic) + oneWay(atomicAck)
	write := oneWay(withRETH+8) + oneWay(ack)
	for i, a := range l.AcquisitionsOf(0) {
		if a.Attempts != 1 || a.Got-a.Begun != atomic || a.Released-a.Got != atomic+write {
			t.Errorf("acquisition %d: %+v, want the lock after %v, and it given back %v later", i, a, atomic, atomic+write)
		}
	}
	if l.Counter() != 10 || l.Held() != 0 {
		t.Errorf("the counter is %d and client %d has the lock, want 10 and none", l.Counter(), l.Held())
	}
}

// 8 clients contend: no two have the lock at once, and no count is lost, however they count
// and release.
func TestNoUpdateIsLostUnderContention(t *testing.T) {
	for _, guard := range []bool{true, false} {
		for _, o := range variants(programs.LockOptions{Acquisitions: 50, Guard: guard, Hold: 200 * units.Nanosecond, Backoff: 500 * units.Nanosecond, MaxBackoff: 4 * units.Microsecond}) {
			l, _ := lock(t, 9, host.DefaultCPU(), o)
			if l.Counter() != 8*50 || l.Wanted() != 8*50 || l.Held() != 0 {
				t.Errorf("%+v: the counter is %d after %d acquisitions, client %d has the lock; want 400, 400 and none", o, l.Counter(), l.Wanted(), l.Held())
			}
			attempts := 0
			for i := range 8 {
				for _, a := range l.AcquisitionsOf(i) {
					attempts += a.Attempts
				}
			}
			if attempts < 2*8*50 {
				t.Errorf("%+v: %d attempts for 400 acquisitions are no contention", o, attempts)
			}
			if n := l.Overlaps(); n > 0 {
				t.Errorf("%+v: %d times a client got the lock while another had it", o, n)
			}
		}
	}
}

// The same with one packet in thirty lost, duplicates of atomics and repeated WRITEs among
// what follows, for each way to recover.
func TestNoUpdateIsLostUnderLoss(t *testing.T) {
	for name, recovery := range recoveries() {
		for seed := range uint64(3) {
			for _, o := range variants(programs.LockOptions{Acquisitions: 40, Guard: true, Backoff: units.Microsecond, MaxBackoff: 16 * units.Microsecond}) {
				l, _ := lock(t, 6, host.DefaultCPU(), o, recovery, lossy(seed, 30))
				if l.Counter() != 5*40 || l.Held() != 0 {
					t.Errorf("%s, seed %d, %+v: the counter is %d after 200 acquisitions, client %d has the lock", name, seed, o, l.Counter(), l.Held())
				}
				if n := l.Overlaps(); n > 0 {
					t.Errorf("%s, seed %d, %+v: %d times a client got the lock while another had it", name, seed, o, n)
				}
			}
		}
	}
}

// With adapters that take time a lock takes longer, and holds as well: with packets lost, for
// each way to recover.
func TestALockHoldsWithAdaptersThatTakeTime(t *testing.T) {
	for name, recovery := range recoveries() {
		net := simtest.Star(5, 100*units.Gbps, 500*units.Nanosecond)
		net.NIC.Timeout, net.NIC.Hardware = 8, hardware.New("connectx6")
		recovery(net, nil)
		c := net.Cluster(t)
		c.CPU = host.DefaultCPU()
		l, err := programs.NewLock(c, programs.LockOptions{
			Clients: []int{0, 1, 2, 3}, Server: 4, Acquisitions: 40, Guard: true, ReadWrite: true,
			Backoff: units.Microsecond, MaxBackoff: 16 * units.Microsecond, Data: simtest.Data,
		})
		if err != nil {
			t.Fatal(err)
		}
		lossy(1, 50)(net, c)
		if r := net.Finish(t, c); r.Outcome != host.Done || l.Counter() != 160 || l.Overlaps() != 0 {
			t.Errorf("%s: %v, the counter is %d, %d overlaps; want 160 and none: %+v", name, r.Outcome, l.Counter(), l.Overlaps(), c.ThreadWaits(r.Now))
		}
	}
}

// breaker takes the lock away from whoever has it, every other microsecond.
type breaker struct {
	lock *programs.Lock
	left int
}

func (b *breaker) Step(t *host.Thread) {
	b.lock.Break()
	if b.left--; b.left > 0 {
		t.CallAt(t.Now() + 2*units.Microsecond)
	}
}
func (b *breaker) Done() bool    { return b.left == 0 }
func (b *breaker) Failed() error { return nil }
func (b *breaker) Waits() string { return "" }

// Where a lock does not hold, the tests above find it: clients overlap, updates are lost, and
// with the guard clients notice by themselves.
func TestABrokenLockIsFound(t *testing.T) {
	for _, guard := range []bool{false, true} {
		net := simtest.Star(5, 100*units.Gbps, 500*units.Nanosecond)
		net.NIC.Timeout = 14
		c := net.Cluster(t)
		l, err := programs.NewLock(c, programs.LockOptions{
			Clients: []int{0, 1, 2, 3}, Server: 4, Acquisitions: 50, Guard: guard, ReadWrite: true, Hold: units.Microsecond,
			Backoff: units.Microsecond, MaxBackoff: units.Microsecond, Data: simtest.Data,
		})
		if err != nil {
			t.Fatal(err)
		}
		c.AddThread(4, &breaker{l, 1000}, host.ThreadOptions{Name: "breaker"})
		r := net.Finish(t, c)
		if guard {
			if r.Outcome != host.Failed {
				t.Errorf("nobody noticed: the run is %v", r.Outcome)
			}
			continue
		}
		if n := l.Overlaps(); r.Outcome != host.Done || n == 0 || l.Counter() >= l.Wanted() {
			t.Errorf("%v, %d overlaps, the counter is %d after %d acquisitions; want overlaps and lost updates", r.Outcome, n, l.Counter(), l.Wanted())
		}
	}
}
