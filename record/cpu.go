package record

import (
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/sim/units"
)

// cpuTable is the name of the table of processor time.
const cpuTable = "cpu"

// spinning is the kind of processor time that is spent looking for work in vain.
const spinning = "spin"

// CPUKinds are all kinds of processor time with what they mean, in the order in which they are told.
func CPUKinds() (kinds []struct{ Name, Doc string }) {
	docs := [host.Works]string{
		host.Application: "what programs compute", host.Verbs: "posting work requests and taking completions",
		host.Syscalls: "system calls, beside what they copy", host.Copies: "copies between applications and the kernel",
		host.Transmission: "TCP, IP and the driver on the way out", host.Reception: "the same on the way in, acknowledgements included",
		host.Interrupts: "handlers of interrupts", host.WakeUps: "waking threads and switching to them",
	}
	for w := range host.Works {
		kinds = append(kinds, struct{ Name, Doc string }{w.String(), docs[w]})
	}
	return append(kinds, struct{ Name, Doc string }{spinning, "looking for completions or packets in vain"})
}

// cpuKindNames are the names of the kinds.
func cpuKindNames() (names []string) {
	for _, k := range CPUKinds() {
		names = append(names, k.Name)
	}
	return names
}

// coreTime is what one core of a host spent its time on.
type coreTime struct {
	host, core int
	time       host.CPUTime
	spin       units.Time
}

// kinds are its times in the order of kinds.
func (c *coreTime) kinds() []units.Time { return append(c.time[:len(c.time):len(c.time)], c.spin) }

// whole is all the time that it was not free.
func (c *coreTime) whole() units.Time { return c.time.Total() + c.spin }

// coreTimes are the cores on which anything ran, host by host.
func (r *Run) coreTimes() (all []coreTime) {
	work := r.underWay()
	for h := range r.Cluster.Hosts {
		for _, c := range r.Cluster.Hosts[h].Cores(r.Report.Now, work.from, work.to) {
			all = append(all, coreTime{host: h, core: c.Number, time: c.Time, spin: c.Spinning})
		}
	}
	return all
}

// CPU is the table of processor time.
func (r *Run) CPU() *results.Table {
	t := results.NewTable("cpu.csv", "one row a kind of work that a core of a host did")
	name, number := t.String("host", "host"), t.Int("core", "", "number of the core at its host")
	kind := t.String("kind", "what the time was spent on: "+cpuKindDoc())
	time := t.Time("time_us", "processor time")
	share := t.Float("share", "", "time_us as a share of the time flows and programs were under way")
	work, kinds := r.underWay(), cpuKindNames()
	for _, c := range r.coreTimes() {
		for k, spent := range c.kinds() {
			if spent == 0 {
				continue
			}
			name.Append(r.hostName(c.host))
			number.Append(int64(c.core))
			kind.Append(kinds[k])
			time.Append(spent)
			share.Append(work.share(spent))
		}
	}
	return t
}

// cpuKindDoc says what the kinds are.
func cpuKindDoc() string {
	var parts []string
	for _, k := range CPUKinds() {
		parts = append(parts, k.Name+" ("+k.Doc+")")
	}
	return strings.Join(parts, ", ")
}

// hasCores tells whether anything of the run takes a core time: programs, the kernel's TCP, or flows over adapters
// to which it takes time to post.
func (r *Run) hasCores() bool {
	return r.Cluster.PaysForTransfers() || slices.ContainsFunc(r.Cluster.Hosts, func(h *host.Host) bool { return len(h.Threads()) > 0 })
}

// deliveredToAll is the payload delivered, to flows and to programs.
func (r *Run) deliveredToAll() (payload units.Bytes) {
	r.eachNIC(func(_ string, n *rnic.NIC) {
		payload += n.Intake()
		eachVerbs(n, func(q *rnic.VerbsQP) { payload += units.Bytes(q.Counted.AnswerPayload) })
	})
	for _, s := range r.Cluster.Sockets() {
		payload += s.Endpoint().Consumed()
	}
	return payload
}

