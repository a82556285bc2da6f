// Package hpccfile reads the text files with which the ns-3 simulator published with HPCC (Li et al., SIGCOMM 2019)
// and its descendants, ConWeave among them, are fed: topology.txt and flow.txt. It returns what they say as plain
// values; what that means for a network is for packages topology and workloads to tell.
//
// A file begins with what it is going to hold. Reading is strict: a field too many or too few, a number that does not
// fit, or a count that differs from what follows is an error that begins with "file:line:". Blank lines count for nothing.
// Numbers are read exactly, never by way of floating point.
//
// The package imports sim/units only.
package hpccfile
