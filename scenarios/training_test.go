package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// starOf is so many hosts around a switch with one workload.
func starOf(hosts, workload string) string {
	return "name: ranks\ntopology: {kind: star, hosts: " + hosts + ", link: {rate: 100Gbps, length: 5m}}\nworkloads: [" + workload + "]\n"
}

// jobResult is what became of the job of a scenario, which ends.
func jobResult(t *testing.T, text string, sets ...string) programs.JobResult {
	t.Helper()
	run, s := ended(t, parsed(t, text, sets...))
	if s.Outcome != results.Done {
		t.Fatalf("%v: %v", s.Outcome, s.Reasons)
	}
	return run.Jobs[0].Result()
}

// Whatever is divided among whomever, on a network that nothing is in the way on a step takes what the alpha-beta model says of what
// depends on what, within 3 %: messages of rings follow each other closely, and nobody else is there.
func TestTrainingTakesWhatTheoryGivesForIt(t *testing.T) {
	for _, keys := range []string{
		"gradient_bytes: 4, batch: 32",
		"gradient_bytes: 4, batch: 32, late: true",
		"batch: 16, sharding: zero3",
		"batch: 16, sharding: zero3, prefetch: 0",
		"batch: 4, micro_batches: 4, parallel: {pipeline: 4}",
		"batch: 4, micro_batches: 4, parallel: {pipeline: 2, order: gpipe}",
		"batch: 16, stragglers: [{rank: 1, factor: 1.5}]",
	} {
		r := jobResult(t, starOf("4", "{kind: training, model: resnet-50, gpus: 1, steps: 1, "+keys+"}"))
		if r.Outcome != programs.Finished || r.Slowdown < 0.97 || r.Slowdown > 1.03 {
			t.Errorf("%s: %v, a step of %v, in theory %v", keys, r.Outcome, r.Step, r.Theory)
		}
		if r.Compute <= 0 || r.Exposed != r.Step-r.Compute {
			t.Errorf("%s: computes for %v of %v and exposes %v", keys, r.Compute, r.Step, r.Exposed)
		}
	}
}

// With one rank a millisecond late an all-reduce ends that much later, but for the first piece of each of its neighbours, which has come by then.
func TestALateRankDelaysAllReducesByAsMuch(t *testing.T) {
	text := starOf("6", "{kind: training, gpus: 1, gradients: 4MB, bucket: 0B, compute: 1ms, steps: 3}")
	usual, late := jobResult(t, text), jobResult(t, text, "workloads[0].stragglers=[{rank: 4, added: 1ms}]")
	if by := late.Step - usual.Step; by > units.Millisecond || by < units.Millisecond-100*units.Microsecond {
		t.Errorf("a step takes %v longer, want 1ms", by)
	}
	if by := late.Compute - usual.Compute; by > units.Millisecond || by < units.Millisecond-units.Nanosecond { // means are cut
		t.Errorf("the late rank works for %v, the others for %v", late.Compute, usual.Compute)
	}
}

// Ranks that sum up something in each step wait for the slowest: of n exponential times with a mean of m the longest is m(1 + 1/2 + … + 1/n) in the
// mean, 2.72 m of 8; over 300 steps its mean is within 0.3 m of that, which is four deviations.
func TestNoiseCostsAStepTheSlowestOfAll(t *testing.T) {
	text := starOf("8", "{kind: halo, cells: 8x8x8, compute: 100us, reductions: 1, steps: 300}")
	const noise = 50 * units.Microsecond
	quiet, noisy := jobResult(t, text), jobResult(t, text, "workloads[0].noise=50us")
	want := 2.7179 * float64(noise)
	if by := float64(noisy.Step - quiet.Step); by < want-0.3*float64(noise) || by > want+0.3*float64(noise) {
		t.Errorf("a step takes %v longer, want %v", units.Time(by), units.Time(want))
	}
}

// On an empty star the messages of a rank leave it one after the other: a step takes no less than all its bytes on its link.
func TestAHaloTakesNoLessThanItsFacesOnALink(t *testing.T) {
	r := jobResult(t, starOf("8", "{kind: halo, cells: 128x128x128, compute: 100us, steps: 2}"))
	// On a torus of 2x2x2 there are 6 faces of 128·128·8 bytes.
	least := 100*units.Microsecond + (100 * units.Gbps).Serialise(6*128*128*8)
	if r.Step < least || r.Step > least+least/5 || r.Messages != 3*8*6 && r.Messages != 2*8*6 {
		t.Errorf("a step takes %v with %d messages, want a little more than %v", r.Step, r.Messages, least)
	}
}