func eachVerbs(n *rnic.NIC, f func(q *rnic.VerbsQP)) {
	for i := range n.QueuePairs() {
		if v := n.QueuePairs()[i].Verbs(); v != nil {
			f(v)
		}
	}
}

// crossings are the bytes of payload that a NIC reads from memory and writes to it.
func crossings(n *rnic.NIC) (payload units.Bytes) {
	for i := range n.QueuePairs() {
		qp := &n.QueuePairs()[i]
		payload += units.Bytes(qp.Sent().Payload + qp.Received().Payload)
	}
	eachVerbs(n, func(q *rnic.VerbsQP) { payload += units.Bytes(q.Counted.ResponsePayload + q.Counted.AnswerPayload) })
	return payload
}

// cpu is what processors and memories did.
func (r *Run) cpu() *results.CPU {
	work := r.underWay()
	c := &results.CPU{Clock: r.Clock, Moved: int64(r.deliveredToAll()), Kinds: []results.CPUKind{}}
	r.countCores(c, work)
	r.eachNIC(func(_ string, n *rnic.NIC) {
		bytes := crossings(n)
		c.DMA += int64(bytes)
		c.MemoryBus += int64(memoryBus(n, bytes))
	})
	for _, h := range r.Cluster.Hosts {
		moved := h.Traffic()
		c.Copied += int64(moved.CopiedOut + moved.CopiedIn)
		c.DMA += int64(moved.DMAOut + moved.DMAIn)
		c.MemoryBus += int64(moved.MemoryBus())
	}
	if c.Moved > 0 {
		c.Copies = ratio(float64(c.Copied), c.Moved)
		c.Crossings = ratio(float64(c.DMA), c.Moved)
		if c.Cores != nil {
			c.Cycles = ratio(float64(units.Time(c.Time).Seconds()*c.Clock)*1e9, c.Moved)
		}
	}
	return c
}

// countCores adds up the time of all cores.
func (r *Run) countCores(c *results.CPU, work span) {
	if !r.hasCores() {
		return
	}
	kinds := cpuKindNames()
	sums := make([]units.Time, len(kinds))
	for _, core := range r.coreTimes() {
		for k, t := range core.kinds() {
			sums[k] += t
		}
	}
	for k, kind := range kinds {
		c.Kinds = append(c.Kinds, results.CPUKind{Kind: kind, Time: results.Micros(sums[k])})
		c.Time += results.Micros(sums[k])
	}
	busy := 0.0
	if work.length() > 0 {
		busy = float64(c.Time) / float64(work.length())
	}
	c.Cores = &busy
}

func ratio(a float64, b int64) *float64 {
	q := a / float64(b)
	return &q
}

// memoryBus is what the crossings of a NIC cost the memory bus of its host: all of them, none where payload is in a GPU
// that the NIC reaches, and twice as much where it is copied through host memory on its way to one.
func memoryBus(n *rnic.NIC, crossed units.Bytes) units.Bytes {
	memory := hardware.HostMemory
	if cfg := n.Hardware(); cfg != nil {
		memory = cfg.Memory
	}
	switch memory {
	case hardware.HostMemory:
		return crossed
	case hardware.Bounce:
		return 2 * crossed // once by the NIC, once by the copy to or from the GPU
	}
	return 0
}

// bill is what the run cost at the prices of its scenario; nil if it has none.
func (r *Run) bill() *results.Bill {
	if r.Prices == nil {
		return nil
	}
	g := r.Cluster.Net.Graph
	used := results.Uses{UnderWay: r.underWay().length(), Moved: r.deliveredToAll(), NoCores: !r.hasCores()}
	for node := range g.Nodes {
		if r.Cluster.Net.Switch(node) != nil {
			used.Ports += len(g.Ports(node))
		} else {
			used.NICs += len(g.Ports(node))
		}
	}
	for _, core := range r.coreTimes() {
		used.Core += core.whole()
	}
	return results.NewBill(*r.Prices, used)
}
