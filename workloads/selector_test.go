package workloads

import (
	"fmt"
	"strings"
	"testing"
)

func TestHostsAreKnownByWhereTheyStand(t *testing.T) {
	d := newDirectory(hosts(18, 1)) // racks of 4, pods of 8
	for selector, want := range map[string]string{
		"rack1/*":          "4 5 6 7",
		"rack[3-4]/*":      "12 13 14 15 16 17",
		"pod1/*":           "8 9 10 11 12 13 14 15",
		"rack[0-2]/0":      "0 4 8",
		"rack[0-1]/[2-3]":  "2 3 6 7",
		"rack1/h[5-6]":     "5 6",
		"pod2/1,rack0/h2":  "17 2",
		"h3,rack1/*,h[0]":  "3 4 5 6 7 0",
		"rack4/*, rack0/1": "16 17 1",
	} {
		got, err := d.findOne("from", selector)
		if text := strings.Trim(fmt.Sprint(got), "[]"); err != nil || text != want {
			t.Errorf("%s names %s, %v; want %s", selector, text, err, want)
		}
	}
}

func TestAPlaceThatIsNotThereIsExplained(t *testing.T) {
	d := newDirectory(hosts(18, 1))
	for selector, want := range map[string]string{
		"rack5/*":   `from: "rack5": no rack or pod of this name; one of rack0, rack1, rack2 … pod2`,
		"rak1/*":    `from: "rak1": no rack or pod of this name; did you mean "rack1"?`,
		"rack0/h4":  `from: "rack0/h4": no such host there; rack0/* for all, rack0/0 to rack0/3 by number, or a name from h0 to h3`,
		"rack4/2":   `from: "rack4/2": no such host there; rack4/* for all, rack4/0 to rack4/1 by number, or a name from h16 to h17`,
		"rack0/":    `from: "rack0/": no such host there; rack0/* for all, rack0/0 to rack0/3 by number, or a name from h0 to h3`,
		"rack0/-1":  `from: "rack0/-1": no such host there; rack0/* for all, rack0/0 to rack0/3 by number, or a name from h0 to h3`,
		"/*":        `from: no rack or pod of this name; one of rack0, rack1, rack2 … pod2`,
		"pod0/*/h1": `from: "pod0/*/h1": no such host there; pod0/* for all, pod0/0 to pod0/7 by number, or a name from h0 to h7`,
	} {
		_, err := d.findOne("from", selector)
		wantError(t, err, want)
	}
}

// A user's own names go before places.
func TestAHostMayBeCalledLikeAPlace(t *testing.T) {
	env := hosts(4, 1)
	env.Hosts[3] = "rack0/0"
	if got, err := newDirectory(env).findOne("from", "rack0/0"); err != nil || len(got) != 1 || got[0] != 3 {
		t.Errorf("rack0/0 is %v, %v; want the host of that name", got, err)
	}
}
