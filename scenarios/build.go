package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
	"github.com/rdmasim/rdmasim/workloads"
)

// Build makes the network, its hosts and their flows. What is wrong with the
// scenario as a whole, such as headroom that exceeds the buffer, is told at the
// place of the key that is at fault.
func (s *Spec) Build() (*record.Run, error) {
	graph, err := s.Network()
	if err != nil {
		return nil, s.Locate("topology", err)
	}
	flows, all, programs, err := s.traffic(graph)
	if err != nil {
		return nil, s.Locate("workloads", err)
	}
	if err := s.checkStarts(all); err != nil {
		return nil, err
	}
	cfg, err := s.fabricConfig(graph, all)
	if err != nil {
		return nil, s.Locate("", err)
	}
	if cfg.PFC.ResponseAt, err = s.responses(graph); err != nil {
		return nil, s.Locate("", err)
	}
	s.Measure.seriesOf(&cfg, graph)
	net, err := fabric.New(graph, topology.NewRoutes(graph), cfg)
	if err != nil {
		return nil, s.located(err)
	}
	nics := s.nicConfig()
	s.Measure.seriesOfQPs(nics, net)
	c := host.NewCluster(net, nics)
	if err := s.prepareNICs(c); err != nil {
		return nil, s.Locate("", err)
	}
	c.CPU = s.cpu()
	s.useTCP(c)
	run := &record.Run{
		Cluster: c, Control: s.Host.Control.Kind, TCPControl: s.Host.TCP.Control.Kind, Series: map[string]bool{}, Window: s.window(),
		Clock: s.Host.Clock, Prices: s.Cost.prices(),
	}
	for _, name := range s.Measure.Series {
		run.Series[name] = true
	}
	for _, f := range flows {
		run.Workloads = append(run.Workloads, f.Workload)
		path, back, _ := pinned(graph, f.Way) // it has been checked
		err := c.AddFlow(host.Flow{
			Src: f.Src, Dst: f.Dst, Size: f.Size, Messages: f.Messages, Start: s.profile().startAt(f.Start), Lane: f.QP, Data: s.classOf(f.Transport, f.Priority), TCP: f.Transport == overTCP,
			SourcePort: f.SourcePort, DestinationPort: f.DestinationPort, Path: path, Back: back, Recovery: recoveryOf(&f), Depth: f.Depth,
		})
		if err != nil {
			return nil, s.Problem("workloads", err.Error(), "flows between hosts that can reach each other")
		}
	}
	s.boundInFlight(c)
	if err := s.addPrograms(c, run, programs); err != nil {
		return nil, err
	}
	run.Window.Note(c)
	s.Measure.seriesOfTCP(c)
	if err := s.inject(c); err != nil {
		return nil, err
	}
	run.Warnings, err = s.lint(c)
	return run, err
}

// checkStarts refuses a limit that comes before the start of a flow which the run
// is to wait for.
func (s *Spec) checkStarts(flows []workloads.Flow) error {
	last := slices.MaxFunc(flows, func(a, b workloads.Flow) int { return cmp.Compare(a.Start, b.Start) })
	if s.Stop.When != untilDone || last.Start < s.Stop.Limit {
		return nil
	}
	return s.Problem("stop.limit", fmt.Sprintf("%q: a flow of %s starts at %v, so that the run could never be done",
		s.Stop.Limit, last.Workload, last.Start), "more than "+last.Start.String())
}

// located puts the place of its key before an error from the build.
func (s *Spec) located(err error) error {
	var f *units.FieldError
	if !errors.As(err, &f) {
		return err
	}
	return s.Problem(f.Key, f.Value+": "+f.Problem, f.Want)
}

// fabricConfig makes the configuration of the fabric. Errors carry keys of the scenario.
func (s *Spec) fabricConfig(graph *topology.Graph, flows []workloads.Flow) (fabric.Config, error) {
	c, err := s.switchConfig(&s.Switch, "switch", graph, flows)
	own, differ := s.overrides(graph, flows, err == nil)
	c.Switches = own
	return c, errors.Join(err, differ)
}

// switchConfig makes the configuration of switches from the settings at a key.
func (s *Spec) switchConfig(sw *Switch, key string, graph *topology.Graph, flows []workloads.Flow) (fabric.Config, error) {
	c := fabric.Config{
		Buffer:        sw.Buffer,
		Memory:        pfc.Memory{Cell: sw.Cell, Small: sw.PFC.SmallPackets},
		HoldToLastBit: sw.Release == lastBit,
		Pipeline:      sw.Pipeline,
		Priorities:    s.usedPriorities(sw, flows),
		Groups:        new([pfc.Priorities]uint8),
		MaxFrame:      max(s.largestTCP(), units.Bytes(s.framing().FrameBytes(wire.WriteFirst, s.Host.PacketPayload(), s.Host.PacketPayload())+s.Switch.tag())),
		PFC:           sw.PFC.config(),
		ECN:           sw.ECN.config(),
		Lossy:         sw.Lossy.config(),
		Egress:        sw.Egress.config(),
		Seed:          s.Seed,
		PathSeed:      sw.ECMPSeed.Else(s.Seed),
		SharedSalt:    sw.ECMPSalt == sharedSalt,
	}
	c.Watchdog = sw.PFC.Watchdog.config()
	s.profile().adjust(&c, graph)
	if sw.Forwarding == cutThrough {
		c.Header = int(sw.Header)
	}
	for dscp := range c.PriorityOf {
		c.PriorityOf[dscp] = uint8(sw.Priority(dscp))
	}
	for p := range c.Groups {
		c.Groups[p] = uint8(sw.Group(p))
	}
	c.Schedule = sw.Scheduler.config(c.MaxFrame)
	var faults [3]error
	c.PFC.Off, faults[0] = neighbours(graph, key+".pfc.off_towards", sw.PFC.OffTowards)
	faults[1] = sw.Scheduler.checkBursts(key+".scheduler", c.MaxFrame)
	faults[2] = s.useCredits(&c, sw, key)
	return c, errors.Join(faults[:]...)
}

