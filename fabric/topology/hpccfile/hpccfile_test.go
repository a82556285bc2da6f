package hpccfile

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

func TestReadTopology(t *testing.T) {
	const text = "4 2 3\n1 3\n\n0 1 100Gbps 1000ns 0\r\n1 3 1.6Tbps 0.001ms 0.000000\n 2  3 25Gbps 5ns 0\n"
	got, err := ReadTopology("topology.txt", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := &Topology{
		IsSwitch: []bool{false, true, false, true},
		Links: []Link{
			{A: 0, B: 1, Rate: 100 * units.Gbps, Delay: units.Microsecond, Line: 4},
			{A: 1, B: 3, Rate: 1600 * units.Gbps, Delay: units.Microsecond, Line: 5},
			{A: 2, B: 3, Rate: 25 * units.Gbps, Delay: 5 * units.Nanosecond, Line: 6},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestATopologyWithoutSwitchesHasNoLineForThem(t *testing.T) {
	got, err := ReadTopology("t", strings.NewReader("2 0 1\n0 1 100Gbps 1us 0\n"))
	if err != nil || len(got.Links) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
}

func TestTopologyErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "f:1: the file ends where the numbers of nodes, switches and links should stand",
		"3 1\n":                                "f:1: 2 fields where the numbers of nodes, switches and links should stand",
		"3 -1 2\n":                             `f:1: "-1" is not a whole number`,
		"3 4 2\n":                              "f:1: 4 switches among 3 nodes",
		"0 0 0\n":                              "f:1: 0 switches among 0 nodes",
		"99999999 1 2\n":                       "f:1: 99999999 is too large: at most 16777215",
		"9 1 3\n8\n":                           "f:1: 8 hosts and only 3 links: each host needs one",
		"2 0 1\n0 1 100Gbps 1us 0e99999999x\n": `f:2: "0e99999999x" is not an error rate; 0 for none`,
		"2 0 1\n0 1 100Gbps 1us 1e-99999999\n": "f:2: an error rate of 1e-99999999: links are free of errors here; write 0",
		"2 0 1\n0 1 100Gbps 1us inf\n":         "f:2: an error rate of inf: links are free of errors here; write 0",
		"3 2 2\n1\n":                           "f:2: 1 fields where the numbers of the 2 switches should stand",
		"3 2 2\n1 1\n":                         "f:2: switch 1 is listed twice",
		"3 1 2\n3\n":                           "f:2: 3 is too large: at most 2",
		"3 1 2\n2\n0 2 100Gbps 1us 0\n":        "f:3: the file ends after 1 of the 2 links that line 1 announces",
		"2 0 1\n0 1 1Gbps 1us 0\n0 1 1 1 0":    "f:3: more than the 1 links that line 1 announces",
		"2 0 1\n0 1 100Gbps 1us\n":             "f:2: 4 fields where a link has 5: node node rate delay error-rate",
		"2 0 1\n0 2 100Gbps 1us 0\n":           "f:2: 2 is too large: at most 1",
		"2 0 1\n0 1 100Gbps 1us 1e-9\n":        "f:2: an error rate of 1e-9: links are free of errors here; write 0",
		"2 0 1\n0 1 100Gbps 1us no\n":          `f:2: "no" is not an error rate; 0 for none`,
		"2 0 1\n0 1 100Gb 1us 0\n":             `f:2: "100Gb": `,
		"2 0 1\n0 1 100Gbps 1.00000000001ns 0": `f:2: "1.00000000001ns": `,
	} {
		if _, err := ReadTopology("f", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func TestReadFlowsIsExact(t *testing.T) {
	const text = "4\n0 1 3 100 1000 2.002\n1 0 0 200 0 0.000000000001\n12 345 7 65535 9223372036854775807 2\n3 4 3 1000000 2.000000962\n"
	got, err := ReadFlows("flow.txt", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []Flow{
		{Src: 0, Dst: 1, Priority: 3, Port: 100, Size: 1000, Start: 2002 * units.Millisecond, Line: 2},
		{Src: 1, Dst: 0, Priority: 0, Port: 200, Size: 0, Start: 1, Line: 3},
		{Src: 12, Dst: 345, Priority: 7, Port: 65535, Size: 1<<63 - 1, Start: 2 * units.Second, Line: 4},
		{Src: 3, Dst: 4, Priority: 3, Size: 1000000, Start: 2*units.Second + 962*units.Nanosecond, Line: 5},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFlowErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "f:1: the file ends where the number of flows should stand",
		"x\n":                             `f:1: "x" is not a whole number`,
		"2\n0 1 3 100 1000 2.0\n":         "f:2: the file ends after 1 of the 2 flows that line 1 announces",
		"1\n0 1 3 100 1 2\n\n1 0 3 9 1 2": "f:4: more than the 1 flows that line 1 announces",
		"1\n0 1 3 100\n":                  "f:2: 4 fields where a flow has 6: source destination priority port bytes start, or 5 without the port",
		"1\n5 5 3 100 1000 2.0\n":         "f:2: a flow from node 5 to itself",
		"1\n0 1 8 100 1000 2.0\n":         "f:2: 8 is too large: at most 7",
		"1\n0 1 3 65536 1000 2.0\n":       "f:2: 65536 is too large: at most 65535",
		"1\n0 1 3 100 -1 2.0\n":           `f:2: "-1" is not a number of bytes`,
		"1\n0 1 3 100 1KB 2.0\n":          `f:2: "1KB" is not a number of bytes`,
		"1\n0 1 3 100 1000 2m\n":          `f:2: "2m" is not a number of seconds`,
		"1\n0 1 3 100 1000 -2\n":          `f:2: "-2" is not a number of seconds`,
		"1\n0 1 3 100 1000 1.2.3\n":       `f:2: "1.2.3s": `,
		"1\n0 1 3 100 1 0.0000000000001":  `f:2: "0.0000000000001s": not a whole number of picoseconds`,
		"1\n0 1 3 100 1 99999999\n":       `f:2: "99999999s": too large`,
	} {
		if _, err := ReadFlows("f", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func TestACompressedFileReadsAsItsContent(t *testing.T) {
	const text = "2 0 1\n0 1 100Gbps 1us 0\n"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, text); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"topology.txt": text, "topology.txt.gz": packed.String()} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		file, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(file); err != nil || string(got) != text {
			t.Errorf("%s reads as %q, %v", name, got, err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAFileThatCannotBeOpenedIsNamed(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain.gz")
	if err := os.WriteFile(plain, []byte("2 0 1\n0 1 100Gbps 1us 0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{plain, filepath.Join(dir, "missing.txt"), filepath.Join(dir, "missing.gz")} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

func TestNoTextMakesAReaderPanic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([0-9]{1,2}[ \n]){0,20}`).Draw(t, "text")
		_, _ = ReadTopology("f", strings.NewReader(text))
		_, _ = ReadFlows("f", strings.NewReader(text))
	})
}
