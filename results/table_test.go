package results

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rdmasim/rdmasim/sim/units"
)

// everyType is a table with a column of each type.
func everyType() *Table {
	t := NewTable("flows.csv", "one row a flow")
	t.Int("qpn", "", "number of the queue pair").Append(17, -1)
	t.Float("slowdown", "", "FCT as a multiple of the ideal").Append(1, math.NaN())
	t.String("path", "nodes passed").Append("h1, leaf0", `"h2"`)
	fct := t.Time("fct_us", "from the first byte to the last ACK")
	fct.Append(1_234_567)
	fct.AppendMissing()
	t.Time("end_us", "end of the flow").Append(2*units.Second, units.Never)
	t.Rate("rate_gbps", "goodput").Append(25_781_250_000, 0)
	t.Bytes("size_bytes", "payload").Append(units.GiB, 0)
	return t
}

func TestCSVIsExact(t *testing.T) {
	want := strings.Join([]string{
		"qpn,slowdown,path,fct_us,end_us,rate_gbps,size_bytes",
		`17,1,"h1, leaf0",1.234567,2000000,25.78125,1073741824`,
		`-1,,"""h2""",,,0,0`,
		"",
	}, "\n")
	var got bytes.Buffer
	if err := everyType().WriteCSV(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("CSV (-want +got):\n%s", diff)
	}
}

func TestCSVOfATableWithoutRowsHasItsHeader(t *testing.T) {
	table := NewTable("drops.csv", "one row a drop")
	table.Int("port", "", "number of the port")
	var got bytes.Buffer
	if err := table.WriteCSV(&got); err != nil || got.String() != "port\n" {
		t.Errorf("CSV %q, error %v", got.String(), err)
	}
}

func TestColumnsOfDifferentLengthAreRefused(t *testing.T) {
	table := NewTable("flows.csv", "one row a flow")
	table.Int("a", "", "a").Append(1, 2)
	table.Int("b", "", "b").Append(1)
	var got bytes.Buffer
	err := table.WriteCSV(&got)
	if err == nil || err.Error() != "table flows.csv: column a has 2 rows, b has 1" || got.Len() != 0 {
		t.Errorf("error %v, %d bytes written", err, got.Len())
	}
}

func TestColumnNamesMustEndInTheirUnit(t *testing.T) {
	tests := map[string]func(*Table){
		"time without unit":  func(t *Table) { t.Time("fct", "x") },
		"time in ns":         func(t *Table) { t.Time("fct_ns", "x") },
		"rate without unit":  func(t *Table) { t.Rate("rate", "x") },
		"bytes without unit": func(t *Table) { t.Bytes("size", "x") },
		"declared twice":     func(t *Table) { t.Int("a", "", "x"); t.Int("a", "", "x") },
	}
	for name, declare := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			declare(NewTable("t.csv", "x"))
		})
	}
}

func TestSchemaDescribesEveryColumn(t *testing.T) {
	s := NewSchema()
	s.AddTable(everyType())
	want := FileSchema{"flows.csv", "one row a flow", []Field{
		{"qpn", "integer", "", "number of the queue pair"},
		{"slowdown", "number", "", "FCT as a multiple of the ideal"},
		{"path", "string", "", "nodes passed"},
		{"fct_us", "number", "us", "from the first byte to the last ACK"},
		{"end_us", "number", "us", "end of the flow"},
		{"rate_gbps", "number", "Gbit/s", "goodput"},
		{"size_bytes", "integer", "bytes", "payload"},
	}}
	if diff := cmp.Diff([]FileSchema{want}, s.Files); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

func TestSchemaGivesKeysTheirUnits(t *testing.T) {
	s := NewSchema()
	s.AddDocument("summary.json", "the outcome", SummaryDocument{})
	got := map[string]Field{}
	for _, f := range s.Files[0].Fields {
		got[f.Name] = f
	}
	for name, want := range map[string][2]string{
		"complete": {"boolean", ""}, "simulated_time_us": {"number", "us"}, "fct_us.p99": {"number", "us"},
		"fct_us.samples": {"integer", ""}, "slowdown.p99": {"number", ""}, "goodput.rate_gbps": {"number", "Gbit/s"},
		"pause.worst.share": {"number", ""}, "pause.worst.paused_time_us": {"number", "us"}, "drops": {"array", ""},
		"drops[].size_bytes": {"integer", "bytes"}, "peak_queue.limits[].name": {"string", ""},
	} {
		if f := got[name]; f.Type != want[0] || f.Unit != want[1] {
			t.Errorf("%s is %q in %q, want %q in %q", name, f.Type, f.Unit, want[0], want[1])
		}
	}
}

func TestSchemaRefusesKeysWithoutMeaning(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("accepted a key without doc")
		}
	}()
	NewSchema().AddDocument("x.json", "x", struct {
		A int `json:"a"`
	}{})
}

