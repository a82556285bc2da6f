package fabric

import (
	"iter"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// flowQueues are the frames of one egress queue, those of each flow in order and apart
// from the others. Flows have their turns one after another and send a quantum each, what
// is left of it added to their next (deficit round robin, Shreedhar and Varghese 1995). A
// flow that runs empty loses its place and what is left.
type flowQueues struct {
	quantum units.Bytes
	slots   map[flowID]int32 // of the flows that have frames here
	flows   []flowQueue      // by slot
	unused  []int32          // slots
	round   Queue[int32]     // slots, in the order of their turns: the first has its turn
}

// flowQueue is what waits of one flow.
type flowQueue struct {
	packets Queue[wire.Packet]
	bytes   units.Bytes
	deficit units.Bytes // that it may send before its turn is over
}

// flowID tells flows apart: by the queue pair that they go to.
type flowID struct {
	edge, port uint16
	qpn        uint32
}

func flowOf(p *wire.Packet) flowID { return flowID{p.Edge, p.EdgePort, p.QPN} }

func newFlowQueues(quantum units.Bytes) *flowQueues {
	return &flowQueues{quantum: quantum, slots: make(map[flowID]int32)}
}

// push puts a frame at the end of its flow's queue.
func (f *flowQueues) push(p *wire.Packet) {
	slot, waits := f.slots[flowOf(p)]
	if !waits {
		slot = f.join(flowOf(p))
	}
	q := &f.flows[slot]
	q.packets.Push(p)
	q.bytes += units.Bytes(p.Frame)
}

// join gives a flow a slot, and the last place in the round.
func (f *flowQueues) join(id flowID) (slot int32) {
	if last := len(f.unused) - 1; last >= 0 {
		slot = f.unused[last]
		f.unused = f.unused[:last]
	} else {
		slot = int32(len(f.flows))
		f.flows = append(f.flows, flowQueue{})
	}
	f.flows[slot].deficit = f.quantum
	f.slots[id] = slot
	f.round.Push(&slot)
	return slot
}

// turn is the flow of which the first frame is next. It stays the same until that is
// taken.
func (f *flowQueues) turn() *flowQueue {
	for {
		slot := *f.round.Front()
		q := &f.flows[slot]
		if units.Bytes(q.packets.Front().Frame) <= q.deficit {
			return q
		}
		q.deficit += f.quantum
		f.round.Pop()
		f.round.Push(&slot)
	}
}

// front is the frame that is next.
func (f *flowQueues) front() *wire.Packet { return f.turn().packets.Front() }

// pop takes the frame that is next; it stays readable until the next push.
func (f *flowQueues) pop() *wire.Packet {
	q := f.turn()
	p := q.packets.Pop()
	q.bytes -= units.Bytes(p.Frame)
	q.deficit -= units.Bytes(p.Frame)
	if q.packets.Len() == 0 {
		f.unused = append(f.unused, *f.round.Pop())
		delete(f.slots, flowOf(p))
	}
	return p
}

// share is how many bytes came in by a port, flows taken to come in by one port each.
func (f *flowQueues) share(port int) (held units.Bytes) {
	for i := range f.round.Len() {
		if q := &f.flows[*f.round.At(i)]; int(q.packets.Front().Ingress) == port {
			held += q.bytes
		}
	}
	return held
}

// all are the frames, flow by flow.
func (f *flowQueues) all(yield func(*wire.Packet) bool) {
	for i := range f.round.Len() {
		q := &f.flows[*f.round.At(i)]
		for k := range q.packets.Len() {
			if !yield(q.packets.At(k)) {
				return
			}
		}
	}
}

// apart are the queues of the flows of the i-th queue; nil if it is one for all.
func (s *Switch) apart(i int) *flowQueues {
	if s.has&flowQueueing == 0 {
		return nil
	}
	return s.flows[i]
}

// front is the frame of a queue that is next.
func (s *Switch) front(queue int) *wire.Packet {
	if f := s.apart(queue); f != nil {
		return f.front()
	}
	return s.queues[queue].packets.Front()
}

// waiting are the frames of a queue, each flow's in order.
func (s *Switch) waiting(queue int) iter.Seq[*wire.Packet] {
	if f := s.apart(queue); f != nil {
		return f.all
	}
	return func(yield func(*wire.Packet) bool) {
		q := &s.queues[queue].packets
		for k := range q.Len() {
			if !yield(q.At(k)) {
				return
			}
		}
	}
}

// share is about how many bytes of a queue came in by a port, by a look at no more than
// so many of its packets, or at all its flows.
func (s *Switch) share(queue, port, most int) units.Bytes {
	if f := s.apart(queue); f != nil {
		return f.share(port)
	}
	return s.queues[queue].share(port, most)
}
