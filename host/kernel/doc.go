// Package kernel has the figures of an operating system and its processor: what it takes of a
// host's cores to send and receive by TCP, and how the kernel goes about it (interrupts and
// their moderation, batches, where flows are handled). Package host has the cores that pay it.
package kernel
