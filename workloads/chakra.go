package workloads

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads/chakra"
)

// Chakra is GPUs that do what execution traces of Chakra say; see package chakra.
type Chakra struct {
	GPUs         `key:",inline"`
	File         string     `key:"file" required:"true" doc:"what the names of the traces begin with: path.0.et, path.1.et … (or .et.gz), one a rank, relative to the scenario file; or the trace of one rank, which is then that of all"`
	Groups       string     `key:"groups" doc:"file of the groups of ranks that pg_name names, as JSON: {\"1\": [0, 1], \"2\": [2, 3]}; those that traces bring themselves need none"`
	Dependencies string     `key:"dependencies" default:"both" oneof:"both|data" doc:"both: a node waits for the nodes of its control and of its data dependencies; data: for the latter only, as in ASTRA-sim. Traces of PyTorch need data: their control dependencies name the operation that called another one"`
	Iterations   int        `key:"iterations" default:"1" min:"1" max:"100000" doc:"how often each rank goes through its trace"`
	MemoryRate   units.Rate `key:"memory_rate" default:"0bps" doc:"rate of MEM nodes without a duration, by their tensor_size; 0bps: they take no time"`
	Peak         int64      `key:"peak_ops" default:"0" min:"0" max:"1000000000000000000" doc:"operations that a GPU does in a second at most, by which COMP nodes take num_ops / peak_ops, or what memory_rate makes of tensor_size if that is longer, where they have no duration (a roofline); 0: those take no time"`

	base string
}

// SetBase sets the directory that relative paths start from.
func (w *Chakra) SetBase(dir string) { w.base = dir }

// Programs returns the program.
func (w *Chakra) Programs(env Env) ([]Program, error) { return jobOf(w, "chakra", env) }

// schedule implements [Jobber].
func (w *Chakra) schedule(_ Env, job *RankJob) (*schedule.Job, error) {
	o := chakra.Options{Ranks: len(job.Places), DataOnly: w.Dependencies == "data", Memory: w.MemoryRate, Peak: uint64(w.Peak), Bandwidth: w.MemoryRate}
	if w.Groups != "" {
		path := relativeTo(w.base, w.Groups)
		text, err := os.ReadFile(path)
		if err == nil {
			o.Groups, err = chakra.ReadGroups(path, text)
		}
		if err != nil {
			return nil, &units.FieldError{Key: "groups", Problem: err.Error()}
		}
	}
	files, err := chakra.Traces(relativeTo(w.base, w.File))
	if err == nil && len(files) > 1 && len(files) != o.Ranks {
		return nil, units.Field("file", w.File, fmt.Sprintf("traces of %d ranks, and %d hosts with %d GPUs each are %d", len(files), o.Ranks/job.PerHost, job.PerHost, o.Ranks),
			fmt.Sprintf("hosts (or nodes) and gpus that make %d", len(files)))
	}
	var out *schedule.Job
	var notes *chakra.Notes
	if err == nil {
		out, notes, err = chakra.Jobs(files, o)
	}
	if err != nil {
		return nil, &units.FieldError{Key: "file", Problem: err.Error()}
	}
	out.Repeat = w.Iterations
	job.Notes = chakraNotes(notes)
	return out, nil
}

// chakraNotes are what is to be known of traces.
func chakraNotes(n *chakra.Notes) (notes []string) {
	total := 0
	for _, nodes := range n.Nodes {
		total += nodes
	}
	notes = append(notes, fmt.Sprintf("%d nodes of %s: %d of them compute, %d send, %d receive and %d are collectives", total, traces(n.Files),
		n.Nodes[chakra.Comp], n.Nodes[chakra.Send], n.Nodes[chakra.Recv], n.Nodes[chakra.Coll]-n.Launches))
	if n.Shared > 0 {
		notes = append(notes, fmt.Sprintf("the trace is that of one rank; all %d ranks do the same, at the pace of that one", n.Shared))
	}
	if n.Left > 0 {
		notes = append(notes, fmt.Sprintf("%d control dependencies are left out", n.Left))
	}
	if n.Timeless > 0 {
		notes = append(notes, fmt.Sprintf("%d nodes take no time, as the trace says nothing of it", n.Timeless))
	}
	return notes
}

func traces(n int) string {
	if n == 1 {
		return "1 trace"
	}
	return fmt.Sprintf("%d traces", n)
}

// relativeTo is a path as it stands in a scenario of a directory.
func relativeTo(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// closed joins an error with that of closing a file.
func closed(file interface{ Close() error }, err *error) { *err = errors.Join(*err, file.Close()) }