func TestATransposeTakesAnAllToAllForEachGroup(t *testing.T) {
	one := jobResult(t, starOf("16", "{kind: transpose, size: 1MiB, compute: 0s, back: false, steps: 2, algorithm: pairwise}"))
	two := jobResult(t, starOf("16", "{kind: transpose, size: 1MiB, compute: 0s, back: false, steps: 2, rows: 4, algorithm: pairwise}"))
	// Slabs move 15/16 of the data once, pencils 3/4 of it twice.
	if ratio := float64(two.Step) / float64(one.Step); ratio < 1.4 || ratio > 1.7 {
		t.Errorf("pencils take %v and slabs %v; want 1.6 times as long", two.Step, one.Step)
	}
}

// A scenario of training says where it is wrong, and its table in which line.
func TestTrainingThatCannotBeIsToldWhere(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "mine.csv")
	if err := os.WriteFile(table, []byte("name,params,flops\na,1M,1G\nb,2M,lots\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for keys, want := range map[string]string{
		"model: resnet":                                        `workloads[0].model: "resnet": no model, and not the name of a file such as mine.csv; one of resnet-50, gpt2, olmoe-1b-7b, llama2-7b`,
		"model: " + table:                                      `mine.csv:3: flops: "lots": not a whole number`,
		"model: nowhere.csv":                                   "no such file",
		"model: resnet-50, compute: 3ms":                       "workloads[0].",
		"model: resnet-50, layers: 3":                          "workloads[0].layers",
		"model: resnet-50, parallel: {tensor: 2}":              "workloads[0].parallel.tensor",
		"model: llama2-7b, parallel: {tensor: 3}":              "workloads[0].parallel: ",
		"model: llama2-7b, layers: 4, parallel: {pipeline: 8}": "",
		"model: llama2-7b, parallel: {expert: 2}":              "workloads[0].parallel.expert",
		"model: gpt3-175b, efficiency: 0%":                     "workloads[0].efficiency",
		"stragglers: [{rank: 64}]":                             `workloads[0].stragglers[0].rank: "64": there are 64 ranks; 0 to 63`,
		"stragglers: [{rank: 1, factor: 0}]":                   "workloads[0].stragglers[0].factor",
		"gradients: 1TiB, bucket: 1B":                          "workloads[0].bucket",
	} {
		_, err := Parse("test.yaml", []byte(starOf("8", "{kind: training, "+keys+"}")))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "test.yaml:3:") {
			t.Errorf("%s: %v, want %s", keys, err, want)
		}
	}
	for keys, want := range map[string]string{
		"kind: halo, grid: 3x3":              `workloads[0].grid: "3x3": 9 ranks, but there are 8; as many, or no grid`,
		"kind: halo, grid: three":            `workloads[0].grid: "three": not a grid; write ranks in each dimension`,
		"kind: halo, cells: 128":             `workloads[0].cells: "128": not a block of cells`,
		"kind: halo, neighbours: 8":          `workloads[0].neighbours: "8": not a number of neighbours; 4, 6 or 26`,
		"kind: halo, cells: 2x2x2, width: 3": `workloads[0].width`,
		"kind: transpose, rows: 3":           `workloads[0].rows: "3": 8 ranks cannot be divided evenly; a divisor of the ranks`,
		"kind: transpose, size: 7B":          `workloads[0].size: "7B": each rank has a part for each of 8; at least 8B`,
	} {
		_, err := Parse("test.yaml", []byte(starOf("8", "{"+keys+"}")))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", keys, err, want)
		}
	}
}

// onLeaves is two leaves of two hosts each with some jobs.
func onLeaves(jobs ...string) string {
	return "name: jobs\ntopology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 2, host_link: {rate: 100Gbps, length: 5m}}\nworkloads:\n  - " + strings.Join(jobs, "\n  - ") + "\n"
}

// Jobs with nodes have hosts to themselves: the first that are free, one of each rack in turn, or any by the seed, of which ranks in order
// have the first first.
func TestJobsHaveHostsToThemselves(t *testing.T) {
	const small = "{kind: mpi-loop, nodes: 2, compute: 1us, steps: 1, placement: %s}"
	hosts := func(text string, sets ...string) (all [][]int) {
		run, s := ended(t, parsed(t, text, sets...))
		if s.Outcome != results.Done {
			t.Fatalf("%v: %v", s.Outcome, s.Reasons)
		}
		for _, j := range run.Jobs {
			var of []int
			for _, r := range j.Ranks {
				of = append(of, r.Host)
			}
			all = append(all, of)
		}
		return all
	}
	for placement, want := range map[string]string{"packed": "[[0 1] [2 3]]", "striped": "[[0 2] [1 3]]"} {
		job := fmt.Sprintf(small, placement)
		if got := fmt.Sprint(hosts(onLeaves(job, job))); got != want {
			t.Errorf("%s: %v, want %v", placement, got, want)
		}
	}
	seen := map[string]bool{}
	for seed := range 8 {
		job := fmt.Sprintf(small, "random")
		got := hosts(onLeaves(job, job), fmt.Sprint("seed=", seed+1))
		if again := hosts(onLeaves(job, job), fmt.Sprint("seed=", seed+1)); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Errorf("seed %d: %v, and then %v", seed+1, got, again)
		}
		every := slices.Concat(got...)
		if slices.Sort(every); fmt.Sprint(every) != "[0 1 2 3]" {
			t.Errorf("seed %d: %v; want every host once", seed+1, got)
		}
		seen[fmt.Sprint(got)] = true
	}
	if len(seen) < 3 {
		t.Errorf("eight seeds place jobs in the same %d ways", len(seen))
	}
}

