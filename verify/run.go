package verify

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/rdmasim/rdmasim/scenarios"
)

// Result is what came of a check.
type Result struct {
	Check string
	Rows  []Row
	Err   error // why the check could not be made, or not to its end
}

// Run makes checks side by side on all cores, with one worker each, and returns their results in the order of the checks.
// It calls ended, one at a time, when a check has ended. When ctx is done, runs under way end early.
func Run(ctx context.Context, checks []Check, ended func(name string)) []Result {
	all := make([]Result, len(checks))
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var running sync.WaitGroup
	var telling sync.Mutex
	for i, c := range checks {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			all[i] = c.result(ctx)
			telling.Lock()
			defer telling.Unlock()
			ended(c.Name)
		})
	}
	running.Wait()
	return all
}

// result makes the check, unless it is too late for that.
func (c *Check) result(ctx context.Context) Result {
	if err := ctx.Err(); err != nil {
		return Result{c.Name, nil, err}
	}
	rows, err := c.Run(ctx, 1)
	return Result{c.Name, rows, errors.Join(err, ctx.Err())}
}

// ExitCode is what results mean to whoever called the command: whether all rules are met, or else the worst that
// happened, as for a single run.
func ExitCode(all []Result) int {
	code := scenarios.ExitDone
	for _, r := range all {
		var unended *Unended
		var input *scenarios.InputError
		switch {
		case errors.As(r.Err, &input):
			code = scenarios.ExitBadInput
		case r.Err != nil && !errors.As(r.Err, &unended) && !errors.Is(r.Err, context.Canceled):
			return scenarios.ExitFault
		case r.Err != nil && code != scenarios.ExitBadInput:
			code = scenarios.ExitIncomplete
		case code == scenarios.ExitDone && r.unmet() > 0:
			code = scenarios.ExitBroken
		}
	}
	if _, rules := count(all); rules == 0 && code == scenarios.ExitDone {
		return scenarios.ExitIncomplete // nothing was judged, which is no success
	}
	return code
}

func (r *Result) unmet() (n int) {
	for _, row := range r.Rows {
		if !row.Met && !row.Told {
			n++
		}
	}
	return n
}

// rules returns how many rules were judged.
func (r *Result) rules() (n int) {
	for _, row := range r.Rows {
		if !row.Told {
			n++
		}
	}
	return n
}

// count returns how many rules are met, and of how many.
func count(all []Result) (met, rules int) {
	for _, r := range all {
		rules += r.rules()
		met += r.rules() - r.unmet()
	}
	return met, rules
}
