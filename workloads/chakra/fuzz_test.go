package chakra

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/schedule"
)

// FuzzReader feeds any bytes to the reader: it is an error of one line that says where, or nodes.
func FuzzReader(f *testing.F) {
	f.Add(trace(comp(1, us), send(2, 1, 4096, 1), recv(7, 1, 3), coll(3, AllReduce, 2048, "g", 2)))
	f.Add([]byte("\x07\n\x050.0.4H\x12\x14all"))
	f.Add([]byte{})
	pgs := comp(1, 0)
	pgs.Type, pgs.Values = Metadata, `[[{"pg_name": "5", "ranks": [0, 2]}]]`
	f.Add(trace(pgs))
	place := regexp.MustCompile(`^f: (message [1-9][0-9]* at byte [0-9]+: |node |nodes |a trace |an empty )[^\n]+$`)
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := NewReader("f", bytes.NewReader(text))
		if err == nil {
			b := &builder{Options: Options{Ranks: 3}, ops: schedule.NewBuilder(), index: map[string]int32{}, all: -1}
			_, err = b.trace(0, r)
		}
		if err != nil && !place.MatchString(err.Error()) {
			t.Fatalf("the error %q is not one line that names the file and the place", err)
		}
	})
}

// FuzzGroups feeds any text to the reader of groups.
func FuzzGroups(f *testing.F) {
	f.Add("{\n\t\"1\":[0,1],\n\t\"2\":[2,3]\n}\n\n")
	f.Add(`{"1": [0], "1": [1]}`)
	f.Fuzz(func(t *testing.T, text string) {
		groups, err := ReadGroups("f", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f: ") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("the error %q is not one line that names the file", err)
			}
			return
		}
		for name, ranks := range groups {
			if len(ranks) == 0 {
				t.Fatalf("group %q is empty", name)
			}
		}
	})
}
