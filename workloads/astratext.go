package workloads

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric/topology/hpccfile"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/workloads/astra"
)

// AstraText is GPUs that go through a table of layers of ASTRA-sim 1.0 or SimAI; see package astra.
type AstraText struct {
	GPUs       `key:",inline"`
	File       string     `key:"file" required:"true" doc:"path of the table, relative to the scenario file; unpacked if it ends in .gz"`
	Iterations int        `key:"iterations" default:"1" min:"1" max:"100000" doc:"how often the ranks go through it"`
	Cycle      units.Time `key:"cycle" default:"1ns" min:"1ps" max:"1us" doc:"length of a cycle, in which the table counts times" source:"ASTRA-sim: 1 GHz"`

	base string
}

// SetBase sets the directory that a relative path starts from.
func (w *AstraText) SetBase(dir string) { w.base = dir }

// Programs returns the program.
func (w *AstraText) Programs(env Env) ([]Program, error) { return jobOf(w, "astra-text", env) }

// schedule implements [Jobber].
func (w *AstraText) schedule(_ Env, job *RankJob) (*schedule.Job, error) {
	table, err := readAstra(relativeTo(w.base, w.File))
	if err == nil && table.GPUs > 0 && table.GPUs != len(job.Places) {
		return nil, units.Field("file", w.File, fmt.Sprintf("all_gpus is %d, and %d hosts with %d GPUs each are %d", table.GPUs, len(job.Places)/job.PerHost, job.PerHost, len(job.Places)),
			fmt.Sprintf("hosts (or nodes) and gpus that make %d", table.GPUs))
	}
	var out *schedule.Job
	var n *astra.Notes
	if err == nil {
		out, n, err = table.Job(astra.Options{Ranks: len(job.Places), PerNode: job.PerHost, Cycle: w.Cycle})
	}
	if err != nil {
		return nil, &units.FieldError{Key: "file", Problem: err.Error()}
	}
	out.Repeat = w.Iterations
	job.Notes = append(job.Notes, fmt.Sprintf("%v: %d layers; groups of %d tensor- and %d data-parallel ranks, %d share experts, %d pipeline stages", table.Policy, len(table.Layers), n.Tensor, n.Data, n.Expert, n.Pipeline))
	if n.Left > 0 {
		job.Notes = append(job.Notes, fmt.Sprintf("%d collectives of the table are left out, as %v has none in these passes", n.Left, table.Policy))
	}
	if n.Alone > 0 {
		job.Notes = append(job.Notes, fmt.Sprintf("%d collectives of the table are among one rank and take no time", n.Alone))
	}
	return out, nil
}

func readAstra(path string) (table *astra.Table, err error) {
	file, err := hpccfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer closed(file, &err)
	return astra.Read(path, file)
}
