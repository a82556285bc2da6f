package strictyaml

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every key is met once, in the order of the fields, those of kinds in their blocks, with the text that Encode writes.
func TestWalkMeetsEveryValue(t *testing.T) {
	n, _ := mustRead(t, "name: n\nlinks: [{delay: 5us}]\nflows: [{kind: burst, to: h0}, quiet]\ndscp: {48: 6, 5: 0}\n", "payload=1000")
	var met strings.Builder
	Walk(&n, func(v Value) {
		kind := ""
		if v.Block != nil {
			kind = " of " + v.Block.Kind
		}
		fmt.Fprintf(&met, "%s = %s%s\n", v.Path, v.Text, kind)
	})
	want := `name = n
seed = 1
mtu = 
payload = 1000
share = 0.5
ecn.enabled = true
ecn.kmin = 400KB
ecn.kmax = 1.6MB
ecn.pmax = 20%
links[0].rate = 100Gbps
links[0].delay = 5us
priorities = [3]
names = {}
dscp.5 = 0
dscp.48 = 6
cc.kind = dcqcn of dcqcn
cc.profile = scaled of dcqcn
cc.timer = 300us of dcqcn
cc.g = 1/256 of dcqcn
cc.deep.f = 5 of dcqcn
flows[0].kind = burst of burst
flows[0].size = 1MB of burst
flows[0].to = h0 of burst
flows[1].kind = quiet of quiet
limit = 1s
`
	if diff := cmp.Diff(want, met.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The kind of a block stands for the block: its default and meaning are those of the key.
func TestWalkTellsOfAKindWhatIsToldOfItsBlock(t *testing.T) {
	n, _ := mustRead(t, least)
	Walk(&n, func(v Value) {
		if v.Path == "cc.kind" && (v.Field.Default != "{kind: dcqcn, profile: scaled}" || v.Field.Source != "as deployed" || v.Field.Kinds != "cc") {
			t.Errorf("field %+v", v.Field)
		}
	})
}
