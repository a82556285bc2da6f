// Package astra reads the text workloads of ASTRA-sim 1.0 (github.com/astra-sim/astra-sim, inputs/workload/ASTRA-sim-1.0) and of
// SimAI, which took them over (github.com/aliyun/SimAI; its AICB writes them), and makes a schedule of them.
//
// A file is a table of layers, of which every rank has all. Its first line says how the job is divided among ranks, the
// second how many layers there are; each of the others is a layer:
//
//	HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 8 ga: 1 all_gpus: 32 checkpoints: 0 checkpoint_initiates: 0
//	2
//	attention_column -1 1750840 ALLGATHER 50331648 875420 REDUCESCATTER 0 875420 NONE 0 100
//	grad_gather      -1 1       NONE      0        1      NONE          0 1      ALLGATHER 2807758848 100
//
// The columns are its name; a number that means nothing; for the forward pass, for the gradient of its inputs and for the
// gradient of its weights each the time that computing takes, the collective that follows and its bytes; and the delay after each
// collective before what it brought can be used. Times are cycles, which are nanoseconds.
//
// A collective is among the ranks of a tensor- (model-) parallel group in the first two passes, and among those of a data-parallel
// group in the third, unless the name ends in _EP or _DP_EP: then among those that share experts, or those that have the same ones.
// What the groups are follows from the first line ([Table.Ranks], [Table.Job]); reading is strict, and errors begin with "file:line:".
package astra
