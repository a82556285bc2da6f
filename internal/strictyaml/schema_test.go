package strictyaml

import (
	"errors"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// network is the schema of the tests: one key of every sort the package knows.
type network struct {
	Name   string            `key:"name" required:"true" doc:"a word for the network"`
	Seed   uint64            `key:"seed" default:"1"`
	MTU    int               `key:"mtu" default:"4096" oneof:"256|1024|4096" unless:"payload"`
	Load   *int              `key:"payload" min:"1" max:"9000"`
	Share  float64           `key:"share" default:"0.5" min:"0" max:"1"`
	ECN    ecn               `key:"ecn"`
	Links  []link            `key:"links"`
	Prios  []int             `key:"priorities" default:"[3]" min:"0" max:"7"`
	Names  map[string]string `key:"names"`
	DSCP   map[int]int       `key:"dscp" max:"7"`
	CC     Block             `key:"cc" kinds:"cc" default:"{kind: dcqcn, profile: scaled}" source:"as deployed"`
	Flows  []Block           `key:"flows" kinds:"flow" required:"true"`
	Hidden int
	limits `key:",inline"`
}

type limits struct {
	Limit units.Time `key:"limit" default:"1s" min:"1ps" source:"assumed"`
}

type ecn struct {
	Enabled bool        `key:"enabled" default:"true"`
	Kmin    units.Bytes `key:"kmin" default:"400KB"`
	Kmax    units.Bytes `key:"kmax" default:"1600KB"`
	Pmax    units.Ratio `key:"pmax" default:"20%" max:"1" source:"HPCC, SIGCOMM 2019"`
}

func (e *ecn) Validate() error {
	if e.Kmin > e.Kmax {
		return errors.Join(units.Field("kmin", e.Kmin, "above kmax", "at most "+e.Kmax.String()))
	}
	return nil
}

type link struct {
	Rate  units.Rate `key:"rate" default:"100Gbps" min:"1Mbps"`
	Delay units.Time `key:"delay" required:"true"`
}

type dcqcn struct {
	Timer units.Time  `key:"timer" min:"1ns"`
	Gain  units.Ratio `key:"g"`
	Deep  struct {
		F int `key:"f"`
	} `key:"deep"`
}

type burst struct {
	Size units.Bytes `key:"size" default:"1MB"`
	To   string      `key:"to" required:"true"`
}

type quiet struct{}

var testKinds = KindSets{
	"cc": {
		{Name: "none", New: func(string) any { return &quiet{} }},
		{
			Name:     "dcqcn",
			Profiles: []Profile{{Name: "paper"}, {Name: "scaled", Doc: "as published with HPCC"}},
			New: func(profile string) any {
				d := &dcqcn{Timer: 55 * units.Microsecond, Gain: units.Ratio{Num: 1, Den: 256}}
				d.Deep.F = 5
				if profile == "scaled" {
					d.Timer = 300 * units.Microsecond
				}
				return d
			},
			Source: func(profile, key string) string { return "table of " + profile + " for " + key },
		},
	},
	"flow": {
		{Name: "burst", New: func(string) any { return &burst{} }},
		{Name: "quiet", New: func(string) any { return &quiet{} }},
	},
}

// read decodes and validates a document of the test schema.
func read(text string, sets ...string) (network, *Origins, Problems) {
	var n network
	d := Parse("net.yaml", []byte(text))
	for _, s := range sets {
		d.Set(s)
	}
	origins, problems := d.Decode(&n, testKinds)
	return n, origins, Validate(&n, origins, problems)
}

// mustRead is read for a document that has nothing wrong with it.
func mustRead(t *testing.T, text string, sets ...string) (network, *Origins) {
	t.Helper()
	n, origins, problems := read(text, sets...)
	if len(problems) > 0 {
		t.Fatalf("%s\nin\n%s", problems, text)
	}
	return n, origins
}

const least = "name: n\nflows: [{kind: burst, to: h0}]\n"

// wantProblems compares the whole text of the problems with the lines wanted.
func wantProblems(t *testing.T, got Problems, want ...string) {
	t.Helper()
	if text := strings.Join(want, "\n"); got.Error() != text {
		t.Errorf("problems are\n%s\nwant\n%s", got, text)
	}
}
