// Package programs has programs for the threads of hosts: state machines that post work
// requests, take completions and measure, as applications on an RDMA adapter do.
//
//   - [Perftest] is one of the tests of the linux-rdma perftest suite: ib_write_lat,
//     ib_send_lat, ib_read_lat, ib_atomic_lat, ib_write_bw, ib_send_bw and ib_read_bw, with
//     its options, its defaults, its definitions of what is measured and its output. [New]
//     makes one between two hosts of a cluster; when the run is over, [Perftest.Results] and
//     [Perftest.WriteText] have what it measured.
//
//   - [ShortLived] is clients that connect to a server, have some requests answered and
//     disconnect, again and again; [Lock] is clients that take a lock in a server's memory by
//     atomics. [NewShortLived] and [NewLock] make them.
//
//   - [Channel] carries messages between the threads of two programs, over a queue pair or over a
//     socket, and [Mailbox] is where they find what has come. On them run [MPI], ranks that do an
//     allreduce or a barrier again and again; [KeyValue], clients that get values from servers and put some there;
//     [FanOut], roots that ask many leaves at once; [Media], streams of video frames;
//     [Storage], initiators and a target of NVMe over Fabrics; [AllReducePerf] and [Training],
//     hosts with GPUs that sum up around rings. What depends on what is carried by messages: sums
//     have what each rank has contributed in them, and a rank that finds another than the sum of all
//     gives up. Each measures in the empty network first what its messages take, so that it can tell
//     what theory gives.
//
// All of them run over TCP as well ([TCP]): over sockets, with a thread at the other end that
// does what an adapter would do there.
//
// A program knows what happens at its own host only. Where perftest's two ends agree over a
// connection of their own on when to go on, ours wait for [Pause].
//
// Source of definitions and defaults: perftest, as its manual pages, its help texts and its
// output tell.
package programs
