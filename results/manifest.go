package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// ManifestName is the name of the manifest in an output directory.
const ManifestName = "manifest.json"

// toolName marks a manifest as one of ours.
const toolName = "rdmasim"

// Manifest says what a directory of results is: from which scenario, how it ended, and which files belong to it.
// A file that it does not list is not a result of the run. Two runs of the same scenario, seed and version differ in
// nothing but Execution.
type Manifest struct {
	Tool         string    `json:"tool" doc:"always rdmasim"`
	Version      string    `json:"version" doc:"version of rdmasim"`
	Scenario     string    `json:"scenario" doc:"name of the scenario"`
	ScenarioHash string    `json:"scenario_sha256" doc:"SHA-256 of the resolved scenario, as in scenario.yaml"`
	Seed         uint64    `json:"seed" doc:"seed of all random streams"`
	Digest       string    `json:"digest" doc:"digest of the event streams of all nodes"`
	Outcome      Outcome   `json:"outcome" doc:"how the run ended: done, stalled, time-limit, interrupted or failed"`
	Complete     bool      `json:"complete" doc:"whether all that the scenario asked for happened; if false the files hold a part"`
	Files        []File    `json:"files" doc:"the files of the run"`
	Folders      []string  `json:"folders" doc:"folders of other runs of the scenario, each with a manifest of its own"`
	Execution    Execution `json:"execution" doc:"what may differ between two runs of one scenario and seed"`
}

// Execution is what a run owes to the machine and the moment.
type Execution struct {
	Command     string  `json:"command" doc:"command line of the run"`
	WallSeconds float64 `json:"wall_time_s" doc:"time the run took on the clock"`
	Workers     int     `json:"workers" doc:"number of workers that simulated"`
	GoVersion   string  `json:"go_version" doc:"version of Go the program was built with"`
	GOOS        string  `json:"goos" doc:"operating system"`
	GOARCH      string  `json:"goarch" doc:"processor architecture"`
	CPUs        int     `json:"cpus" doc:"processors the program could use"`
}

// ThisMachine returns an Execution of this program on this machine.
func ThisMachine(command string, wall time.Duration, workers int) Execution {
	return Execution{
		Command: command, WallSeconds: float64(wall.Round(time.Millisecond).Milliseconds()) / 1000, Workers: workers,
		GoVersion: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, CPUs: runtime.NumCPU(),
	}
}

// WriteManifest writes the manifest, with the files written so far. It is the last file of a run to be written. Tool,
// Complete and Files are filled in here.
func (d *Dir) WriteManifest(m Manifest) error {
	m.Tool, m.Complete, m.Files, m.Folders = toolName, m.Outcome.Complete(), d.Files(), orEmpty(d.folders)
	if m.Files == nil {
		m.Files = []File{}
	}
	return d.Write(ManifestName, func(w io.Writer) error { return writeJSON(w, m) })
}

// writeJSON writes v indented, with the keys in the order of its fields.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// listedFiles returns the files that the manifest in the directory lists, none if there is no manifest. A manifest of
// another program is an error: it would be overwritten.
func listedFiles(dir string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil || m.Tool != toolName {
		return nil, fmt.Errorf("the %s in it was not written by %s and would be overwritten; choose another directory",
			ManifestName, toolName)
	}
	names := []string{ManifestName}
	for _, f := range m.Files {
		names = append(names, f.Name)
	}
	for _, folder := range m.Folders {
		names = append(names, listedWithin(dir, folder)...)
	}
	return names, nil
}

// listedWithin returns the files that the manifest in a folder of the directory lists. A folder that is not within it, or
// has no manifest of ours, is left alone.
func listedWithin(dir, folder string) (names []string) {
	if !filepath.IsLocal(filepath.FromSlash(folder)) || folder == "." {
		return nil
	}
	inner, err := listedFiles(filepath.Join(dir, filepath.FromSlash(folder)))
	if err != nil {
		return nil
	}
	for _, name := range inner {
		names = append(names, folder+"/"+name)
	}
	return names
}

// removeStale removes the files of the earlier run, its manifest first. Names that lead out of the directory are ignored:
// a manifest is a file anyone can edit.
func (d *Dir) removeStale() error {
	for _, name := range d.stale {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			continue
		}
		if err := removeIfThere(d.join(name)); err != nil {
			return err
		}
		d.removeEmpty(filepath.Dir(d.join(name)))
	}
	d.stale = nil
	return nil
}

// removeEmpty removes a folder within the directory, and those around it, if they hold nothing any more.
func (d *Dir) removeEmpty(folder string) {
	for ; len(folder) > len(d.path); folder = filepath.Dir(folder) {
		if os.Remove(folder) != nil {
			return // there is something in it, or it is not there
		}
	}
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
