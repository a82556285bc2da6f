package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/pprof"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Runner runs cases: in this process, or in one of its own.
type Runner interface {
	// Time runs a case with so many workers; see [Case.Time].
	Time(ctx context.Context, c *Case, workers int) (Timing, error)
	// Survey looks at what a case takes up; see [Case.Survey].
	Survey(ctx context.Context, c *Case, workers int, middle units.Time) (Survey, error)
}

// Here runs cases in this process.
type Here struct{}

// Time implements [Runner].
func (Here) Time(ctx context.Context, c *Case, workers int) (Timing, error) {
	return c.Time(ctx, workers)
}

// Survey implements [Runner].
func (Here) Survey(ctx context.Context, c *Case, workers int, middle units.Time) (Survey, error) {
	return c.Survey(ctx, workers, middle)
}

// Child runs each case in a process of its own.
type Child struct {
	// Program is the file of a program, and Args are its arguments, its own name first,
	// that make it call [Serve] with one more, which follows them.
	Program string
	Args    []string
	// Profiles, if not empty, is a directory for a CPU profile of each timed run.
	Profiles string
}

// request is what a child is told to do.
type request struct {
	Case    string
	Workers int
	Survey  bool
	Middle  units.Time
	Profile string `json:",omitempty"`
}

// Time implements [Runner].
func (p *Child) Time(ctx context.Context, c *Case, workers int) (t Timing, err error) {
	r := request{Case: c.Name, Workers: workers}
	if p.Profiles != "" {
		if r.Profile, err = p.newProfile(r); err != nil {
			return t, err
		}
	}
	err = p.ask(ctx, r, &t)
	return t, err
}

// Survey implements [Runner].
func (p *Child) Survey(ctx context.Context, c *Case, workers int, middle units.Time) (v Survey, err error) {
	err = p.ask(ctx, request{Case: c.Name, Workers: workers, Survey: true, Middle: middle}, &v)
	return v, err
}

// newProfile makes an empty file for a profile.
func (p *Child) newProfile(r request) (name string, err error) {
	f, err := os.CreateTemp(p.Profiles, fmt.Sprintf("%s-workers%d-*.pprof", r.Case, r.Workers))
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// ask starts a child and reads its answer.
func (p *Child) ask(ctx context.Context, r request, answer any) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var out, said bytes.Buffer
	c := exec.CommandContext(ctx, p.Program)
	c.Args = append(slices.Clone(p.Args), string(text))
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		return errors.Join(ctx.Err(), fmt.Errorf("%s: the process that ran it: %w%s", r.Case, err, lastWords(c, said.Bytes())))
	}
	if err := json.Unmarshal(out.Bytes(), answer); err != nil {
		return fmt.Errorf("%s: the process that ran it answered %q: %w", r.Case, out.String(), err)
	}
	return nil
}

// lastWords are what a process that failed had to say. One that was killed had no time to.
func lastWords(c *exec.Cmd, said []byte) string {
	if c.ProcessState != nil && c.ProcessState.ExitCode() == -1 && len(said) == 0 {
		return ", as happens when memory runs out"
	}
	return ": " + string(bytes.TrimSpace(said))
}

// attended is a context that is done as well when the process has lost its parent, so that
// nobody would hear its answer: one that was killed cannot stop its children.
type attended struct {
	context.Context
	parent int // its number when all was well
}

// Err implements [context.Context]. A run asks for it at the edges of its grid.
func (a attended) Err() error {
	if err := a.Context.Err(); err != nil {
		return err
	}
	if os.Getppid() != a.parent {
		return context.Canceled
	}
	return nil
}

// Serve is what a child does: it carries out a request of [Child] and writes the answer. It
// gives up when the process that asked has ended.
func Serve(ctx context.Context, text string, out io.Writer) error {
	var r request
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return err
	}
	c, err := Find(r.Case)
	if err != nil {
		return err
	}
	ctx = attended{ctx, os.Getppid()}
	var answer any
	if r.Survey {
		answer, err = c.Survey(ctx, r.Workers, r.Middle)
	} else {
		answer, err = profiled(r.Profile, func() (Timing, error) { return c.Time(ctx, r.Workers) })
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(answer)
}

// profiled runs work and leaves a profile of its processor time in a file, if that has a
// name.
func profiled(file string, work func() (Timing, error)) (t Timing, err error) {
	if file == "" {
		return work()
	}
	f, err := os.Create(file)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return t, err
	}
	defer pprof.StopCPUProfile()
	return work()
}
