package chakra

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Groups are groups of ranks by name, as pg_name has them.
type Groups map[string][]int32

// ReadGroups reads groups as ASTRA-sim takes them, one object of JSON with the ranks of each group by its name:
//
//	{"1": [0, 1, 2, 3], "2": [4, 5, 6, 7]}
//
// Name is what errors call the text.
func ReadGroups(name string, text []byte) (Groups, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	groups := Groups{}
	// Go's decoder lets a name come twice, and the last of them count.
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, fmt.Errorf("%s: no object of groups; want {\"name\": [rank, rank …], …}", name)
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("%s: at byte %d: %s", name, decoder.InputOffset(), oneLine(err))
		}
		group := token.(string)
		if _, twice := groups[group]; twice {
			return nil, fmt.Errorf("%s: at byte %d: group %q a second time", name, decoder.InputOffset(), group)
		}
		var ranks []int32
		if err := decoder.Decode(&ranks); err != nil {
			return nil, fmt.Errorf("%s: group %q at byte %d: %s", name, group, decoder.InputOffset(), oneLine(err))
		}
		groups[group] = ranks
	}
	if _, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("%s: at byte %d: %s", name, decoder.InputOffset(), oneLine(err))
	}
	if decoder.More() {
		return nil, fmt.Errorf("%s: at byte %d: something follows the groups", name, decoder.InputOffset())
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if err := checkGroup(group, groups[group]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return groups, nil
}

// oneLine is the text of an error without line breaks.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

func checkGroup(name string, ranks []int32) error {
	if len(ranks) == 0 {
		return fmt.Errorf("group %q has no ranks", name)
	}
	seen := map[int32]bool{}
	for _, rank := range ranks {
		if rank < 0 || seen[rank] {
			return fmt.Errorf("group %q has rank %d twice, or no such rank can be", name, rank)
		}
		seen[rank] = true
	}
	return nil
}

// metadata returns the groups that a METADATA node brings: PyTorch's list of process groups, as the text of a value. Other
// metadata has none.
func metadata(node *Node) (Groups, error) {
	from, to := strings.Index(node.Values, "[{"), strings.LastIndex(node.Values, "}]")
	if from < 0 || to < from || !strings.Contains(node.Values, "pg_name") {
		return nil, nil
	}
	var list []struct {
		Name  json.RawMessage `json:"pg_name"`
		Ranks []int32         `json:"ranks"`
	}
	text := node.Values[from : to+2]
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		// The list may be a string within a list of values, with its quotes escaped.
		if json.Unmarshal([]byte(strings.ReplaceAll(text, `\"`, `"`)), &list) != nil {
			return nil, fmt.Errorf("the process groups of node %d: %s", node.ID, oneLine(err))
		}
	}
	groups := Groups{}
	for _, g := range list {
		name := strings.Trim(string(g.Name), `"`)
		if len(g.Ranks) == 0 {
			continue // all ranks, as a group without a name
		}
		if err := checkGroup(name, g.Ranks); err != nil {
			return nil, fmt.Errorf("node %d: %w", node.ID, err)
		}
		groups[name] = g.Ranks
	}
	return groups, nil
}
