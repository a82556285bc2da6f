package bench

import (
	"io"
	"strconv"

	"github.com/rdmasim/rdmasim/results"
)

// WriteList writes what cases there are.
func WriteList(w io.Writer, cases []Case, style Style) error {
	t := &table{title: "Cases", columns: []string{"case", "hosts", "flow", "MTU", "only with --full"}}
	for _, c := range cases {
		long := ""
		if c.Full {
			long = "yes"
		}
		t.add(c.Name, results.Count(int64(c.Hosts)), c.Flow, strconv.Itoa(c.MTU), long)
	}
	return t.write(w, style)
}
