package chakra

import (
	"container/heap"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"

	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Options say how traces are run.
type Options struct {
	// Ranks is how many ranks there are; 0 for as many as files. A single file may be given to more.
	Ranks int
	// DataOnly leaves out control dependencies, as ASTRA-sim does by default.
	DataOnly bool
	Groups   Groups // of ranks, beside those that the traces bring
	// Memory is the rate of MEM nodes that have no duration; 0 lets them take no time.
	Memory units.Rate
	// Peak is how many operations a second a GPU does at most, and Bandwidth what its memory gives: the roofline of COMP nodes that have
	// num_ops and no duration. 0 lets them take no time.
	Peak      uint64
	Bandwidth units.Rate
}

// Notes are what a user should know of a job that was made of traces.
type Notes struct {
	Files int
	Nodes [typeCount]int // of all files, by type
	// Shared is how many ranks have the one trace that there is; 0 if each has its own.
	Shared int
	// Launches are nodes of collectives and messages that are calls of the processor only; Left are control dependencies that were
	// left out, Timeless the nodes of COMP and MEM that take no time because nothing says how much.
	Launches, Left, Timeless int
}

// Jobs reads the traces of a job, one file a rank in their order, or one for all ranks.
func Jobs(files []string, o Options) (*schedule.Job, *Notes, error) {
	if o.Ranks == 0 {
		o.Ranks = len(files)
	}
	b := &builder{Options: o, single: len(files) == 1 && o.Ranks > 1, ops: schedule.NewBuilder(), index: map[string]int32{}, all: -1}
	b.notes.Files = len(files)
	job := &schedule.Job{}
	if !b.single && len(files) != o.Ranks {
		return nil, nil, fmt.Errorf("traces of %d ranks for %d ranks", len(files), o.Ranks)
	}
	for rank, path := range files {
		graph, err := b.file(rank, path)
		if err != nil {
			return nil, nil, err
		}
		job.Ranks = append(job.Ranks, graph)
	}
	if b.single {
		b.notes.Shared = o.Ranks
		for len(job.Ranks) < o.Ranks {
			job.Ranks = append(job.Ranks, job.Ranks[0])
		}
	}
	job.Groups = b.groups
	if err := job.Check(); err != nil {
		return nil, nil, b.between(files, err)
	}
	return job, &b.notes, nil
}

// between is what the traces say together and cannot do, with the message of the operation that it is about.
func (b *builder) between(files []string, err error) error {
	var wrong *schedule.OpError
	if !errors.As(err, &wrong) {
		return err
	}
	rank := min(wrong.Rank, len(files)-1)
	node := wrong.Op
	if nodes := b.nodes[rank]; node >= nodes {
		node = int(b.taken[rank][node-nodes])
	}
	return fmt.Errorf("%s: message %d (%s): %s", files[rank], node+2, wrong.What, wrong.Problem)
}

// builder makes graphs, one of each trace.
type builder struct {
	Options
	notes  Notes
	single bool // one trace for all ranks
	ops    *schedule.Builder
	groups [][]int32
	index  map[string]int32 // of groups by their ranks
	all    int32            // index of the group of all ranks, or -1
	nodes  []int            // of each trace, how many there are: operations after these are receives,
	taken  [][]uint32       // and these their nodes

	// Of the trace that is read:
	rank    int
	reader  *Reader
	byID    map[uint64]uint32
	ids     []uint64
	arcs    []arc
	named   Groups // groups that the trace brings
	streams map[stream]uint8
	queues  map[queue][]uint32 // collectives that follow each other
	waiting []collectiveOf
	takes   []receive
}

// arc is what a node depends on.
type arc struct {
	node    uint32
	on      uint64
	control bool
}

// stream is a thread of the processor or a stream of the GPU.
type stream struct {
	cpu, memory, has bool
	thread           int64
}

// queue is where collectives follow each other: a stream of the GPU, or a group where the trace names none.
type queue struct {
	stream stream
	group  string
}

// collectiveOf is a node whose group is looked up when the whole trace is read: metadata may come late.
type collectiveOf struct {
	op     uint32
	record int
	offset int64
	node   *Node
}

// receive is a RECV node. What it receives is awaited from the beginning, as ASTRA-sim takes what arrives whether or not a node
// waits for it: in its traces a receive may well depend on a send of the same rank that nobody could finish otherwise.
type receive struct {
	node uint32 // whose operation waits for the message and for what else the node depends on
	op   schedule.Op
}

// longest is what a node can take, maxNodes how many nodes a trace can have: each may become two operations. A message is one of a
// queue pair, and the data of a collective what no machine has.
const (
	longest      = 1_000_000 * units.Second
	maxNodes     = schedule.MaxOps / 2
	mostMessage  = units.GiB
	mostTogether = 1 << 46
)

// file reads one trace.
func (b *builder) file(rank int, path string) (graph *schedule.Graph, err error) {
	r, file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if wrong := file.Close(); err == nil && wrong != nil {
			graph, err = nil, wrong
		}
	}()
	return b.trace(rank, r)
}

