package scenarios

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

const overCable = `name: cable
topology: {kind: star, hosts: 2, link: {rate: 100Gbps, length: 5m}}
host: {nic: {profile: connectx6}, congestion_control: none}
workloads: [{kind: permutation, size: 1MB}]
`

// metricOf is a metric of a summary that must be measured.
func metricOf(t *testing.T, s *results.Summary, name string) float64 {
	t.Helper()
	m, ok := findMetric(name)
	if !ok {
		t.Fatalf("no metric %s", name)
	}
	v, ok := m.Of(s)
	if !ok {
		t.Fatalf("%s is not measured", name)
	}
	return v
}

// A message of a flow over TCP is copied by the processors of both ends and by nobody else; what is sent without a copy is
// copied once. Over RDMA nothing is. Either way adapters read each byte once and write it once.
func TestEachByteIsCopiedAsOftenAsItsTransportSays(t *testing.T) {
	const flow = "workloads=[{kind: flows, flows: [{from: h0, to: h1, size: 4MB}]}]"
	for _, c := range []struct {
		sets   []string
		copies float64
	}{
		{[]string{}, 0},
		{[]string{"host.transport=tcp"}, 2},
		{[]string{"host.transport=tcp", "host.kernel.zerocopy=true"}, 1},
	} {
		s := fileless(t, parsed(t, star, append(c.sets, flow, "host.kernel.ring=65536")...))
		if got := metricOf(t, s, "cpu.cpu_copies_per_byte"); got != c.copies {
			t.Errorf("%v: %v copies a byte, want %v", c.sets, got, c.copies)
		}
		if got := metricOf(t, s, "moved"); got != 4e6 {
			t.Errorf("%v: %v bytes moved", c.sets, got)
		}
		crossings, bus := metricOf(t, s, "cpu.dma_crossings_per_byte"), metricOf(t, s, "cpu.memory_bus_bytes")
		if crossings < 2 || crossings > 2.2 { // frames of 1500 B have 5 % of headers, and what answers them
			t.Errorf("%v: %v crossings a byte", c.sets, crossings)
		}
		if want := (crossings + 2*c.copies) * 4e6; math.Abs(bus-want) > 1 {
			t.Errorf("%v: %v bytes over memory buses, want %v: each crossing once, each copy twice", c.sets, bus, want)
		}
	}
}

// The parts of the processors' time add up, in the summary and in the table; cycles are time by the clock.
func TestProcessorTimeAddsUp(t *testing.T) {
	for _, set := range []string{
		"workloads=[{kind: rpc, clients: [h1], server: h0, calls: 50}]",
		"workloads=[{kind: rpc, clients: [h1], server: h0, calls: 50, events: true}]",
		"workloads=[{kind: flows, transport: tcp, flows: [{from: h0, to: h1, size: 1MB}]}]",
	} {
		spec := parsed(t, overCable, set, "expect=[{metric: cpu.time_us, take: sum, above: 0}]")
		slow, fast := fileless(t, spec), fileless(t, parsed(t, overCable, set, "host.clock=6.8"))
		whole, parts := metricOf(t, slow, "cpu.seconds"), 0.0
		for _, k := range slow.CPU.Kinds {
			parts += metricOf(t, slow, "cpu.seconds."+k.Kind)
		}
		if whole != parts || whole == 0 || slow.Expectations[0].Measured != units.Time(whole).String() {
			t.Errorf("%s: %v ps in all, %v in parts, %s in the table", set, whole, parts, slow.Expectations[0].Measured)
		}
		if got, want := metricOf(t, slow, "cpu.cores_busy"), whole/float64(slow.UnderWay); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v cores busy, want %v", set, got, want)
		}
		cycles := metricOf(t, slow, "cpu.cycles_per_byte")
		if want := whole / 1e3 * 3.4 / metricOf(t, slow, "moved"); math.Abs(cycles-want) > 1e-9*want {
			t.Errorf("%s: %v cycles a byte, want %v", set, cycles, want)
		}
		if got := metricOf(t, fast, "cpu.cycles_per_byte"); math.Abs(got-2*cycles) > 1e-9*got || fast.Digest != slow.Digest {
			t.Errorf("%s: with twice the clock %v cycles a byte in place of %v, digests %s and %s", set, got, cycles, fast.Digest, slow.Digest)
		}
	}
}

// Flows over ideal adapters take no processor: there is none whose time could be told.
func TestNoProcessorIsInventedForFlowsOverRDMA(t *testing.T) {
	s := fileless(t, parsed(t, star))
	for _, name := range []string{"cpu.cores_busy", "cpu.seconds", "cpu.seconds.verbs", "cpu.cycles_per_byte", "tcp.timeouts"} {
		if m, _ := findMetric(name); true {
			if v, measured := m.Of(s); measured {
				t.Errorf("%s is %v", name, v)
			}
		}
	}
}
