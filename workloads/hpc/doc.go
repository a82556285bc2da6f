// Package hpc makes jobs of what parallel simulations do: ranks compute, exchange what their neighbours need or transpose what
// all of them have, and go on. [Halo] is a grid that is cut into blocks, [Transpose] a Fourier transform, [Loop] one operation again and again.
// Each makes a [schedule.Job]; a rank begins a step when what it needs has come to it, and knows nothing else of the others.
package hpc
