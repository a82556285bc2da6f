package astra

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/internal/jobtest"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

func read(t testing.TB, text string) *Table {
	t.Helper()
	table, err := Read("f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// job makes a job that passes its check.
func job(t testing.TB, text string, o Options) (*schedule.Job, *Notes) {
	t.Helper()
	j, notes, err := read(t, text).Job(o)
	if err == nil {
		err = j.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return j, notes
}

// simAI is laid out as AICB writes tables.
const simAI = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 2 vpp: 8 ga: 2 all_gpus: 16 checkpoints: 1 0 checkpoint_initiates: 1 2 pp_comm: 4096.0\n" +
	"3\n" +
	"grad_gather\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tALLGATHER\t2807758848\t100\n" +
	"embedding_layer\t-1\t622731\tALLREDUCE\t50331648\t1\tNONE\t0\t15091072\tNONE\t0\t100\n" +
	"embedding_layer\t-1\t1\tALLTOALL_EP\t100663296\t1\tALLTOALL_EP\t0\t1\tREDUCESCATTER_DP_EP\t38654705664\t100 \n"

func TestATableIsReadAsItStands(t *testing.T) {
	nothing := Pass{Compute: 1, None: true}
	want := &Table{
		Policy: TransformerCheckpoint, Tensor: 2, Expert: 2, Pipeline: 2, Virtual: 8, Accumulation: 2, GPUs: 16, StageBytes: 4096,
		Layers: []Layer{
			{Line: 3, Name: "grad_gather", Policy: TransformerCheckpoint, Update: 100, Checkpoint: true,
				Passes: [3]Pass{nothing, nothing, {Compute: 1, Collective: collective.AllGather, Size: 2807758848}}},
			{Line: 4, Name: "embedding_layer", Policy: TransformerCheckpoint, Update: 100,
				Passes: [3]Pass{{Compute: 622731, Collective: collective.AllReduce, Size: 50331648}, nothing, {Compute: 15091072, None: true}}},
			{Line: 5, Name: "embedding_layer", Policy: TransformerCheckpoint, Update: 100, Again: true, Passes: [3]Pass{
				{Compute: 1, Collective: collective.AllToAll, Group: Experts, Size: 100663296},
				{Compute: 1, Collective: collective.AllToAll, Group: Experts, None: true}, // of no bytes
				{Compute: 1, Collective: collective.ReduceScatter, Group: SameExperts, Size: 38654705664}}},
		},
	}
	if diff := cmp.Diff(want, read(t, simAI), cmpopts.IgnoreUnexported(Table{})); diff != "" {
		t.Error(diff)
	}
	old := read(t, "HYBRID_DLRM\t1\t\t\n2\t\t\nEmbedding\t-1\t300\tALLTOALL\t98304\t300\tALLTOALL\t98304\t300\tNONE\t0\t98\nMLP\t-1\t1280\tNONE\t0\t794\tNONE\t0\t896\tALLREDUCE\t13312\t13\n")
	if old.Policy != DLRM || old.LastBottom != 1 || old.IsSimAI() {
		t.Errorf("%+v", old)
	}
	custom := read(t, "HYBRID_CUSTOMIZED\n1\nmlp0\t-1\t32291\tALLGATHER\t37632\t32291\tREDUCESCATTER\t37632\t32291\tALLREDUCE\t37632\t3229 HYBRID_DATA_MODEL\n")
	if custom.Layers[0].Policy != HybridDataModel {
		t.Errorf("%+v", custom.Layers[0])
	}
}

func TestEveryMistakeIsToldWithItsLine(t *testing.T) {
	line := "l -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n"
	one := func(layer string) string { return "DATA\n1\n" + layer + "\n" }
	words := "one of model_parallel_NPU_group, ep, pp, vpp, ga, all_gpus, checkpoints, checkpoint_initiates, pp_comm, DLRM_LAST_BOTTOM_LAYER"
	policies := "one of DATA, MODEL, DISTRIBUTED_INFERENCE, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_CUSTOMIZED, HYBRID_TRANSFORMER, HYBRID_TRANSFORMER_FWD_IN_BCKWD, HYBRID_DLRM, HYBRID_DLRM_ENHANCED, MICRO"
	for text, want := range map[string]string{
		"":                                     "f:1: the file ends where the parallelism should stand, such as DATA",
		"\nnum_ranks 4\n":                      `f:2: unknown parallelism "num_ranks"; ` + policies,
		"DATA\n":                               "f:1: the file ends where the number of layers should stand",
		"DATA\n1 2\n":                          "f:2: 2 words where the number of layers should stand",
		"DATA\n0\n":                            "f:2: the number of layers 0 is out of range: 1 to 1048576",
		"DATA\nx\n":                            `f:2: the number of layers "x" is not a whole number`,
		"DATA\n2\n" + line:                     "f:3: the file ends after 1 of the 2 layers that it announces",
		"DATA\n1\n" + line + "\n" + line:       "f:5: more than the 1 layers that the file announces",
		one("l -1 1 NONE 0 1 NONE 0 1 NONE 0"): "f:3: 11 columns where a layer has 12: name, -1, three times time, collective and bytes, update time",
		one("l -1 1 NONE 0 1 NONE 0 1 NONE 0 1 DATA"):                                                       "f:3: 13 columns where a layer has 12: name, -1, three times time, collective and bytes, update time",
		"HYBRID_CUSTOMIZED\n1\n" + line:                                                                     "f:3: 12 columns where a layer has 13: name, -1, three times time, collective and bytes, update time, parallelism",
		"HYBRID_CUSTOMIZED\n1\nl -1 1 NONE 0 1 NONE 0 1 NONE 0 1 MICRO\n":                                   "f:3: a layer is DATA, MODEL, HYBRID_DATA_MODEL or HYBRID_MODEL_DATA, not MICRO",
		one("l -2 1 NONE 0 1 NONE 0 1 NONE 0 1"):                                                            "f:3: the reserved column -2 is out of range: -1 to 1048576",
		one("l -1 1.5 NONE 0 1 NONE 0 1 NONE 0 1"):                                                          `f:3: the time of the forward pass, "1.5" is not a whole number`,
		one("l -1 1 NONE 0 -1 NONE 0 1 NONE 0 1"):                                                           "f:3: the time of the input-gradient pass, -1 is out of range: 0 to 1000000000000000",
		one("l -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 99999999999999999999 1"):                                    "f:3: the size of the weight-gradient collective, 99999999999999999999 is out of range: 0 to 4398046511104",
		one("l -1 1 NONE 0 1 NONE 0 1 NONE 0 +1"):                                                           `f:3: the update time "+1" is not a whole number`,
		one("l -1 1 GATHER 0 1 NONE 0 1 NONE 0 1"):                                                          `f:3: unknown collective "GATHER"; NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, which may end in _TP, _DP, _EP or _DP_EP`,
		one("l -1 1 ALLREDUCE_XP 0 1 NONE 0 1 NONE 0 1"):                                                    `f:3: unknown collective "ALLREDUCE_XP"; NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, which may end in _TP, _DP, _EP or _DP_EP`,
		one("l -1 1 ALLREDUCE_EP 9 1 NONE 0 1 NONE 0 1"):                                                    "f:3: ALLREDUCE_EP: groups that a word names belong to HYBRID_TRANSFORMER and HYBRID_TRANSFORMER_FWD_IN_BCKWD",
		"HYBRID_TRANSFORMER\n1\n" + line:                                                                    "f:1: HYBRID_TRANSFORMER needs model_parallel_NPU_group: and a number of ranks",
		"DATA model_parallel_NPU_group: 8\n1\n" + line:                                                      "f:1: DATA has no groups of a number of its own; model_parallel_NPU_group, ep and pp belong to HYBRID_TRANSFORMER and HYBRID_TRANSFORMER_FWD_IN_BCKWD",
		"HYBRID_TRANSFORMER model_parallel_NPU_group: 0\n1\n" + line:                                        "f:1: model_parallel_NPU_group 0 is out of range: 1 to 1048576",
		"HYBRID_TRANSFORMER model_parallel_NPU_group:\n1\n" + line:                                          `f:1: 0 numbers after "model_parallel_NPU_group"; want one`,
		"HYBRID_TRANSFORMER model_parallel_NPU_group: 8 cp: 1\n1\n" + line:                                  `f:1: unknown key "cp"; ` + words,
		"HYBRID_TRANSFORMER model_parallel_NPU_group: 8 ep: 1 ep: 1\n1\n" + line:                            "f:1: ep twice",
		"HYBRID_TRANSFORMER model_parallel_NPU_group: 8 pp: 2\n1\n" + line:                                  "f:1: pp: 2 without all_gpus:",
		"HYBRID_TRANSFORMER model_parallel_NPU_group: 8 pp_comm: 1.5\n1\n" + line:                           "f:1: pp_comm 1.5 is not a whole number of bytes",
		"DATA checkpoints: 0\n1\n" + line:                                                                   "f:1: DATA has no checkpoints; HYBRID_TRANSFORMER_FWD_IN_BCKWD has",
		"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 checkpoints: 2 2\n1\n" + line:          "f:1: checkpoints announces 2 layers, and 1 follow",
		"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 checkpoints:\n1\n" + line:              "f:1: nothing after checkpoints; want the number of layers, and which",
		"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 checkpoints: 1 3\n1\n" + line:          "f:1: checkpoints has layer 3; there are layers 0 to 0",
		"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 checkpoint_initiates: 1 0\n1\n" + line: "f:1: checkpoint_initiates has layer 0, and no layer up to it is a checkpoint",
		"HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 4\n1\n" + line:                                                 "f:1: the last bottom layer is 4; there are layers 0 to 0",
		"DATA\n1\n" + strings.Repeat("x", 1<<21):                                                            "f:3: a line of more than 1048576 bytes",
	} {
		if _, err := Read("f", strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%.90q:\n\terror %v\n\twant  %s", text, err, want)
		}
	}
}

// perByte is a network on which a message and a collective take a nanosecond a byte.
var perByte = jobtest.Network{
	Message:    func(size units.Bytes) units.Time { return units.Time(size) * units.Nanosecond },
	Collective: func(op *schedule.Op, _ int) units.Time { return units.Time(op.Size) * units.Nanosecond },
}

// timeline is what a rank does, in the order in which it begins.
func timeline(t *testing.T, text string, o Options, rank int) []string {
	t.Helper()
	j, _ := job(t, text, o)
	return jobtest.Lines(j, jobtest.Run(t, j, perByte), rank)
}

// In the way back weights come first with data parallelism; their collectives, of 100 ns, follow each other while it goes on.
func TestDataParallelOverlapsTheWayBack(t *testing.T) {
	table := "DATA\n2\na -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 100 5\nb -1 1 ALLREDUCE 9 2 NONE 0 3 ALLREDUCE 100 0\n"
	if diff := cmp.Diff([]string{
		"0s-10ns calc of 10ns", "10ns-11ns calc of 1ns", // forward: no collective, as its parallelism has none there
		"11ns-14ns calc of 3ns", "14ns-114ns all-reduce of 100 bytes in group 0", "14ns-16ns calc of 2ns", // back through b
		"16ns-46ns calc of 30ns", // the weights of a; its inputs have no gradient
		"114ns-214ns all-reduce of 100 bytes in group 0", "214ns-219ns calc of 5ns",
	}, timeline(t, table, Options{Ranks: 4}, 3)); diff != "" {
		t.Error(diff)
	}
	_, notes := job(t, table, Options{Ranks: 4})
	if want := (Notes{Tensor: 1, Data: 4, Expert: 1, Pipeline: 1, Left: 1, Parts: 1}); *notes != want {
		t.Errorf("%+v", notes)
	}
}

// A model-parallel job waits for what is gathered before the next layer, and for the gradients of inputs only after those of weights.
func TestModelParallelWaitsForActivations(t *testing.T) {
	table := "MODEL\n2\na -1 10 ALLGATHER 25 20 ALLREDUCE 100 30 NONE 0 5\nb -1 1 NONE 0 2 ALLREDUCE 100 3 NONE 0 0\n"
	if diff := cmp.Diff([]string{
		"0s-10ns calc of 10ns", "10ns-110ns all-gather of 100 bytes in group 0", "110ns-115ns calc of 5ns", "115ns-116ns calc of 1ns",
		"116ns-118ns calc of 2ns", "118ns-218ns all-reduce of 100 bytes in group 0", "118ns-121ns calc of 3ns",
		"218ns-238ns calc of 20ns", "238ns-268ns calc of 30ns",
	}, timeline(t, table, Options{Ranks: 4}, 0)); diff != "" {
		t.Error(diff)
	}
	inference := strings.Replace(table, "MODEL", "DISTRIBUTED_INFERENCE", 1)
	if lines := timeline(t, inference, Options{Ranks: 4}, 0); len(lines) != 4 || lines[3] != "115ns-116ns calc of 1ns" {
		t.Error(lines)
	}
}

// A transformer waits for the gradients of inputs at once; layer b has the forward pass run again from the checkpoint a.
func TestATransformerRunsForwardAgainFromACheckpoint(t *testing.T) {
	table := "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 1 0 checkpoint_initiates: 1 1\n" +
		"2\na -1 10 ALLREDUCE 50 20 NONE 0 30 ALLREDUCE 100 0\nb -1 1 NONE 0 2 ALLREDUCE 100 3 NONE 0 0\n"
	if diff := cmp.Diff([]string{
		"0s-10ns calc of 10ns", "10ns-60ns all-reduce of 50 bytes in group 0", "60ns-61ns calc of 1ns",
		"61ns-71ns calc of 10ns", "71ns-121ns all-reduce of 50 bytes in group 0", // a again
		"121ns-123ns calc of 2ns", "123ns-223ns all-reduce of 100 bytes in group 0", "223ns-226ns calc of 3ns",
		"226ns-246ns calc of 20ns", "246ns-276ns calc of 30ns", "276ns-376ns all-reduce of 100 bytes in group 1",
	}, timeline(t, table, Options{Ranks: 4}, 0)); diff != "" {
		t.Error(diff)
	}
}

// The embedding's all-to-all, of 100 ns, is under way while the bottom layer is computed, and its gradient's likewise.
func TestDLRMOverlapsItsEmbedding(t *testing.T) {
	table := "HYBRID_DLRM 1\n3\nEmbedding -1 10 ALLTOALL 100 1 ALLTOALL 100 2 NONE 0 0\nbottom -1 20 NONE 0 3 NONE 0 4 NONE 0 0\ntop -1 30 NONE 0 5 NONE 0 6 ALLREDUCE 7 0\n"
	if diff := cmp.Diff([]string{
		"0s-10ns calc of 10ns", "10ns-110ns all-to-all of 100 bytes in group 0", "10ns-30ns calc of 20ns", "110ns-140ns calc of 30ns",
		"140ns-146ns calc of 6ns", "146ns-153ns all-reduce of 7 bytes in group 0", "146ns-151ns calc of 5ns",
		"151ns-155ns calc of 4ns", "153ns-253ns all-to-all of 100 bytes in group 0", "155ns-158ns calc of 3ns", "158ns-160ns calc of 2ns",
	}, timeline(t, table, Options{Ranks: 8}, 5)); diff != "" {
		t.Error(diff)
	}
}

func TestMicroIsCollectivesAlone(t *testing.T) {
	table := "MICRO\n2\na -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 100 0\nb -1 10 NONE 0 20 NONE 0 30 ALLTOALL 100 0\n"
	if diff := cmp.Diff([]string{"0s-100ns all-reduce of 100 bytes in group 0", "100ns-200ns all-to-all of 100 bytes in group 0"},
		timeline(t, table, Options{Ranks: 8}, 5)); diff != "" {
		t.Error(diff)
	}
	_, notes := job(t, "MICRO\n1\na -1 0 ALLREDUCE 8 0 ALLTOALL 8 0 NONE 0 0\n", Options{Ranks: 8})
	if notes.Left != 2 { // those of the other passes, which a user might look for in vain
		t.Errorf("%+v", notes)
	}
}

// To ASTRA-sim an all-gather's size is what each rank has, to SimAI what all have together.
func TestSizesOfAllGathers(t *testing.T) {
	for header, want := range map[string]units.Bytes{"": 400, " all_gpus: 8": 100} {
		j, _ := job(t, "HYBRID_TRANSFORMER model_parallel_NPU_group: 4"+header+"\n1\na -1 0 ALLGATHER 100 0 NONE 0 0 NONE 0 0\n", Options{Ranks: 8})
		if op := j.Ranks[0].Op(0); op.Size != want {
			t.Errorf("%q: %v", header, op)
		}
	}
}

// 16 ranks: tensor-parallel pairs, pipelines of two stages, 4 ranks that are data-parallel, of which two share experts.
func TestGroupsOfRanks(t *testing.T) {
	table := "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 2 pp: 2 all_gpus: 16\n1\na -1 0 ALLREDUCE 1 0 ALLTOALL_EP 1 0 ALLREDUCE_DP_EP 1 0\n"
	weights := strings.Replace(table, "_DP_EP 1", " 1", 1)
	groups := func(text string, o Options, rank int) (all [][]int32) {
		j, _ := job(t, text, o)
		for i := range j.Ranks[rank].Ops() {
			if op := j.Ranks[rank].Op(i); op.Kind == schedule.Collective {
				all = append(all, j.Groups[op.Group])
			}
		}
		return all
	}
	o := Options{Ranks: 16}
	if diff := cmp.Diff([][]int32{{6, 7}, {3, 7}, {7, 15}}, groups(table, o, 7)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]int32{{12, 13}, {8, 12}, {0, 4, 8, 12}}, groups(weights, o, 12)); diff != "" {
		t.Error(diff)
	}
	nodes := "HYBRID_DATA_MODEL\n1\na -1 0 ALLREDUCE 1 0 NONE 0 0 ALLREDUCE 1 0\n"
	if diff := cmp.Diff([][]int32{{4, 5, 6, 7}, {1, 5}}, groups(nodes, Options{Ranks: 8, PerNode: 4}, 5)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]int32{{1, 5}, {4, 5, 6, 7}}, groups(strings.Replace(nodes, "DATA_MODEL", "MODEL_DATA", 1), Options{Ranks: 8, PerNode: 4}, 5)); diff != "" {
		t.Error(diff)
	}
}

// Two stages of 10 ns, two parts of a batch, 5 ns to hand on: the second stage begins at 15 and ends its second part at 35; the
// first one gets it back at 50 and 60, and has computed the last at 70.
func TestAPipelineHandsPartsOn(t *testing.T) {
	table := "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 pp: 2 ga: 2 all_gpus: 2 pp_comm: 5\n2\n" +
		strings.Repeat("embedding_layer -1 10 NONE 0 10 NONE 0 0 NONE 0 0\n", 2)
	first, second := timeline(t, table, Options{Ranks: 2}, 0), timeline(t, table, Options{Ranks: 2}, 1)
	computing := func(lines []string) (calcs []string) {
		for _, l := range lines {
			if strings.HasSuffix(l, "calc of 10ns") {
				calcs = append(calcs, strings.TrimSuffix(l, " calc of 10ns"))
			}
		}
		return calcs
	}
	if diff := cmp.Diff([]string{"0s-10ns", "10ns-20ns", "50ns-60ns", "60ns-70ns"}, computing(first)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"15ns-25ns", "25ns-35ns", "35ns-45ns", "45ns-55ns"}, computing(second)); diff != "" {
		t.Error(diff)
	}
}

