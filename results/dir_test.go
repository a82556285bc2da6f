package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// prepared returns a directory made ready for a run.
func prepared(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := Prepare(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// content writes a text.
func content(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func mustWrite(t *testing.T, d *Dir, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := d.Write(name, content(name)); err != nil {
			t.Fatal(err)
		}
	}
}

// tree lists the files below a directory.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

// A directory beneath a regular file cannot be made by anyone, root included.
func TestPrepareNamesAPathBeneathARegularFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "out"), filepath.Join(file, "a", "b")} {
		_, err := Prepare(path)
		if err == nil || !strings.HasPrefix(err.Error(), "output directory "+path+": ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("Prepare(%s): %v; want one line that names the path", path, err)
		}
	}
	if _, err := Prepare(""); err == nil {
		t.Error("an empty path is no directory")
	}
}

func TestPrepareMakesARelativePathAndLeavesNothingInIt(t *testing.T) {
	t.Chdir(t.TempDir())
	prepared(t, "a/b")
	if info, err := os.Stat("a/b"); err != nil || !info.IsDir() {
		t.Errorf("no directory: %v", err)
	}
	if left := tree(t, "a"); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

func TestPrepareRefusesTheManifestOfAnotherProgram(t *testing.T) {
	for _, text := range []string{`{"name": "my web app"}`, "no JSON"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ManifestName), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Prepare(dir); err == nil || !strings.Contains(err.Error(), "choose another directory") {
			t.Errorf("manifest %s: error %v", text, err)
		}
	}
}

func TestWriteReplacesAFileOnlyWhenItsContentIsComplete(t *testing.T) {
	dir := t.TempDir()
	d := prepared(t, dir)
	mustWrite(t, d, "flows.csv")
	err := d.Write("flows.csv", func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		if old, _ := os.ReadFile(filepath.Join(dir, "flows.csv")); string(old) != "flows.csv" {
			t.Errorf("the file changed while it was being written: %.20q", old)
		}
		return errors.Join(err, errors.New("disk full"))
	})
	if err == nil || err.Error() != "results file "+filepath.Join(dir, "flows.csv")+": disk full" {
		t.Errorf("error %v", err)
	}
	if old, _ := os.ReadFile(filepath.Join(dir, "flows.csv")); string(old) != "flows.csv" {
		t.Errorf("the failed write left %.20q", old)
	}
	if got := tree(t, dir); got != "flows.csv" {
		t.Errorf("files %s, want flows.csv alone", got)
	}
}

func TestWriteMakesDirectoriesOnDemand(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, prepared(t, dir), "series/queue_depth.csv", "plots/fct.svg")
	if got := tree(t, dir); got != "plots/fct.svg series/queue_depth.csv" {
		t.Errorf("files %s", got)
	}
}

func TestWriteStaysWithinTheDirectory(t *testing.T) {
	d := prepared(t, filepath.Join(t.TempDir(), "out"))
	for _, name := range []string{"../escape", "/tmp/escape", "a/../../escape", ""} {
		if err := d.Write(name, content("x")); err == nil {
			t.Errorf("wrote %q", name)
		}
	}
}

// secondRun is a run in the directory of an earlier one that wrote a.csv and series/b.csv. A file of the user's is there
// as well.
func secondRun(t *testing.T) (string, *Dir) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	first := prepared(t, dir)
	mustWrite(t, first, "a.csv", "series/b.csv")
	if err := first.WriteManifest(Manifest{Outcome: Done}); err != nil {
		t.Fatal(err)
	}
	return dir, prepared(t, dir)
}

func TestResultsOfAnEarlierRunStayUntilThereAreNewOnes(t *testing.T) {
	dir, _ := secondRun(t)
	if got, want := tree(t, dir), "a.csv manifest.json notes.txt series/b.csv"; got != want {
		t.Errorf("after Prepare there is %s, want %s", got, want)
	}
}

func TestStaleFilesOfAnEarlierRunAreRemoved(t *testing.T) {
	dir, second := secondRun(t)
	err := second.Write("a.csv", func(w io.Writer) error {
		if got, want := tree(t, dir), ".a.csv.tmp notes.txt"; got != want {
			t.Errorf("while the first file is written there is %s, want %s", got, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, second, "c.csv")
	if got, want := tree(t, dir), "a.csv c.csv notes.txt"; got != want {
		t.Errorf("there is %s, want %s", got, want)
	}
}

func TestAForgedManifestRemovesNothingElsewhere(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	prepared(t, out)
	forged := fmt.Sprintf(`{"tool": "rdmasim", "files": [{"name": "../victim"}, {"name": %q}]}`, victim)
	if err := os.WriteFile(filepath.Join(out, ManifestName), []byte(forged), 0o666); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, prepared(t, out), "a.csv")
	if _, err := os.Stat(victim); err != nil {
		t.Errorf("the victim is gone: %v", err)
	}
}

func TestManifestListsTheFilesOfTheRun(t *testing.T) {
	dir := t.TempDir()
	d := prepared(t, dir)
	mustWrite(t, d, "flows.csv", "counters.csv", "flows.csv")
	if err := d.WriteManifest(Manifest{Scenario: "incast", Outcome: Interrupted}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if m.Complete || m.Tool != "rdmasim" || len(m.Files) != 2 {
		t.Errorf("manifest %+v; want an incomplete run of rdmasim with 2 files", m)
	}
	sum := sha256.Sum256([]byte("flows.csv"))
	if want := (File{"flows.csv", 9, fmt.Sprintf("%x", sum)}); m.Files[1] != want {
		t.Errorf("second file %+v, want %+v", m.Files[1], want)
	}
}

func TestManifestsOfOneScenarioDifferInTheirExecutionAlone(t *testing.T) {
	manifest := func(e Execution) []byte {
		d := prepared(t, t.TempDir())
		mustWrite(t, d, "flows.csv")
		if err := d.WriteManifest(Manifest{Scenario: "incast", Outcome: Done, Execution: e}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(d.join(ManifestName))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	here := manifest(ThisMachine("rdmasim run incast", 1234567890, 2))
	if !bytes.Contains(here, []byte(`"wall_time_s": 1.235`)) {
		t.Errorf("no wall time in %s", here)
	}
	there := manifest(Execution{WallSeconds: 7, GOOS: "plan9", Workers: 64})
	a, _, _ := bytes.Cut(here, []byte(`"execution"`))
	b, _, _ := bytes.Cut(there, []byte(`"execution"`))
	if !bytes.Equal(a, b) {
		t.Errorf("before the execution, these differ:\n%s\n%s", a, b)
	}
}
