package calibrate

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Setting is what the measurements were taken on: two hosts and what is between them.
type Setting struct {
	// Profile is the profile of host.nic from which the search starts.
	Profile string
	// Rate is that of the links; 0 is the least usual rate that the tables fit into.
	Rate units.Rate
	// Switch is the latency of the switch between the hosts; 0 is a cable from host to host.
	Switch units.Time
	// Sets are more keys of the scenario, as for --set of the command run: host.nic.pcie.width=8.
	Sets []string
}

// usualRates are those of links.
var usualRates = []units.Rate{
	10 * units.Gbps, 25 * units.Gbps, 40 * units.Gbps, 50 * units.Gbps, 100 * units.Gbps, 200 * units.Gbps, 400 * units.Gbps, 800 * units.Gbps,
}

// Complete fills in the rate of the links, which tables of bandwidth bound from below. It is an
// error if none does.
func (s *Setting) Complete(tables []Table) error {
	if s.Rate != 0 {
		return nil
	}
	most := 0.0
	for i := range tables {
		t := &tables[i]
		for _, r := range t.Rows {
			average := r.Average
			if t.Bidirectional {
				average /= 2
			}
			most = max(most, average)
		}
	}
	if most == 0 {
		return fmt.Errorf("%s:1: tables of latency do not tell the rate of the links; give it with --rate", tables[0].File)
	}
	for _, r := range usualRates {
		if float64(r) > most {
			s.Rate = r
			return nil
		}
	}
	return fmt.Errorf("%s:1: %.1f Gb/s are more than any usual link has; give the rate with --rate", tables[0].File, most/1e9)
}

// text is the scenario of a test.
func (s *Setting) text(t *Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: calibrate\nstop: {limit: 1000s}\nhost: {mtu: %d, congestion_control: {kind: none}, nic: {profile: %s}}\n", t.MTU, s.Profile)
	link := fmt.Sprintf("link: {rate: %v, delay: 10ns}", s.Rate)
	if s.Switch > 0 {
		fmt.Fprintf(&b, "topology: {kind: star, hosts: 2, %s}\nswitch: {pipeline: %v}\n", link, s.Switch)
	} else {
		fmt.Fprintf(&b, "topology: {kind: pair, %s}\n", link)
	}
	return b.String()
}

// The search needs no more messages than show the rate: so much payload, and so many messages.
const (
	enoughPayload    = 16 * units.MiB
	leastMessages    = 40
	mostMessages     = 2000
	latencyMessages  = 12
	leastPerTxDepths = 3
)

// iterations is how many messages of a size are simulated on each queue pair.
func iterations(t *Table, size units.Bytes) int {
	if t.Test.MeasuresLatency() {
		return min(latencyMessages, max(programs.MinIterations, t.Iterations))
	}
	n := min(mostMessages, max(leastMessages, int(enoughPayload/size)/max(1, t.QPs)))
	return max(n, min(t.Iterations, leastPerTxDepths*t.TxDepth), programs.MinIterations)
}

// workload is one test with one size.
func workload(t *Table, size units.Bytes) string {
	n := iterations(t, size)
	w := fmt.Sprintf("kind: %v, client: h0, server: h1, size: %dB, iterations: %d", t.Test, int64(size), n)
	if t.Test != programs.ReadLat && t.Test != programs.ReadBW {
		w += fmt.Sprintf(", connection: %v", t.Service)
		if t.Inline != nil {
			w += fmt.Sprintf(", inline: %dB", int64(*t.Inline))
		}
	}
	if t.Events {
		w += ", events: true"
	}
	if t.Test == programs.SendLat || t.Test == programs.SendBW {
		w += fmt.Sprintf(", rx_depth: %d", or(t.RxDepth, 512))
	}
	if !t.Test.MeasuresLatency() {
		w += fmt.Sprintf(", qps: %d, tx_depth: %d, bidirectional: %v", t.QPs, t.TxDepth, t.Bidirectional)
		if t.PostList > 1 {
			w += fmt.Sprintf(", post_list: %d", t.PostList)
		} else if t.CQMod > 0 {
			w += fmt.Sprintf(", cq_mod: %d", t.CQMod)
		}
	}
	return "{" + w + "}"
}

func or(n, other int) int {
	if n == 0 {
		return other
	}
	return n
}

