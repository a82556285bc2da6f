// Package hostlist reads names of machines the way administrators of clusters write them: "h[0-15]" for sixteen hosts,
// "pod[0-1]-tor[0-3]" for eight switches, "h0,h4,h[8-11]" for a list (the notation of Slurm and pdsh). It also finds
// the name somebody probably meant.
//
// A range counts upwards, with both ends in it, and keeps leading zeros: "h[08-10]" is h08, h09, h10. The order in
// which names are written is the order in which they come out, and no name may come twice.
//
// The package imports nothing of this module.
package hostlist
