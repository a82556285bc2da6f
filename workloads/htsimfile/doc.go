// Package htsimfile reads connection matrices (.cm), the text files that htsim and its descendants take their traffic from
// (csg-htsim, github.com/Broadcom/csg-htsim, sim/datacenter/connection_matrix.cpp). It returns what they say as plain values,
// and as a job of sends and receives ([File.Job]).
//
// A file says how many hosts and how many records it has, and then has the records, one a line:
//
//	Nodes 16
//	Connections 2
//	Triggers 1
//	0->13 id 1 start 0 size 2097152 send_done_trigger 1
//	0->7 id 2 trigger 1 size 4096
//	trigger id 1 oneshot
//
// A connection starts at a time, in picoseconds, or when a trigger is set off, as the end of other connections does. Of
// failures a record is "failure switch_type AGG switch_id 3 link_id 1". Lines that begin with # are comments.
//
// Reading is strict, stricter than htsim's: an unknown word, a word twice, a count that differs from what follows, a number that
// does not fit and a connection that never starts are errors that begin with "file:line:". Numbers are read exactly; htsim
// itself reads starts through 32 bits of floating point, so that it loses digits above 16.8 us.
package htsimfile
