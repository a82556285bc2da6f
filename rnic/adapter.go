package rnic

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/rnic/contexts"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/rnic/pcie"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// adapter is the hardware of a NIC that costs time, between the rules of the transport and the wire.
//
// A queue pair's packet is sent in steps. Its work request has to get to the adapter
// (rnic/workqueue.go) and its context has to be there. Then the scheduler picks it, in the
// order it always does, as soon as the buffer of its priority has room; its payload is read over PCIe, it
// passes the pipeline, and lies in that buffer until the port pulls it (rnic/stage.go).
//
// A packet that arrives has an effect once it has passed the receive pipeline, in the order
// of arrival; its payload is then written over PCIe, and so are completions (rnic/intake.go).
type adapter struct {
	cfg      *hardware.Config
	bus      *pcie.Link
	payload  pcie.Memory
	out      *pcie.Copier // copies what is to be sent from memory that the adapter cannot reach; nil if it can
	contexts *contexts.Cache
	pages    *contexts.Cache // translations: of regions and of their pages
	words    atomicUnit
	qps      []workQueue
	now      units.Time // of what is being done
	// loaded are queue pairs whose context or work request has come since their turn, by priority.
	loaded     [pfc.Priorities]fabric.Queue[int32]
	loadedMask uint8
	stalled    units.Time // when the next context can be asked for, if the scheduler waits for that

	// What is on its way to the wire, by priority.
	data, control [pfc.Priorities]fabric.Queue[staged]
	bytes         [pfc.Priorities]units.Bytes // of frames with data
	since         [pfc.Priorities]units.Time  // when the last packet with data left, or there was one after there had been none
	starved       [pfc.Priorities]units.Time  // for how long packets left no sooner because their payload was not there
	ready         uint8                       // priorities in which a packet may go
	next          units.Time                  // when one of another may go
	gate          units.Time                  // before which the port starts no packet

	// What has arrived.
	arrived  fabric.Queue[arrival]
	entered  units.Time // when the last of them is through the pipeline
	through  bool       // the packet being handled is
	onBus    units.Time // when the payload of the packet being handled is on the bus
	memory   units.Time // when the host's memory has taken in all that has been written
	seen     units.Time // when all that has been written can be seen there
	leaving  fabric.Queue[leave]
	finished fabric.Queue[completion]
	handing  bool // a completion that has become visible is being handed over
}

// Hardware is what the NIC's adapter costs; nil if it costs nothing.
func (n *NIC) Hardware() *hardware.Config {
	if n.adapter == nil {
		return nil
	}
	return n.adapter.cfg
}

// Equip gives the NIC an adapter of its own, in place of that of the configuration. It must be called before the run.
func (n *NIC) Equip(cfg *hardware.Config) { n.adapter = newAdapter(cfg) }

// newAdapter makes the adapter of a NIC, idle.
func newAdapter(cfg *hardware.Config) *adapter {
	a := &adapter{
		cfg: cfg, bus: pcie.New(&cfg.PCIe), payload: cfg.Payload(),
		contexts: contexts.New(&cfg.Contexts), pages: contexts.New(&cfg.Translations), words: atomicUnit{}, next: units.Never, stalled: units.Never,
	}
	if cfg.Memory == hardware.Bounce {
		a.out = pcie.NewCopier(&cfg.Bounce)
	}
	return a
}

// queue is what the adapter knows of a queue pair's send queue.
func (a *adapter) queue(i int) *workQueue {
	for len(a.qps) <= i {
		a.qps = append(a.qps, workQueue{})
	}
	return &a.qps[i]
}

// onAdapterTimer handles a timer of the adapter.
func (n *NIC) onAdapterTimer(kind int, now units.Time) {
	switch kind {
	case arrivalTimer:
		n.takeUp(now)
	case leaveTimer:
		n.leave(now)
	case completionTimer:
		n.handOver(now)
	}
}

// Busy tells whether the NIC's adapter has anything under way that comes to something by itself: a packet
// between scheduler and wire or between wire and transport, payload or a completion on
// its way to memory.
func (n *NIC) Busy() bool {
	a := n.adapter
	return a != nil && (a.next != units.Never || a.stalled != units.Never || a.arrived.Len() > 0 || a.leaving.Len() > 0 || a.finished.Len() > 0)
}

// underWay counts the data packets between scheduler and wire, and between wire and transport.
func (a *adapter) underWay() (packets uint64) {
	for p := range a.data {
		for _, q := range []*fabric.Queue[staged]{&a.data[p], &a.control[p]} {
			for k := range q.Len() {
				packets += isData(&q.At(k).packet)
			}
		}
	}
	for k := range a.arrived.Len() {
		packets += isData(&a.arrived.At(k).packet)
	}
	return packets
}

func isData(p *wire.Packet) uint64 {
	if p.Op.IsData() {
		return 1
	}
	return 0
}