// A job that asks for more hosts than are left says how many that is.
func TestAJobThatFindsNoHostsSaysSo(t *testing.T) {
	_, err := Parse("test.yaml", []byte(onLeaves("{kind: mpi-loop, nodes: 2}", "{kind: training, nodes: 3, gpus: 1}")))
	if want := `test.yaml:5:29: workloads[1].nodes: "3": of 4 hosts 2 are free; at most 2`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = Parse("test.yaml", []byte(onLeaves("{kind: mpi-loop, nodes: 2, placement: spread}")))
	if err == nil || !strings.Contains(err.Error(), "packed, striped, random") {
		t.Errorf("%v", err)
	}
	_, err = Parse("test.yaml", []byte(onLeaves("{kind: mpi-loop, algorithm: quickest}")))
	if err == nil || !strings.Contains(err.Error(), `workloads[0].algorithm: "quickest": no algorithm; one of auto, ring`) {
		t.Errorf("%v", err)
	}
}

// Who leaves it to theory has small sums by few rounds and large ones with few bytes, and no algorithm that is named is faster.
func TestTheoryChoosesTheFastestAlgorithm(t *testing.T) {
	for size, want := range map[string]string{"8B": "recursive-doubling", "512KiB": "halving-doubling"} {
		text := starOf("8", "{kind: mpi-loop, compute: 10us, steps: 2, size: "+size+"}")
		run, _ := ended(t, parsed(t, text))
		own := run.Jobs[0].Parts()[0]
		if own.Algorithm.Name != want {
			t.Errorf("%s by %s, want %s", size, own.Algorithm.Name, want)
		}
		for _, other := range []string{"ring", "recursive-doubling", "halving-doubling", "double-tree"} {
			run, _ := ended(t, parsed(t, text, "workloads[0].algorithm="+other))
			if p := run.Jobs[0].Parts()[0]; p.Mean < own.Mean*99/100 {
				t.Errorf("%s takes %v by %s, and %v by %s", size, p.Mean, other, own.Mean, own.Algorithm.Name)
			}
		}
	}
}

// A ring of one GPU of each host has its GPU's NIC; eight of them at once, one of each GPU, do not wait for each other, and take what
// theory gives for one.
func TestRingsOfSingleGPUsHaveRailsOfTheirOwn(t *testing.T) {
	r, s := ended(t, parsed(t, "name: rails\ntopology: {kind: rail-optimised, pods: 1, hosts_per_pod: 2, rails: 4, spines: 0}\nworkloads:\n  - {kind: training, model: gpt2, layers: 1, gpus: 4, batch: 1, sequence: 64, parallel: {tensor: 4}, steps: 1}\n"))
	if s.Outcome != results.Done {
		t.Fatalf("%v: %v", s.Outcome, s.Reasons)
	}
	found := false
	for _, p := range r.Jobs[0].Parts() {
		if p.Label != "gradients" {
			continue
		}
		found = true
		if p.Ranks != 2 || p.Count != 4 || p.Most > 100*units.Gbps || p.Mean > p.Theory*105/100 || p.Mean < p.Theory*95/100 {
			t.Errorf("%d all-reduces of %d ranks at %v take %v, in theory %v", p.Count, p.Ranks, p.Most, p.Mean, p.Theory)
		}
	}
	if !found {
		t.Error("there are none")
	}
}

// A slice of a model says by what factor the whole takes longer, and what its pipeline loses.
func TestASliceOfAModelSaysItsFactor(t *testing.T) {
	run, s := ended(t, parsed(t, starOf("4", "{kind: training, model: gpt3-175b, sequence: 8, layers: 4, gpus: 2, nvlink: 4800Gbps, micro_batches: 2, parallel: {tensor: 2, pipeline: 4}, steps: 1}")))
	if s.Outcome != results.Done {
		t.Fatalf("%v: %v", s.Outcome, s.Reasons)
	}
	all := strings.Join(run.Jobs[0].Notes, "\n")
	for _, text := range []string{"4 of 96 layers that are alike, without the others: all of them take 24 times as long", "tensor 2, data 1 (expert 1), pipeline 4", "(p-1)/(m+p-1) = 3/5"} {
		if !strings.Contains(all, text) {
			t.Errorf("it does not say %q:\n%s", text, all)
		}
	}
	if gist := run.Outputs()[0].Gist; !strings.Contains(gist, "the whole takes 24 times as long") {
		t.Errorf("%s", gist)
	}
}
