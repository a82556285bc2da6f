package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
)

// tcpSummary is what connections of TCP did, of kernels and of adapters; nil if there were none.
func (r *Run) tcpSummary() *results.TCP {
	sockets := r.Cluster.Sockets()
	t := &results.TCP{Control: r.TCPControl, Alone: true}
	any := len(sockets) > 0
	for _, h := range r.Cluster.Hosts {
		for _, nic := range h.NICs() {
			t.Alone = t.Alone && nic.OnlyIWARP()
			for _, c := range nic.Connections() {
				any = true
				addConnection(t, c.End.Counters(), c.End.Failed())
			}
		}
	}
	if !any {
		return nil
	}
	for _, s := range sockets {
		addConnection(t, s.Endpoint().Counters(), s.Failed())
		t.RingDrops += int64(s.RingDrops)
	}
	for _, h := range r.Cluster.Hosts {
		moved := h.Traffic()
		t.Interrupts += int64(moved.Interrupts)
		t.Syscalls += int64(moved.Syscalls)
		t.WakeUps += int64(moved.WakeUps)
		t.Packets += int64(moved.Packets - moved.Acks)
		t.Aggregates += int64(moved.Aggregates)
	}
	return t
}

// markedTCP is how many packets of TCP with payload came with a mark.
func (r *Run) markedTCP() (packets int64) {
	for _, h := range r.Cluster.Hosts {
		packets += int64(h.Traffic().Marked)
	}
	return packets
}

// unmarkable tells whether a connection of TCP sent data that no switch can mark.
func (r *Run) unmarkable() (found bool) {
	look := func(e *tcp.Endpoint) { found = found || e.Counters().BytesSent > 0 && !e.ECN() }
	for _, s := range r.Cluster.Sockets() {
		look(s.Endpoint())
	}
	r.eachNIC(func(_ string, n *rnic.NIC) {
		for _, c := range n.Connections() {
			look(c.End)
		}
	})
	return found
}

// addConnection adds what one end of a connection did.
func addConnection(t *results.TCP, c *tcp.Counters, failed error) {
	if c.BytesSent > 0 {
		t.Connections++
	}
	if failed != nil {
		t.Failed++
	}
	t.Sent += int64(c.BytesSent)
	t.Retransmitted += int64(c.BytesRetransmitted)
	t.Timeouts += int64(c.Timeouts)
	t.TailProbes += int64(c.TailProbes)
	t.FastRecoveries += int64(c.FastRecoveries)
	t.Reductions += int64(c.Reductions)
	t.Marked += int64(c.PacketsMarked)
	t.ZeroWindows += int64(c.ZeroWindows)
}

// whyTCP says what TCP did, and whether the network or a processor was what bound it.
func (r *Run) whyTCP(s *results.Summary) string {
	t := s.TCP
	if t == nil {
		return ""
	}
	var parts []string
	switch {
	case t.RingDrops > 0:
		parts = append(parts, fmt.Sprintf("Processors did not keep up with what came by TCP: %s found the receive ring of a host full, which TCP takes for congestion.", results.Plural(t.RingDrops, "packet")))
	case t.Retransmitted == 0:
		parts = append(parts, "TCP sent nothing again.")
	}
	if t.Retransmitted > 0 {
		parts = append(parts, fmt.Sprintf("TCP sent %s again (%.2g%% of what it sent), after %s and %s.", units.Bytes(t.Retransmitted).Human(),
			100*float64(t.Retransmitted)/float64(t.Sent), results.Plural(t.Timeouts, "timeout"), recoveries(t.FastRecoveries)))
	}
	switch {
	case t.Reductions > 0:
		parts = append(parts, fmt.Sprintf("%s reduced its windows %s, as receivers echoed %s.", t.Control, results.Plural(t.Reductions, "time"), results.Plural(t.Marked, "mark")))
	case t.Marked > 0:
		parts = append(parts, fmt.Sprintf("Receivers saw %s of TCP with a mark, and no window was reduced for it: %s goes by something else.", results.Plural(t.Marked, "packet"), t.Control))
	}
	if busiest := r.busiestCore(); busiest != "" {
		parts = append(parts, busiest)
	}
	return strings.Join(parts, " ")
}

func recoveries(n int64) string {
	if n == 1 {
		return "one fast recovery"
	}
	return results.Count(n) + " fast recoveries"
}

// busiestCore speaks of the core that had most to do, if that was most of the time.
func (r *Run) busiestCore() string {
	span := r.underWay()
	var most units.Time
	var where, what string
	for i, h := range r.Cluster.Hosts {
		for _, c := range h.Cores(r.Report.Now, span.from, span.to) {
			if total := c.Time.Total(); total > most {
				most = total
				where = fmt.Sprintf("core %d of %s", c.Number, r.hostName(i))
				first := 0
				for w := range c.Time {
					if c.Time[w] > c.Time[first] {
						first = w
					}
				}
				what = fmt.Sprintf("%s of that for %s", results.Percent(float64(c.Time[first])/float64(total)), workTexts[first])
			}
		}
	}
	share := span.share(most)
	if share < 0.5 {
		return ""
	}
	verdict := "The busiest core, "
	if share > 0.95 {
		verdict = "A processor was at its limit: "
	}
	return fmt.Sprintf("%s%s, was at work for %s of the time, %s.", verdict, where, results.Percent(share), what)
}

// workTexts are the kinds of work in sentences.
var workTexts = [...]string{"the application", "verbs", "system calls", "copies", "transmission", "reception", "interrupts", "waking threads"}
