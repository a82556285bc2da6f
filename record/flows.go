package record

import (
	"strings"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Flows is the table of flows.
func (r *Run) Flows() *results.Table {
	t := results.NewTable("flows.csv", "one row a flow")
	r.flowIdentity(t)
	r.flowTimes(t)
	r.flowRecovery(t)
	r.flowMeasured(t)
	r.flowBounds(t)
	return t
}

func (r *Run) flowIdentity(t *results.Table) {
	flow := t.Int("flow", "", "number of the flow")
	workload := t.String("workload", "workload it belongs to")
	src, dst := t.String("src", "sending host"), t.String("dst", "receiving host")
	transport := t.String("transport", "how it travels: rdma, or tcp")
	qpn := t.Int("qpn", "", "queue pair number at the sender; of a flow over TCP the number of its connection there")
	source := t.Int("source_port", "", "UDP source port of its packets, or TCP's")
	path := t.String("path", "nodes its data packets cross, in order")
	ports := t.String("path_ports", "ports by which its data packets leave nodes, in order")
	ways := t.String("path_ways", "for each of these ports, from how many of equal cost it was chosen")
	priority := t.Int("priority", "", "priority of its data packets")
	size, messages := t.Bytes("message_bytes", "payload of a message"), t.Int("messages", "messages", "messages it sends")
	payload := t.Bytes("payload_bytes", "payload of all its messages")
	for i, f := range r.Cluster.Flows {
		conn := r.Cluster.Conns[i]
		flow.Append(int64(i))
		workload.Append(r.Workloads[i])
		src.Append(r.hostName(f.Src))
		dst.Append(r.hostName(f.Dst))
		if r.Cluster.Over(i) {
			from, _ := r.Cluster.Stream(i)
			transport.Append("tcp")
			qpn.Append(int64(from.Number()))
			source.Append(int64(from.SourcePort()))
		} else {
			transport.Append("rdma")
			qpn.Append(int64(rnic.QPN(conn.FromQP)))
			source.Append(int64(conn.From.QueuePairs()[conn.FromQP].SourcePort))
		}
		path.Append(r.pathName(i))
		ports.Append(r.pathPorts(i))
		ways.Append(r.pathWays(i))
		priority.Append(int64(f.Data.Priority))
		size.Append(f.Size)
		messages.Append(int64(f.Messages))
		payload.Append(f.Payload())
	}
}

func (r *Run) pathName(flow int) string {
	var names []string
	for _, step := range r.Cluster.Path(flow) {
		names = append(names, r.Cluster.Net.Graph.Nodes[step.Node].Name)
	}
	return strings.Join(names, ">")
}

func (r *Run) flowTimes(t *results.Table) {
	start := t.Time("start_us", "when its messages were posted")
	byteAt := t.Time("last_byte_us", "when its last byte had arrived in order at the receiver")
	ackAt := t.Time("last_ack_us", "when its last acknowledgement had arrived at the sender; over TCP, where acknowledgements may be put off, that is not its end")
	fct := t.Time("fct_us", "flow completion time: from the start to the last acknowledgement; over TCP until the receiving application has read the last byte")
	fctByte := t.Time("fct_last_byte_us", "from the start to the last byte")
	ideal := t.Time("ideal_fct_us", "fct_us of the same flow alone on the best of its paths")
	slowdown := t.Float("slowdown", "", "fct_us as a multiple of ideal_fct_us")
	goodput := t.Rate("goodput_gbps", "delivered_bytes by the time it was under way: fct_us, or from the start to the end of the run")
	last, payload := r.lastBytes(), r.delivered()
	for i, f := range r.Cluster.Flows {
		start.Append(f.Start)
		byteAt.Append(last[i])
		fctByte.Append(since(last[i], f.Start))
		_, best := r.Cluster.Ideal(i)
		ideal.Append(best)
		from, to := r.flowSpan(i)
		goodput.Append(rate(payload[i], to-from))
		tr := r.Cluster.Transfer(i)
		if !succeeded(tr) {
			ackAt.Append(units.Never)
			fct.Append(units.Never)
			slowdown.AppendMissing()
			continue
		}
		took := tr.End - f.Start
		if r.Cluster.Over(i) {
			ackAt.Append(r.Cluster.Acknowledged(i))
		} else {
			ackAt.Append(tr.End)
		}
		fct.Append(took)
		slowdown.Append(float64(took) / float64(best))
	}
}

func (r *Run) flowRecovery(t *results.Table) {
	status := t.String("status", "completion status as verbs name it; UNFINISHED if it has not ended")
	waits := t.String("waits_for", "what an unfinished flow waits for, or how a failed one ended; empty for others")
	resent := t.Bytes("retransmitted_bytes", "payload sent again; over TCP by its connection")
	timeouts := t.Int("timeouts", "expiries", "expiries of the retransmission timer of its queue pair")
	naks := t.Int("naks", "packets", "negative acknowledgements its queue pair received")
	ahead := t.Int("out_of_order", "packets", "packets that the receiver of its queue pair took in behind a gap, as selective repeat does")
	cnps := t.Int("cnps", "packets", "congestion notifications its queue pair received")
	cuts := t.Int("rate_cuts", "cuts", "times congestion control lowered the rate of its queue pair")
	causes := map[int]string{}
	for _, w := range r.Cluster.Waits(r.Report.Now) {
		causes[w.Flow] = w.Cause
	}
	for i := range r.Cluster.Flows {
		tr, conn := r.Cluster.Transfer(i), r.Cluster.Conns[i]
		status.Append(statusOf(tr))
		waits.Append(causes[i])
		if r.Cluster.Over(i) {
			from, to := r.Cluster.Stream(i)
			c := from.Endpoint().Counters()
			resent.Append(c.BytesRetransmitted)
			timeouts.Append(int64(c.Timeouts))
			naks.Append(0)
			ahead.Append(int64(to.Endpoint().Counters().OutOfOrder))
			cnps.Append(0)
			cuts.Append(int64(c.FastRecoveries + c.Reductions))
			continue
		}
		sent := conn.From.QueuePairs()[conn.FromQP].Sent()
		resent.Append(tr.Retransmitted)
		timeouts.Append(int64(sent.Timeouts))
		naks.Append(int64(sent.Naks))
		ahead.Append(int64(conn.To.QueuePairs()[conn.ToQP].Received().OutOfOrder))
		cnps.Append(int64(sent.CNPs))
		if e := conn.From.Connection(conn.FromQP); e != nil {
			c := e.Counters()
			cuts.Append(int64(c.FastRecoveries + c.Reductions))
			continue
		}
		cuts.Append(int64(conn.From.ControlState(conn.FromQP, r.Report.Now).Cuts))
	}
}

// flowMeasured adds what percentiles and goodput take of each flow.
func (r *Run) flowMeasured(t *results.Table) {
	counted := t.Int("counted", "", "1 if it counts in the percentiles of the summary, 0 if it starts outside the window that is measured")
	delivered := t.Bytes("delivered_bytes", "payload that its receiver had in order at the end")
	for i, payload := range r.delivered() {
		counted.Append(asInt(r.counts(i)))
		delivered.Append(payload)
	}
}

func asInt(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

func succeeded(t *rnic.Transfer) bool { return t.Done() && t.Status == rnic.Success }

// unfinished is the status of a flow that has come to no end.
const unfinished = "UNFINISHED"

func statusOf(t *rnic.Transfer) string {
	if !t.Done() {
		return unfinished
	}
	return t.Status.String()
}

// since is the time from one instant to another that may never come.
func since(at, start units.Time) units.Time {
	if at == units.Never {
		return units.Never
	}
	return at - start
}

// rate is so many bytes in such a time, rounded down.
func rate(b units.Bytes, in units.Time) units.Rate {
	if in <= 0 {
		return 0
	}
	return units.Rate(float64(b) * 8 / in.Seconds())
}

// waitText is a wait as a sentence of the stall report.
func (r *Run) waitText(w host.Wait) string {
	what := " left, waits for "
	if w.Failed {
		what = " left; "
	}
	return r.flowName(w.Flow) + ": " + w.Left.Human() + what + w.Cause
}

// flowName names a flow in a sentence.
func (r *Run) flowName(flow int) string {
	f := r.Cluster.Flows[flow]
	return "flow " + itoa(flow) + " from " + r.hostName(f.Src) + " to " + r.hostName(f.Dst)
}