func TestRanksMustFitTheTable(t *testing.T) {
	layer := "\n1\na -1 0 ALLREDUCE 1 0 NONE 0 0 ALLREDUCE 1 0\n"
	for _, tc := range []struct {
		header string
		o      Options
		want   string
	}{
		{"HYBRID_TRANSFORMER model_parallel_NPU_group: 8 all_gpus: 32", Options{Ranks: 8}, "f:1: all_gpus: 32, and there are 8 ranks"},
		{"HYBRID_TRANSFORMER model_parallel_NPU_group: 3", Options{Ranks: 8}, "f:1: 8 ranks cannot be divided among model_parallel_NPU_group: 3 times pp: 1"},
		{"HYBRID_TRANSFORMER model_parallel_NPU_group: 4 ep: 4", Options{Ranks: 8}, "f:1: ep: 4 does not divide the 2 ranks of a data-parallel group"},
		{"HYBRID_DATA_MODEL", Options{Ranks: 8, PerNode: 3}, "f:1: HYBRID_DATA_MODEL divides by nodes, and 8 ranks are no whole number of nodes of 3"},
	} {
		if _, _, err := read(t, tc.header+layer).Job(tc.o); err == nil || err.Error() != tc.want {
			t.Errorf("error %v, want %s", err, tc.want)
		}
	}
	many := fmt.Sprintf("HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n%d\n", 1<<12) + strings.Repeat("a -1 1 ALLREDUCE 1 1 ALLREDUCE 1 1 NONE 0 1\n", 1<<12)
	if _, _, err := read(t, many).Job(Options{Ranks: 1 << 12}); err == nil || err.Error() != "f:2: 4096 ranks of 28672 operations each, from 4096 layers, are too many: at most 33554432 together" {
		t.Error(err)
	}
}

// Alike ranks share one graph: a table of data parallelism costs no more for 1024 ranks than for one.
func TestRanksThatDoTheSameShareAGraph(t *testing.T) {
	j, _ := job(t, "DATA\n1\na -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 1 0\n", Options{Ranks: 1024})
	if j.Ranks[1023] != j.Ranks[0] || len(j.Groups) != 1 || len(j.Groups[0]) != 1024 {
		t.Errorf("%d groups", len(j.Groups))
	}
}
