package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rdmasim/rdmasim/results"
)

// endless is three runs that nobody would wait for: 10 TB at 100 Gb/s each.
const endless = `
name: endless
stop: {limit: 1000s}
topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 500ns}}
workloads: [{kind: flows, flows: [{from: h1, to: h0, size: 1MB}, {from: h2, to: h0, size: 10TB}]}]
measure: {series: [queue_depth, qp_rate, pause], every: 1ms}
variants: [{name: other, set: {seed: 2}}, {name: third, set: {seed: 3}}]
`

// A run that is told to stop leaves what it has, and says that it is not all.
func TestAnInterruptedRunLeavesValidPartialResults(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			out := filepath.Join(dir, "out")
			if err := os.WriteFile(filepath.Join(dir, "endless.yaml"), []byte(endless), 0o666); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			run := exec.Command("rdmasim", "run", "endless.yaml", "--out", "out")
			run.Dir, run.Stdout, run.Stderr = dir, &stdout, &stderr
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			defer run.Process.Kill()
			awaitDirectory(t, out) // it is made when signals are heeded, before the run begins
			time.Sleep(300 * time.Millisecond)
			if err := run.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := run.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
				t.Fatalf("the run ended with %v, want exit code 3\n%s", err, stderr.String())
			}
			if !strings.HasPrefix(stdout.String(), "endless: INCOMPLETE (interrupted at ") || stderr.Len() > 0 {
				t.Errorf("stdout is\n%s\nand stderr\n%s", stdout.String(), stderr.String())
			}
			for _, folder := range []string{".", "variants/other", "variants/third"} {
				switch m, err := checkResults(filepath.Join(out, folder)); {
				case err != nil:
					t.Error(err)
				case m.Outcome != results.Interrupted || m.Complete:
					t.Errorf("the manifest of %s says %s, complete %v", folder, m.Outcome, m.Complete)
				}
			}
		})
	}
}

// awaitDirectory waits until a directory has been made.
func awaitDirectory(t *testing.T, dir string) {
	t.Helper()
	for range 6000 {
		if _, err := os.Stat(dir); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s has not been made for a minute", dir)
}

// A benchmark that is stopped says so, leaves no file, and none of its processes behind.
func TestAnInterruptedBenchmarkLeavesNothingBehind(t *testing.T) {
	var stderr bytes.Buffer
	run := exec.Command("rdmasim", "bench", "permutation-1024", "--runs", "1000", "--json", "new.json")
	run.Dir, run.Stderr = t.TempDir(), &stderr
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer run.Process.Kill()
	child := awaitChild(t, run.Process.Pid)
	if err := run.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	const said = "interrupted before any case was measured; new.json was not written\n"
	if err := run.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 3 || stderr.String() != said {
		t.Errorf("it ended with %v, and says %q; want exit code 3 and %q", err, stderr.String(), said)
	}
	if _, err := os.Stat(child); err == nil {
		t.Error("its child is still there")
	}
	if left, err := os.ReadDir(run.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// awaitChild waits until a process has started another one, and returns its folder among those of all processes.
func awaitChild(t *testing.T, parent int) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell which processes a process has")
	}
	for range 6000 {
		stats, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, name := range stats {
			stat, _ := os.ReadFile(name) // number, (name), state, number of the parent and more; nothing if it has just ended
			_, rest, _ := strings.Cut(string(stat), ") ")
			if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
				return filepath.Dir(name)
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no process was started for a minute")
	return ""
}
