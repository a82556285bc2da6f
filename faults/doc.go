// Package faults is what a scenario may have go wrong: frames lost by chance or by
// rule, links that fail, flap or degrade, hosts that stop for a while.
//
// Each kind is a struct of parameters that adds to a plan of faults for the cluster
// of a run ([host.Faults]). The plan is complete before the run begins: nothing in it
// depends on what happens, but what is lost by counting frames or by chance does.
//
// Links are named as results name them: "leaf0:3" is the cable at a port, "h0-leaf0"
// all cables between two nodes. Patterns name several: "h[0-3]-leaf0", "leaf0-spine*",
// "*" for all.
package faults
