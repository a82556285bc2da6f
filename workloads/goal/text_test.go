package goal

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// inRank0 is a file of two ranks with these lines in rank 0, of which the first is line 3.
func inRank0(lines ...string) string {
	return "num_ranks 2\nrank 0 {\n" + strings.Join(lines, "\n") + "\n}\nrank 1 {\n}\n"
}

// list writes a graph as one would tell it.
func list(g *schedule.Graph) (lines []string) {
	for i := range g.Ops() {
		op := g.Op(i)
		var line strings.Builder
		line.WriteString(op.String())
		if op.Stream != 0 || op.NIC != 0 {
			line.WriteString(" on " + string('0'+rune(op.Stream)) + " by " + string('0'+rune(op.NIC)))
		}
		for _, s := range g.Successors(i) {
			word := " then "
			if s.OnStart() {
				word = " beside "
			}
			line.WriteString(word + string('0'+rune(s.Op())))
		}
		lines = append(lines, line.String())
	}
	return lines
}

func TestEveryWordOfTheTextForm(t *testing.T) {
	const file = "/* made by\nhand */ // really\n\n num_ranks\t3\n\n// first\nrank 0 {\r\n" +
		"\tlast: calc 7 cpu 2\n" +
		"send: send 0b to 2\n" +
		"l01: /* no comment here: an error */\n"
	if _, err := Read(strings.NewReader(file), nanoseconds); err == nil || !strings.HasPrefix(err.Error(), "line 10: ") {
		t.Fatal(err)
	}
	right := strings.Replace(file, "l01: /* no comment here: an error */\n", ""+
		"l1: recv 17b from 1 tag 4294967294 cpu 3 nic 1\n"+
		"l01:recv 18b from -1 tag -1 nic 2\n"+
		"recv 19b from -1\n"+
		"l900000:send 20b to 1 tag 5 cpu 1 nic 0\n"+
		"/* and */ send requires last\n"+
		"l01 irequires l1 \t\nl1\trequires  send\nl900000 requires l01\n"+
		"}\nrank 1 {\n}\n rank 2 { \n l1: recv 0b from 0\n }", 1)
	job, err := Read(strings.NewReader(right), Options{Unit: units.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(list(job.Ranks[0]), "\n")
	want := strings.Join([]string{
		"calc of 7us on 2 by 0 then 1",
		"send of 0 bytes to rank 2, tag 0 on 0 by 1 then 2",
		"recv of 17 bytes from rank 1, tag 4294967294 on 3 by 2 beside 3",
		"recv of 18 bytes from any rank, any tag on 0 by 3 then 5",
		"recv of 19 bytes from any rank, tag 0 on 0 by 1",
		"send of 20 bytes to rank 1, tag 5 on 1 by 1",
	}, "\n")
	if got != want || len(job.Ranks) != 3 || job.Ranks[1].Ops() != 0 || job.Ranks[2].Ops() != 1 {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTextErrorsNameTheLine(t *testing.T) {
	long := "l" + strings.Repeat("x", buffer)
	for text, want := range map[string]string{
		"":                                "line 1: the file is empty; a GOAL file begins with num_ranks",
		"// nothing\n":                    "line 1: the file is empty",
		"/* \n\n":                         "line 2: the file ends within the comment that line 1 opens; it is closed by */",
		"\x00\x01":                        `line 1: "\x00\x01" where num_ranks should stand, with which a GOAL file begins, or the number 4223 in 8 bytes`,
		"rank 0 {\n}\n":                   `line 1: "rank" where num_ranks should stand`,
		"num_ranks":                       "line 1: the end of the line where the number of ranks should stand, a whole number",
		"num_ranks -1":                    `line 1: "-1" where the number of ranks should stand, a whole number`,
		"num_ranks 16777217\n":            "line 1: the number of ranks of 16777217 is too large: at most 16777216",
		"num_ranks 2 3\n":                 `line 1: "3" behind the end of the statement; each stands on a line of its own`,
		"num_ranks 2\nrank 1 {\n}":        "line 2: rank 1 where rank 0 should stand: ranks stand in their order",
		"num_ranks 2\nrank 0 {\n}":        "line 3: the file ends after 1 of the 2 ranks that num_ranks announces",
		"num_ranks 1\nrank 0\n":           "line 2: the end of the line where { should stand",
		"num_ranks 1\nrank 0 { }":         `line 2: "}" behind the end of the statement`,
		"num_ranks 1\nl1: calc 2":         `line 2: "l1:" where rank 0 { should stand`,
		"num_ranks 1\nrank 0 {\ncalc 1\n": "line 3: the file ends within rank 0, which line 2 opens; it is closed by }",
		"num_ranks 1\nrank 0 {\n}\n\nrank 1 {\n}":  "line 5: one more rank than the 1 that num_ranks announces",
		"num_ranks 1\nrank 0 {\n} calc 1\n":        `line 3: "calc" behind the end of the statement`,
		inRank0("1l: calc 1"):                      `line 3: "1l:" where an operation, a dependency or } should stand`,
		inRank0("l1: calc 1", "", "l1: calc 2"):    "line 5: a second operation with label l1 in rank 0",
		inRank0("x: calc 1", "x: calc 2"):          "line 4: a second operation with label x in rank 0",
		inRank0("l1: put 3b to 1"):                 `line 3: "put" where send, recv or calc should stand`,
		inRank0("put 3b to 1"):                     `line 3: "put" where an operation (send, recv or calc, perhaps behind a label and :) or a dependency (label requires label) should stand`,
		inRank0("l1 : calc 3", "l2 requires l1"):   "line 4: there is no operation l2 above this line in rank 0; labels are known from where they stand on",
		inRank0("l1: calc 3", "l1 requires l2"):    "line 4: there is no operation l2 above this line in rank 0",
		inRank0("l1: calc 3", "l1 requires l01"):   "line 4: there is no operation l01 above this line in rank 0",
		inRank0("l1: calc 3", "l1 requires"):       "line 4: the end of the line where a label should stand",
		inRank0("l1: calc 3", "l1 requires l1 l1"): `line 4: "l1" behind the end of the statement`,
		inRank0("l1: calc 3", "l1 irequires l1"):   "line 5: rank 0 can never finish: l1 waits for l1",
		inRank0("calc"):                            "line 3: the end of the line where a time should stand, a whole number",
		inRank0("calc 1.5"):                        `line 3: ".5" behind the end of the statement`,
		inRank0("calc 12ns"):                       `line 3: "12ns" where a time should stand, a whole number`,
		inRank0("calc 1000000000000001"):           "line 3: calc 1000000000000001 is longer than 1000000s, the most an operation can take",
		inRank0("calc 99999999999999999999"):       "line 3: a time of 99999999999999999999 is too large: at most 9223372036854775808",
		inRank0("calc 5 tag 3"):                    "line 3: tag cannot stand here; a message has tag, cpu and nic in this order, a calc has cpu",
		inRank0("calc 5 cpu 256"):                  "line 3: the number of a cpu of 256 is too large: at most 255",
		inRank0("calc 5 // five"):                  "line 3: a comment behind a statement; it stands on a line of its own",
		inRank0("send 3 to 1"):                     `line 3: "to" where b should stand behind the number of bytes`,
		inRank0("send 3B to 1"):                    `line 3: "3B" where a size should stand, a whole number`,
		inRank0("send 3bytes to 1"):                `line 3: "bytes" where b should stand behind the number of bytes`,
		inRank0("send 1099511627777b to 1"):        "line 3: a size of 1099511627777 is too large: at most 1099511627776",
		inRank0("send 3b from 1"):                  `line 3: "from" where to should stand`,
		inRank0("recv 3b to 1"):                    `line 3: "to" where from should stand`,
		inRank0("send 3b to 2"):                    "line 3: there is no rank 2; there are ranks 0 to 1",
		inRank0("recv 3b from 4294967295"):         "line 3: there is no rank 4294967295; there are ranks 0 to 1",
		inRank0("send 3b to -1"):                   `line 3: "-1" where the number of a rank should stand, a whole number`,
		inRank0("recv 3b from -12"):                `line 3: "-12" where the number of a rank should stand, a whole number`,
		inRank0("send 3b to 0"):                    "line 3: a message of rank 0 to itself",
		inRank0("send 3b to 1 tag -1"):             `line 3: "-1" where a tag should stand, a whole number`,
		inRank0("recv 3b from 1 tag 4294967295"):   "line 3: a tag of 4294967295 is too large: at most 4294967294",
		inRank0("recv 3b from 1 cpu 1 tag 2"):      "line 3: tag cannot stand here; a message has tag, cpu and nic in this order, a calc has cpu",
		inRank0("recv 3b from 1 nic 255"):          "line 3: the number of a nic of 255 is too large: at most 254",
		inRank0("calc 1", long):                    "line 4: longer than 65536 bytes",
		inRank0("x: calc 1", "l5: calc 1", "x requires l5", "calc 1", "l5 requires x"): "line 8: rank 0 can never finish: x waits for l5, which waits for x",
	} {
		if _, err := Read(strings.NewReader(text), nanoseconds); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.200q:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

func TestWhatIsWrongBetweenRanksComesWithTheLineToo(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	text := inRank0("calc 1", "/*", "*/ send 4b to 1 tag 9", "send 4b to 1")
	if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	want := "line 6: rank 0, operation 2 (send of 4 bytes to rank 1, tag 0): rank 1 has no receive left for it"
	for name, content := range map[string]string{"a.goal": text, "b": packed.String()} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, nanoseconds); err == nil || err.Error() != path+": "+want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	path := filepath.Join(dir, "none")
	if _, err := Open(path, nanoseconds); err == nil || err.Error() != path+": no such file or directory" {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("\x1f\x8bgzip?"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, nanoseconds); err == nil || !strings.HasPrefix(err.Error(), path+": begins like a file of gzip and is none: ") {
		t.Error(err)
	}
}
