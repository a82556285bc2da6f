package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/rdmasim/rdmasim/bench"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/spf13/cobra"
)

// benchFlags are the flags of bench.
type benchFlags struct {
	runs                   int
	workers                []int
	full, list, markdown   bool
	json, compare, against string
	profiles, child        string
}

func newBench() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench [PATTERN...]",
		Short: "Measure how fast rdmasim is on this machine",
		Long: `Run networks of several sizes as fast as this machine can, and print packet-hops per second (a packet-hop is one
frame, data or acknowledgement, over one link), events per packet-hop, memory, and what a second worker gains.
Each run is a process of its own; those with different numbers of workers take turns. Before and after each, fixed
loops measure the machine itself, so that figures of different machines and times can be compared.

A pattern is a part of a case's name, or has * and ?. Cases that take long run only with --full, or by their name.

Exit codes: 0 all was measured; 1 a fault of rdmasim, such as runs that differ; 2 bad input; 3 interrupted.`,
		Example: `  rdmasim bench
  rdmasim bench permutation-128 --workers 1,2 --runs 5
  rdmasim bench --json before.json
  rdmasim bench --compare before.json
  rdmasim bench --against ./rdmasim.before
  rdmasim bench --full --markdown`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return bench.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return f.do(c, args) },
	}
	c.Flags().IntVar(&f.runs, "runs", 3, "runs of each case with each number of workers")
	c.Flags().IntSliceVar(&f.workers, "workers", []int{1, 2}, "numbers of workers, with commas between them; 0: as many as rdmasim run takes")
	c.Flags().BoolVar(&f.full, "full", false, "also the cases that take long")
	c.Flags().BoolVar(&f.list, "list", false, "print the cases, and run none")
	c.Flags().BoolVar(&f.markdown, "markdown", false, "print the tables in Markdown")
	c.Flags().StringVar(&f.json, "json", "", "leave everything that was measured in this `file`")
	c.Flags().StringVar(&f.compare, "compare", "", "compare with what --json has left in this `file`")
	c.Flags().StringVar(&f.against, "against", "", "compare with another build of rdmasim, this `program`, whose runs take turns with ours")
	c.Flags().StringVar(&f.profiles, "cpuprofiles", "", "leave a CPU profile of each run in this `directory`, for go tool pprof")
	c.Flags().StringVar(&f.child, "child", "", "")
	if err := c.Flags().MarkHidden("child"); err != nil {
		panic(err) // the flag was added just now
	}
	return c
}

func (f *benchFlags) do(c *cobra.Command, patterns []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if f.child != "" {
		return bench.Serve(ctx, f.child, c.OutOrStdout())
	}
	cases, err := bench.Select(patterns, f.full || f.list)
	if err != nil {
		return &scenarios.InputError{Err: err}
	}
	if f.list {
		return bench.WriteList(c.OutOrStdout(), cases, f.style())
	}
	old, file, err := f.prepare(ctx, cases)
	if err != nil {
		return &scenarios.InputError{Err: err}
	}
	defer file.discard()
	return f.measure(ctx, c, cases, old, file)
}

// prepare checks the flags, reads the report to compare with, and makes sure that the files
// asked for can be written, before anything is measured.
func (f *benchFlags) prepare(ctx context.Context, cases []bench.Case) (old *bench.Report, file *newFile, err error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	if f.compare != "" {
		if old, err = bench.Load(f.compare); err != nil {
			return nil, nil, fmt.Errorf("--compare: %w", err)
		}
	}
	if f.against != "" {
		if err := f.tryOther(ctx, cases); err != nil {
			return nil, nil, fmt.Errorf("--against: %w", err)
		}
	}
	if f.profiles != "" {
		if err := os.MkdirAll(f.profiles, 0o777); err != nil {
			return nil, nil, fmt.Errorf("--cpuprofiles: %w", err)
		}
	}
	if f.json != "" {
		if file, err = create(f.json); err != nil {
			return nil, nil, fmt.Errorf("--json: %w", err)
		}
	}
	return old, file, nil
}

// tryOther makes sure that the other program can be asked for the cases.
func (f *benchFlags) tryOther(ctx context.Context, cases []bench.Case) error {
	said := &opening{room: 64 << 10}
	list := exec.CommandContext(ctx, f.against, "bench", "--list")
	list.Stdout, list.Stderr = said, said
	if err := list.Run(); err != nil {
		line, _, _ := strings.Cut(said.String(), "\n")
		return errors.New(strings.TrimSpace(fmt.Sprintf("%s: not a program with this benchmark: %v %.200s", f.against, err, line)))
	}
	known := strings.Fields(said.String())
	if !slices.ContainsFunc(bench.Names(), func(name string) bool { return slices.Contains(known, name) }) {
		return fmt.Errorf("%s: not a program with this benchmark: it lists no cases", f.against)
	}
	for _, c := range cases {
		if !slices.Contains(known, c.Name) {
			return fmt.Errorf("%s does not know the case %s; name those to measure", f.against, c.Name)
		}
	}
	return nil
}

