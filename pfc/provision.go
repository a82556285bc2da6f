package pfc

import "github.com/rdmasim/rdmasim/sim/units"

// Provision is the headroom that a network operating system sets aside for a
// lossless group, by the rate of the port and the delay of its cable. It is false
// where the system has no figure.
type Provision func(rate units.Rate, delay units.Time) (units.Bytes, bool)

// perMetre is the delay of a metre of cable by which lengths are told from delays.
const perMetre = 5 * units.Nanosecond

// headroomRow is a row of a headroom table: the headroom at one rate for cables of
// 5, 40 and 300 m, the three lengths that SONiC's tables know.
type headroomRow struct {
	rate     units.Rate
	headroom [3]units.Bytes
}

var tableLengths = [3]units.Time{5 * perMetre, 40 * perMetre, 300 * perMetre}

// The xoff columns of pg_profile_lookup.ini in SONiC (sonic-net/sonic-buildimage),
// by the machine that each was written for.
var (
	tomahawkTable = []headroomRow{ // Arista 7060CX-32S
		{100 * units.Gbps, [3]units.Bytes{165568, 177632, 268736}},
	}
	tomahawk2Table = []headroomRow{ // Arista 7260CX3-64; rates below 100G by its older table
		{40 * units.Gbps, [3]units.Bytes{56160, 56160, 108160}},
		{50 * units.Gbps, [3]units.Bytes{56160, 56160, 141856}},
		{100 * units.Gbps, [3]units.Bytes{54080, 59696, 101088}},
	}
	tomahawk3Table = []headroomRow{ // SONiC's test profiles for Tomahawk 3, one figure for all
		{10 * units.Gbps, [3]units.Bytes{190500, 190500, 0}},
		{50 * units.Gbps, [3]units.Bytes{190500, 190500, 0}},
		{100 * units.Gbps, [3]units.Bytes{190500, 190500, 0}},
		{200 * units.Gbps, [3]units.Bytes{190500, 190500, 0}},
		{400 * units.Gbps, [3]units.Bytes{190500, 190500, 0}},
	}
	trident3Table = []headroomRow{ // Arista 7050CX3-32S
		{50 * units.Gbps, [3]units.Bytes{33792, 36352, 55296}},
		{100 * units.Gbps, [3]units.Bytes{49408, 54528, 92672}},
	}
)

// ProvisionOf returns the rule of a machine: tomahawk, tomahawk2, tomahawk3 and
// trident3 by SONiC's tables, spectrum, spectrum2 (which Spectrum-3 shares) and
// spectrum4 by its formula. It is nil for any other name.
func ProvisionOf(machine string) Provision {
	switch machine {
	case "tomahawk":
		return lookUp(tomahawkTable)
	case "tomahawk2":
		return lookUp(tomahawk2Table)
	case "tomahawk3":
		return lookUp(tomahawk3Table)
	case "trident3":
		return lookUp(trident3Table)
	case "spectrum":
		return spectrumHeadroom(96)
	case "spectrum2":
		return spectrumHeadroom(144)
	case "spectrum4":
		return spectrumHeadroom(192)
	}
	return nil
}

// lookUp takes the row of the rate, and there the shortest cable that is not
// shorter than the port's.
func lookUp(table []headroomRow) Provision {
	return func(rate units.Rate, delay units.Time) (units.Bytes, bool) {
		for _, row := range table {
			for i, length := range tableLengths {
				if row.rate == rate && delay <= length && row.headroom[i] > 0 {
					return row.headroom[i], true
				}
			}
		}
		return 0, false
	}
}
