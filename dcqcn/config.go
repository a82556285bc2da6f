package dcqcn

import (
	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// The two reaction points, as Config.Machine names them.
const (
	MachinePaper    = "paper"
	MachineConnectX = "connectx"
)

// The two readings of the end of fast recovery, as Config.Boundary names them.
const (
	BoundaryStrict    = "strict"
	BoundaryInclusive = "inclusive"
)

// Config holds every parameter of DCQCN; [Paper], [Firmware] and [Scaled] return filled ones. A default and its source depend
// on the profile and therefore stand there and not in tags: see [Kind]. Where a field belongs to a
// register of ConnectX (mlxconfig), its doc names it. Its zero value is not valid.
type Config struct {
	// Machine is MachinePaper or MachineConnectX.
	Machine string `key:"machine" oneof:"paper|connectx" doc:"reaction point: paper (a CNP acts at once) or connectx (CNPs set flags that two periodic updates read)"`

	// CNPInterval belongs to the notification point, all others to the reaction point. At 0 each mark is answered.
	CNPInterval units.Time `key:"cnp_interval" doc:"least time between two CNPs of one QP; 0 answers each mark (MIN_TIME_BETWEEN_CNPS)"`

	G            units.Ratio `key:"g" doc:"gain of the congestion estimate α, between 0 and 1 (DCE_TCP_G, as 1-DCE_TCP_G/1024)"`
	InitialAlpha units.Ratio `key:"initial_alpha" max:"1" doc:"α at the first CNP of a QP (INITIAL_ALPHA_VALUE/1024)"`
	AlphaTimer   units.Time  `key:"alpha_timer" min:"1ns" doc:"paper: time without a CNP after which α decays by the factor 1-g; connectx: period of the update of α (DCE_TCP_RTT)"`

	DecreasePeriod units.Time  `key:"decrease_period" doc:"connectx: time between two looks at whether a CNP came, at each of which the rate is reduced at most once (RATE_REDUCE_MONITOR_PERIOD)"`
	DecreaseOffset units.Time  `key:"decrease_offset" doc:"connectx: how much later than decrease_period after the first CNP the first look is"`
	GD             int         `key:"gd" doc:"connectx: a reduction multiplies the rate by 1-α/2^(gd-10); 10 or 11 (RPG_GD)"`
	MinDecFac      units.Ratio `key:"min_dec_fac" max:"1" doc:"connectx: one reduction leaves at least this share of the rate; 0 sets no bound (RPG_MIN_DEC_FAC)"`
	FirstCNPRate   units.Rate  `key:"rate_on_first_cnp" doc:"connectx: current and target rate from the first CNP of a QP on; 0 leaves them (RATE_TO_SET_ON_FIRST_CNP)"`

	// The target rate follows the current one at a reduction if one of these asks for it, or after a step by bytes.
	ClampTarget          bool `key:"clamp_tgt_rate" doc:"connectx: each reduction sets the target to the rate before it; if false, only one that follows an increase does (CLAMP_TGT_RATE)"`
	ClampTargetAfterTime bool `key:"clamp_tgt_rate_after_time_inc" doc:"connectx: a step of the timer counts as such an increase, and not only a step of the byte counter (CLAMP_TGT_RATE_AFTER_TIME_INC)"`

	RateTimer   units.Time  `key:"rate_timer" min:"1ns" doc:"time from a reduction or a step of this timer to the next step of increase (RPG_TIME_RESET)"`
	ByteCounter units.Bytes `key:"byte_counter" doc:"bytes on the wire from a reduction or a step of this counter to the next step of increase; 0: no byte counter, steps of the timer count for both (RPG_BYTE_RESET)"`
	F           int         `key:"f" min:"1" max:"31" doc:"steps, of timer or byte counter, that fast recovery lasts; hyper increase begins when both have more (RPG_THRESHOLD)"`
	Boundary    string      `key:"boundary" oneof:"strict|inclusive" doc:"fast recovery while max(T,BC) is below f (strict) or up to f (inclusive)"`

	RAI       units.Rate  `key:"r_ai" doc:"step of additive increase; 0: r_ai_share of the line (RPG_AI_RATE)"`
	RAIShare  units.Ratio `key:"r_ai_share" max:"1" doc:"step of additive increase as a share of the line; not used if r_ai is given"`
	RHAI      units.Rate  `key:"r_hai" doc:"step of hyper increase; 0: r_hai_share of the line (RPG_HAI_RATE)"`
	RHAIShare units.Ratio `key:"r_hai_share" max:"1" doc:"step of hyper increase as a share of the line; not used if r_hai is given"`

	MinRate units.Rate `key:"min_rate" min:"1bps" doc:"no reduction goes below this rate (RPG_MIN_RATE)"`
	MaxRate units.Rate `key:"max_rate" doc:"rate from which a QP is first reduced, and at which it is free again; 0: the line (RPG_MAX_RATE)"`
}

// New returns the reaction point of one QP on the given line.
func (c *Config) New(line cc.Line) cc.Controller {
	if c.Machine == MachinePaper {
		return newPaper(c, line)
	}
	return newConnectX(c, line)
}

// CNPs returns CNPInterval: the reaction point lives on CNPs.
func (c *Config) CNPs() (interval units.Time, wanted bool) { return c.CNPInterval, true }
