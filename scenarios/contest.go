package scenarios

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/rdmasim/rdmasim/results"
)

// Contest is runs of several scenarios, or results that runs have left, side by side.
type Contest struct {
	Entries []Entry
	// Out is the directory for results; empty leaves none.
	Out string
	// Workers share the nodes of each run. 0 chooses; of several runs, which go side by side, each has one.
	Workers int
	// Version and Command go into manifests.
	Version, Command string
	// Terminal gets the progress, if it is one.
	Terminal *os.File
}

// Entry is one side of a contest: a scenario to be run, or the directory of a run that has ended.
type Entry struct {
	Name string
	Spec *Spec  // nil for a directory
	Dir  string // empty for a scenario
}

// Enter makes the entries that the arguments of a command line mean: names of built-in scenarios, files, single runs of one as
// NAME:VARIANT, and directories that runs have left. One argument alone means all of its runs. Overrides go for all scenarios.
func Enter(arguments []string, overrides ...string) (entries []Entry, err error) {
	for _, a := range arguments {
		more, err := enter(a, len(arguments) == 1, overrides)
		if err != nil {
			return nil, err
		}
		entries = append(entries, more...)
	}
	if len(entries) < 2 {
		return nil, fmt.Errorf("%s: it has no variants to be set beside; name two scenarios or directories, or one with variants", arguments[0])
	}
	runs := slices.ContainsFunc(entries, func(e Entry) bool { return e.Spec != nil })
	if len(overrides) > 0 && !runs {
		return nil, fmt.Errorf("--set %s: these runs are over; name scenarios in place of directories", strings.Join(overrides, " --set "))
	}
	return entries, distinguish(entries, arguments)
}

// distinguish gives entries of one name others, which tell them apart.
func distinguish(entries []Entry, arguments []string) error {
	for i := range entries {
		for k := range entries[:i] {
			if entries[k].Name != entries[i].Name {
				continue
			}
			if len(entries) != len(arguments) || arguments[k] == arguments[i] {
				return fmt.Errorf("%s: given twice; want different runs", entries[i].Name)
			}
			entries[k].Name, entries[i].Name = arguments[k], arguments[i]
		}
	}
	return nil
}

// enter makes the entries of an argument: one, or all that it has.
func enter(argument string, all bool, overrides []string) ([]Entry, error) {
	if info, err := os.Stat(argument); err == nil && info.IsDir() && !slices.Contains(Names(), argument) {
		return enterDirectory(argument, all)
	}
	name, variant := argument, ""
	if at := strings.LastIndexByte(argument, ':'); at > 0 {
		if _, err := os.Stat(argument); errors.Is(err, fs.ErrNotExist) {
			name, variant = argument[:at], argument[at+1:]
		}
	}
	spec, err := Load(name, overrides...)
	if err != nil {
		return nil, err
	}
	names, _ := spec.runs()
	switch {
	case variant == "" && all && len(names) > 1:
		var entries []Entry
		for i := range len(spec.Variants) + 1 {
			entries = append(entries, Entry{Name: names[i], Spec: spec.alone(i)})
		}
		return entries, nil
	case variant == "":
		return []Entry{{Name: spec.Name, Spec: spec.alone(0)}}, nil
	}
	i := slices.Index(names, variant)
	if i < 0 {
		return nil, fmt.Errorf("%s: %s has no run %q; %s", argument, name, variant, DidYouMean(variant, names))
	}
	return []Entry{{Name: spec.Name + ":" + variant, Spec: spec.alone(i)}}, nil
}

// enterDirectory makes the entries of a directory that a run has left.
func enterDirectory(dir string, all bool) ([]Entry, error) {
	summary, err := results.ReadSummary(dir)
	if err != nil {
		return nil, err
	}
	if !all || len(summary.Variants) == 0 {
		return []Entry{{Name: filepath.Base(filepath.Clean(dir)), Dir: dir}}, nil
	}
	entries := []Entry{{Name: base, Dir: dir}}
	for _, v := range summary.Variants {
		entries = append(entries, Entry{Name: v.Name, Dir: filepath.Join(dir, filepath.FromSlash(v.Folder))})
	}
	return entries, nil
}

// alone is a run of the scenario by its number, without the others, and of what is expected only how that run ends and what
// it loses: to judge is for the command run.
func (s *Spec) alone(run int) *Spec {
	names, specs := s.runs()
	own := *specs[run]
	own.Variants, own.Sweeps, own.swept, own.Expect = nil, nil, nil, nil
	for _, e := range s.Expect {
		about := e.Outcome != nil || e.Metric != nil && *e.Metric == "lossless_drops" && e.RatioTo == nil
		if about && e.run() == names[run] {
			e.Run = nil
			own.Expect = append(own.Expect, e)
		}
	}
	return &own
}

