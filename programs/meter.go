package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// meter is what the programs of all tests have in common: they go through the sizes, and
// keep what they measure.
type meter struct {
	*end
	size    int        // that is being measured
	resume  units.Time // when the next size begins
	begun   bool
	busy    units.Time // of the thread, when the size was begun
	kernel  units.Time // likewise of the kernel for its sockets
	sockets []*host.Socket
	since   units.Time
	results []Result
	loads   []Load
	err     error
}

// Done implements [host.Program].
func (m *meter) Done() bool { return m.err != nil || m.size == len(m.test.Sizes) }

// Failed implements [host.Program].
func (m *meter) Failed() error { return m.err }

func (m *meter) measured() []Result { return append([]Result(nil), m.results...) }

func (m *meter) measuredLoads() []Load { return m.loads }

// fail ends the program.
func (m *meter) fail(err error, done, of int) {
	m.err = fmt.Errorf("%w; %d of %d iterations done%s", err, done, of, m.sizeText())
}

// waits is what the program waits for, with how far it is.
func (m *meter) waits(what string, done, of int) string {
	return fmt.Sprintf("waits for %s; %d of %d iterations done%s", what, done, of, m.sizeText())
}

// sizeText tells which size it is at, if there are several.
func (m *meter) sizeText() string {
	if len(m.test.Sizes) == 1 || m.size == len(m.test.Sizes) {
		return ""
	}
	return " with messages of " + m.test.Sizes[m.size].String()
}

// current is the size that is being measured.
func (m *meter) current() units.Bytes { return m.test.Sizes[m.size] }

// begin begins a size, if that has not been done and it is time to; it tells whether it has
// begun. The first to send waits between two sizes.
func (m *meter) begin(t *host.Thread) bool {
	if m.begun {
		return true
	}
	if t.Now() < m.resume {
		return false
	}
	m.begun, m.busy, m.kernel, m.since = true, t.Busy(), kernelTime(m.sockets), t.Now()
	return true
}

// finish ends a size.
func (m *meter) finish(t *host.Thread) {
	m.loads = append(m.loads, m.load(t))
	m.begun = false
	m.size++
}

// pauseBefore has the next size begin after a pause.
func (m *meter) pauseBefore(t *host.Thread) {
	if m.Done() {
		return
	}
	m.resume = t.Now() + Pause
	t.CallAt(m.resume)
}

// load is what the thread took since the size was begun.
func (m *meter) load(t *host.Thread) Load {
	kernel := kernelTime(m.sockets) - m.kernel
	l := Load{Busy: t.Busy() - m.busy + kernel, Kernel: kernel}
	took := t.Now() - m.since
	kept := l.Busy
	if !t.Sleeps() {
		kept, l.Cores = kernel, 1
	}
	if took > 0 {
		l.Cores += float64(kept) / float64(took)
	}
	return l
}

// kernelTime is what cores have worked for sockets by themselves, beside their threads.
func kernelTime(sockets []*host.Socket) (sum units.Time) {
	for _, s := range sockets {
		sum += s.KernelTime()
	}
	return sum
}
