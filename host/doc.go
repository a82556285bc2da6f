// Package host is a server: its ports, and the NICs behind them. It is the node
// that the engine runs; what an adapter does is package rnic's.
package host
