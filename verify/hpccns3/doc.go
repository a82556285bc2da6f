// Package hpccns3 holds rdmasim against the simulator published with HPCC
// (github.com/alibaba-edu/High-Precision-Congestion-Control, an ns-3 tree), run by run
// and nanosecond by nanosecond: it reads the folders in which that simulator's inputs
// and outputs lie, says the same in a scenario with profile hpcc-ns3, runs it, and
// compares completion times, pause frames and the counters of ports.
//
// A folder has config.txt, topology.txt, flow.txt and fct.txt, and may have pfc.txt
// and ports.txt, each also compressed (.gz).
package hpccns3
