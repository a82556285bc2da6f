// Package results is what a run leaves behind: a directory of files that explain themselves, a summary a person reads on
// the terminal, and a line of progress while the simulation is under way. It knows nothing of the model: whoever ran it
// hands over typed columns and plain structs.
//
//   - [Prepare] makes the directory before the run, so that a wrong path costs no simulation; [Dir.Write] writes a file
//     completely or not at all.
//   - [Table] is a set of typed columns written as CSV; [Schema] is the document that says what each column means.
//   - [Summary] is the outcome of a run, as JSON and as text. [Distribution] holds its percentiles.
//   - [Manifest] says which files belong to the run, and to which scenario, seed and digest. It is written last.
//   - [ShowProgress] draws the progress line.
//
// Invariants. Everything except the member "execution" of the manifest is a function of the scenario, its seed and the
// version: no file holds a wall-clock time, a number of workers or anything else of the machine. Times are written in
// microseconds and rates in Gbit/s as exact decimals of the integers they are, never through a float. The unit of a
// number stands in the name of its column or key.
//
// Percentiles are nearest-rank: the value at index ceil(p*n), counted from 1, of the sorted sample. No interpolation, so
// each reported value is one that was measured.
//
// The drawings of a run are made by the package plots below this one.
package results
