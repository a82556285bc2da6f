package record

import (
	"cmp"
	"slices"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Window is the part of a run that counts, from From to before To: in percentiles, the flows that start in it; in goodput,
// the payload that is delivered in it. The zero value counts all.
type Window struct{ From, To units.Time }

// isAll tells whether every flow counts.
func (w Window) isAll() bool { return w == Window{} }

// Holds tells whether a flow that starts at that time counts.
func (w Window) Holds(start units.Time) bool { return w.isAll() || w.From <= start && start < w.To }

// Note has the NICs of a cluster note what goodput in the window takes. It is to be called before the run, when all flows
// are there: those without queue pairs have nothing to note.
func (w Window) Note(c *host.Cluster) {
	if w.isAll() {
		return
	}
	for _, h := range c.Hosts {
		for _, nic := range h.NICs() {
			if len(nic.QueuePairs()) == 0 {
				continue
			}
			nic.NoteAt(w.From)
			if w.To != units.Never {
				nic.NoteAt(w.To)
			}
		}
		h.NoteTCP(w.From, w.To)
	}
}

// clip is the part of a time that lies in the window.
func (w Window) clip(from, to units.Time) (units.Time, units.Time) {
	if w.isAll() {
		return from, to
	}
	return max(from, w.From), min(to, w.To)
}

// intake is the payload of flows that a NIC received in the window.
func (r *Run) intake(nic *rnic.NIC) units.Bytes {
	if r.Window.isAll() {
		return nic.IntakeOfFlows()
	}
	at := func(i int) units.Bytes {
		if notes := nic.Notes(); i < len(notes) {
			return notes[i]
		}
		return nic.IntakeOfFlows() // the run ended before
	}
	return at(1) - at(0)
}

// intakeOfTCP is the payload of flows over TCP that a host's applications read in the window.
func (r *Run) intakeOfTCP(h *host.Host) units.Bytes {
	all, notes := h.TakenByTCP()
	if r.Window.isAll() {
		return all
	}
	at := func(i int) units.Bytes {
		if i < len(notes) {
			return notes[i]
		}
		return all
	}
	return at(1) - at(0)
}

// counts tells whether a flow counts in percentiles.
func (r *Run) counts(flow int) bool { return r.Window.Holds(r.Cluster.Flows[flow].Start) }

// window says which flows count; nil if all do.
func (r *Run) window() *results.Window {
	if r.Window.isAll() {
		return nil
	}
	w := &results.Window{From: results.Micros(r.Window.From), To: results.Micros(r.Window.To)}
	for i := range r.Cluster.Flows {
		if r.counts(i) {
			w.Flows++
		}
	}
	return w
}

// delivered is, for each flow, the payload that its receiver had got in order at the end. Flows on one queue pair are
// delivered one after the other, in the order of their starts.
func (r *Run) delivered() []units.Bytes {
	order := make([]int, len(r.Cluster.Flows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Cluster.Flows[a].Start, r.Cluster.Flows[b].Start) })
	type lane struct {
		host, port, qp int
	}
	before := map[lane]units.Bytes{} // payload of the flows before
	payload := make([]units.Bytes, len(order))
	for _, i := range order {
		f, conn := r.Cluster.Flows[i], r.Cluster.Conns[i]
		on := lane{f.Dst, r.Cluster.Net.Routes.Endpoints[conn.Dst].Port, conn.ToQP}
		var got units.Bytes
		if r.Cluster.Over(i) {
			_, to := r.Cluster.Stream(i)
			on.qp, got = -1-to.Number(), to.Endpoint().Delivered()
		} else {
			got = units.Bytes(conn.To.QueuePairs()[conn.ToQP].Received().Payload)
		}
		payload[i] = min(f.Payload(), max(0, got-before[on]))
		before[on] += f.Payload()
	}
	return payload
}
