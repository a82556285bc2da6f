// Package scenarios is the language in which a run is described: a YAML file that names a network, what its switches
// and hosts are set to, what the hosts want to do, what to measure and what to expect.
//
// A file goes through stages, each of which can be printed. [Parse] reads it strictly and independently of the
// machine, gives every key that was left out its default or the value of the chosen profile, and remembers where each
// value came from; the result is a [Spec]. Its checks find values that are possible one by one and contradict each
// other, and names of hosts that the topology does not have. All problems of a file are reported at once, each on a
// line "file:line:col: key: what is wrong; what would be right". [Spec.Resolved] writes the scenario back with every
// value and its source, and what it writes means the same run.
//
// The keys are those of the tagged structs of this package and of the registries of topologies, workloads and
// congestion controls. docs/scenario.md is generated from the same tags ([Markdown]), so the documentation cannot
// disagree with the parser.
//
// The built-in scenarios are files of this language too: [Names] lists them, [Claims] those that measure what people say
// about RDMA beside TCP, [Load] reads one of them or a file of the user's.
package scenarios
