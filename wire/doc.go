// Package wire holds frames as they are on the wire: opcodes, header sizes,
// sequence numbers, and the codecs of the frames that switches themselves
// originate, the PFC pause and the flow-control packet of InfiniBand. The headers of iWARP
// are there too; what carries them, TCP, is not.
//
// Sizes come in two kinds. The L2 size of a frame runs from the destination
// MAC address to the FCS; it is what a buffer stores. Its wire size adds the
// preamble and the inter-frame gap; it is what a link is busy for.
//
// Sources: IEEE 802.3 (frame, preamble, gap), IBTA volume 1 and its annex A17
// (RoCEv2) and chapter 7 (InfiniBand links), IEEE 802.1Qbb (PFC), RFC 5040, 5041 and 5044
// (iWARP).
package wire
