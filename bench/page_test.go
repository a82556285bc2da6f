package bench

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/results"
)

var update = flag.Bool("update", false, "rewrite the table of keys in docs/bench.md")

// The page explains every key of the file, in the words of the code.
func TestThePageExplainsEveryKey(t *testing.T) {
	const page, begin, end = "../docs/bench.md", "<!-- table: made by go test ./bench -update, never by hand -->\n", "<!-- end of table -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	committed, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", page)
	}
	schema := results.NewSchema()
	schema.AddDocument("report", "", Report{})
	table := "\n| key | type | meaning |\n|---|---|---|\n"
	for _, f := range schema.Files[0].Fields {
		table += fmt.Sprintf("| `%s` | %s | %s |\n", f.Name, f.Type, f.Doc)
	}
	table += "\n"
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if committed != table {
		t.Errorf("%s is out of date; go test ./bench -update rewrites it; want\n%s", page, table)
	}
}

// Every case that the page names is there, and every kind of case has a name on it.
func TestThePageNamesTheCases(t *testing.T) {
	text, err := os.ReadFile("../docs/bench.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Cases {
		if !strings.HasPrefix(c.Name, "permutation-") && !strings.Contains(string(text), "`"+c.Name+"`") {
			t.Errorf("%s is not on the page", c.Name)
		}
	}
}
