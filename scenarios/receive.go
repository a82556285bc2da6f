package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Receive holds what becomes of packets that a NIC receives. A host that takes in payload as fast as the wire brings it
// needs no receive buffer, and has none.
type Receive struct {
	Drain     Line[units.Rate]  `key:"drain_rate" default:"line" min:"1Mbps" doc:"rate at which a host takes in payload from each of its NICs; line: as fast as it comes" source:"assumed"`
	Buffer    units.Bytes       `key:"buffer" default:"1MiB" min:"1KiB" doc:"receive buffer of a NIC port of a slow host, for each lossless priority and for all others together" source:"assumed; ports of ConnectX NICs have 256 KiB to about 1 MiB"`
	Headroom  Auto[units.Bytes] `key:"headroom" default:"auto" doc:"part of the buffer for what arrives after XOFF; auto: what the driver of ConnectX NICs sets aside, or the worst case of the link if that is more" source:"Linux, mlx5 driver: (301 + 2.16 x metres) x Gb/s + 2.72 x MTU"`
	XONOffset Auto[units.Bytes] `key:"xon_offset" default:"auto" doc:"a priority resumes once it is this far below XOFF; auto: a full frame" source:"Linux, mlx5 driver: XON is an MTU below XOFF"`
	Slow      []SlowReceiver    `key:"slow" doc:"hosts that take in payload more slowly than drain_rate says"`
}

// SlowReceiver is hosts with a drain rate of their own.
type SlowReceiver struct {
	Hosts []string   `key:"hosts" required:"true" doc:"selectors of hosts: names, patterns such as h[0-3], racks such as rack1/*"`
	Drain units.Rate `key:"drain_rate" required:"true" min:"1Mbps" doc:"rate at which each of them takes in payload from each of its NICs"`
}

// Validate checks that the parts of the buffer fit into it.
func (r *Receive) Validate() error {
	var faults []error
	if r.Headroom.Given && r.Headroom.Value >= r.Buffer {
		faults = append(faults, units.Field("headroom", r.Headroom, "leaves nothing of the buffer below XOFF", "less than "+r.Buffer.String()))
	}
	if r.XONOffset.Given && r.XONOffset.Value >= r.Buffer {
		faults = append(faults, units.Field("xon_offset", r.XONOffset, "above the buffer", "less than "+r.Buffer.String()))
	}
	return errors.Join(faults...)
}

// prepareNICs gives the NICs of slow hosts their receive buffers. Errors carry keys of the scenario.
func (s *Spec) prepareNICs(c *host.Cluster) error {
	drains, err := s.drains(c.Net.Graph)
	faults := []error{err, s.equip(c)}
	for h, node := range c.Net.Graph.Hosts() {
		for port, nic := range c.Hosts[h].NICs() {
			if nic.Hardware() == nil && (drains[h] == 0 || drains[h] >= nic.Rate()) {
				continue
			}
			drain := drains[h]
			if drain >= nic.Rate() {
				drain = 0
			}
			buffer, err := s.receiveBuffer(c, node, port, drain)
			if err != nil {
				return errors.Join(append(faults, err)...)
			}
			nic.Limit(buffer)
		}
	}
	return errors.Join(faults...)
}

// drains gives the rate at which each host takes in payload; 0 is as fast as it comes.
func (s *Spec) drains(g *topology.Graph) ([]units.Rate, error) {
	var faults []error
	drains := slices.Repeat([]units.Rate{s.Host.Receive.Drain.Value}, len(g.Hosts()))
	for i, slow := range s.Host.Receive.Slow {
		for k, pattern := range slow.Hosts {
			hosts, err := directory(g).Find(fmt.Sprintf("host.receive.slow[%d].hosts[%d]", i, k), pattern)
			faults = append(faults, err)
			for _, h := range hosts {
				drains[h] = slow.Drain
			}
		}
	}
	return drains, errors.Join(faults...)
}

// receiveBuffer is that of a port of a slow host.
func (s *Spec) receiveBuffer(c *host.Cluster, node, port int, drain units.Rate) (rnic.ReceiveBuffer, error) {
	r, net := &s.Host.Receive, c.Net
	if s.onInfiniBand() { // credits keep it from overflowing, and nobody is paused
		size := s.Host.VLBuffer
		return rnic.ReceiveBuffer{Drain: drain, Size: size, XOFF: size, XON: size, Lossless: net.Config.PFC.Lossless}, nil
	}
	needed := net.Reaction(node, port)
	auto := max(needed.Headroom(), pfc.NICHeadroom(needed.Rate, needed.Delay, needed.Forward))
	b := rnic.ReceiveBuffer{Drain: drain, Size: r.Buffer, XOFF: r.Buffer - r.Headroom.Else(auto), Lossless: net.Config.PFC.Lossless}
	b.XON = max(0, b.XOFF-r.XONOffset.Else(net.Config.MaxFrame))
	switch {
	case b.Size < net.Config.MaxFrame:
		return b, units.Field("host.receive.buffer", r.Buffer, "no full frame fits", "at least "+net.Config.MaxFrame.String())
	case b.XOFF <= 0 && b.Lossless != 0:
		return b, units.Field("host.receive.buffer", r.Buffer, fmt.Sprintf("%s needs %s of headroom, and %s are missing; %s",
			net.Graph.PortName(node, port), auto.Human(), (auto+1-r.Buffer).Human(), needed), "a larger buffer")
	}
	return b, nil
}