// trace reads the nodes of one trace.
func (b *builder) trace(rank int, r *Reader) (*schedule.Graph, error) {
	b.rank, b.reader = rank, r
	b.byID, b.ids, b.arcs, b.named = map[uint64]uint32{}, b.ids[:0], b.arcs[:0], maps.Clone(b.Groups)
	b.streams, b.queues, b.waiting = map[stream]uint8{}, map[queue][]uint32{}, b.waiting[:0]
	b.takes = b.takes[:0]
	if b.named == nil {
		b.named = Groups{}
	}
	for {
		node, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = b.node(node)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(b.ids) == 0 {
		return nil, fmt.Errorf("%s: a trace without nodes", r.name)
	}
	if err := b.meet(); err != nil {
		return nil, err
	}
	if err := b.depend(); err != nil {
		return nil, err
	}
	graph, err := b.ops.Graph()
	var circle *schedule.CycleError
	if errors.As(err, &circle) {
		return nil, fmt.Errorf("%s: nodes depend on each other in a circle: %s%s", r.name, circle.Text(b.what), b.advice())
	}
	return graph, err
}

// what names a node by its id and where it stands.
func (b *builder) what(op int) string {
	return fmt.Sprintf("node %d (message %d)", b.ids[op], op+2)
}

// advice is for traces whose control dependencies are no order, as those of PyTorch: they name the operation by which another one
// was called.
func (b *builder) advice() string {
	if b.DataOnly {
		return ""
	}
	return "; as ASTRA-sim does, dependencies: data follows those of data only"
}

// node adds the operation of a node.
func (b *builder) node(n *Node) error {
	r := b.reader
	at := uint32(len(b.ids))
	if first, twice := b.byID[n.ID]; twice {
		return r.fail("node %d a second time; it is message %d", n.ID, first+2)
	}
	if len(b.ids) == maxNodes {
		return r.fail("more than %d nodes", maxNodes)
	}
	b.byID[n.ID] = at
	b.ids = append(b.ids, n.ID)
	for _, on := range n.Data {
		b.arcs = append(b.arcs, arc{node: at, on: on})
	}
	for _, on := range n.Control {
		if b.DataOnly {
			b.notes.Left++
			continue
		}
		b.arcs = append(b.arcs, arc{node: at, on: on, control: true})
	}
	b.notes.Nodes[n.Type]++
	op, err := b.operation(n)
	if err == nil {
		b.ops.Add(op)
	}
	return err
}

// operation is what a node does.
func (b *builder) operation(n *Node) (op schedule.Op, err error) {
	communicates := n.Type == Send || n.Type == Recv || n.Type == Coll
	if communicates && n.CPU {
		// What the processor does about it. The message or collective itself is a node of the GPU.
		b.notes.Launches++
		return b.calc(n, n.Duration)
	}
	switch n.Type {
	case Metadata:
		groups, err := metadata(n)
		if err != nil {
			return op, b.reader.fail("%v", err)
		}
		maps.Copy(b.named, groups)
		return op, nil
	case MemLoad, MemStore:
		took := n.Duration
		if took == 0 && b.Memory > 0 {
			took = b.Memory.Serialise(int(n.TensorSize))
		}
		if took == 0 {
			b.notes.Timeless++
		}
		return b.calc(n, took)
	case Comp:
		took := n.Duration
		if took == 0 && !n.CPU {
			if took, err = b.roofline(n); err != nil {
				return op, err
			}
			if took == 0 {
				b.notes.Timeless++
			}
		}
		return b.calc(n, took)
	case Send, Recv:
		return b.message(n)
	case Coll:
		if !n.HasComm {
			return op, b.reader.fail("node %d is a collective without comm_type", n.ID)
		}
		b.waiting = append(b.waiting, collectiveOf{op: uint32(len(b.ids) - 1), record: b.reader.record, offset: b.reader.offset, node: n})
		return op, nil
	}
	return op, nil // Invalid
}

// calc is an operation that takes a time on the node's stream.
func (b *builder) calc(n *Node, took units.Time) (schedule.Op, error) {
	s := stream{cpu: n.CPU, has: n.HasThread, thread: n.Thread}
	if n.Type == MemLoad || n.Type == MemStore {
		s = stream{memory: true}
	}
	if took > longest {
		return schedule.Op{}, b.reader.fail("node %d takes %v; at most %v", n.ID, took, longest)
	}
	number, known := b.streams[s]
	if !known {
		// Stream 0 is for what takes no time.
		if len(b.streams) == 255 {
			return schedule.Op{}, b.reader.fail("more than 255 threads and streams")
		}
		number = uint8(len(b.streams) + 1)
		b.streams[s] = number
	}
	return schedule.Op{Kind: schedule.Calc, Stream: number, Time: took}, nil
}

// roofline is what operations take of a GPU that does so many a second, and whose memory gives so much.
func (b *builder) roofline(n *Node) (units.Time, error) {
	if b.Peak == 0 {
		return 0, nil
	}
	high, low := bits.Mul64(n.Operations, uint64(units.Second))
	if high >= b.Peak {
		return 0, b.reader.fail("node %d of %d operations takes too long", n.ID, n.Operations)
	}
	quotient, _ := bits.Div64(high, low, b.Peak)
	took := units.Time(min(quotient, 1<<62))
	if b.Bandwidth > 0 {
		took = max(took, b.Bandwidth.Serialise(int(n.TensorSize)))
	}
	return took, nil
}

// message is a send or a receive.
func (b *builder) message(n *Node) (op schedule.Op, err error) {
	r := b.reader
	op = schedule.Op{Kind: schedule.Send, Tag: n.Tag, Size: n.Size}
	own, other, ownName, otherName := n.Source, n.Destination, "comm_src", "comm_dst"
	if n.Type == Recv {
		op.Kind = schedule.Recv
		own, other, ownName, otherName = other, own, otherName, ownName
	}
	switch {
	case b.single:
		return op, r.fail("node %d is a message of one rank; the one trace cannot be that of %d ranks", n.ID, b.Ranks)
	case other == nobody:
		return op, r.fail("node %d is a %v without %s", n.ID, n.Type, otherName)
	case own != nobody && own != int64(b.rank):
		return op, r.fail("node %d is a %v with %s %d in the trace of rank %d", n.ID, n.Type, ownName, own, b.rank)
	case other >= int64(b.Ranks):
		return op, r.fail("node %d: %s is %d, and there are %d ranks", n.ID, otherName, other, b.Ranks)
	case other == int64(b.rank):
		return op, r.fail("node %d: %s is the rank itself, %d", n.ID, otherName, other)
	case n.Size > mostMessage:
		return op, r.fail("node %d is a %v of %d bytes; a message has at most %d", n.ID, n.Type, n.Size, mostMessage)
	}
	op.Peer = int32(other)
	if op.Kind == schedule.Recv {
		b.takes = append(b.takes, receive{node: uint32(len(b.ids) - 1), op: op})
		return schedule.Op{}, nil
	}
	return op, nil
}

// depend has operations wait for others, now that all are known. Collectives of a queue follow each other in an order in
// which all could be done one by one, and messages are received in it.
func (b *builder) depend() error {
	for _, a := range b.arcs {
		before, is := b.byID[a.on]
		if !is {
			kind, advice := "data", ""
			if a.control {
				kind, advice = "control", b.advice()
			}
			return fmt.Errorf("%s: %s depends (%s) on node %d, which is not in the trace%s", b.reader.name, b.what(int(a.node)), kind, a.on, advice)
		}
		b.ops.Requires(int(a.node), int(before))
	}
	place := b.order()
	queues := slices.SortedFunc(maps.Values(b.queues), func(x, y []uint32) int { return int(x[0]) - int(y[0]) })
	for _, q := range queues {
		slices.SortFunc(q, func(x, y uint32) int { return place[x] - place[y] })
		for k := 1; k < len(q); k++ {
			b.ops.Requires(int(q[k]), int(q[k-1]))
		}
	}
	slices.SortFunc(b.takes, func(x, y receive) int { return place[x.node] - place[y.node] })
	var taken []uint32
	for _, t := range b.takes {
		b.ops.Requires(int(t.node), b.ops.Add(t.op))
		taken = append(taken, t.node)
	}
	b.nodes, b.taken = append(b.nodes, len(b.ids)), append(b.taken, taken)
	return nil
}

// order returns the place of each operation in an order in which none comes before what it depends on; of those that could be
// next it is the one that stands first in the trace. In a circle there is none, which is told later.
func (b *builder) order() []int {
	if len(b.queues) == 0 && len(b.takes) == 0 {
		return nil
	}
	open := make([]int, len(b.ids))
	first := make([]int, len(b.ids)+1)
	for _, a := range b.arcs {
		open[a.node]++
		first[b.byID[a.on]+1]++
	}
	for i := range b.ids {
		first[i+1] += first[i]
	}
	next, follows := slices.Clone(first), make([]uint32, len(b.arcs))
	for _, a := range b.arcs {
		before := b.byID[a.on]
		follows[next[before]] = a.node
		next[before]++
	}
	place := make([]int, len(b.ids))
	var ready smallest
	for i, n := range open {
		if n == 0 {
			ready = append(ready, uint32(i))
		}
	}
	for n := 0; len(ready) > 0; n++ {
		op := heap.Pop(&ready).(uint32)
		place[op] = n
		for _, after := range follows[first[op]:first[op+1]] {
			if open[after]--; open[after] == 0 {
				heap.Push(&ready, after)
			}
		}
	}
	return place
}

// smallest is a heap of operations.
type smallest []uint32

func (s smallest) Len() int           { return len(s) }
func (s smallest) Less(i, j int) bool { return s[i] < s[j] }
func (s smallest) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *smallest) Push(x any)        { *s = append(*s, x.(uint32)) }
func (s *smallest) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// meet fills in the collectives.
func (b *builder) meet() error {
	for _, w := range b.waiting {
		r := *b.reader
		r.record, r.offset = w.record, w.offset
		op, err := b.collective(&r, w.node)
		if err != nil {
			return err
		}
		*b.ops.Op(int(w.op)) = op
		if op.Kind == schedule.Collective {
			q := queue{stream: stream{has: w.node.HasThread, thread: w.node.Thread}}
			if !w.node.HasThread {
				q.group = w.node.Group
			}
			b.queues[q] = append(b.queues[q], w.op)
		}
	}
	return nil
}

