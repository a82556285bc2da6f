package calibrate_test

import (
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/calibrate"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/sim/units"
)

// place is how an error begins.
var place = regexp.MustCompile(`^lab\.txt:[1-9][0-9]*: \S`)

// FuzzRead feeds any text: it is tables of figures that a fit can work with, or an error that says in which line it is none.
func FuzzRead(f *testing.F) {
	text, err := os.ReadFile("testdata/write_bw-one-qp.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	for _, test := range []string{"RDMA_Write", "Send", "RDMA_Read"} {
		f.Add(test + " Latency Test\n TX depth : 1\n Mtu : 1024[B]\n Connection type : UC\n Max inline data : 220[B]\n" + rule + programs.LatencyHeader +
			"\n 2       1000          1.01           5.02         1.05     	       1.06        	0.05   		1.10    		2.30   \n" + rule)
		f.Add(test + " Bidirectional BW Test\n Number of qps : 2\n CQ Moderation : 100\n" + rule +
			" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n 8 5000 0.1 0.1 1.5\n 65536 5000 98.0 97.9 0.18\n" + rule)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tables, err := calibrate.Read("lab.txt", strings.NewReader(text))
		if err != nil {
			if !place.MatchString(err.Error()) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q does not say where in one line", err)
			}
			return
		}
		for _, table := range tables {
			if len(table.Rows) == 0 || len(table.Rows) != len(table.Sizes) || table.QPs < 1 || table.TxDepth < 1 || table.Iterations < 0 {
				t.Fatalf("%+v is no table", table)
			}
			for _, row := range table.Rows {
				if row.Size < 1 || row.Size > units.GiB {
					t.Fatalf("line %d: a message of %v", row.Line, row.Size)
				}
				latency := table.Test.MeasuresLatency()
				if latency && row.Typical <= 0 || !latency && !(row.Average > 0 && !math.IsInf(row.Average, 0)) {
					t.Fatalf("line %d: %v and %v measured with messages of %v", row.Line, row.Typical, row.Average, row.Size)
				}
			}
		}
	})
}
