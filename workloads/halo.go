package workloads

import (
	"fmt"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
	"github.com/rdmasim/rdmasim/workloads/hpc"
)

// Phases are the parameters of what ranks of a simulation do in each step.
type Phases struct {
	Steps   int        `key:"steps" default:"10" min:"1" max:"1000000" doc:"steps that are measured"`
	Warmup  int        `key:"warmup" default:"1" min:"0" max:"1000000" doc:"steps before these"`
	Compute units.Time `key:"compute" default:"1ms" max:"1000s" doc:"time of a rank for what it computes at a time" source:"assumed"`
	Noise   units.Time `key:"noise" default:"0s" max:"1000s" doc:"mean of what is added to it each time, exponentially distributed: interrupts, daemons, memory; of n ranks that wait for each other the slowest takes about ln(n)+0.58 times as much longer" source:"Hoefler, Schneider, Lumsdaine: Characterizing the influence of system noise, SC 2010"`
}

// noise has ranks compute longer by what each draws from a stream of its own.
func (p *Phases) noise(env Env, job *RankJob) {
	if p.Noise == 0 {
		return
	}
	streams := make([]Rand, len(job.Places))
	expected := 0.0
	for r := range streams {
		streams[r] = env.Rand(fmt.Sprint("noise of rank ", r))
		expected += 1 / float64(r+1)
	}
	job.Noise = func(rank int) units.Time {
		return units.Time(float64(variate.Exponential(streams[rank]) * float64(p.Noise)))
	}
	longest := units.Time(float64(expected * float64(p.Noise)))
	job.Notes = append(job.Notes, fmt.Sprintf("noise: the slowest of %d ranks computes %s longer in the mean, which theory leaves out", len(streams), longest.Human()))
}

// Halo is a simulation on a grid that is cut into blocks, one a rank, which exchange their borders with their neighbours in each step.
type Halo struct {
	MPIRanks   `key:",inline"`
	Grid       string      `key:"grid" doc:"ranks in each dimension, such as 4x4 or 4x4x2; as near to a square or a cube as can be if not given"`
	Neighbours int         `key:"neighbours" default:"6" doc:"how many each rank has: 4 in a flat grid, 6 (faces) or 26 (edges and corners, too) in one of layers"`
	Periodic   bool        `key:"periodic" default:"true" doc:"whether the grid goes on at the other side"`
	Block      string      `key:"cells" default:"128x128x128" doc:"cells of a rank in each dimension"`
	Width      int         `key:"width" default:"1" min:"1" max:"1024" doc:"rows of cells that a neighbour needs"`
	Cell       units.Bytes `key:"cell" default:"8B" min:"1B" max:"1MiB" doc:"what is sent of a cell" source:"one number of double precision"`
	Reductions int         `key:"reductions" default:"0" min:"0" max:"1000" doc:"all-reduces that follow each exchange, one after the other: the scalar products of a solver"`
	Reduction  units.Bytes `key:"reduction" default:"8B" min:"1B" max:"1GiB" doc:"size of each"`
	Phases     `key:",inline"`
}

// Programs returns the program.
func (w *Halo) Programs(env Env) ([]Program, error) { return jobOf(w, "halo", env) }

// schedule implements [Jobber].
func (w *Halo) schedule(env Env, job *RankJob) (*schedule.Job, error) {
	h := hpc.Halo{
		Neighbours: w.Neighbours, Periodic: w.Periodic, Width: w.Width, Cell: w.Cell, Compute: hpc.Compute{Time: w.Phases.Compute},
		Reductions: w.Reductions, Reduction: w.Reduction, Iterations: w.Steps + w.Warmup, Warmup: w.Warmup,
	}
	ranks, dimensions := len(job.Places), 3
	if w.Neighbours == 4 {
		dimensions = 2
	}
	var err error
	h.Grid = hpc.NewGrid(ranks, dimensions)
	if w.Grid != "" {
		if h.Grid, err = hpc.ParseGrid(w.Grid); err != nil {
			return nil, keyed("grid", err)
		}
	}
	if h.Ranks() != ranks {
		return nil, units.Field("grid", w.Grid, fmt.Sprintf("%d ranks, but there are %d", h.Ranks(), ranks), "as many, or no grid")
	}
	if h.Cells, err = hpc.ParseCells(w.Block); err != nil {
		return nil, keyed("cells", err)
	}
	if err := h.Check(); err != nil {
		return nil, err
	}
	messages, size := h.Sends(0)
	job.Notes = append(job.Notes, fmt.Sprintf("%d ranks in a grid of %v; rank 0 sends %d messages in each step, of %s together", ranks, h.Grid, messages, size.Human()))
	w.noise(env, job)
	return h.Job()
}

