package scenarios

import "github.com/rdmasim/rdmasim/wire"

// htsim is the model of csg-htsim (github.com/Broadcom/csg-htsim): 64 bytes around the payload and no gap between frames, every
// packet of full size, acknowledgements of 64 bytes, pause frames that take no time on the link and do not wait for it.
var htsim = profile{
	name: "htsim",
	doc: "as csg-htsim has it: frames are the payload and 64 B, without preamble and gap; the last packet of a message is of full size; " +
		"acknowledgements are 64 B; pause frames take no time on the link and wait for no other frame",
	framing: &wire.Framing{Around: 64, Full: true, Ack: 64, CNP: 64},
}
