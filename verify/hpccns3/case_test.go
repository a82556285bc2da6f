package hpccns3_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/verify"
	"github.com/rdmasim/rdmasim/verify/hpccns3"
)

// files are a run of one flow of one packet over one switch: 4174 ns by the rule of the
// simulator, two links of 1 us there and back, 83 ns and 4 ns on each.
func files() map[string]string {
	return map[string]string{
		"config.txt":   "CC_MODE 0\nENABLE_QCN 0\nUSE_DYNAMIC_PFC_THRESHOLD 1\nL2_ACK_INTERVAL 1\nHAS_WIN 0\nBUFFER_SIZE 32\n",
		"topology.txt": "4 1 3\n3\n0 3 100Gbps 1000ns 0\n1 3 100Gbps 1000ns 0\n2 3 100Gbps 1000ns 0\n",
		"flow.txt":     "2\n0 2 3 100 1000 2.0\n0 1 3 100 1000 2.1\n",
		"fct.txt":      "0b000001 0b000201 10000 100 1000 2000000000 4174 4160\n0b000001 0b000101 10000 100 1000 2100000000 4174 4160\n",
		"pfc.txt":      "",
		"ports.txt":    "# node port tx_bytes\n3 1 120\n3 2 1048\n3 3 1048\n",
	}
}

// compared compares with the files as one case.
func compared(t *testing.T, files map[string]string) ([]verify.Row, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "case")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	checks, err := hpccns3.Checks(dir)
	if err != nil {
		return nil, err
	}
	return checks[0].Run(context.Background(), 1)
}

// A folder may have been written on another system, and hold keys that nobody knows.
func TestARunOfTheReferenceIsReadWhoeverWroteIt(t *testing.T) {
	for name, edit := range map[string]func(string) string{
		"as it is":     func(text string) string { return text },
		"ends of DOS":  func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
		"blank lines":  func(text string) string { return strings.ReplaceAll(text, "\n", "\n\n") },
		"without ends": func(text string) string { return strings.TrimSuffix(text, "\n") },
	} {
		with := files()
		for file, text := range with {
			with[file] = edit(text)
		}
		with["config.txt"] += "\nNOBODY_KNOWS 1 2 3\n"
		rows, err := compared(t, with)
		if err != nil || len(rows) < 2 {
			t.Fatalf("%s: %v, %v", name, rows, err)
		}
		for _, r := range rows {
			if !r.Told && !r.Met {
				t.Errorf("%s: %s: expected %s, found %s", name, r.Rule, r.Expected, r.Found)
			}
		}
	}
}

// What is wrong in a folder is the fault of whoever made it, and is told in one line.
func TestWhatIsWrongInAFolderIsNamed(t *testing.T) {
	for _, tc := range []struct{ file, from, to, want string }{
		{"fct.txt", "0b000001 0b000201 10000", "0b004d01 0b000201 10000", "fct.txt: of its 2 flows 1 are in flow.txt"},
		{"fct.txt", "10000 100 1000 2000000000", "10000 100 999 2000000000", "fct.txt: of its 2 flows 1 are in flow.txt"},
		{"fct.txt", "\n", "\n0b000001 0b000201 10000 100 1000 2000000000 4174 4160\n", "fct.txt: of its 4 flows 2 are in flow.txt"},
		{"fct.txt", "0b000001", "zz", `fct.txt:1: "zz" is not a whole number`},
		{"fct.txt", " 4174", " -4174", `fct.txt:1: "-4174" is not a whole number`},
		{"fct.txt", "2000000000", "9000000000000000000", `fct.txt:1: "9000000000000000000" is too large`},
		{"pfc.txt", "", "2000000000 77 1 1 1\n", "pfc.txt:1: there is no node 77"},
		{"pfc.txt", "", "2000000000 3 1 4 1\n", "pfc.txt:1: node 3 has 3 interfaces, and no number 4 among them"},
		{"pfc.txt", "", "2000000000 3 1 0 1\n", "pfc.txt:1: node 3 has 3 interfaces, and no number 0 among them"},
		{"pfc.txt", "", "2000000000 -3 1 1 1\n", `pfc.txt:1: "-3" is not a whole number`},
		{"ports.txt", "3 2 1048", "9 2 1048", "ports.txt:3: there is no node 9"},
		{"ports.txt", "3 2 1048", "0 1 1048", "ports.txt:3: node 0 is no switch"},
		{"ports.txt", "3 2 1048", "3 2", "ports.txt:3: 2 fields in 3 columns"},
		{"ports.txt", "node", "mode", "ports.txt:1: the first line names no columns node and port"},
		{"config.txt", "BUFFER_SIZE 32", "BUFFER_SIZE 0", "as a scenario: case.yaml:"},
		{"config.txt", "BUFFER_SIZE 32", "BUFFER_SIZE many", "config.txt: BUFFER_SIZE many: not a number"},
	} {
		with := files()
		with[tc.file] = strings.Replace(with[tc.file], tc.from, tc.to, 1)
		if tc.from == "\n" {
			with[tc.file] = strings.ReplaceAll(files()[tc.file], tc.from, tc.to)
		}
		_, err := compared(t, with)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s with %q: error %v, want %s", tc.file, tc.to, err, tc.want)
		}
	}
}

// The command ends as one with bad input, not as one with a fault of its own.
func TestAFolderThatCannotBeRunIsBadInput(t *testing.T) {
	with := files()
	with["config.txt"] = strings.Replace(with["config.txt"], "BUFFER_SIZE 32", "BUFFER_SIZE 0", 1)
	_, err := compared(t, with)
	if input := new(scenarios.InputError); !errors.As(err, &input) {
		t.Errorf("error %v", err)
	}
	if code := verify.ExitCode([]verify.Result{{Err: err}, {Rows: []verify.Row{{}}}}); code != scenarios.ExitBadInput {
		t.Errorf("exit code %d", code)
	}
}

// Where the simulator has no rule, or one by accident, nothing is compared, and why is told.
func TestWhatTheReferenceDoesByAccidentIsNotCompared(t *testing.T) {
	for _, tc := range []struct{ file, from, to, want string }{
		{"config.txt", "BUFFER_SIZE 32", "BUFFER_SIZE 0.1", "neither pauses nor drops"},
		{"config.txt", "CC_MODE 0", "CC_MODE 11", "CC_MODE 11 is no congestion control"},
		{"config.txt", "CC_MODE 0", "CC_MODE 1", "RP_TIMER is missing"},
		{"config.txt", "HAS_WIN 0", "GLOBAL_T 0", "GLOBAL_T 0"}, // it has a window unless it is told otherwise
		{"topology.txt", "2 3 100Gbps", "1 3 100Gbps", "two links between nodes 1 and 3"},
		{"topology.txt", "2 3 100Gbps", "1 2 100Gbps", "host 1 has 2 links"},
		{"flow.txt", "1000 2.0\n", "0 2.0\n", "line 2 of flow.txt is a flow of 0 bytes"},
		{"flow.txt", "1000 2.1", "1000 1.9", "line 3 of flow.txt starts before the one above it"},
		{"flow.txt", "0 1 3", "0 1 2", "line 3 of flow.txt has another priority"},
	} {
		with := files()
		with[tc.file] = strings.Replace(with[tc.file], tc.from, tc.to, 1)
		rows, err := compared(t, with)
		if err != nil || len(rows) != 1 || !rows[0].Told || !strings.Contains(rows[0].Rule, tc.want) {
			t.Errorf("%s with %q: %v, %v; want %s", tc.file, tc.to, rows, err, tc.want)
		}
	}
}