// Transpose is a Fourier transform of what all ranks have together: all-to-alls between phases of computing.
type Transpose struct {
	MPIRanks `key:",inline"`
	Rows     int         `key:"rows" default:"1" min:"1" max:"1048576" doc:"rows of ranks: 1 for slabs, which all ranks transpose at once; else for pencils, which first those of each row transpose, then those of each column"`
	Size     units.Bytes `key:"size" default:"16MiB" min:"1B" max:"1TiB" doc:"data of each rank; of a cube of n³ complex numbers among p ranks 16n³/p bytes"`
	Back     bool        `key:"back" default:"true" doc:"whether the transform is undone in the same step, with as many transposes"`
	Phases   `key:",inline"`
}

// Programs returns the program.
func (w *Transpose) Programs(env Env) ([]Program, error) { return jobOf(w, "transpose", env) }

// schedule implements [Jobber].
func (w *Transpose) schedule(env Env, job *RankJob) (*schedule.Job, error) {
	ranks := len(job.Places)
	if ranks%w.Rows != 0 {
		return nil, units.Field("rows", w.Rows, fmt.Sprintf("%d ranks cannot be divided evenly", ranks), "a divisor of the ranks")
	}
	t := hpc.Transpose{Rows: w.Rows, Columns: ranks / w.Rows, Size: w.Size, Compute: hpc.Compute{Time: w.Phases.Compute}, Back: w.Back, Iterations: w.Steps + w.Warmup, Warmup: w.Warmup}
	if err := t.Check(); err != nil {
		return nil, err
	}
	job.Notes = append(job.Notes, fmt.Sprintf("%d rows of %d ranks, which compute %d times in each step and transpose in between", t.Rows, t.Columns, t.Phases()))
	w.noise(env, job)
	return t.Job()
}

// Loop is ranks that compute and do one collective, again and again.
type Loop struct {
	MPIRanks  `key:",inline"`
	Operation string      `key:"operation" default:"all-reduce" oneof:"all-reduce|reduce-scatter|all-gather|broadcast|reduce|all-to-all|barrier" doc:"what they do together; rank 0 is the root of a broadcast or a reduce"`
	Size      units.Bytes `key:"size" default:"8B" min:"1B" max:"1TiB" doc:"size of it, as nccl-tests counts it: what each rank has at first, or in the end; a barrier has none" source:"a scalar product: one number of double precision"`
	Phases    `key:",inline"`
}

// Programs returns the program.
func (w *Loop) Programs(env Env) ([]Program, error) { return jobOf(w, "mpi-loop", env) }

// schedule implements [Jobber].
func (w *Loop) schedule(env Env, job *RankJob) (*schedule.Job, error) {
	kind, known := collective.Named(w.Operation)
	if !known {
		return nil, units.Field("operation", w.Operation, "no operation", "one of those of a collective")
	}
	l := hpc.Loop{Ranks: len(job.Places), What: kind, Size: w.Size, Compute: hpc.Compute{Time: w.Phases.Compute}, Iterations: w.Steps + w.Warmup, Warmup: w.Warmup}
	if kind == collective.Barrier {
		l.Size = 0
	}
	if n := units.Bytes(l.Ranks); kind == collective.AllToAll && w.Size < n {
		return nil, units.Field("size", w.Size, fmt.Sprintf("each rank has a part for each of %d", n), fmt.Sprintf("at least %dB", n))
	}
	w.noise(env, job)
	return l.Job()
}

// keyed is an error about the value of a key.
func keyed(key string, err error) error {
	if wrong, is := err.(*units.FieldError); is {
		own := *wrong
		own.Key = key
		return &own
	}
	return err
}
