package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/pcie"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// standards holds constants of the model against the standards that set them.
func standards(context.Context, int) (rows []Row, err error) {
	return slices.Concat(frames(), pauses(), headrooms(), receivers(), slots()), nil
}

// frames are sizes on the wire and the times they take.
func frames() (rows []Row) {
	for _, f := range []struct {
		rule, source string
		bytes        int
		time         units.Time
	}{
		{"a PFC frame at 100 Gb/s: 64 B, preamble and gap", "IEEE 802.1Qbb; IEEE 802.3", wire.PFCWire, 6720},
		{"an acknowledgement at 100 Gb/s: 66 B and 20 B", "IBA, annex A17 (RoCEv2), and 9.3", wire.WireBytes(wire.Acknowledge, 0), 6880},
		{"a middle packet of a WRITE with 4096 B at 100 Gb/s: 82 B around it", "IBA, annex A17 (RoCEv2)", wire.WireBytes(wire.WriteMiddle, 4096), 334_240},
		{"the first packet of a WRITE: 16 B of RETH more", "IBA, annex A17 (RoCEv2), and 9.3", wire.WireBytes(wire.WriteFirst, 4096), 335_520},
	} {
		rows = append(rows, equal(Row{Rule: f.rule, Source: f.source}, f.time, (100*units.Gbps).Serialise(f.bytes)))
	}
	return rows
}

// pauses are the longest pauses and the longest responses to them, by rate.
func pauses() (rows []Row) {
	for _, p := range []struct{ gbps, response int }{{10, 67}, {25, 80}, {40, 118}, {50, 147}, {100, 394}, {200, 453}, {400, 905}} {
		line := units.Rate(p.gbps) * units.Gbps
		quanta := func(n int) units.Time { return units.Time(n*512*1000/p.gbps) * units.Picosecond }
		rows = append(rows,
			equal(Row{Rule: fmt.Sprintf("longest pause at %d Gb/s: 65535 quanta of 512 bit times", p.gbps), Source: "IEEE 802.3, annex 31B.2"},
				quanta(65535), pfc.QuantaTime(65535, line)),
			equal(Row{Rule: fmt.Sprintf("longest response to a pause at %d Gb/s: %d quanta", p.gbps, p.response), Source: "IEEE 802.3, annex 31B.3.7"},
				quanta(p.response), pfc.StandardResponse(line)))
	}
	for _, t := range []struct {
		exponent int
		time     units.Time
	}{{8, 1_048_576}, {14, 67_108_864}, {20, 4_294_967_296}} {
		cfg := rnic.Config{Timeout: t.exponent}
		rows = append(rows, equal(Row{Rule: fmt.Sprintf("Local ACK Timeout %d: 4.096 us x 2^%d", t.exponent, t.exponent), Source: "IBA, 9.7.6.1.3"},
			t.time*units.Nanosecond, cfg.RetransmitAfter()))
	}
	return rows
}

// headrooms are sums for frames of 4174 B on cables of 5 ns a metre.
func headrooms() (rows []Row) {
	for _, h := range []struct {
		gbps   units.Rate
		metres units.Time
		quanta units.Time
		bytes  units.Bytes
	}{
		{100, 5, 0, 13_271}, {100, 40, 0, 17_646}, {100, 300, 0, 50_146},
		{100, 5, 394, 38_487}, {100, 40, 394, 42_862}, {100, 300, 394, 75_362},
		{400, 5, 0, 15_146}, {400, 40, 0, 32_646}, {400, 300, 0, 162_646},
		{400, 5, 905, 73_066}, {400, 40, 905, 90_566}, {400, 300, 905, 220_566},
	} {
		r := pfc.Reaction{
			Rate: h.gbps * units.Gbps, Delay: 5 * units.Nanosecond * h.metres, Response: pfc.QuantaTime(int(h.quanta), h.gbps*units.Gbps),
			Forward: 4174, Reverse: 4174, PFCWire: wire.PFCWire, Interframe: wire.Interframe, Memory: pfc.Memory{Cell: 1},
		}
		rows = append(rows, equal(Row{
			Rule:   fmt.Sprintf("headroom at %d Gb/s, %d m, response of %d quanta: a frame each way, the pause, the cable both ways, the response, the frame that crosses the threshold", h.gbps, h.metres, h.quanta),
			Source: "IEEE 802.1Qbb, annex O",
		}, h.bytes, r.Headroom()))
	}
	return rows
}

// receivers are timers of receivers that are not ready.
func receivers() (rows []Row) {
	for _, r := range []struct {
		code int
		time units.Time
	}{{0, 655_360}, {1, 10}, {12, 640}, {20, 10_240}, {31, 491_520}} {
		rows = append(rows, equal(Row{Rule: fmt.Sprintf("RNR NAK with timer code %d", r.code), Source: "IBA, 9.7.5.2.8, table of RNR timers"},
			r.time*units.Microsecond, wire.RNRTimer(r.code)))
	}
	return rows
}

// slots are what PCIe 3.0 x8 carries.
func slots() []Row {
	c := pcie.Config{Generation: 3, Width: 8, MPS: 128, MRRS: 512, RCB: 64, Header: 24, Completion: 20, Tags: 256}
	const source = "PCI Express base specification 3.0"
	raw := within(Row{Rule: "PCIe 3.0 x8: 8 lanes of 8 GT/s, 128 of 130 bits", Source: source, Because: "rounding"}, 63.015, float64(c.Raw())/gbps, 0.0001)
	narrow := within(Row{Rule: "of which reads get 128 of 148 B with MPS 128, before DLLPs", Source: source, Because: "rounding"}, 54.50, float64(c.ReadRate(4096, 0))/gbps, 0.001)
	c.MPS = 256
	wide := within(Row{Rule: "and 256 of 276 B with MPS 256", Source: source, Because: "rounding"}, 58.45, float64(c.ReadRate(4096, 0))/gbps, 0.001)
	return []Row{raw, narrow, wide}
}
