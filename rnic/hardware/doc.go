// Package hardware is what an RDMA adapter and the host around it cost: work requests
// that have to get to the adapter, payload that crosses PCI Express, pipelines, rates at
// which messages can be handled, and what does not fit in the adapter's own memory.
//
// A [Config] is one set of such figures, the profiles are published or fitted ones. The source of
// every figure begins with its class of evidence ([Class]), so that a user can tell what a
// vendor has written from what somebody has guessed.
//
// The default is the ideal adapter, which costs nothing: what theory about networks has in mind.
package hardware
