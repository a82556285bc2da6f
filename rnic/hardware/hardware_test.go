package hardware

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// eachKey calls visit for each figure in a configuration, with its dotted key and the source of its default.
func eachKey(v reflect.Value, path string, visit func(key, source string, v reflect.Value)) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		key := strings.TrimPrefix(path+"."+f.Tag.Get("key"), ".")
		if v.Field(i).Kind() == reflect.Struct && f.Type != reflect.TypeFor[units.Ratio]() {
			eachKey(v.Field(i), key, visit)
			continue
		}
		visit(key, f.Tag.Get("source"), v.Field(i))
	}
}

// Every figure says how good its evidence is, and what it rests on unless that is a guess: the
// defaults, and what each profile has instead.
func TestEveryFigureHasItsEvidence(t *testing.T) {
	for i := range Profiles {
		p := &Profiles[i]
		c := &Config{}
		c.AdoptPreset(p.Name)
		known := map[string]bool{}
		eachKey(reflect.ValueOf(c).Elem(), "", func(key, source string, v reflect.Value) {
			known[key] = true
			if own := p.Source(key); own != "" {
				source = own
			}
			class, from := Evidence(source)
			if class == "" || from == "" && class != Assumed {
				t.Errorf("%s, %s: %q has no class of evidence", p.Name, key, source)
			}
			if p.fill != nil && !v.IsZero() && p.Source(key) == "" && !standard(key) {
				t.Errorf("%s sets %s to %v and does not say why", p.Name, key, v)
			}
		})
		for key := range p.sources {
			if !known[key] {
				t.Errorf("%s has a source for %s, which is no key", p.Name, key)
			}
		}
	}
}

// standard tells of a key that profiles set to what it is by default.
func standard(key string) bool {
	switch key {
	case "pcie.width", "pcie.mps", "pcie.mrrs", "pcie.rcb", "pcie.header", "pcie.completion_header", "pcie.tags",
		"bounce.rate", "bounce.launch", "bounce.piece":
		return true
	}
	return false
}

func TestEvidenceIsTakenApart(t *testing.T) {
	for source, want := range map[string]string{
		"fitted: to a sweep":      "fitted|to a sweep",
		"assumed":                 "assumed|",
		"driver: mlx5":            "driver|mlx5",
		"assumed; or so":          "assumed|or so",
		"IEEE 802.3":              "documented|IEEE 802.3",
		"Linux, mlx5 driver: XON": "driver|Linux, mlx5 driver: XON",
		"":                        "|",
	} {
		if class, from := Evidence(source); fmt.Sprint(class, "|", from) != want {
			t.Errorf("%q is %s and %q, want %s", source, class, from, want)
		}
	}
}

// A WRITE of 8 B fits 64 B; inline payload takes 64 B more for each 64 B.
func TestAWorkRequestIsWholeUnits(t *testing.T) {
	c := New("connectx5")
	for size, want := range map[units.Bytes]units.Bytes{0: 64, 8: 64, 28: 64, 29: 128, 220: 256, 221: 64, 1 << 20: 64} {
		if got := c.WQEBytes(size); got != want {
			t.Errorf("a message of %d B: %d B, want %d", size, got, want)
		}
	}
}

// What perftest posts inline by default is what fills 256 B, which are written at once.
func TestPerftestFillsABlueFlameRegister(t *testing.T) {
	for where, most := range map[Goes]units.Bytes{Writes: 220, Sends: 236, Datagrams: 188} {
		if at, beyond := InlineWQEBytes(where, most), InlineWQEBytes(where, most+1); at != New("connectx5").BlueFlame || beyond != at+64 {
			t.Errorf("way %d: %d B of payload take %d, one more %d", where, most, at, beyond)
		}
	}
}

// Slots are as wide as the adapters' links want them, less in none of the profiles.
func TestProfilesCarryTheirLinks(t *testing.T) {
	for name, link := range map[string]units.Rate{"connectx5": 100 * units.Gbps, "connectx6": 200 * units.Gbps, "connectx7": 400 * units.Gbps} {
		if c := New(name); c.SendRate(4096) < link || c.ReceiveRate(4096) < link || c.Ideal() {
			t.Errorf("%s: sends %v, receives %v of %v", name, c.SendRate(4096), c.ReceiveRate(4096), link)
		}
	}
	if New("ideal") != nil || New("connectx1") != nil {
		t.Error("there is a configuration of what is none")
	}
}
