package workloads

import (
	"fmt"
	"path/filepath"

	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads/goal"
)

// Goal is ranks that go through a schedule in GOAL, as LogGOPSim and ATLAHS read it; see package goal.
type Goal struct {
	MPIRanks `key:",inline"`
	File     string     `key:"file" required:"true" doc:"path, relative to the scenario file: text or binary, packed by gzip or not; rank r of the file is the r-th of hosts"`
	Unit     units.Time `key:"unit" default:"1ns" min:"1ps" max:"1s" doc:"what times in the file count in" source:"schedgen: nanoseconds"`
	Tags     string     `key:"tags" default:"as-written" oneof:"as-written|per-rank" doc:"per-rank: each tag stands for its place among those of its rank, as schedgen needs it where it goes on counting from rank to rank (resnet152)"`

	base string
	read *schedule.Job // once it has been
	as   goalKey
}

// goalKey is what a schedule depends on.
type goalKey struct {
	path    string
	options goal.Options
}

// SetBase sets the directory that a relative path starts from.
func (w *Goal) SetBase(dir string) { w.base = dir }

// Programs returns the program.
func (w *Goal) Programs(env Env) ([]Program, error) { return jobOf(w, "goal", env) }

// schedule implements [Jobber]: what the file says. Of more places than it has ranks the first ones are taken.
func (w *Goal) schedule(_ Env, job *RankJob) (*schedule.Job, error) {
	path := w.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.base, path)
	}
	if key := (goalKey{path, goal.Options{Unit: w.Unit, LocalTags: w.Tags == "per-rank"}}); w.read == nil || w.as != key {
		var err error
		if w.read, err = goal.Open(path, key.options); err != nil {
			return nil, &units.FieldError{Key: "file", Problem: err.Error()}
		}
		w.as = key
	}
	s := w.read
	ranks, places := len(s.Ranks), len(job.Places)
	if ranks > places {
		return nil, units.Field("file", w.File, fmt.Sprintf("the file has %d ranks, hosts have room for %d", ranks, places),
			fmt.Sprintf("at least %d hosts with ranks_per_host: %d", (ranks+w.RanksPerHost-1)/w.RanksPerHost, w.RanksPerHost))
	}
	job.Places, job.Checked, job.InTurn = job.Places[:ranks], true, true
	job.Where = where(path)
	return s, nil
}

// where tells where operations stand in a file, which it reads when it is asked first.
func where(path string) func(rank, op int) string {
	var index *goal.Index
	return func(rank, op int) string {
		if index == nil {
			var err error
			if index, err = goal.Locate(path); err != nil {
				index = new(goal.Index) // it knows of no operation
			}
		}
		return index.Where(rank, op)
	}
}
