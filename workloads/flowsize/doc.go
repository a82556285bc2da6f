// Package flowsize has distributions of flow sizes: those that were measured in data centres and that congestion
// control is tested with everywhere ([Tables]), and those that a user brings in a file ([Read]).
//
// A distribution is a list of points (size, share of flows that are no larger) joined by straight lines, as the generators
// of HPCC (SIGCOMM 2019) and of many others read it. All that is asked of it follows from the points exactly; nothing
// depends on random numbers but what is drawn.
package flowsize
