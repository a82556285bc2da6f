package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rdmasim": main})
}

// The scripts are what a user types and what comes of it. The functions below are
// commands of theirs.
func TestCommandLine(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":      exits,
			"rejects":    rejects,
			"says":       says,
			"whole":      whole,
			"samedigest": sameDigest,
			"samefiles":  sameFiles,
			"glob":       someFile,
		},
	})
}

// exits CODE COMMAND... runs a command and wants that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitCode(ts, args[1:]); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func exitCode(ts *testscript.TestScript, command []string) int {
	switch err := ts.Exec(command[0], command[1:]...).(type) {
	case nil:
		return 0
	case *exec.ExitError:
		return err.ExitCode()
	default:
		ts.Fatalf("%v", err)
		return -1
	}
}

// rejects PATTERN COMMAND... runs a command that must refuse its input: exit code
// 2, nothing but one line that matches on stderr, and no directory out.
func rejects(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: rejects PATTERN COMMAND...")
	}
	exits(ts, false, append([]string{"2"}, args[1:]...))
	text := ts.ReadFile("stderr")
	line, rest, _ := strings.Cut(text, "\n")
	if rest != "" || !regexp.MustCompile("^"+args[0]+"$").MatchString(line) {
		ts.Fatalf("stderr is\n%s\nwant one line that matches %s", text, args[0])
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("stdout is not empty: %s", out)
	}
	ts.Check(missing(ts.MkAbs("out")))
}

// says TEXT... wants each text on stdout, however its lines are broken.
func says(ts *testscript.TestScript, neg bool, args []string) {
	out := strings.Join(strings.Fields(ts.ReadFile("stdout")), " ")
	for _, text := range args {
		if strings.Contains(out, text) == neg {
			ts.Fatalf("stdout contains %q: %v", text, neg)
		}
	}
}

// whole DIR OUTCOME wants a complete set of results of a run that ended so.
func whole(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: whole DIR OUTCOME")
	}
	m, err := checkResults(ts.MkAbs(args[0]))
	ts.Check(err)
	if string(m.Outcome) != args[1] || m.Complete != (args[1] == "done") {
		ts.Fatalf("the outcome is %s, complete %v; want %s", m.Outcome, m.Complete, args[1])
	}
}

// samedigest DIR... wants the results of runs with the same digest, or with ! of runs
// with different ones.
func sameDigest(ts *testscript.TestScript, neg bool, args []string) {
	digests := map[string]bool{}
	for _, dir := range args {
		m, err := checkResults(ts.MkAbs(dir))
		ts.Check(err)
		digests[m.Digest] = true
	}
	if want := map[bool]int{false: 1, true: len(args)}[neg]; len(digests) != want {
		ts.Fatalf("%d digests of %d runs, want %d", len(digests), len(args), want)
	}
}

// samefiles DIR... wants the same files with the same bytes, but for what the
// manifest says of the execution.
func sameFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: samefiles DIR DIR...")
	}
	first, err := checkResults(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, dir := range args[1:] {
		m, err := checkResults(ts.MkAbs(dir))
		ts.Check(err)
		if a, b := fmt.Sprint(withoutExecution(first)), fmt.Sprint(withoutExecution(m)); a != b {
			ts.Fatalf("the manifests of %s and %s differ:\n%s\n%s", args[0], dir, a, b)
		}
		for _, folder := range m.Folders {
			sameFiles(ts, false, []string{args[0] + "/" + folder, dir + "/" + folder})
		}
	}
}

// glob PATTERN wants a file with such a name, and something in it.
func someFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: glob PATTERN")
	}
	files, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(files) == 0 || ts.ReadFile(files[0]) == "" {
		ts.Fatalf("no file like %s with something in it", args[0])
	}
}