// Words of the keys release, forwarding and ecmp_salt.
const (
	lastBit    = "last-bit"
	cutThrough = "cut-through"
	sharedSalt = "shared"
)

func (p *PFC) config() fabric.PFC {
	c := fabric.PFC{
		Alpha: p.Alpha, XONOffset: p.XONOffset, Headroom: p.Headroom.Else(-1), Minimum: p.PGMin,
		Quanta: uint16(p.Quanta), Refresh: p.Refresh, Response: p.Response.Else(-1), Sticky: !p.Expiry,
	}
	if p.XOFF != nil {
		c.XOFF = *p.XOFF
	}
	c.Lossless = p.set()
	p.provision(&c)
	return c
}

// set is the set of lossless priorities (bit = priority).
func (p *PFC) set() (lossless uint8) {
	for priority := range 8 {
		if p.Lossless(priority) {
			lossless |= 1 << priority
		}
	}
	return lossless
}

func (l *Lossy) config() fabric.Lossy {
	c := fabric.Lossy{Alpha: l.Alpha, Minimum: l.PGMin}
	if l.Limit != nil {
		c.Limit = *l.Limit
	}
	return c
}

func (s *Spec) nicConfig() *rnic.Config {
	h, dscp := &s.Host, s.dscps()
	c := &rnic.Config{
		MTU: h.PacketPayload(), AckEvery: h.AckEvery, Window: h.Window, WindowByRate: h.WindowByRate, Timeout: h.Timeout, Retries: h.Retries,
		TimerFactor: h.TimerFactor, Recovery: recovery(h.Recovery), NakRearm: h.NakRearm,
		Selective:  rnic.SelectiveRepeat{TimerLow: h.Selective.TimerLow, TimerHigh: h.Selective.TimerHigh, Few: h.Selective.Few},
		Adaptive:   rnic.AdaptiveTimer{Start: h.Adaptive.Start, Limit: h.Adaptive.Limit, Tries: h.Adaptive.Tries},
		InitialPSN: wire.PSN(h.InitialPSN), CNPLatency: h.CNP.Latency, CNPsOff: !h.CNP.Enabled, Control: h.Control.Params.(cc.Params),
		Tagged: s.Switch.tagged(), NotECT: !h.ECT,
		Data: s.class(dscp.Data), Ack: s.class(dscp.Ack), CNP: s.class(dscp.CNP),
		Management: s.class(dscp.Management), Connections: &h.Connections,
	}
	if h.CNP.Interval.Given {
		c.CNPInterval = &h.CNP.Interval.Value
	}
	if !h.NIC.Ideal() {
		c.Hardware, c.Page = &h.NIC, h.Registration.Page
	}
	s.useIWARP(c)
	s.profile().adjustNIC(c)
	c.Framing = s.framing()
	return c
}

func (s *Spec) class(dscp int) rnic.Class {
	return rnic.Class{DSCP: uint8(dscp), Priority: s.Switch.Priority(dscp)}
}

// dataClass is the class of a flow that asks for a priority: the host's own if it
// has that priority, else the lowest DSCP that is mapped to it.
func (s *Spec) dataClass(priority int) rnic.Class {
	own := s.class(s.dscps().Data)
	if priority == workloads.HostPriority || priority == own.Priority {
		return own
	}
	for dscp := range 64 {
		if s.Switch.Priority(dscp) == priority {
			return s.class(dscp)
		}
	}
	panic(fmt.Sprintf("no DSCP is mapped to priority %d", priority))
}

// usedPriorities are those that switches with the given settings give to the packets of the run, and the lossless,
// ascending.
func (s *Spec) usedPriorities(sw *Switch, flows []workloads.Flow) []int {
	d := s.dscps()
	dscps := []int{d.Data, d.Ack, d.CNP}
	if s.connects() {
		dscps = append(dscps, d.Management)
	}
	if s.speaksTCP() {
		dscps = append(dscps, d.TCP)
	}
	var asked [8]bool
	for _, f := range flows {
		if f.Priority != workloads.HostPriority && !asked[f.Priority] {
			asked[f.Priority] = true
			dscps = append(dscps, int(s.dataClass(f.Priority).DSCP))
		}
	}
	var used []int
	for _, dscp := range dscps {
		used = append(used, sw.Priority(dscp))
	}
	for priority := range 8 {
		if sw.PFC.Lossless(priority) {
			used = append(used, priority)
		}
	}
	slices.Sort(used)
	return slices.Compact(used)
}