// Run runs the scenarios side by side, reads the directories, writes the results, those of runs into folders of their own, and
// returns the comparison with the exit code that it means: the worst of those of the runs. What the user can mend comes as an
// [InputError]; another error is a fault of the program, and then nothing was written.
func (c *Contest) Run(ctx context.Context) (*results.Comparison, int, error) {
	attempts, err := c.build()
	if err != nil {
		return nil, 0, &InputError{err}
	}
	var dir *results.Dir
	if c.Out != "" {
		dir, err = results.Prepare(c.Out, "compare.csv", "compare.json", "schema.json", "runs")
		if err != nil {
			return nil, 0, &InputError{err}
		}
	}
	compared := make([]results.Compared, len(c.Entries))
	for i, e := range c.Entries { // before runs that may take long
		if e.Spec != nil {
			continue
		}
		if compared[i], err = results.ReadCompared(e.Name, e.Dir); err != nil {
			return nil, 0, &InputError{err}
		}
	}
	session := Session{Workers: c.Workers, Cores: runtime.GOMAXPROCS(0), Version: c.Version, Command: c.Command, Terminal: c.Terminal}
	began := time.Now()
	if err := session.simulate(ctx, attempts); err != nil {
		return nil, 0, err
	}
	took := time.Since(began)
	code := c.conclude(attempts, compared)
	comparison := Compare(compared)
	if dir == nil {
		return comparison, code, nil
	}
	return comparison, code, c.write(dir, &session, attempts, comparison, took)
}

// build makes the runs of the scenarios among the entries.
func (c *Contest) build() (attempts []*attempt, err error) {
	for _, e := range c.Entries {
		if e.Spec == nil {
			continue
		}
		run, err := e.Spec.Build()
		if err != nil {
			return nil, err
		}
		attempts = append(attempts, &attempt{name: e.Name, folder: "runs/" + folderName(e.Name), spec: e.Spec, run: run})
	}
	return attempts, nil
}

// folderName makes the name of a folder of that of a run.
func folderName(run string) string {
	return strings.Map(func(r rune) rune {
		if checkName(string(r)) == nil || r == '.' {
			return r
		}
		return '-'
	}, run)
}

// conclude makes the summaries of runs that have ended, and returns the worst exit code.
func (c *Contest) conclude(attempts []*attempt, compared []results.Compared) (worst int) {
	next := 0
	for i, e := range c.Entries {
		code := ExitDone
		if e.Spec == nil {
			if !compared[i].Summary.Outcome.Complete() {
				code = ExitIncomplete
			}
		} else {
			t := attempts[next]
			next++
			t.summarise()
			for k := range t.spec.Expect {
				own := map[string]*measured{base: &t.measured}
				t.measured.summary.Expectations = append(t.measured.summary.Expectations, t.spec.Expect[k].judge(own, nil))
			}
			compared[i] = results.Compared{Name: e.Name, Summary: t.measured.summary, FCTs: t.run.FCTs()}
			code = t.spec.ExitCode(t.measured.summary)
		}
		if worst == ExitDone || code == ExitIncomplete {
			worst = code
		}
	}
	return worst
}

// write writes the results of the runs, and then those of the comparison.
func (c *Contest) write(dir *results.Dir, session *Session, attempts []*attempt, comparison *results.Comparison, took time.Duration) error {
	for _, t := range attempts {
		if err := session.writeAttempt(dir.Within(t.folder), t); err != nil {
			return err
		}
	}
	schema := results.NewSchema()
	var names []string
	outcome, digest := results.Done, sha256.New()
	for _, r := range comparison.Runs {
		names = append(names, r.Name)
		if outcome.Complete() {
			outcome = r.Outcome
		}
		digest.Write([]byte(r.Digest))
	}
	title := strings.Join(names, ", ")
	if err := writeComparison(dir, comparison, title, "plots/", schema); err != nil {
		return err
	}
	schema.AddDocument(results.ManifestName, "what this directory holds", results.Manifest{})
	if err := dir.Write("schema.json", schema.WriteJSON); err != nil {
		return err
	}
	return dir.WriteManifest(results.Manifest{
		Version: c.Version, Scenario: "comparison of " + title, Digest: hex.EncodeToString(digest.Sum(nil))[:16], Outcome: outcome,
		Execution: results.ThisMachine(c.Command, took, session.Workers),
	})
}
