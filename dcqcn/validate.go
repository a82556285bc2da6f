package dcqcn

import (
	"errors"

	"github.com/rdmasim/rdmasim/sim/units"
)

// rule is something that must not be, with what to say if it is.
type rule struct {
	broken        bool
	key           string
	value         any
	problem, want string
}

// Validate checks what the tags of single fields cannot say: open ranges, and fields that depend on each other or on the
// machine. Its error joins a *units.FieldError for each fault.
func (c *Config) Validate() error {
	rules := c.commonRules()
	if c.Machine == MachinePaper {
		rules = append(rules, c.paperRules()...)
	} else {
		rules = append(rules, c.connectXRules()...)
	}
	return broken(rules)
}

// broken joins a fault for each rule that is broken.
func broken(rules []rule) error {
	var faults []error
	for _, r := range rules {
		if r.broken {
			faults = append(faults, units.Field(r.key, r.value, r.problem, r.want))
		}
	}
	return errors.Join(faults...)
}

func (c *Config) commonRules() []rule {
	const neverBack = "without a step a QP never gets back to line rate"
	return []rule{
		{c.G.IsZero() || c.G.Cmp(units.Ratio{Num: 1, Den: 1}) >= 0, "g", c.G, "must lie between 0 and 1", "write a gain such as 1/256"},
		{c.RAI == 0 && c.RAIShare.IsZero(), "r_ai", c.RAI, neverBack, "give r_ai or r_ai_share"},
		{c.RHAI == 0 && c.RHAIShare.IsZero(), "r_hai", c.RHAI, neverBack, "give r_hai or r_hai_share"},
		{c.MaxRate != 0 && c.MaxRate < c.MinRate, "max_rate", c.MaxRate, "below min_rate", "at least " + c.MinRate.String()},
	}
}

func (c *Config) connectXRules() []rule {
	return []rule{
		{c.DecreasePeriod < units.Nanosecond, "decrease_period", c.DecreasePeriod, "machine connectx needs a period", "at least 1ns; ConnectX has 4us"},
		{c.GD < 10 || c.GD > 11, "gd", c.GD, "outside of what machine connectx knows", "10 or 11"},
	}
}

// paperRules refuse what the paper's machine would silently ignore.
func (c *Config) paperRules() []rule {
	const problem, want = "machine paper has no such thing", "leave it out, or choose a profile of machine connectx"
	return []rule{
		{c.DecreasePeriod != 0, "decrease_period", c.DecreasePeriod, problem, want},
		{c.DecreaseOffset != 0, "decrease_offset", c.DecreaseOffset, problem, want},
		{c.GD != 0, "gd", c.GD, problem, want},
		{!c.MinDecFac.IsZero(), "min_dec_fac", c.MinDecFac, problem, want},
		{c.FirstCNPRate != 0, "rate_on_first_cnp", c.FirstCNPRate, problem, want},
		{c.ClampTarget, "clamp_tgt_rate", c.ClampTarget, problem, want},
		{c.ClampTargetAfterTime, "clamp_tgt_rate_after_time_inc", c.ClampTargetAfterTime, problem, want},
	}
}
