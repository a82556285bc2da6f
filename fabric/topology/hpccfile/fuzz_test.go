package hpccfile

import (
	"regexp"
	"strings"
	"testing"
)

// topologies and flows are files as the HPCC simulator has them, right ones and wrong ones.
var (
	topologies = []string{
		"4 2 3\n1 3\n\n0 1 100Gbps 1000ns 0\r\n1 3 1.6Tbps 0.001ms 0.000000\n 2  3 25Gbps 5ns 0\n",
		"2 0 1\n0 1 100Gbps 1us 0e5\n", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 1Gbps 1us 0.0\n",
		"3 2 2\n1 1\n", "99999999 1 2\n", "2 0 1\n0 1 1e9bps 1us 1e-999999\n", "16777215 16777215 0\n0\n", "",
	}
	flows = []string{
		"4\n0 1 3 100 1000 2.002\n1 0 0 200 0 0.000000000001\n12 345 7 65535 9223372036854775807 2\n3 4 3 1000000 2.000000962\n",
		"1\n5 5 3 100 1000 2.0\n", "1\n0 1 3 65536 1000 2.0\n", "16777215\n0 1 3 1 1 1", "1\n0 1 3 100 1 99999999\n", "",
	}
)

// FuzzTopology feeds any text to the reader of topology.txt: it is an error of one line that begins with the file and
// the line, or every link of it is between nodes that there are.
func FuzzTopology(f *testing.F) {
	for _, text := range topologies {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ReadTopology("f", strings.NewReader(text))
		if err != nil {
			expectPlace(t, err)
			return
		}
		for _, link := range got.Links {
			if n := len(got.IsSwitch); link.A < 0 || link.A >= n || link.B < 0 || link.B >= n || link.Line < 1 {
				t.Fatalf("%+v among %d nodes", link, n)
			}
		}
	})
}

// FuzzFlows feeds any text to the reader of flow.txt.
func FuzzFlows(f *testing.F) {
	for _, text := range flows {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ReadFlows("f", strings.NewReader(text))
		if err != nil {
			expectPlace(t, err)
			return
		}
		for _, flow := range got {
			if flow.Src == flow.Dst || flow.Size < 0 || flow.Start < 0 || flow.Priority < 0 || flow.Priority > 7 || flow.Line < 1 {
				t.Fatalf("%+v", flow)
			}
		}
	})
}

// expectPlace wants an error of one line that says where.
func expectPlace(t *testing.T, err error) {
	t.Helper()
	if place := regexp.MustCompile(`^f:[1-9][0-9]*: [^\n]+$`); !place.MatchString(err.Error()) {
		t.Fatalf("the error %q is not one line that names the file and the line", err)
	}
}
