package host

import "github.com/rdmasim/rdmasim/sim/units"

// Work is what a core's time goes to.
type Work uint8

// The kinds. All but the first two are TCP's, but for WakeUps and Interrupts, which threads
// cost too that sleep until there is a completion.
const (
	// Application is what programs compute.
	Application Work = iota
	// Verbs is to post work requests and to take completions.
	Verbs
	// Syscalls are system calls, beside what they copy.
	Syscalls
	// Copies are copies between applications and the kernel.
	Copies
	// Transmission is TCP, IP and the driver on the way out, and what frees what was sent.
	Transmission
	// Reception is the same on the way in: packets, aggregates of them, acknowledgements.
	Reception
	// Interrupts are the handlers of interrupts.
	Interrupts
	// WakeUps are what it takes to wake threads and to switch to them.
	WakeUps
	// Works is how many kinds there are.
	Works
)

// String is the word for it in results.
func (w Work) String() string {
	return [...]string{"application", "verbs", "syscall", "copy", "transmit", "receive", "interrupt", "wake_up"}[w]
}

// CPUTime is time of cores by what it went to.
type CPUTime [Works]units.Time

// Total is all of it.
func (t *CPUTime) Total() (sum units.Time) {
	for _, d := range t {
		sum += d
	}
	return sum
}

// Add adds another time to this one.
func (t *CPUTime) Add(o *CPUTime) {
	for w, d := range o {
		t[w] += d
	}
}

// CoreUse is what a core's time has gone to.
type CoreUse struct {
	Number int
	Time   CPUTime
	// Spinning is the time for which threads looked for something to do in vain, however many of
	// them shared the core, and nothing else had it.
	Spinning units.Time
}

// Cores are the host's cores that had anything to do or threads that looked for it, by number: what
// each has done until now, at the end of a run, and for how long it was looked for between two
// times, before and after which there was nothing to look for.
func (h *Host) Cores(now, from, to units.Time) []CoreUse {
	var all []CoreUse
	for _, c := range h.cores {
		if u := c.use(now, from, to); u.Time.Total()+u.Spinning > 0 {
			all = append(all, u)
		}
	}
	return all
}

// HostTraffic is what TCP has moved at a host, and how often its kernel was asked.
type HostTraffic struct {
	// CopiedOut and CopiedIn are payload copied from and to applications; DMAOut and DMAIn
	// frames that adapters read out of memory and wrote into it.
	CopiedOut, CopiedIn, DMAOut, DMAIn      units.Bytes
	Syscalls, Interrupts, WakeUps, Segments uint64
	Packets, Aggregates, Acks               uint64 // received: all, those with data after merging, those without
	Data, Marked                            uint64 // packets with payload that came, and those of them with a mark
	RingDrops                               uint64 // packets that found the receive ring full
	RingDropBytes                           units.Bytes
}

// MemoryBus is what all that has moved over the bus of the memory: a byte that an adapter
// reads or writes once, one that is copied twice.
func (t *HostTraffic) MemoryBus() units.Bytes {
	return t.DMAOut + t.DMAIn + 2*(t.CopiedOut+t.CopiedIn)
}

// Traffic is what TCP has moved at the host.
func (h *Host) Traffic() HostTraffic {
	if h.stack == nil {
		return HostTraffic{}
	}
	return h.stack.traffic
}

// PaysForTransfers tells whether flows over queue pairs take cores any time: there are such, and to post or to
// poll takes time.
func (c *Cluster) PaysForTransfers() bool {
	if c.CPU.Post == 0 && c.CPU.Poll == 0 {
		return false
	}
	for i := range c.Flows {
		if !c.Over(i) {
			return true
		}
	}
	return false
}

// chargeTransfers adds to the cores what flows over queue pairs took of them, for which no
// thread runs: the posting of their messages and the polling of their completions, by turns on
// all cores.
func (c *Cluster) chargeTransfers(now units.Time) {
	if !c.PaysForTransfers() {
		return
	}
	turn := map[int]int{}
	for i, f := range c.Flows {
		if c.Over(i) {
			continue
		}
		t := c.Transfer(i)
		if t.Open < 0 {
			continue
		}
		core := turn[f.Src]
		if turn[f.Src]++; turn[f.Src] == c.CPU.Cores {
			turn[f.Src] = 0
		}
		done := int64(f.Messages) - min(t.Open, int64(f.Messages))
		on, took := c.Hosts[f.Src].core(core), units.Time(f.Messages)*c.CPU.Post+units.Time(done)*c.CPU.Poll
		took = min(took, on.room(now)) // nothing has it wait for a core, and a core has no more than its time
		on.time[Verbs] += took
		on.watched += took // in place of looking for something to do
	}
}
