package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// eachProgramNIC calls f for every NIC, if there are programs.
func (r *Run) eachProgramNIC(f func(n *rnic.NIC)) {
	if len(r.Cluster.Threads) == 0 {
		return
	}
	for i := range r.Cluster.Hosts {
		for _, n := range r.Cluster.Hosts[i].NICs() {
			f(n)
		}
	}
}

// whyPrograms says what bound the queue pairs of programs while they had anything to send, all together.
func (r *Run) whyPrograms() string {
	var sum rnic.Bounds
	r.eachProgramNIC(func(n *rnic.NIC) {
		for i := range n.QueuePairs() {
			if n.QueuePairs()[i].Verbs() == nil {
				continue
			}
			for by, t := range n.QPBounds(i, r.Report.Now) {
				sum[by] += t
			}
		}
	})
	sum[rnic.ByNothing] = 0
	type share struct {
		text string
		time units.Time
	}
	all := []share{
		{"the link of their NIC", sum[rnic.ByLink]},
		{r.heldWord(causeTexts()[byPause].said), sum[rnic.ByPause]},
		{"congestion control's rate", sum[rnic.ByPacing]},
		{"what they may have under way", sum[rnic.ByWindow]},
		{"the way to the other end and back", sum[rnic.ByAck]},
		{"the host or the adapter", sum[rnic.ByHost]},
		{"the repair of loss, or the timer of an RNR NAK", sum[rnic.ByRecovery]},
	}
	slices.SortStableFunc(all, func(a, b share) int { return cmp.Compare(b.time, a.time) })
	var parts []string
	for _, s := range all {
		if part := float64(s.time) / float64(max(1, sum.Total())); part >= mentioned {
			parts = append(parts, results.Percent(part)+" by "+s.text)
		}
	}
	if parts == nil {
		return ""
	}
	return "With requests under way, the queue pairs of programs were bound " + strings.Join(parts, ", ") + "."
}

// whyRNR says how often messages found no receive request.
func (r *Run) whyRNR() string {
	var naks uint64
	r.eachProgramNIC(func(n *rnic.NIC) {
		for i := range n.QueuePairs() {
			if v := n.QueuePairs()[i].Verbs(); v != nil {
				naks += v.Counted.RNRNaks
			}
		}
	})
	if naks == 0 {
		return ""
	}
	return fmt.Sprintf("Messages found no receive request posted %s (RNR NAK): each time their queue pair waited for as long as the receiver asked.", results.Plural(int64(naks), "time"))
}

// whyCaches says how often adapters had to read what they had no room for.
func (r *Run) whyCaches() string {
	var sum [2]rnic.Lookups
	r.eachNIC(func(_ string, n *rnic.NIC) {
		queuePairs, pages := n.Lookups()
		for i, c := range [...]rnic.Lookups{queuePairs, pages} {
			sum[i].Hits += c.Hits
			sum[i].Misses += c.Misses
		}
	})
	var parts []string
	for i, what := range [...]string{"contexts of queue pairs", "translations of addresses"} {
		if c := sum[i]; c.Misses > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s look-ups of %s", results.Percent(float64(c.Misses)/float64(c.Hits+c.Misses)), results.Count(int64(c.Hits+c.Misses)), what))
		}
	}
	if parts == nil {
		return ""
	}
	return "Adapters had to read host memory for " + strings.Join(parts, " and ") + ", as their caches were too small."
}

// ceiling is something that bounds the messages of a test, and how many a second it lets pass.
type ceiling struct {
	what string
	most float64
}

// reached is the share of a ceiling from which it is said to have bound a test.
const reached = 0.85

// whyTests says of each test of bandwidth which ceiling its messages came to.
func (r *Run) whyTests() string {
	var parts []string
	r.eachResult(func(p *Perftest, m *programs.Result) {
		b := m.Bandwidth
		if b == nil || b.MessageRate <= 0 {
			return
		}
		rate := b.MessageRate
		if p.Bidirectional {
			rate /= 2
		}
		all := r.ceilings(p, m)
		if len(all) == 0 {
			return
		}
		next := slices.MinFunc(all, func(a, b ceiling) int { return cmp.Compare(a.most, b.most) })
		test := p.Workload + " at " + m.Size.String()
		if share := rate / next.most; share >= reached {
			parts = append(parts, fmt.Sprintf("%s was bound by %s (%s)", test, next.what, results.Percent(min(1, share))))
		} else {
			parts = append(parts, fmt.Sprintf("%s came to no ceiling, but to %s of the next, %s: it waited for what was under way, at most %d on each queue pair",
				test, results.Percent(share), next.what, p.TxDepth))
		}
	})
	const most = 8
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("and so on for %d more", len(parts)-most))
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

// ceilings are what can bound the messages of a test, of each end that sends.
func (r *Run) ceilings(p *Perftest, m *programs.Result) (all []ceiling) {
	add := func(what string, perMessage units.Time, each int) {
		if perMessage > 0 {
			all = append(all, ceiling{what, float64(each) / perMessage.Seconds()})
		}
	}
	if p.Transport == programs.TCP {
		for _, end := range []struct {
			name string
			load programs.Load
		}{{"client", m.Client}, {"server", m.Server}} {
			of := func(t units.Time) units.Time { return t / units.Time(m.Iterations) }
			threads := 1
			if p.Bidirectional {
				threads = 2
			}
			add("the thread of the "+end.name, of(end.load.Busy-end.load.Kernel), threads)
			if p.QPs == 1 {
				add("the softirqs of the "+end.name, of(end.load.Kernel), threads)
			}
		}
		return all
	}
	from, to := p.NICs()
	read := p.Test == programs.ReadBW
	if read {
		from, to = to, from // it is the answers that are long
	}
	sender, receiver := from.MessageTimes(m.Size, read), to.MessageTimes(m.Size, read)
	add("the link", max(sender.Wire, receiver.Wire), 1)
	add("the message rate of the adapter's port (host.nic.port_gap)", sender.Port, 1)
	add("the message rate of a queue pair (host.nic.qp_gap)", sender.QueuePair, p.QPs)
	if p.Inline == nil || m.Size > *p.Inline || read {
		add("PCIe of the sender", sender.FromMemory, 1)
	}
	add("PCIe of the receiver", receiver.IntoMemory, 1)
	add("the processor of the client", m.Client.PerMessage(m.Iterations), 1)
	if !p.Bidirectional {
		add("the processor of the server", m.Server.PerMessage(m.Iterations), 1)
	}
	return all
}
