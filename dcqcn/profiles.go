package dcqcn

import "github.com/rdmasim/rdmasim/sim/units"

// Texts that name the same source for several values.
const (
	published    = "DCQCN, SIGCOMM 2015, sections 3.1 and 5"
	registers    = "ConnectX firmware default (mlxconfig dump; NVIDIA, \"DCQCN CC Parameters\")"
	withHPCC     = "HPCC, SIGCOMM 2019, published simulator, set \"dcqcn\""
	otherMachine = "not used by this machine"
	otherWay     = "not used: the rate itself is given"
	lineIsMax    = "0: the line, as in the source of the other values"
)

// Paper returns the values of the DCQCN paper, on the paper's machine. The paper gives neither a step for hyper increase
// nor a minimum rate; those two are the ones of its authors' simulator.
func Paper() *Config {
	return &Config{
		Machine:      MachinePaper,
		CNPInterval:  50 * units.Microsecond,
		G:            units.Ratio{Num: 1, Den: 256},
		InitialAlpha: units.Ratio{Num: 1, Den: 1},
		AlphaTimer:   55 * units.Microsecond,
		RateTimer:    55 * units.Microsecond,
		ByteCounter:  10 * units.MB,
		F:            5,
		Boundary:     BoundaryStrict,
		RAI:          40 * units.Mbps,
		RHAI:         200 * units.Mbps,
		MinRate:      100 * units.Mbps,
	}
}

func paperSource(key string) string {
	switch key {
	case "machine":
		return "DCQCN, SIGCOMM 2015, section 3.1"
	case "cnp_interval", "g", "initial_alpha", "alpha_timer", "rate_timer", "byte_counter", "f", "r_ai":
		return published
	case "boundary":
		return "DCQCN, SIGCOMM 2015, section 3.1: fast recovery while max(T,BC) < F"
	case "r_hai":
		return "assumed: the paper gives no value; 200 Mb/s is what its authors' ns-3 simulator is configured with"
	case "min_rate":
		return "assumed: the paper gives no value; 100 Mb/s is the default of its authors' ns-3 simulator"
	case "max_rate":
		return lineIsMax
	case "r_ai_share", "r_hai_share":
		return otherWay
	case "decrease_period", "decrease_offset", "gd", "min_dec_fac", "rate_on_first_cnp", "clamp_tgt_rate", "clamp_tgt_rate_after_time_inc":
		return otherMachine
	}
	return ""
}

// Firmware returns the defaults of the registers of ConnectX adapters. They do not grow with the line: at 100 Gb/s additive
// increase takes 5 Mb/s a step as at 10 Gb/s. The byte counter makes up for it, as it is full after 5 us at 50 Gb/s.
func Firmware() *Config {
	return &Config{
		Machine:              MachineConnectX,
		CNPInterval:          4 * units.Microsecond,
		G:                    units.Ratio{Num: 1024 - 1019, Den: 1024},
		InitialAlpha:         units.Ratio{Num: 1023, Den: 1024},
		AlphaTimer:           1 * units.Microsecond,
		DecreasePeriod:       4 * units.Microsecond,
		GD:                   11,
		MinDecFac:            units.Ratio{Num: 1, Den: 2},
		ClampTargetAfterTime: true,
		RateTimer:            300 * units.Microsecond,
		ByteCounter:          32767 * units.Byte,
		F:                    1,
		Boundary:             BoundaryStrict,
		RAI:                  5 * units.Mbps,
		RHAI:                 50 * units.Mbps,
		MinRate:              1 * units.Mbps,
	}
}

func firmwareSource(key string) string {
	switch key {
	case "machine":
		return "NVIDIA, \"DCQCN CC Parameters\", and register descriptions of mstflint"
	case "cnp_interval":
		return registers + "; dumps of some firmware show 2 us"
	case "byte_counter":
		return registers + "; that the unit is bytes: register description of mstflint"
	case "g", "initial_alpha", "alpha_timer", "decrease_period", "gd", "min_dec_fac", "rate_on_first_cnp", "clamp_tgt_rate",
		"clamp_tgt_rate_after_time_inc", "rate_timer", "f", "r_ai", "r_hai", "min_rate", "max_rate":
		return registers
	case "decrease_offset":
		return "assumed: no register moves the first look"
	case "boundary":
		return "assumed: RPG_THRESHOLD counts the steps of fast recovery, as in HPCC's simulator"
	case "r_ai_share", "r_hai_share":
		return otherWay
	}
	return ""
}

// Scaled returns the values published with HPCC, on ConnectX's machine: the steps of increase are shares of the line, 5 and
// 50 Mb/s for each 25 Gb/s, and there is no byte counter.
//
// The published minimum rate is 1 Gb/s. It is 100 Mb/s here: with 100 flows into a port of 100 Gb/s the minimum rates alone
// would fill the port, congestion control could do no more, and only PFC would bound the queue.
func Scaled() *Config {
	return &Config{
		Machine:              MachineConnectX,
		CNPInterval:          4 * units.Microsecond,
		G:                    units.Ratio{Num: 1, Den: 256},
		InitialAlpha:         units.Ratio{Num: 1, Den: 1},
		AlphaTimer:           1 * units.Microsecond,
		DecreasePeriod:       4 * units.Microsecond,
		DecreaseOffset:       1 * units.Nanosecond,
		GD:                   11,
		ClampTargetAfterTime: true,
		RateTimer:            300 * units.Microsecond,
		F:                    1,
		Boundary:             BoundaryStrict,
		RAIShare:             units.Ratio{Num: 1, Den: 5000},
		RHAIShare:            units.Ratio{Num: 1, Den: 500},
		MinRate:              100 * units.Mbps,
	}
}

func scaledSource(key string) string {
	switch key {
	case "machine", "g", "initial_alpha", "alpha_timer", "decrease_period", "decrease_offset", "gd", "rate_on_first_cnp",
		"clamp_tgt_rate", "clamp_tgt_rate_after_time_inc", "rate_timer", "byte_counter", "f", "boundary":
		return withHPCC
	case "cnp_interval":
		return registers + "; HPCC's simulator has no CNPs of its own, it echoes each mark in an ACK"
	case "min_dec_fac":
		return withHPCC + ", which has no such bound"
	case "r_ai_share":
		return withHPCC + ": 5 Mb/s for each 25 Gb/s of the line"
	case "r_hai_share":
		return withHPCC + ": 50 Mb/s for each 25 Gb/s of the line"
	case "r_ai", "r_hai":
		return "0: the share of the line, as in " + withHPCC
	case "min_rate":
		return "assumed: the 1 Gb/s published with HPCC lets 100 flows fill a port of 100 Gb/s for good"
	case "max_rate":
		return lineIsMax
	}
	return ""
}
