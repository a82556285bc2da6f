package pfc

import "github.com/rdmasim/rdmasim/sim/units"

// What SONiC's dynamic buffer model assumes of a port on a Spectrum switch.
const (
	portMTU      = 9100
	losslessMTU  = 1024
	macPHYTenths = 8192  // 0.8 KiB of delay in MAC and PHY, in tenths of a byte
	peerTenths   = 38912 // 3.8 KiB of response where the standard has no figure, in tenths of a byte
	quantumBytes = QuantumBits / 8
	kib          = 1024
)

// cablePerByte turns picoseconds of cable times Mb/s into bytes, both ways: at 5 ns
// and 1/198e6 s a metre, with the 1024 for 1000 that the script has.
const cablePerByte = 4_055_040

// spectrumHeadroom is the xoff of SONiC's dynamic buffer model for a cell size
// (sonic-net/sonic-swss, cfgmgr/buffer_headroom_mellanox.lua), all of whose
// packets are small: the bytes that arrive within the delays, times what cells
// make of them, rounded up to a KiB.
func spectrumHeadroom(cell int64) Provision {
	num, den := 2*cell, 1+cell // worst expansion by cells
	if cell > 2*int64(smallestFrame) {
		num, den = cell, int64(smallestFrame)
	}
	return func(rate units.Rate, delay units.Time) (units.Bytes, bool) {
		arriving := int64(portMTU)*cablePerByte + (macPHYTenths+peer(rate))*(cablePerByte/10) + int64(delay)*int64(rate/units.Mbps)
		whole := losslessMTU*cablePerByte*den + arriving*num
		unit := int64(cablePerByte) * den * kib
		return units.Bytes((whole + unit - 1) / unit * kib), true
	}
}

// peer is what arrives while the peer responds, in tenths of a byte.
func peer(rate units.Rate) int64 {
	for _, row := range responseTable {
		if row.rate == rate {
			return int64(row.quanta) * quantumBytes * 10
		}
	}
	return peerTenths
}