// collective is the operation of a node that is one.
func (b *builder) collective(r *Reader, n *Node) (op schedule.Op, err error) {
	members, index, err := b.group(r, n)
	if err != nil {
		return op, err
	}
	if n.Partly {
		return op, r.fail("node %d: involved_dim leaves out dimensions of a network of several; give the ranks as a group (pg_name)", n.ID)
	}
	if len(members) == 1 {
		return op, nil // nobody to send to
	}
	if n.Size > mostTogether {
		return op, r.fail("node %d: comm_size is %d; at most %d", n.ID, n.Size, mostTogether)
	}
	op = schedule.Op{Kind: schedule.Collective, Group: index, Size: n.Size}
	switch n.Comm {
	case AllReduce:
		op.What = collective.AllReduce
	case Reduce:
		op.What = collective.Reduce
	case AllGather:
		op.What = collective.AllGather
		if n.Size > mostTogether/units.Bytes(len(members)) {
			return op, r.fail("node %d: an all-gather of %d bytes of each of %d ranks is too large", n.ID, n.Size, len(members))
		}
		op.Size *= units.Bytes(len(members))
	case Broadcast:
		op.What = collective.Broadcast
	case AllToAll:
		op.What = collective.AllToAll
	case ReduceScatter, ReduceScatterBlock:
		op.What = collective.ReduceScatter
	case Barrier:
		op.What, op.Size = collective.Barrier, 0
	default:
		return op, r.fail("node %d is a %v, which is not run; it can be given as sends and receives", n.ID, n.Comm)
	}
	if n.Root != nobody && (n.Comm == Reduce || n.Comm == Broadcast) {
		place := slices.Index(members, int32(n.Root))
		if place < 0 {
			return op, r.fail("node %d: root_rank %d is not in the group", n.ID, n.Root)
		}
		op.Root = int32(place)
	}
	return op, nil
}

