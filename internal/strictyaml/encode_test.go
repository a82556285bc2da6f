package strictyaml

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const full = `name: "a: b # c"
flows:
  - {kind: burst, size: 1500B, to: "null"}
  - quiet
  - {kind: burst, to: ""}
links: [{rate: 3.2Tbps, delay: 1ns}, {delay: 5us}]
payload: 1000
priorities: []
names: {f: "- # a text: of \"many\" words that is too long for a line, [and] yet & comes *back* as it was, %'s and #'s and all - # : of it",
  b: "two\nlines", a: é, c: "", d: '[', e: "007"}
dscp: {48: 6, 5: 0}
cc: {kind: dcqcn, profile: paper, deep: {f: 3}}
`

func TestEncodedValuesDecodeToThemselves(t *testing.T) {
	for name, text := range map[string]string{"defaults": least, "everything": full} {
		first, origins := mustRead(t, text)
		for _, o := range []*Origins{origins, nil} {
			encoded := string(Encode(&first, o))
			again, _ := mustRead(t, encoded)
			if diff := cmp.Diff(first, again, cmp.AllowUnexported(network{})); diff != "" {
				t.Errorf("%s: decoding the encoded values differs (-first +again):\n%s\n%s", name, diff, encoded)
			}
		}
	}
}

func TestAResolvedDocumentSaysWhereEachValueCameFrom(t *testing.T) {
	n, origins := mustRead(t, "name: n\nflows: [{kind: burst, to: h0}]\ndscp: {48: 6, 5: 0}\n", "payload=1000")
	want := `name: n                                         # net.yaml:1:7
seed: 1                                         # default
payload: 1000                                   # --set payload
share: 0.5                                      # default
ecn:
  enabled: true                                 # default
  kmin: 400KB                                   # default
  kmax: 1.6MB                                   # default
  pmax: 20%                                     # default: HPCC, SIGCOMM 2019
links: []                                       # default
priorities: [3]                                 # default
names: {}                                       # default
dscp:
  5: 0                                          # net.yaml:3:18
  48: 6                                         # net.yaml:3:12
cc:
  kind: dcqcn                                   # default: as deployed
  profile: scaled                               # default: as deployed
  timer: 300us                                  # profile scaled: table of scaled for timer
  g: 1/256                                      # profile scaled: table of scaled for g
  deep:
    f: 5                                        # profile scaled: table of scaled for deep.f
flows:
  - kind: burst                                 # net.yaml:2:16
    size: 1MB                                   # default
    to: h0                                      # net.yaml:2:27
limit: 1s                                       # default: assumed
`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(Encode(&n, origins)), "\n")); diff != "" {
		t.Errorf("resolved document differs (-want +got):\n%s", diff)
	}
}
