package scenarios

import (
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/host"
)

const bandwidth = `name: bandwidth
topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 500ns}}
workloads: [{kind: ib_write_bw, client: h0, server: h1, size: 64B, iterations: 300}]
`

// A run of programs says what bound them: the ceiling that messages came to, or that they came to none, and what hosts and
// adapters took.
func TestWhatBoundProgramsIsTold(t *testing.T) {
	for _, c := range []struct {
		sets  []string
		texts []string
	}{
		{[]string{"host.nic.qp_gap=300ns"}, []string{"ib_write_bw at 64B was bound by the message rate of a queue pair (host.nic.qp_gap) (9", "% by the host or the adapter"}},
		{[]string{"host.nic.port_gap=200ns"}, []string{"was bound by the message rate of the adapter's port (host.nic.port_gap) (9"}},
		{[]string{"host.nic.post=400ns"}, []string{"was bound by the processor of the client (9"}},
		{[]string{"workloads[0].size=64KiB"}, []string{"ib_write_bw at 64KiB was bound by the link (", "The link h0:0 to sw0 bound the run: it was busy for 9", "% of the time programs were under way."}},
		{[]string{"workloads[0].size=64KiB", "host.nic={pcie: {generation: 2, width: 4}}"}, []string{"was bound by PCIe of the "}},
		{[]string{"workloads[0].size=64KiB", "workloads[0].tx_depth=1", "topology.link.delay=50us"},
			[]string{"ib_write_bw at 64KiB came to no ceiling, but to 2.6% of the next, the link: it waited for what was under way, at most 1 on each queue pair", "% by the way to the other end and back"}},
		{[]string{"workloads[0].qps=8", "workloads[0].tx_depth=2", "host.nic.contexts.entries=2"},
			[]string{"Adapters had to read host memory for ", " look-ups of contexts of queue pairs, as their caches were too small."}},
		{[]string{"workloads=[{kind: rpc, server: h0, calls: 20, outstanding: 4, receives: 1, think: 50us, min_rnr_timer: 1}]"},
			[]string{"Messages found no receive request posted ", "(RNR NAK)", "by the repair of loss, or the timer of an RNR NAK"}},
	} {
		_, s := ended(t, parsed(t, bandwidth, c.sets...))
		said(t, s, c.texts...)
	}
}

// What answers READs comes back to its rate after marks, as what WRITEs does: four readers share a link of 100 Gb/s evenly, though
// DCQCN has cut all of them.
func TestResponsesToReadsComeBackToTheirRate(t *testing.T) {
	var readers []string
	for _, server := range []string{"h1", "h2", "h3", "h4"} {
		readers = append(readers, "{kind: ib_read_bw, client: h0, server: "+server+", size: 16MiB, iterations: 5, tx_depth: 1}")
	}
	run, s := ended(t, parsed(t, bandwidth, "topology.hosts=5", "workloads=["+strings.Join(readers, ", ")+"]"))
	if s.CongestionControl.RateCuts == 0 {
		t.Error("no rate was cut")
	}
	for i := range run.Perftests {
		if got := run.Perftests[i].Results()[0].Bandwidth.Average.Gbps(); got < 15 {
			t.Errorf("reader %d had %.1f Gb/s, want a quarter of 98 and some for the ends", i, got)
		}
	}
}

// One key has every kind of program travel over TCP, whatever else of RDMA its workload says, and leaves the same tables.
func TestOneKeyHasProgramsTravelOverTCP(t *testing.T) {
	for table, work := range map[string]string{
		"perftest": `{kind: ib_send_lat, client: h0, server: h1, size: 64B, iterations: 9, connection: UD, rx_depth: 1, inline: 0B}, ` +
			`{kind: ib_write_lat, client: h0, server: h1, iterations: 9, connection: UC}, {kind: ib_read_lat, client: h0, server: h1, iterations: 9}, ` +
			`{kind: ib_atomic_lat, client: h0, server: h1, iterations: 9}, {kind: ib_write_bw, client: h0, server: h1, iterations: 9, events: true}, ` +
			`{kind: ib_send_bw, client: h0, server: h1, iterations: 9, cq_mod: 3, bidirectional: true}, {kind: ib_read_bw, client: h0, server: h1, iterations: 9}`,
		"rpc":               `{kind: rpc, server: h0, calls: 9, via: read}, {kind: rpc, server: h0, calls: 9, via: write-imm, receives: 1, shared_receives: true}`,
		"short_connections": `{kind: short-connections, server: h0, sessions: 3, reuse: queue-pairs, pool: 1, register: 64KiB}`,
		"distributed_lock":  `{kind: distributed-lock, server: h0, acquisitions: 3}`,
	} {
		for _, c := range []struct{ set, want string }{{"host.transport=rocev2", "rocev2"}, {"host.transport=tcp", "tcp"}} {
			run, _ := ended(t, parsed(t, bandwidth, "workloads=["+work+"]", c.set))
			if run.Report.Outcome != host.Done {
				t.Errorf("%s over %s: %v", table, c.want, run.Report.Outcome)
			}
			var text strings.Builder
			if err := run.Table(table).WriteCSV(&text); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(text.String()), "\n")
			at := slices.Index(strings.Split(lines[0], ","), "transport")
			for _, line := range lines[1:] {
				if got := strings.Split(line, ",")[at]; got != c.want {
					t.Errorf("%s: %q travels over %s, want %s", table, line, got, c.want)
				}
			}
			if len(lines) < 2 {
				t.Errorf("%s over %s has no rows", table, c.want)
			}
		}
	}
}

// The goodput of receivers is that of flows: what programs get at the same adapters does not count, over any transport.
func TestGoodputIsThatOfFlowsAlone(t *testing.T) {
	for _, transport := range []string{"rocev2", "iwarp", "tcp"} {
		for _, window := range []string{"{}", "{warmup: 1us, window: 500us}"} {
			work := `workloads=[{kind: flows, flows: [{from: h0, to: h1, size: 1B}, {from: h0, to: h1, size: 1000B, start: 2us}]}, {kind: ib_write_bw, client: h0, server: h1, size: 64KiB, iterations: 50}]`
			run, _ := ended(t, parsed(t, bandwidth, work, "host.transport="+transport, "measure="+window))
			if got := run.Summary().Goodput.Payload; got < 1000 || got > 1001 {
				t.Errorf("over %s, measured %s: %d bytes, want those of the flows, 1001, or 1000 if the first came before the window", transport, window, got)
			}
		}
	}
}

// Threads that look for packets of flows all the time find none before the first flow starts and once all have ended: what
// a run goes on for after that, for an acknowledgement that waits, does not count as theirs.
func TestNoMoreCoresAreBusyThanThereAre(t *testing.T) {
	run, _ := ended(t, parsed(t, bandwidth, "workloads=[{kind: flows, flows: [{from: h0, to: h1, size: 1B, start: 1ms}]}]", "host.transport=tcp", "host.cores=2",
		"host.kernel.busy_poll=true", "host.tcp={delayed_ack: 500ms, quick_acks: 0, tlp: false}", "stop.limit=10ms"))
	if s := run.Summary(); s.Outcome != "done" || *s.CPU.Cores > 4 {
		t.Errorf("%s, with %.2f cores busy of two hosts that have two each", s.Outcome, *s.CPU.Cores)
	}
}
