// Package explain reads the directory of results that a run has left and says why the run went as it did: what bound the
// flows, where the slowest of them lost their time, which ports the pauses trace back to and who was held by them without
// having to do with it, which queue pairs the hash of their addresses put on one link, and how near each mechanism came to
// acting.
//
// It knows the files only, not the model: all that it says stands in flows.csv, pause_causes.csv and summary.json, whose
// columns schema.json explains. A directory of a run that was interrupted can be explained as well; so can one of a later
// version of rdmasim as long as the columns it needs are there.
package explain
