// Package storage has what storage over a network is made of beside the network: the devices of a target, which are fed with
// times and sizes and say when they are done, and the protocols between a target and those who use it, by the sizes of
// their messages.
package storage
