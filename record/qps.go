package record

import (
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
)

// sender is a queue pair that had data to send.
type sender struct {
	conn     host.Conn
	src, dst string
	flows    int64
	qp, far  *rnic.QP
}

// senders are the queue pairs that had data to send, in the order of their first flows.
func (r *Run) senders() []*sender {
	type key struct {
		nic *rnic.NIC
		qp  int
	}
	known := map[key]*sender{}
	var all []*sender
	for i, f := range r.Cluster.Flows {
		conn := r.Cluster.Conns[i]
		if r.Cluster.Over(i) {
			continue
		}
		k := key{conn.From, conn.FromQP}
		if known[k] == nil {
			known[k] = &sender{
				conn: conn, src: r.hostName(f.Src), dst: r.hostName(f.Dst),
				qp: &conn.From.QueuePairs()[conn.FromQP], far: &conn.To.QueuePairs()[conn.ToQP],
			}
			all = append(all, known[k])
		}
		known[k].flows++
	}
	return all
}

// QPs is the table of the queue pairs that had data to send.
func (r *Run) QPs() *results.Table {
	t := results.NewTable("qps.csv", "one row a queue pair that had data to send")
	all := r.senders()
	qpIdentity(t, all)
	qpFeedback(t, all)
	r.qpState(t, all)
	r.qpBounds(t, all)
	return t
}

func qpIdentity(t *results.Table, all []*sender) {
	src, qpn := t.String("src", "sending host"), t.Int("qpn", "", "queue pair number at the sender; a NIC numbers its own")
	dst, peer := t.String("dst", "receiving host"), t.Int("peer_qpn", "", "queue pair number at the receiver")
	source := t.Int("source_port", "", "UDP source port of its packets")
	flows := t.Int("flows", "flows", "flows it carried")
	sent := t.Int("data_packets", "packets", "data packets sent, those sent again included")
	for _, s := range all {
		src.Append(s.src)
		qpn.Append(int64(rnic.QPN(s.conn.FromQP)))
		dst.Append(s.dst)
		peer.Append(int64(s.qp.PeerQPN))
		source.Append(int64(s.qp.SourcePort))
		flows.Append(s.flows)
		sent.Append(int64(s.qp.Sent().Packets))
	}
}

func qpFeedback(t *results.Table, all []*sender) {
	marked := t.Int("ce_received", "packets", "data packets that came to the receiver with a mark")
	sent := t.Int("cnps_sent", "packets", "notifications the receiver sent")
	handled := t.Int("cnps_handled", "packets", "notifications the sender handled")
	cuts := t.Int("cuts", "notifications", "notifications after which the rate was lowered")
	least := t.Time("mark_to_cut_min_us", "least time from a mark to the cut of the rate that it caused")
	mean := t.Time("mark_to_cut_mean_us", "the same on average")
	most := t.Time("mark_to_cut_max_us", "the same at the most")
	for _, s := range all {
		marked.Append(int64(s.far.Received().Marked))
		sent.Append(int64(s.far.Received().CNPsSent))
		handled.Append(int64(s.qp.Sent().CNPs))
		f := s.qp.Feedback()
		cuts.Append(int64(f.Cuts))
		if f.Cuts == 0 {
			least.AppendMissing()
			mean.AppendMissing()
			most.AppendMissing()
			continue
		}
		least.Append(f.Min)
		mean.Append(f.Mean())
		most.Append(f.Max)
	}
}

func (r *Run) qpState(t *results.Table, all []*sender) {
	alpha := t.Float("alpha", "", "congestion control's estimate of congestion at the end of the run, 0 to 1")
	rate := t.Rate("rate_gbps", "rate that congestion control allowed at the end of the run")
	for _, s := range all {
		state := s.conn.From.ControlState(s.conn.FromQP, r.Report.Now)
		alpha.Append(state.Alpha)
		rate.Append(state.Rate)
	}
}

// qpBounds adds what bound each queue pair: for a flow that is what bound its life, for
// a queue pair also the time between flows.
func (r *Run) qpBounds(t *results.Table, all []*sender) {
	for _, b := range [...]struct {
		by        rnic.Bound
		name, doc string
	}{
		{rnic.ByNothing, "idle", "it had nothing to send"},
		{rnic.ByLink, "link", "it sent, or waited for its turn at the port of its NIC"},
		{rnic.ByPause, "pause", "its priority was paused at its NIC, or its lane without credits"},
		{rnic.ByPacing, "pacing", "it waited for the rate that congestion control allowed"},
		{rnic.ByWindow, "window", "it waited for room in its window"},
		{rnic.ByAck, "ack", "everything was sent, and not all of it acknowledged"},
		{rnic.ByHost, "host", "its host had stopped, or the host or its adapter was not ready: work request, context, payload or completion on its way"},
		{rnic.ByRecovery, "recovery", "loss was repaired: a retransmission timer ran out, or packets were sent again"},
	} {
		spent := t.Time("bound_"+b.name+"_us", "time, from its first flow to the end of the run, in which "+b.doc)
		for _, s := range all {
			spent.Append(s.conn.From.QPBounds(s.conn.FromQP, r.Report.Now)[b.by])
		}
	}
}
