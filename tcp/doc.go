// Package tcp is one end of a TCP connection as a pure state machine: it knows no engine, no
// packets in flight and no kernel. Whoever runs it hands it segments and times, asks it what is
// to be sent next, and calls it again at its [Endpoint.Deadline].
//
// An [Endpoint] has the handshake and the teardown with TIME-WAIT (RFC 9293), window scaling
// (RFC 7323), socket buffers, selective acknowledgements with reports of duplicates (RFC 2018,
// RFC 2883), loss detection by time with tail probes (RACK-TLP, RFC 8985) or by counting
// (RFC 6675; RFC 6582 without SACK), proportional rate reduction (RFC 6937), the retransmission
// timer (RFC 6298), delayed acknowledgements, the probes of a closed window, avoidance of silly
// windows, Nagle's rule, ECN with the echo of RFC 3168 or of RFC 8257, pacing and samples of the
// delivery rate. How much may be in flight a [congestion.Control] says.
//
// Data have no contents: an application writes and reads counts of bytes. A [Segment] may be as
// large as an adapter cuts (TSO) or a receive path merges (GRO), and each part of it may be lost,
// doubled or overtaken by itself. Inside, the stream is counted in int64, so that the 32 bits of
// a sequence number may wrap as often as they like.
//
// What of TCP is left out, since nothing here depends on it: urgent data, keep-alive, path MTU
// discovery, fast open, protection against wrapped sequence numbers (no segment lives that long
// here), and reneging on selective acknowledgements. Timestamps count by their size; what they
// tell, the endpoint knows by itself.
package tcp
