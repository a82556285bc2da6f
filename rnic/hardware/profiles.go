package hardware

import (
	"maps"

	"github.com/rdmasim/rdmasim/rnic/contexts"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Profile is a set of figures for a machine.
type Profile struct {
	Name, Doc string
	fill      func(*Config)
	sources   map[string]string // by key, relative to the configuration
}

// Profiles are all there are; the first is the default and has nothing of its own.
var Profiles = []Profile{
	{Name: "ideal", Doc: "no host, no bus, no pipeline: packets leave when the network lets them"},
	connectX5, connectX6, connectX7,
}

// AdoptPreset puts the values of a profile into the configuration. The function it returns
// tells the source of the value of a key; it is nil for the ideal adapter and for what is no profile.
func (c *Config) AdoptPreset(name string) func(key string) string {
	for i := range Profiles {
		if p := Profiles[i]; p.Name == name && p.fill != nil {
			p.fill(c)
			return p.Source
		}
	}
	return nil
}

// New is a profile's configuration; nil for a name that is none and for the ideal adapter.
func New(name string) *Config {
	c := &Config{Profile: name, BlueFlame: 256, Inline: 220, WQEBatch: 16, CQE: 64, Memory: HostMemory}
	if c.AdoptPreset(name) == nil {
		return nil
	}
	return c
}

// Source tells where a profile's value of a key comes from; it is empty for a key that
// the profile leaves alone.
func (p *Profile) Source(key string) string { return p.sources[key] }

var connectX5 = Profile{
	Name: "connectx5", Doc: "ConnectX-5, 100G, in a PCIe 3.0 x16 slot",
	fill: func(c *Config) {
		c.common()
		c.PortGap, c.TxBuffer = 5*units.Nanosecond, 32*units.KiB
		c.PCIe.Generation = 3
	},
	sources: sources(map[string]string{
		"port_gap":        "documented: NVIDIA, ConnectX-5 product brief: 200 million messages per second",
		"pcie.generation": "documented: NVIDIA, ConnectX-5 user manual: PCIe 3.0 x16",
	}),
}

var connectX6 = Profile{
	Name: "connectx6", Doc: "ConnectX-6, 200G, in a PCIe 4.0 x16 slot",
	fill: func(c *Config) {
		c.common()
		c.PortGap, c.TxBuffer = 4651*units.Picosecond, 64*units.KiB
		c.PCIe.Generation = 4
	},
	sources: sources(map[string]string{
		"port_gap":        "documented: NVIDIA, ConnectX-6 product brief: 215 million messages per second",
		"pcie.generation": "documented: NVIDIA, ConnectX-6 user manual: PCIe 4.0 x16",
	}),
}

var connectX7 = Profile{
	Name: "connectx7", Doc: "ConnectX-7, 400G, in a PCIe 5.0 x16 slot",
	fill: func(c *Config) {
		c.common()
		c.PortGap, c.TxBuffer = 3030*units.Picosecond, 128*units.KiB
		c.QPGap = 117 * units.Nanosecond
		c.PCIe.Generation, c.PCIe.Tags = 5, 64
	},
	sources: sources(map[string]string{
		"port_gap":        "documented: NVIDIA, ConnectX-7 product brief: 330 to 370 million messages per second, of which the lower",
		"qp_gap":          "fitted: to ib_write_bw with one queue pair from 4 B to 512 B, 8.3 to 8.7 million messages per second, in AMD's ROCm guide; the adapter, faster than 200G, is not named there",
		"pcie.generation": "documented: NVIDIA, ConnectX-7 user manual: PCIe 5.0 x16",
		"pcie.tags":       "assumed: 32 of 512 B do not cover the round trip at 400 Gb/s; the specification allows 256 with extended tags",
	}),
}

// common fills in what the profiles share.
func (c *Config) common() {
	c.Post, c.Poll, c.Doorbell, c.Event = 120*units.Nanosecond, 50*units.Nanosecond, 150*units.Nanosecond, 4*units.Microsecond
	c.TxPipeline, c.RxPipeline, c.QPGap = 150*units.Nanosecond, 150*units.Nanosecond, 50*units.Nanosecond
	c.Atomic, c.TCP = 400*units.Nanosecond, 250*units.Nanosecond
	c.Contexts = contexts.Config{Entries: 4096, Miss: 700 * units.Nanosecond, Outstanding: 16, Bytes: 256}
	c.Translations = contexts.Config{Entries: 65536, Miss: 700 * units.Nanosecond, Outstanding: 16, Bytes: 64}
	p := &c.PCIe
	p.Width, p.MPS, p.MRRS, p.RCB, p.Header, p.Completion = 16, 256, 512, 64, 24, 20
	p.DLLP, p.Tags = units.Ratio{Num: 49, Den: 500}, 32
	p.ReadLatency, p.WriteLatency = 550*units.Nanosecond, 250*units.Nanosecond
	c.Near = Distance{Read: 550 * units.Nanosecond, Write: 250 * units.Nanosecond}
	c.Far = Distance{Read: 1400 * units.Nanosecond, Write: 450 * units.Nanosecond}
	c.Bounce.Rate, c.Bounce.Launch, c.Bounce.Piece = 200*units.Gbps, 5*units.Microsecond, 512*units.KiB
}

// budget is the source of the parts of a latency whose sum is what is known.
const budget = "fitted: to about 1.2 us for a WRITE of 8 B one way through one switch"

// sources completes those of a profile.
func sources(own map[string]string) map[string]string {
	all := map[string]string{
		"post":                     "assumed: 100 to 175 ns; Zambre et al., Breaking band, ICPP 2019, measured 175 ns on a ThunderX2",
		"poll":                     "assumed: Zambre et al., ICPP 2019, measured 62 ns on a ThunderX2",
		"doorbell":                 budget + "; Zambre et al., ICPP 2019, measured 137 ns one way on a ThunderX2",
		"event":                    "assumed: 3 to 6 us",
		"tx_pipeline":              budget,
		"rx_pipeline":              budget,
		"tcp_pipeline":             "fitted: to about 1.5 us for a message one way between adapters that run TCP (Chelsio, T5), some 0.5 us more than with RoCE, half of it at either end",
		"qp_gap":                   "assumed: some 20 million messages per second of one queue pair",
		"atomic":                   "assumed: 2 to 3 million operations per second on one word",
		"tx_buffer":                "assumed: two to three times what the wire takes in a read's round trip",
		"contexts.entries":         "assumed: some MiB of memory for contexts of 375 to 512 B",
		"contexts.miss":            "assumed: a PCIe read, 500 to 900 ns",
		"contexts.outstanding":     "assumed",
		"contexts.bytes":           "driver: mlx5, whose layout of a queue pair's context takes 232 B",
		"translations.entries":     "assumed: 8 B a page",
		"translations.miss":        "assumed: a PCIe read, 500 to 900 ns",
		"translations.outstanding": "assumed",
		"translations.bytes":       "driver: mlx5, whose layout of a region's key takes 64 B; of addresses of pages as many come with one",
		"pcie.dllp_share":          "documented: intervals of acknowledgements and credits that the PCI Express base specification recommends for x16 and 256 B, as in the published model of Neugebauer et al., SIGCOMM 2018",
		"pcie.read_latency":        "assumed: 500 to 600 ns in servers; Neugebauer et al., SIGCOMM 2018, measured medians of 547 ns",
		"pcie.write_latency":       budget + "; Zambre et al., ICPP 2019, measured 241 ns on a ThunderX2",
		"near.read_latency":        "assumed: as host memory, since the way through the root and that into a GPU are alike long",
		"near.write_latency":       "assumed: as host memory",
		"far.read_latency":         "fitted: to ib_write_bw from a GPU on the far socket at 200G, about 11 of 23 GB/s (linux-rdma/perftest, discussion 241), with 32 tags of 512 B",
		"far.write_latency":        "assumed: 200 ns more for the way between sockets",
	}
	maps.Copy(all, own)
	return all
}
