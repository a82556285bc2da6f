package host_test

import (
	"fmt"
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// storm is an incast with traffic in the reverse direction.
type storm struct {
	net   *simtest.Net
	flows []host.Flow
}

// drawStorm draws an incast of two to eight hosts to another over one or two switches,
// with cables of any length and rate, ends that respond each in their own time, any
// pipeline, thresholds that are static or of any alpha, memory in cells or not, switches
// that store frames or cut through. Messages are of any length up to a few packets, so
// that the last packet of each is of any size.
func drawStorm(t *rapid.T) storm {
	n := simtest.On(drawPlug(t))
	n.NIC.MTU = rapid.SampledFrom([]int{256, 1024, 4096}).Draw(t, "mtu")
	f := &n.Fabric
	f.MaxFrame = units.Bytes(n.NIC.MTU + 78)
	f.Pipeline = units.Time(rapid.IntRange(0, 1_000_000).Draw(t, "pipeline"))
	f.Memory = pfc.Memory{Cell: units.Bytes(rapid.SampledFrom([]int{1, 96, 208, 254}).Draw(t, "cell")), Small: units.Ratio{Num: 1, Den: 1}}
	f.HoldToLastBit = rapid.Bool().Draw(t, "hold to last bit")
	f.Header = rapid.SampledFrom([]int{0, 64}).Draw(t, "header")
	f.PFC.XOFF = units.Bytes(rapid.SampledFrom([]int{0, 5_000, 20_000, 50_000}).Draw(t, "XOFF"))
	f.PFC.Alpha = units.Ratio{Num: 1 << rapid.IntRange(0, 6).Draw(t, "alpha"), Den: 8}
	f.PFC.XONOffset = units.Bytes(rapid.IntRange(0, 4_000).Draw(t, "XON offset"))
	responses := make([]units.Time, len(n.Graph.Nodes))
	for node := range responses {
		responses[node] = units.Time(rapid.IntRange(0, 2_000_000).Draw(t, "response"))
	}
	f.PFC.ResponseAt = func(node, _ int) (units.Time, bool) { return responses[node], true }
	return storm{n, drawExchange(t, n)}
}

// drawExchange draws flows to host 0 from all others, and back.
func drawExchange(t *rapid.T, n *simtest.Net) (flows []host.Flow) {
	senders := len(n.Graph.Hosts()) - 1
	for i := range rapid.IntRange(2, 2*senders).Draw(t, "flows") {
		src, dst := 1+i%senders, 0
		if rapid.IntRange(0, 2).Draw(t, "reverse") == 0 {
			src, dst = dst, src
		}
		size := 3*n.NIC.MTU - rapid.IntRange(0, 3*n.NIC.MTU-1).Draw(t, "message shorter by") // rapid prefers small numbers
		f := simtest.Flow(src, dst, units.Bytes(size))
		f.Messages = min(500, max(1, (300_000-rapid.IntRange(0, 300_000).Draw(t, "flow shorter by"))/size))
		f.Start = units.Time(rapid.IntRange(0, 3_000_000).Draw(t, "start"))
		flows = append(flows, f)
	}
	return flows
}

// drawPlug draws hosts at one switch, or at two with a cable between them.
func drawPlug(t *rapid.T) *topology.Graph {
	hosts, switches := rapid.IntRange(3, 9).Draw(t, "hosts"), rapid.IntRange(1, 2).Draw(t, "switches")
	rate := rapid.SampledFrom([]units.Rate{10, 25, 40, 100, 400}).Draw(t, "Gbps") * units.Gbps
	var nodes []topology.Node
	var links []topology.Link
	cable := func(a, b int) {
		links = append(links, topology.Link{
			A: a, B: b, Rate: rate * units.Rate(rapid.IntRange(1, 2).Draw(t, "times")), Delay: units.Time(rapid.IntRange(1, 2_000_000).Draw(t, "delay")),
		})
	}
	for i := range hosts {
		nodes = append(nodes, topology.Node{Name: fmt.Sprint("h", i)})
		cable(i, hosts+i%switches)
	}
	for i := range switches {
		nodes = append(nodes, topology.Node{Name: fmt.Sprint("s", i), Kind: topology.Switch})
	}
	if switches > 1 {
		cable(hosts, hosts+1)
	}
	g, err := topology.New(nodes, links)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// provide gives every lossless group what the rule says, times a factor and more or less
// by so many frames, and beside it a shared pool of 200 KB at each switch.
func (s *storm) provide(t simtest.TB, times, frames units.Bytes) {
	t.Helper()
	rules := s.net.Cluster(t).Net
	s.net.Fabric.Switches = map[int]*fabric.Config{}
	for _, sw := range s.net.Graph.Switches() {
		own := s.net.Fabric
		own.Switches, own.Buffer = nil, 200*units.KB
		rooms := map[topology.Link]units.Bytes{}
		for port, at := range s.net.Graph.Ports(sw) {
			link := s.net.Graph.Links[at.Link]
			cable := topology.Link{Rate: link.Rate, Delay: link.Delay}
			room := times*rules.Reaction(sw, port).Headroom() + frames*own.MaxFrame
			rooms[cable] = max(rooms[cable], room)
			own.Buffer += 2 * room // two ports may have cables alike, and peers that are not
		}
		own.PFC.Provision = func(rate units.Rate, delay units.Time) (units.Bytes, bool) {
			return rooms[topology.Link{Rate: rate, Delay: delay}], true
		}
		s.net.Fabric.Switches[sw] = &own
	}
}

// Of headroom twice as large as the rule asks for, no group ever uses more than the rule;
// and headroom by the rule loses nothing.
func TestHeadroomByTheRuleAlwaysHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStorm(t)
		s.provide(t, 2, 0)
		c, r := s.net.Do(t, s.flows...)
		mustBe(t, r, host.Done)
		for _, sw := range s.net.Graph.Switches() {
			for port := range c.Net.Ports(sw) {
				used, rule := c.Net.Switch(sw).Group(port, 3).PeakHeadroom, c.Net.Reaction(sw, port).Headroom()
				if used > rule {
					t.Fatalf("%s uses %d B of headroom, the rule says %d", s.net.Graph.PortName(sw, port), used, rule)
				}
			}
		}
		s.provide(t, 1, 0)
		c, r = s.net.Do(t, s.flows...)
		mustBe(t, r, host.Done)
		if got := dropped(c, 3); got != 0 {
			t.Fatalf("%d packets dropped with headroom by the rule", got)
		}
	})
}

// The rule is not generous either: of such networks, one of the first hundred loses
// packets with two frames of headroom less.
func TestHeadroomByTheRuleIsNeeded(t *testing.T) {
	storms := rapid.Custom(drawStorm)
	for seed := range 100 {
		s := storms.Example(seed)
		s.provide(t, 1, -2)
		s.net.NIC.Timeout = 8
		c, _ := s.net.Do(t, s.flows...)
		if dropped(c, 3) > 0 {
			t.Logf("seed %d loses %d packets", seed, dropped(c, 3))
			return
		}
	}
	t.Error("nothing was lost with two frames of headroom less")
}
