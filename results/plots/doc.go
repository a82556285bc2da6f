// Package plots draws the results of a run for a slide: completion times ([FCTCDF]), queues against their thresholds
// ([QueueDepth]), rates ([Rates]) and who was paused when ([PauseTimeline]), each as SVG and PNG.
//
// Every figure is 10 x 6 inches (a timeline of few rows is less high) with no text below 12 points, axes labelled with
// units, colours that people with colour vision deficiencies can tell apart (Okabe and Ito, 2008) and dashes beside them.
// Legends stand below the data and labels of lines beside it, never on it. What would not fit is left out, and the note
// under the title says how much.
//
// Long series are thinned so that no peak is lost: of each column of pixels the first, the smallest, the largest and the
// last point are kept (the M4 aggregation of Jugel et al., VLDB 2014).
//
// Equal data give equal bytes. The fonts are those that come with gonum/plot, and SVG files hold the outlines of their
// letters, so that neither the machine that draws nor the one that shows needs any.
//
// Where there is nothing to draw, the constructors return a [*NoDataError] that says why, and there is no figure.
package plots
