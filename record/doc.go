// Package record turns what a run has counted into what its user reads: the
// summary with the sentences that say why, the tables, the series and the plots.
//
// It reads the model and writes results; neither knows of the other.
package record
