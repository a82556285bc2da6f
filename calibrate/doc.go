// Package calibrate fits the figures of an adapter to measurements of it: to what the
// tests of the perftest suite have printed.
//
//   - [Read] reads the output of perftest: any number of tests, with their headers and tables.
//   - [Fit] looks for the figures with which simulated tests give every other row, by running
//     the simulator itself over and over, and foretells the rows between them with what it has found.
//   - [Outcome.WriteText] tells how well both have gone, and [Outcome.WriteYAML] writes the adapter
//     as scenarios take it.
//
// Which figures there are stands in [Figures]. Those that no row depends on keep the value
// of the profile that the search starts from.
package calibrate
