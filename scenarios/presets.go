package scenarios

import (
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// machine is a preset: what a switch is like, and where each figure comes from.
type machine struct {
	name, doc string
	fill      func(*Switch)
	sources   map[string]string // by key, relative to the switch
}

// Texts that name one source for several figures.
const (
	sonicFiles = "sonic-net/sonic-buildimage, "
	sonicWRED  = sonicFiles + "qos_config.j2: AZURE_LOSSLESS"
	migrator   = "sonic-net/sonic-utilities, mellanox_buffer_migrator.py"
	asicTable  = sonicFiles + "platform/mellanox/asic_table.j2"
	fullFrames = "assumed: RoCE data comes in full frames"
	xonPart    = migrator + ": xon, the part of a group's size below its headroom"
)

var machines = []machine{tomahawk, tomahawk2, tomahawk3, trident3, spectrum, spectrum2, spectrum3}

// AdoptPreset implements [strictyaml.Presetter].
func (s *Switch) AdoptPreset(name string) func(key string) string {
	for i := range machines {
		if machines[i].name == name {
			machines[i].fill(s)
			return func(key string) string { return machines[i].sources[key] }
		}
	}
	return nil
}

var tomahawk = machine{
	name: "tomahawk", doc: "Broadcom Tomahawk, 16 MB: 32 ports of 100G, as SONiC sets up the Arista 7060CX-32S",
	fill: func(s *Switch) {
		s.broadcom("tomahawk", 15_982_720, 208, 500*units.Nanosecond)
		s.lossless(units.Ratio{Num: 1, Den: 1}, 1248, 2288, 3_855_488)
		s.Lossy.Alpha = units.Ratio{Num: 8, Den: 1}
		s.lossyQueues(units.Ratio{Num: 8, Den: 1}, 1518, 9_532_224)
	},
	sources: broadcomSources(sonicFiles+"Arista-7060CX-32S", map[string]string{
		"pipeline":    "Juniper, presentation of the QFX5200 (2015): about 500 ns with routing",
		"cell":        "assumed: 208 B, as Trident and Tomahawk 2",
		"lossy.alpha": "dynamic_th 3",
	}),
}

var tomahawk2 = machine{
	name: "tomahawk2", doc: "Broadcom Tomahawk 2, 42 MB: 64 ports of 100G, as SONiC sets up the Arista 7260CX3-64",
	fill: func(s *Switch) {
		s.broadcom("tomahawk2", 42_349_632, 208, 500*units.Nanosecond)
		s.lossless(units.Ratio{Num: 1, Den: 1}, 1248, 2496, 7_827_456)
		s.Lossy.Limit = sizeOf(44_302_336)
		s.lossyQueues(units.Ratio{Num: 1, Den: 2}, 1664, 26_535_808)
	},
	sources: broadcomSources(sonicFiles+"Arista-7260CX3", map[string]string{
		"pipeline":    "assumed: as Tomahawk",
		"cell":        "sizes in that file are multiples of 208 B",
		"lossy.limit": "static_th, above the buffer",
	}),
}

var tomahawk3 = machine{
	name: "tomahawk3", doc: "Broadcom Tomahawk 3, 64 MB: 32 ports of 400G, as SONiC's tests set it up",
	fill: func(s *Switch) {
		s.broadcom("tomahawk3", 67_108_864, 254, 500*units.Nanosecond)
		s.lossless(units.Ratio{Num: 1, Den: 4}, 1270, 2540, 7_428_992)
		s.Lossy.Limit = sizeOf(67_108_864)
		s.lossyQueues(units.Ratio{Num: 8, Den: 1}, 0, 67_108_864)
	},
	sources: broadcomSources("sonic-net/sonic-mgmt, spytest/apis/qos/qos.py, TH3_PLATFORMS", map[string]string{
		"pipeline":    "assumed: as Tomahawk",
		"cell":        "sizes in that file are multiples of 254 B",
		"lossy.limit": "static_th, the whole buffer",
	}),
}

var trident3 = machine{
	name: "trident3", doc: "Broadcom Trident 3, 32 MB: 32 ports of 100G, as SONiC sets up the Arista 7050CX3-32S",
	fill: func(s *Switch) {
		s.broadcom("trident3", 32_599_040, 256, 500*units.Nanosecond)
		s.lossless(units.Ratio{Num: 1, Den: 8}, 4608, 4608, 1_622_016)
		s.Lossy.Alpha = units.Ratio{Num: 8, Den: 1}
		s.lossyQueues(units.Ratio{Num: 1, Den: 2}, 1792, 24_709_632)
	},
	sources: broadcomSources(sonicFiles+"Arista-7050CX3-32S-C32", map[string]string{
		"pipeline":    "assumed: of the 800 ns from port to port in Arista's data sheet of the 7050X3, the part before admission",
		"cell":        "sizes in that file are multiples of 256 B",
		"lossy.alpha": "dynamic_th 3",
	}),
}

var spectrum = machine{
	name: "spectrum", doc: "NVIDIA Spectrum, 16 MB: 32 ports of 100G, as SONiC sets up the SN2700",
	fill:    func(s *Switch) { s.nvidia("spectrum", 14_024_640, 10_608_640, 96) },
	sources: nvidiaSources("assumed: as Spectrum-2"),
}

var spectrum2 = machine{
	name: "spectrum2", doc: "NVIDIA Spectrum-2, 42 MB: 64 ports of 100G, as SONiC sets up the SN3800",
	fill:    func(s *Switch) { s.nvidia("spectrum2", 34_340_832, 27_598_848, 144) },
	sources: nvidiaSources("Linley Newsletter, July 31, 2017: 300 ns"),
}

var spectrum3 = machine{
	name: "spectrum3", doc: "NVIDIA Spectrum-3, 64 MB: 32 ports of 400G, as SONiC sets up the SN4700",
	fill:    func(s *Switch) { s.nvidia("spectrum2", 60_817_392, 56_623_104, 144) },
	sources: nvidiaSources("assumed: as Spectrum-2"),
}

// broadcom fills in what the Broadcom machines have in common.
func (s *Switch) broadcom(rule string, buffer, cell units.Bytes, pipeline units.Time) {
	s.Buffer, s.Cell, s.Pipeline = buffer, cell, pipeline
	s.PFC.HeadroomRule, s.PFC.SmallPackets = rule, units.Ratio{}
	s.sonicMarking()
}

// lossless fills in the profile of lossless groups.
func (s *Switch) lossless(alpha units.Ratio, minimum, xonOffset, pool units.Bytes) {
	s.PFC.Alpha, s.PFC.PGMin, s.PFC.XONOffset = alpha, minimum, xonOffset
	s.PFC.HeadroomPool = given(pool)
}

// lossyQueues fills in the profile of lossy egress queues.
func (s *Switch) lossyQueues(alpha units.Ratio, minimum, pool units.Bytes) {
	s.Egress = Egress{Alpha: &alpha, QueueMin: minimum, Pool: given(pool)}
}

// nvidia fills in what the NVIDIA machines have in common.
func (s *Switch) nvidia(rule string, buffer, lossyPool, cell units.Bytes) {
	s.Buffer, s.Cell, s.Pipeline = buffer, cell, 300*units.Nanosecond
	s.PFC.HeadroomRule = rule
	s.PFC.Alpha, s.PFC.PGMin, s.PFC.XONOffset = units.Ratio{Num: 1, Den: 1}, 19_456, 19_456
	s.Lossy.Alpha = units.Ratio{Num: 8, Den: 1}
	s.lossyQueues(units.Ratio{Num: 8, Den: 1}, 0, lossyPool)
	s.sonicMarking()
}

// sonicMarking fills in SONiC's default profile of marking.
func (s *Switch) sonicMarking() {
	s.ECN.Kmin, s.ECN.Kmax, s.ECN.Pmax = given(units.MiB), given(2*units.MiB), units.Ratio{Num: 1, Den: 20}
}

func given(size units.Bytes) Auto[units.Bytes] { return Auto[units.Bytes]{Value: size, Given: true} }

func sizeOf(size units.Bytes) *units.Bytes { return &size }

// broadcomSources completes the sources of a Broadcom machine; the figures of its profiles stand in one folder or file.
func broadcomSources(file string, own map[string]string) map[string]string {
	all := withMarking(map[string]string{
		"buffer":            file + ": egress_lossless_pool, all that is not set aside for the switch itself",
		"pfc.alpha":         file + ": pg_profile_lookup.ini, threshold",
		"pfc.pg_min":        file + ": pg_profile_lookup.ini, size",
		"pfc.xon_offset":    file + ": pg_profile_lookup.ini, xon_offset",
		"pfc.headroom_rule": file + ": pg_profile_lookup.ini, xoff",
		"pfc.headroom_pool": file + ": ingress_lossless_pool, xoff",
		"pfc.small_packets": fullFrames,
		"egress.alpha":      file + ": egress_lossy_profile",
		"egress.queue_min":  file + ": egress_lossy_profile",
		"egress.pool":       file + ": egress_lossy_pool",
	})
	for key, source := range own {
		if strings.HasPrefix(key, "lossy.") {
			source = file + ": ingress_lossy_profile, " + source
		}
		all[key] = source
	}
	return all
}

// nvidiaSources are the sources of an NVIDIA machine but for its pipeline.
func nvidiaSources(pipeline string) map[string]string {
	return withMarking(map[string]string{
		"buffer":            migrator + ": egress_lossless_pool, all that is not set aside for the switch itself",
		"cell":              asicTable,
		"pipeline":          pipeline,
		"pfc.alpha":         sonicFiles + "pg_profile_lookup.ini: threshold 0",
		"pfc.pg_min":        xonPart,
		"pfc.xon_offset":    "assumed: as much as xon",
		"pfc.headroom_rule": "sonic-net/sonic-swss, buffer_headroom_mellanox.lua",
		"lossy.alpha":       migrator + ": ingress_lossy_profile, dynamic_th 3",
		"egress.alpha":      migrator + ": q_lossy_profile, dynamic_th 3",
		"egress.queue_min":  migrator + ": q_lossy_profile",
		"egress.pool":       migrator + ": egress_lossy_pool",
	})
}

func withMarking(sources map[string]string) map[string]string {
	sources["ecn.kmin"], sources["ecn.kmax"], sources["ecn.pmax"] = sonicWRED, sonicWRED, sonicWRED
	return sources
}
