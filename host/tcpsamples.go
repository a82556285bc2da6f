package host

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/sim/units"
)

// WindowSample is what a connection's sender was like at an instant.
type WindowSample struct {
	At     units.Time
	Socket int
	// Window may be in flight, Threshold is that of slow start (very great before the first
	// loss), InFlight is on its way.
	Window, Threshold, InFlight units.Bytes
	SRTT                        units.Time // smoothed round trip; 0 before the first
}

// windowProbe samples the connections of a host. Only changes of the window are kept.
type windowProbe struct {
	clock   fabric.SampleClock
	last    []units.Bytes
	samples []WindowSample
}

// SampleWindows has all hosts of the cluster that speak TCP sample their connections, at a
// period or [fabric.OnChange]; of those for which wanted, if it is not nil, is true.
func (c *Cluster) SampleWindows(period units.Time, wanted func(node int) bool) {
	for _, h := range c.Hosts {
		if k := h.stack; k != nil && (wanted == nil || wanted(h.node)) {
			k.probe = &windowProbe{clock: fabric.NewSampleClock(period)}
		}
	}
}

// WindowSamples are the samples of the host's connections, in the order of time.
func (h *Host) WindowSamples() []WindowSample {
	if h.stack == nil || h.stack.probe == nil {
		return nil
	}
	return h.stack.probe.samples
}

// observe samples the connections before anything changes at a time.
func (k *stack) observe(now units.Time) {
	if k.probe == nil {
		return
	}
	p := k.probe
	at, due := p.clock.Due(now)
	if !due {
		return
	}
	for len(p.last) < len(k.sockets) {
		p.last = append(p.last, 0)
	}
	for i, s := range k.sockets {
		if s.end.Acked() == 0 && s.end.Written() == 0 {
			continue
		}
		c := s.end.Counters()
		if c.Window != p.last[i] {
			p.last[i] = c.Window
			p.samples = append(p.samples, WindowSample{at, i, c.Window, c.Threshold, c.InFlight, c.SRTT})
		}
	}
}