// inParts is a table of two rows a part, in parts of which every third tells nothing.
func inParts(parts int, made *[]int) *Table {
	t := NewTable("t.csv", "x")
	part, word, size := t.Int("part", "", "x"), t.String("word", "x"), t.Bytes("size_bytes", "x")
	t.InParts(parts, func(p int) (tells bool) {
		*made = append(*made, p)
		for row := range 2 {
			part.Append(int64(p))
			word.Append(strings.Repeat("a,", row))
			if p%2 == 0 {
				size.AppendMissing()
			} else {
				size.Append(units.Bytes(p))
			}
		}
		return p%3 != 2
	})
	return t
}

func TestATableInPartsIsWrittenPartByPart(t *testing.T) {
	var made []int
	table := inParts(5, &made)
	for range 2 { // as often as one likes
		var got bytes.Buffer
		if err := table.WriteCSV(&got); err != nil {
			t.Fatal(err)
		}
		want := "part,word,size_bytes\n0,,\n0,\"a,\",\n1,,1\n1,\"a,\",1\n3,,3\n3,\"a,\",3\n4,,\n4,\"a,\",\n"
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("CSV (-want +got):\n%s", diff)
		}
		if rows, err := table.made(); rows != 0 || err != nil {
			t.Errorf("%d rows are still in memory (%v)", rows, err)
		}
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}, made); diff != "" {
		t.Errorf("parts made (-want +got):\n%s", diff)
	}
}

func TestWhoAsksForRowsOfATableInPartsGetsAllOfThem(t *testing.T) {
	var made []int
	table := inParts(5, &made)
	size := table.Column("size_bytes")
	if rows, err := table.Rows(); rows != 10 || err != nil {
		t.Fatalf("%d rows (%v), want 10", rows, err)
	}
	for row := range 10 {
		value, ok := size.Number(row)
		if part := row / 2; ok != (part%2 == 1) || ok && value != float64(part) {
			t.Errorf("row %d: %v, %v", row, value, ok)
		}
	}
	if len(made) != 5 {
		t.Errorf("parts %v were made, want each once", made)
	}
	var got, want bytes.Buffer
	if err := errors.Join(table.WriteCSV(&got), inParts(5, &made).WriteCSV(&want)); err != nil || got.String() != want.String() {
		t.Errorf("%s is written (%v), and part by part %s", got.String(), err, want.String())
	}
}

// Against the library, which allocates for each cell.
func TestWordsAreQuotedAsRFC4180Asks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("ab ,\"\r\n\\.\u00a0é"))), 2, 4).Draw(t, "words")
		table := NewTable("t.csv", "x")
		for i, w := range words {
			table.String(string(rune('a'+i)), "x").Append(w)
		}
		var got, want bytes.Buffer
		if err := table.WriteCSV(&got); err != nil {
			t.Fatal(err)
		}
		library := csv.NewWriter(&want)
		header := []string{"a", "b", "c", "d"}
		_ = library.WriteAll([][]string{header[:len(words)], words})
		if got.String() != want.String() {
			t.Fatalf("%q, want %q", got.String(), want.String())
		}
	})
}

func TestDecimalsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, places := rapid.Int64().Draw(t, "v"), rapid.IntRange(0, 12).Draw(t, "places")
		text := decimal(v, places)
		if strings.Contains(text, ".") && strings.HasSuffix(text, "0") {
			t.Fatalf("%s ends in zeros", text)
		}
		want := new(big.Rat).SetFrac(big.NewInt(v), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
		if got, ok := new(big.Rat).SetString(text); !ok || got.Cmp(want) != 0 {
			t.Fatalf("%d of %d places is %s", v, places, text)
		}
	})
}
