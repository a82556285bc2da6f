package results

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