// Simulator is the model that runs the simulator: a scenario for each sample.
type Simulator struct {
	Setting Setting
	Context context.Context
	base    []float64 // of the profile, by key
}

// Run is the [Model]. A setting that a scenario cannot have is an error of the scenario's.
func (m *Simulator) Run(factors []float64, of []*Sample) ([]float64, error) {
	sets, err := m.sets(factors)
	if err != nil {
		return nil, err
	}
	measured := make([]float64, len(of))
	for i, s := range of {
		if measured[i], err = m.simulate(s, sets); err != nil {
			return nil, err
		}
	}
	return measured, nil
}

// simulate gives what the simulator measures in the place of a sample.
func (m *Simulator) simulate(s *Sample, sets []string) (float64, error) {
	text := m.Setting.text(s.Table) + "workloads: [" + workload(s.Table, s.Row.Size) + "]\n"
	spec, err := scenarios.Parse("calibrate", []byte(text), append(append([]string(nil), m.Setting.Sets...), sets...)...)
	if err != nil {
		return 0, err
	}
	run, err := spec.Build()
	if err != nil {
		return 0, err
	}
	if run.Report, err = run.Cluster.Run(m.Context, host.RunOptions{Limit: spec.Stop.Limit, UntilDone: true, Workers: 1}); err != nil {
		return 0, err
	}
	results := run.Perftests[0].Results()
	if len(results) == 0 {
		return 0, fmt.Errorf("%v of %v: the simulated test came to no end (%v)", s.Table.Test, s.Row.Size, run.Report.Outcome)
	}
	if l := results[0].Latency; l != nil {
		return float64(l.Typical), nil
	}
	return float64(results[0].Bandwidth.Average), nil
}

// rateKey stands for the share of the PCIe rate that the transaction layer has, of which scenarios
// name the rest.
const rateKey = "pcie.dllp_share"

// Value is a key of host.nic with a value as scenarios write it.
type Value struct{ Key, Text string }

// Values are the keys that the factors move, with what they make of the values of the profile.
func (m *Simulator) Values(factors []float64) ([]Value, error) {
	if m.base == nil {
		if err := m.readProfile(); err != nil {
			return nil, err
		}
	}
	var values []Value
	for f, figure := range Figures {
		for _, key := range figure.Keys {
			at := m.base[len(values)] * factors[f]
			text := picos(at)
			if key == rateKey {
				text = strconv.FormatFloat(min(max(1-at, 0), 0.5), 'f', 6, 64)
			}
			values = append(values, Value{key, text})
		}
	}
	return values, nil
}

// readProfile reads what the profile, with what else is set, says of the keys that factors move.
func (m *Simulator) readProfile() error {
	text := m.Setting.text(&Table{MTU: 4096}) + "workloads: [{kind: ib_write_lat, client: h0, server: h1}]\n"
	spec, err := scenarios.Parse("calibrate", []byte(text), m.Setting.Sets...)
	if err != nil {
		return err
	}
	for _, figure := range Figures {
		for _, key := range figure.Keys {
			text, known := spec.Value("host.nic." + key)
			if !known {
				panic("calibrate: scenarios have no host.nic." + key)
			}
			var value float64
			if key == rateKey {
				share, err := units.ParseRatio(text)
				if err != nil {
					return err
				}
				value = 1 - share.Float()
			} else {
				t, err := units.ParseTime(text)
				if err != nil {
					return err
				}
				value = float64(t)
			}
			m.base = append(m.base, value)
		}
	}
	return nil
}

// sets are the factors as overrides of a scenario.
func (m *Simulator) sets(factors []float64) ([]string, error) {
	values, err := m.Values(factors)
	if err != nil {
		return nil, err
	}
	var sets []string
	for i, v := range values {
		if factors[figureOf(i)] != 1 {
			sets = append(sets, "host.nic."+v.Key+"="+v.Text)
		}
	}
	return sets, nil
}

// figureOf is the figure to which the i-th of all keys belongs.
func figureOf(i int) int {
	for f := range Figures {
		if i -= len(Figures[f].Keys); i < 0 {
			return f
		}
	}
	panic("calibrate: no such key")
}

// picos is a time of so many picoseconds as scenarios write it.
func picos(t float64) string { return units.Time(math.Round(t)).String() }
