package model

import (
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Job makes the job of the options, which have been checked.
func (o *Options) Job() (*Plan, error) {
	j := &jobMaker{Options: o, teams: groups{Parallel: o.Parallel, index: map[groupKey]int32{}}, made: map[graphKey]*schedule.Graph{}, builder: schedule.NewBuilder()}
	var times []units.Time
	for i := range o.Model.Layers {
		l := o.layer(i)
		for range o.Model.Layers[i].Count {
			j.layers = append(j.layers, l)
			times = append(times, l.forward.compute()+l.backward.compute())
		}
	}
	j.begins = stages(times, o.Pipeline)
	job := &schedule.Job{Labels: Labels, Repeat: o.Iterations, Warmup: o.Warmup}
	plan := &Plan{Job: job, Stages: j.begins, Bubble: Bubble(o.Pipeline, o.Micros)}
	paces := pacesOf(o.Ranks(), o.Stragglers)
	for r := range o.Ranks() {
		_, _, stage := o.Place(r)
		g, computes, err := j.graph(r, j.layers[j.begins[stage]:j.begins[stage+1]], &paces[r])
		if err != nil {
			return nil, err
		}
		job.Ranks, plan.Compute = append(job.Ranks, g), max(plan.Compute, computes)
	}
	job.Groups = j.teams.all
	return plan, nil
}

// jobMaker makes the graphs of a job.
type jobMaker struct {
	*Options
	teams   groups
	layers  []*layerWork
	builder *schedule.Builder
	begins  []int // of stages
	made    map[graphKey]*schedule.Graph
}

// graphKey is all that the graph of a rank depends on.
type graphKey struct {
	groups    [4]int32
	stage     int
	neighbour int32 // in the pipeline; all ranks of a stage have others
	rank      int   // if it is one of its own: a straggler
}

// graph makes the graph of a rank, or finds that of another one that does the same. It tells how long the rank computes, too.
func (j *jobMaker) graph(rank int, layers []*layerWork, p *pace) (*schedule.Graph, units.Time, error) {
	tensor, data, stage := j.Place(rank)
	key := graphKey{stage: stage, neighbour: -1, rank: -1}
	for k := range key.groups {
		key.groups[k] = j.teams.of(groupOf(k), rank)
	}
	if j.Pipeline > 1 {
		key.neighbour = int32(j.rank(tensor, data, (stage+1)%j.Pipeline))
	}
	if !p.none() {
		key.rank = rank
	}
	w := &writer{jobMaker: j, Builder: j.builder, stage: stage, layers: layers, pace: p, groups: key.groups, last: -1, latest: map[int32]int{}}
	computes := w.pace.added + w.pace.of(j.Update)
	for _, l := range layers {
		computes += units.Time(j.Micros) * (w.paced(l.forward) + w.paced(l.backward))
	}
	if g, known := j.made[key]; known {
		return g, computes, nil
	}
	w.before, w.after = -1, -1
	if stage > 0 {
		w.before = int32(j.rank(tensor, data, stage-1))
	}
	if stage < j.Pipeline-1 {
		w.after = int32(j.rank(tensor, data, stage+1))
	}
	w.write(j.Order.passes(stage, j.Pipeline, j.Micros))
	g, err := w.Graph()
	j.made[key] = g
	return g, computes, err
}
