package htsimfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rdmasim/rdmasim/internal/golden"
	"github.com/rdmasim/rdmasim/internal/jobtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

func read(t *testing.T, text string) *File {
	t.Helper()
	f, err := Read("f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const everything = `# two hosts wait for a third
Nodes 4
Connections 4
Triggers 2
Failures 1

0->3 id 1 start 16777217 size 9223372036854775807 send_done_trigger 7 recv_done_trigger 9
	1->3 size 1 start 0 prio 3 msg 12
1->0 id 2 trigger 7 size 10
2->0 id 4000000 trigger 9 size 11 prio 2000000
trigger id 7 oneshot
trigger barrier id 9 count 1
# 2^24+1 ps above: a float of 32 bits would make 16777216 of it
failure switch_type AGG switch_id 3 link_id 1
`

func TestAFileIsReadExactly(t *testing.T) {
	want := &File{
		Nodes: 4,
		Connections: []Connection{
			{Line: 7, Src: 0, Dst: 3, ID: 1, Start: 16777217, Size: 1<<63 - 1, SentTrigger: 7, ReceivedTrigger: 9, Priority: NoPriority},
			{Line: 8, Src: 1, Dst: 3, Size: 1, Priority: 3, Message: 12},
			{Line: 9, Src: 1, Dst: 0, ID: 2, Trigger: 7, Size: 10, Priority: NoPriority},
			{Line: 10, Src: 2, Dst: 0, ID: 4000000, Trigger: 9, Size: 11, Priority: 2000000},
		},
		Triggers: []Trigger{{Line: 11, ID: 7, Kind: OneShot}, {Line: 12, ID: 9, Kind: Barrier, Count: 1}},
		Failures: []Failure{{Line: 14, Tier: "AGG", Switch: 3, Link: 1}},
	}
	if diff := cmp.Diff(want, read(t, everything), cmpopts.IgnoreUnexported(File{})); diff != "" {
		t.Error(diff)
	}
}

func TestEveryMistakeIsToldWithItsLine(t *testing.T) {
	head := "Nodes 4\nConnections 1\n"
	two := "Nodes 4\nConnections 2\nTriggers 1\n"
	for text, want := range map[string]string{
		"":                             `f:1: the header says nothing of Nodes; it should begin with "Nodes n" and "Connections c"`,
		"Nodes 4\n0->1 start 0 size 1": `f:2: the header says nothing of Connections; it should begin with "Nodes n" and "Connections c"`,
		"Nodes 0\nConnections 0\n":     "f:2: a network without nodes",
		"Nodes\n":                      "f:1: 1 words where Nodes and a number should stand",
		"Nodes 4\nNodes 5\n":           "f:2: Nodes a second time; it stands in line 1",
		"Nodes 99999999\n":             "f:1: Nodes 99999999 is too large: at most 16777215",
		"Nodes 4x\n":                   `f:1: Nodes "4x" is not a whole number`,
		head + "Flows 3\n":             `f:3: "Flows" begins no record; want a connection such as 0->1, "trigger" or "failure"`,
		head + "0->1 start 0 size 1\n#\n2->1 start 0 size 1": "f:5: more than the 1 connections that the header announces",
		head + "\n": "f:3: the file ends after 0 of the 1 connections that its header announces",
		two + "0->1 start 0 size 1\n1->0 start 0 size 1\n": "f:5: the file ends after 0 of the 1 triggers that its header announces",
		head + "0->1 start 0 size 1\nTriggers 1\n":         "f:4: Triggers among the records; it belongs to the header, before the first of them",
		head + "0->4 start 0 size 1":                       "f:3: the receiver 4 is too large: at most 3",
		head + "0-> 1 start 0 size 1":                      `f:3: the receiver "" is not a whole number`,
		head + "-1->1 start 0 size 1":                      `f:3: the sender "-1" is not a whole number`,
		head + "2->2 start 0 size 1":                       "f:3: a connection from host 2 to itself",
		head + "0->1 id 0 start 0 size 1":                  "f:3: id 0: numbers of connections and triggers begin with 1",
		head + "0->1 start 1.5 size 1":                     `f:3: start, in picoseconds, "1.5" is not a whole number`,
		head + "0->1 start 1. size 1":                      `f:3: start, in picoseconds, "1." is not a whole number`,
		head + "0->1 start 1e6 size 1":                     `f:3: start, in picoseconds, "1e6" is not a whole number`,
		head + "0->1 start 9223372036854775808 size 1":     "f:3: start, in picoseconds, 9223372036854775808 is too large",
		head + "0->1 start 0 size 0":                       "f:3: a size of 0, which is a connection without an end to htsim; here each has one, and size beside file gives it to these",
		head + "0->1 start 0 size 1 size 2":                "f:3: size twice in one record",
		head + "0->1 start 0 size":                         "f:3: nothing after size",
		head + "0->1 start 0":                              "f:3: a connection without a size",
		head + "0->1 size 1":                               "f:3: neither start nor trigger: nothing starts the connection",
		head + "0->1 start 0 trigger 1 size 1":             "f:3: both start and trigger: a connection starts at a time or is started by a trigger",
		head + "0->1 trigger 1 size 1":                     "f:3: a connection that a trigger starts needs an id",
		head + "0->1 id 1 trigger 5 size 1":                "f:3: there is no trigger 5",
		head + "0->1 start 0 size 1 addon":                 `f:3: unknown word "addon" of a connection; one of id, start, trigger, size, send_done_trigger, recv_done_trigger, prio, msg`,
		two + "0->1 id 7 start 0 size 1\n1->0 id 7 start 0 size 1\ntrigger id 1 oneshot": "f:5: id 7 a second time; it is that of the connection of line 4",
		two + "trigger oneshot\n":                      "f:4: a trigger without an id",
		two + "trigger id 1\n":                         "f:4: a trigger is one of oneshot, multishot and barrier",
		two + "trigger id 1 oneshot barrier count 1\n": "f:4: a trigger is one of oneshot, multishot and barrier",
		two + "trigger id 1 barrier\n":                 "f:4: a barrier needs a count of 1 or more: how many connections have to end",
		two + "trigger id 1 oneshot count 2\n":         "f:4: a count is for a barrier; this trigger is oneshot",
		two + "trigger id 1 twoshot\n":                 `f:4: unknown word "twoshot" of a trigger; one of id, count, oneshot, multishot, barrier`,
		two + "0->1 start 0 size 1\n1->0 start 0 size 1 send_done_trigger 1\ntrigger id 1 oneshot":                                                                                 "f:6: trigger 1 starts no connection",
		two + "0->1 start 0 size 1\n1->0 id 1 trigger 1 size 1\ntrigger id 1 oneshot":                                                                                              "f:6: nothing sets off trigger 1: no connection names it as send_done_trigger or recv_done_trigger",
		two + "0->1 start 0 size 1 send_done_trigger 1 recv_done_trigger 1\n1->0 id 1 trigger 1 size 1\ntrigger id 1 oneshot":                                                      "f:6: trigger 1 is oneshot and 2 ends of connections set it off; a barrier waits for all of them",
		two + "0->1 start 0 size 1 send_done_trigger 1\n1->0 id 1 trigger 1 size 1\ntrigger id 1 barrier count 2":                                                                  "f:6: barrier 1 waits for 2 ends of connections and 1 set it off",
		"Nodes 4\nConnections 3\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 1\n1->0 id 1 trigger 1 size 1\n2->0 id 2 trigger 1 size 1\ntrigger id 1 multishot":              "f:7: trigger 1 is multishot, has 2 connections to start and is set off 1 times: each time starts one",
		two + "0->1 start 0 size 1\n1->0 id 1 trigger 1 size 1 send_done_trigger 1\ntrigger id 1 oneshot":                                                                          "f:5: the connection never starts: it waits for trigger 1, which is set off 0 times of 1, as some of the connections that set it off wait for this one",
		"Nodes 4\nConnections 3\nTriggers 2\n0->1 start 0 size 1 send_done_trigger 1\n1->0 id 1 trigger 1 size 1\ntrigger id 1 oneshot\n1->2 start 0 size 3\ntrigger id 1 oneshot": "f:8: trigger 1 a second time; it stands in line 6",
		head + "failure switch_type TOP switch_id 1 link_id 1\n":                                                                                                                   "f:3: unknown switch_type \"TOP\"; one of TOR, AGG, CORE",
		head + "failure switch_type TOR switch_id 1\n":                                                                                                                             "f:3: a failure needs switch_type, switch_id and link_id",
		head + "failure host 1\n":         `f:3: unknown word "host" of a failure; one of switch_type, switch_id, link_id`,
		head + strings.Repeat("x", 1<<17): "f:3: a line of more than 65536 bytes",
	} {
		if _, err := Read("f", strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%.90q:\n\terror %v\n\twant  %s", text, err, want)
		}
	}
}

// The generators of htsim's first examples wrote times with a point and zeros, which say picoseconds all the same.
func TestATimeMayHaveAPointAndZeros(t *testing.T) {
	f := read(t, "Nodes 2\r\nConnections 2\r\n0->1 start 0.000000 size 1\r\n1->0 start 12.0 size 1")
	if a, b := f.Connections[0].Start, f.Connections[1].Start; a != 0 || b != 12 {
		t.Errorf("they start at %v and %v", a, b)
	}
}

func TestConnectionsWithoutAnEndMayBeGivenASize(t *testing.T) {
	f, err := ReadSized("f", strings.NewReader("Nodes 2\nConnections 2\n0->1 start 0 size 0\n1->0 start 0 size 7\n"), 100)
	if err != nil || f.Connections[0].Size != 100 || f.Connections[1].Size != 7 {
		t.Errorf("%+v, %v", f, err)
	}
}

// perByte is a network on which a message takes a microsecond a byte.
var perByte = jobtest.Network{Message: func(size units.Bytes) units.Time { return units.Time(size) * units.Microsecond }}

// begins runs a file and returns when its connections begin, in microseconds.
func begins(t *testing.T, text string) (at []int64, words int) {
	t.Helper()
	f := read(t, text)
	job, words, err := f.Job()
	if err != nil {
		t.Fatal(err)
	}
	if err := job.Check(); err != nil {
		t.Fatal(err)
	}
	spans := jobtest.Run(t, job, perByte)
	at = make([]int64, len(f.Connections))
	for host, g := range job.Ranks {
		for i := range g.Ops() {
			if op := g.Op(i); op.Label == labelConnection && op.Kind.String() == "send" {
				at[op.Tag] = int64(spans[host][i].Begin / units.Microsecond)
			}
		}
	}
	return at, words
}

func TestConnectionsBeginAtTheirTime(t *testing.T) {
	at, words := begins(t, "Nodes 3\nConnections 4\n0->1 start 7000000 size 5\n0->2 start 2000000 size 5\n0->1 start 7000000 size 5\n1->2 start 0 size 1\n")
	if diff := cmp.Diff([]int64{7, 2, 7, 0}, at); diff != "" || words != 0 {
		t.Error(words, diff)
	}
}

// The end of a connection of 10 us is known at both of its hosts; a third one hears of it by a word of 8 us.
func TestATriggerIsKnownWhereItIsSetOffAndByAWordElsewhere(t *testing.T) {
	at, words := begins(t, `Nodes 3
Connections 4
Triggers 1
0->1 start 0 size 10 recv_done_trigger 1
1->2 id 1 trigger 1 size 3
2->0 id 2 trigger 1 size 3
2->1 id 3 trigger 1 size 3
trigger id 1 oneshot
`)
	if diff := cmp.Diff([]int64{0, 10, 18, 18}, at); diff != "" || words != 1 {
		t.Error(words, diff)
	}
}

func TestABarrierOpensWhenAllHaveEnded(t *testing.T) {
	at, words := begins(t, `Nodes 3
Connections 3
Triggers 1
0->1 start 0 size 10 send_done_trigger 4
0->2 start 0 size 30 send_done_trigger 4
0->1 id 3 trigger 4 size 1
trigger id 4 barrier count 2
`)
	if diff := cmp.Diff([]int64{0, 0, 30}, at); diff != "" || words != 0 {
		t.Error(words, diff)
	}
}

// Two connections under way at any time, of 10 and 30 us at first: the others, of 5 us, begin as places become free, in the order
// of the file: at 10, 15, 20, 25, and of the two that end at 30 one more begins each.
func TestAMultiShotTriggerKeepsSoManyUnderWay(t *testing.T) {
	text := "Nodes 2\nConnections 8\nTriggers 1\n0->1 id 1 start 0 size 10 send_done_trigger 1\n0->1 id 2 start 0 size 30 send_done_trigger 1\n"
	for id := 3; id <= 8; id++ {
		text += fmt.Sprintf("0->1 id %d trigger 1 size 5 send_done_trigger 1\n", id)
	}
	at, words := begins(t, text+"trigger id 1 multishot\n")
	if diff := cmp.Diff([]int64{0, 0, 10, 15, 20, 25, 30, 30}, at); diff != "" || words != 0 {
		t.Error(words, diff)
	}
}

func TestTooManyChoicesAreRefused(t *testing.T) {
	var text strings.Builder
	const n = 2049 // squared, more than 2^22
	fmt.Fprintf(&text, "Nodes 2\nConnections %d\nTriggers 1\ntrigger id 1 multishot\n", 2*n)
	for id := 1; id <= n; id++ {
		fmt.Fprintf(&text, "0->1 id %d start 0 size 1 send_done_trigger 1\n0->1 id %d trigger 1 size 1\n", id, n+id)
	}
	want := "f:4: trigger 1 has 2049 connections to start and 2049 ends of others that start them; the two multiplied may be at most 4194304"
	if _, _, err := read(t, text.String()).Job(); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}

// goldenFiles returns the matrices of reference runs of htsim.
func goldenFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(golden.Dir(t, "htsim"), "*", "traffic.cm"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no reference runs: %v", err)
	}
	return files
}

func TestFilesOfReferenceRunsAreRead(t *testing.T) {
	for _, path := range goldenFiles(t) {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Read(path, file)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		job, _, err := f.Job()
		if err == nil {
			err = job.Check()
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		jobtest.Run(t, job, jobtest.Network{})
	}
}
