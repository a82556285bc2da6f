// Package chakra reads execution traces of Chakra (MLCommons; github.com/mlcommons/chakra, schema/protobuf/et_def.proto),
// in which machine-learning jobs are recorded and generated, and makes a schedule of them.
//
// There is one file a rank, prefix.0.et, prefix.1.et and so on, packed or not: a stream of messages of the wire format of protocol
// buffers, each after its length. The first is about the whole trace, each of the others is a node: an operation of that rank with
// the nodes that it depends on. [Reader] goes through a file node by node; fields that it does not know are skipped, and attributes
// that are integers may have any width. [Jobs] makes a job of all files.
//
// What nodes stand for is as in ASTRA-sim 2 (github.com/astra-sim/astra-sim, astra-sim/workload/Workload.cc):
//
//   - A COMP node takes its duration, on the thread or GPU stream that its attributes is_cpu_op and tid name; nodes
//     of one take turns. One that has no duration takes what a roofline says, if there is one.
//   - MEM_LOAD and MEM_STORE take their duration, or their tensor_size at the rate of the memory.
//   - COMM_SEND and COMM_RECV are messages of comm_size bytes to comm_dst and from comm_src, under comm_tag.
//   - COMM_COLL is a collective of the group pg_name, or of all ranks. Its comm_size is what each rank puts in: for an
//     all-gather its own part. Those of one stream follow each other, as kernels of NCCL do. One that is_cpu_op is only
//     the call by which it is launched, and takes its duration.
//   - METADATA may bring groups of ranks as PyTorch names them; it takes no time, as INVALID nodes.
package chakra
