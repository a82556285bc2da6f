package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder makes a folder with empty files.
func folder(t *testing.T, in, name string, files ...string) {
	t.Helper()
	at := filepath.Join(in, name)
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(at, f), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A folder of something else is passed over, and half a run beside whole ones is told with its name and what it lacks.
func TestHalfARunIsToldAndNotPassedOver(t *testing.T) {
	dir := t.TempDir()
	folder(t, dir, "whole", "in.txt", "out.txt.gz", "more.txt")
	folder(t, dir, "plots", "in.txt", "plot.png")
	runs, err := Folders(dir, "in.txt", "out.txt")
	if err != nil || len(runs) != 1 || filepath.Base(runs[0]) != "whole" {
		t.Errorf("runs in %v, %v; want whole", runs, err)
	}
	folder(t, dir, "half", "in.txt", "also.txt")
	if _, err := Folders(dir, "in.txt", "also.txt", "out.txt"); err == nil || !strings.Contains(err.Error(), "half: half a run: no out.txt;") {
		t.Errorf("half a run: %v", err)
	}
}
