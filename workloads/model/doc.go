// Package model makes jobs of what training a neural network moves: from a table of its layers ([Model]), the ways in which
// the work is divided among ranks ([Parallel]) and what a GPU computes ([Processor]) it makes a [schedule.Job] ([Job]).
//
// A table has a row for each kind of layer, with its parameters, its floating-point operations and what it hands on; small ones
// are shipped ([Named]), and a user brings others as a file ([Read]). What ranks compute and tell each other follows from it:
//
//   - data parallel: gradients are summed up in buckets while the backward pass goes on, as PyTorch's DistributedDataParallel
//     does (Li and others: PyTorch Distributed, VLDB 2020);
//   - sharded (ZeRO-3, FSDP): each layer's parameters are gathered before it is computed, forward and backward, and its gradients
//     reduced and scattered after (Rajbhandari and others: ZeRO, 2020; Zhao and others: PyTorch FSDP, VLDB 2023);
//   - tensor parallel: ranks have parts of each layer and sum up its output (Shoeybi and others: Megatron-LM, 2019);
//   - pipeline parallel: ranks have layers that follow each other and pass on activations, micro-batch by micro-batch, by GPipe's or
//     the 1F1B order (Narayanan and others: Megatron-LM, SC 2021);
//   - expert parallel: ranks have some of a layer's experts, and tokens go to them and back (Lepikhin and others: GShard, 2021).
//
// They combine. Nothing here knows a network: a step waits for what it needs at its own rank, and messages and collectives are all
// that ranks have of each other.
package model
