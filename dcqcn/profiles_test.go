package dcqcn_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/sim/units"
)

// keys returns the key of each field of Config.
func keys(t *testing.T) []string {
	t.Helper()
	var all []string
	for field := range reflect.TypeFor[dcqcn.Config]().Fields() {
		key := field.Tag.Get("key")
		if key == "" {
			t.Errorf("field %s has no key", field.Name)
		}
		all = append(all, key)
	}
	return all
}

func TestEveryParameterIsExplained(t *testing.T) {
	for field := range reflect.TypeFor[dcqcn.Config]().Fields() {
		if field.Tag.Get("doc") == "" {
			t.Errorf("field %s has no doc", field.Name)
		}
	}
}

func TestEveryValueOfEveryProfileHasASource(t *testing.T) {
	for _, profile := range dcqcn.Kind.Profiles {
		for _, key := range keys(t) {
			if dcqcn.Kind.Source(profile.Name, key) == "" {
				t.Errorf("%s: %s has no source", profile.Name, key)
			}
		}
		if got := dcqcn.Kind.Source(profile.Name, "no_such_key"); got != "" {
			t.Errorf("%s: a key that does not exist has the source %q", profile.Name, got)
		}
	}
}

// What no publication or register says is marked, and nothing else is.
func TestAssumedValuesAreMarked(t *testing.T) {
	want := map[string][]string{
		"scaled":   {"min_rate"},
		"firmware": {"decrease_offset", "boundary"},
		"paper":    {"r_hai", "min_rate"},
	}
	for _, profile := range dcqcn.Kind.Profiles {
		var assumed []string
		for _, key := range keys(t) {
			if strings.HasPrefix(dcqcn.Kind.Source(profile.Name, key), "assumed: ") {
				assumed = append(assumed, key)
			}
		}
		if !sameSet(assumed, want[profile.Name]) {
			t.Errorf("%s: assumed %v, want %v", profile.Name, assumed, want[profile.Name])
		}
	}
}

func sameSet(a, b []string) bool {
	count := map[string]int{}
	for _, s := range a {
		count[s]++
	}
	for _, s := range b {
		count[s]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestProfilesAreValid(t *testing.T) {
	everyProfile(t, func(t *testing.T, params func() *dcqcn.Config) {
		if err := params().Validate(); err != nil {
			t.Error(err)
		}
	})
}

func TestScaledIsTheDefaultProfile(t *testing.T) {
	if got := dcqcn.Kind.Profiles[0].Name; got != "scaled" {
		t.Errorf("first profile %q", got)
	}
	if got, want := dcqcn.Kind.Params(""), dcqcn.Scaled(); !reflect.DeepEqual(got, want) {
		t.Errorf("default %+v, want %+v", got, want)
	}
	if got, want := dcqcn.Kind.Source("", "min_rate"), dcqcn.Kind.Source("scaled", "min_rate"); got != want {
		t.Errorf("source %q, want %q", got, want)
	}
}

func TestUnknownProfileIsRefused(t *testing.T) {
	if dcqcn.Kind.Params("connectx-9") != nil || dcqcn.Kind.Source("connectx-9", "g") != "" {
		t.Error("a profile that does not exist has parameters or sources")
	}
}

// Changing the parameters of one scenario must not change those of the next.
func TestParametersAreFreshEachTime(t *testing.T) {
	dcqcn.Kind.Params("paper").(*dcqcn.Config).F = 9
	if got := dcqcn.Kind.Params("paper").(*dcqcn.Config).F; got != 5 {
		t.Errorf("F = %d after someone else changed theirs, want 5", got)
	}
}

func TestNotificationPointIntervals(t *testing.T) {
	for profile, want := range map[string]units.Time{"scaled": 4 * us, "firmware": 4 * us, "paper": 50 * us} {
		if interval, wanted := dcqcn.Kind.Params(profile).CNPs(); interval != want || !wanted {
			t.Errorf("%s: CNPs() = %v, %v; want %v, true", profile, interval, wanted, want)
		}
	}
}

func TestContradictoryParametersAreRefused(t *testing.T) {
	for _, tc := range []struct {
		name   string
		params *dcqcn.Config
		keys   []string
	}{
		{"gain of 1 would forget everything", with(dcqcn.Scaled(), func(c *dcqcn.Config) { c.G = units.Ratio{Num: 2, Den: 2} }), []string{"g"}},
		{"gain of 0 would never learn", with(dcqcn.Paper(), func(c *dcqcn.Config) { c.G = units.Ratio{} }), []string{"g"}},
		{"no step of increase", with(dcqcn.Scaled(), func(c *dcqcn.Config) { c.RAIShare, c.RHAIShare = units.Ratio{}, units.Ratio{} }), []string{"r_ai", "r_hai"}},
		{"maximum below minimum", with(dcqcn.Paper(), func(c *dcqcn.Config) { c.MaxRate = 1 * units.Mbps }), []string{"max_rate"}},
		{"ConnectX without a period", with(dcqcn.Firmware(), func(c *dcqcn.Config) { c.DecreasePeriod = 0 }), []string{"decrease_period"}},
		{"gd out of range", with(dcqcn.Firmware(), func(c *dcqcn.Config) { c.GD = 12 }), []string{"gd"}},
		{"a register on the paper's machine", with(dcqcn.Paper(), func(c *dcqcn.Config) { c.ClampTarget = true }), []string{"clamp_tgt_rate"}},
		{"paper's machine, firmware's values", with(dcqcn.Firmware(), func(c *dcqcn.Config) { c.Machine = dcqcn.MachinePaper }),
			[]string{"decrease_period", "gd", "min_dec_fac", "clamp_tgt_rate_after_time_inc"}},
		{"ConnectX's machine, paper's values", with(dcqcn.Paper(), func(c *dcqcn.Config) { c.Machine = dcqcn.MachineConnectX }),
			[]string{"decrease_period", "gd"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := faultyKeys(tc.params.Validate()); !reflect.DeepEqual(got, tc.keys) {
				t.Errorf("faults at %v, want %v", got, tc.keys)
			}
		})
	}
}

// faultyKeys returns the keys that err, joined of several, complains about.
func faultyKeys(err error) []string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var all []string
	for _, e := range joined.Unwrap() {
		var field *units.FieldError
		if errors.As(e, &field) {
			all = append(all, field.Key)
		}
	}
	return all
}

func TestKindIsACongestionControl(t *testing.T) {
	var _ cc.Params = dcqcn.Scaled()
	if dcqcn.Kind.Name != "dcqcn" || dcqcn.Kind.Doc == "" {
		t.Errorf("kind %q: %q", dcqcn.Kind.Name, dcqcn.Kind.Doc)
	}
	for _, p := range dcqcn.Kind.Profiles {
		if p.Doc == "" {
			t.Errorf("profile %s is not explained", p.Name)
		}
	}
}