// group is that of a collective.
func (b *builder) group(r *Reader, n *Node) (members []int32, index int32, err error) {
	members, named := b.named[n.Group]
	switch {
	case named:
		for _, m := range members {
			if int(m) >= b.Ranks {
				return nil, 0, r.fail("node %d: group %q has rank %d, and there are %d ranks", n.ID, n.Group, m, b.Ranks)
			}
		}
		if b.single && len(members) < b.Ranks {
			return nil, 0, r.fail("node %d: group %q has %d of the %d ranks; the one trace does not say what the others do", n.ID, n.Group, len(members), b.Ranks)
		}
		if !slices.Contains(members, int32(b.rank)) {
			return nil, 0, r.fail("node %d: rank %d is not in group %q", n.ID, b.rank, n.Group)
		}
	case n.Group == "" || n.Group == "0" && len(b.named) == 0:
		// All ranks; PyTorch calls them group 0 if nothing else is said of it.
		if b.all >= 0 {
			return b.groups[b.all], b.all, nil
		}
		members = make([]int32, b.Ranks)
		for rank := range members {
			members[rank] = int32(rank)
		}
	default:
		return nil, 0, r.fail("node %d: there is no group %q; its ranks belong in the file of groups or in a METADATA node", n.ID, n.Group)
	}
	key := fmt.Sprint(n.Group, members)
	index, known := b.index[key]
	if !known {
		index = int32(len(b.groups))
		b.groups = append(b.groups, members)
		b.index[key] = index
	}
	if !named {
		b.all = index
	}
	return members, index, nil
}