// opening is the beginning of what a program says; one that says more, which may be endless, is stopped.
type opening struct {
	strings.Builder
	room int
}

func (o *opening) Write(p []byte) (int, error) {
	if o.Len()+len(p) > o.room {
		return 0, errors.New("says too much")
	}
	return o.Builder.Write(p)
}

func (f *benchFlags) check() error {
	if f.against != "" && f.compare != "" {
		return errors.New("--against and --compare: one comparison at a time; keep one of them")
	}
	if f.runs < 1 {
		return fmt.Errorf("--runs: %d: want at least 1", f.runs)
	}
	if len(f.workers) == 0 {
		return errors.New("--workers: want at least one number, such as 1,2")
	}
	for i, n := range f.workers {
		if n < 0 {
			return fmt.Errorf("--workers: %d: negative; 0 for as many as rdmasim run takes, or a number of them", n)
		}
		if slices.Contains(f.workers[:i], n) {
			return fmt.Errorf("--workers: %d stands there twice", n)
		}
	}
	return nil
}

func (f *benchFlags) style() bench.Style {
	if f.markdown {
		return bench.Markdown
	}
	return bench.Text
}

func (f *benchFlags) measure(ctx context.Context, c *cobra.Command, cases []bench.Case, old *bench.Report, file *newFile) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	plan := bench.Plan{Cases: cases, Runs: f.runs, Workers: f.workers, Show: showWork()}
	plan.Programs = []bench.Program{{Version: version(), Runner: child(program, f.profiles)}}
	if f.against != "" {
		plan.Programs = append(plan.Programs, bench.Program{Version: f.against, Runner: child(f.against, "")})
	}
	reports, stopped := plan.Run(ctx)
	plan.Show("")
	if reports == nil {
		return stopped
	}
	report := reports[0]
	if f.against != "" {
		old = reports[1]
	}
	if len(report.Cases) > 0 {
		if err := f.write(c.OutOrStdout(), report, old); err != nil {
			return errors.Join(stopped, err)
		}
	}
	if errors.Is(stopped, context.Canceled) {
		fmt.Fprintln(c.ErrOrStderr(), f.interruption(len(report.Cases)))
		return &exitError{scenarios.ExitIncomplete}
	}
	if stopped != nil {
		return stopped
	}
	return file.write(report.WriteJSON)
}

// interruption says what is left of a benchmark that was stopped after so many cases.
func (f *benchFlags) interruption(cases int) string {
	left := "interrupted: only the cases above were measured"
	if cases == 0 {
		left = "interrupted before any case was measured"
	}
	if f.json != "" {
		left += "; " + f.json + " was not written"
	}
	return left
}

// child runs cases in processes of a program.
func child(program, profiles string) *bench.Child {
	return &bench.Child{Program: program, Args: []string{"rdmasim", "bench", "--child"}, Profiles: profiles}
}

func (f *benchFlags) write(out io.Writer, report, old *bench.Report) error {
	if err := report.Write(out, f.style()); err != nil || old == nil {
		return err
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	return bench.Comparison{Old: old, New: report}.Write(out, f.style())
}

// showWork returns a function that shows on a terminal what is being measured.
func showWork() func(what string) {
	if !results.IsTerminal(os.Stderr) {
		return func(string) {}
	}
	return func(what string) { fmt.Fprint(os.Stderr, "\r\033[K"+what) }
}

// newFile is a file that does not exist under its name until it is complete.
type newFile struct {
	name      string
	temporary *os.File
}

func create(name string) (*newFile, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory", name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		if at := (*os.PathError)(nil); errors.As(err, &at) {
			at.Path = name // and not that of the temporary one
		}
		return nil, err
	}
	return &newFile{name, f}, nil
}

// write completes the file; nil is none.
func (f *newFile) write(content func(io.Writer) error) error {
	if f == nil {
		return nil
	}
	err := errors.Join(content(f.temporary), f.temporary.Chmod(0o644), f.temporary.Close())
	if err == nil {
		err = os.Rename(f.temporary.Name(), f.name)
	}
	return err
}

// discard removes what has not become the file.
func (f *newFile) discard() {
	if f != nil {
		f.temporary.Close()
		os.Remove(f.temporary.Name())
	}
}
