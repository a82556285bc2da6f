package goal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Sizes in the binary form.
const (
	magic       = 4223
	magicBytes  = 8
	headBytes   = 6  // ranks, highest cpu and nic
	rangeBytes  = 16 // beginning and end of a rank
	recordBytes = 39
)

// What an operation does, in a record.
const (
	recordSend = 1
	recordRecv = 2
	recordCalc = 3
)

// binaryReader reads the binary form from its beginning to its end.
type binaryReader struct {
	in   *bufio.Reader
	unit units.Time
	at   uint64 // offset behind the magic number
	err  error

	ranks          int
	maxCPU, maxNIC uint8
	rank           int // the current one
	build          *schedule.Builder

	// Of the current rank:
	roots   []uint32
	waits   []uint32 // for how many others each operation says that it waits
	lists   []listed
	follows []uint32
}

// listed says where in the list the operations stand that wait for one.
type listed struct{ finish, finishAt, start, startAt uint32 }

func readBinary(in *bufio.Reader, unit units.Time) (*schedule.Job, error) {
	r := &binaryReader{in: in, unit: unit, build: schedule.NewBuilder()}
	if _, err := in.Discard(magicBytes); err != nil {
		return nil, err
	}
	job := new(schedule.Job)
	ranges := r.head()
	for rank := 0; rank < len(ranges) && r.err == nil; rank++ {
		r.rank = rank
		if g := r.graph(ranges[rank]); g != nil {
			job.Ranks = append(job.Ranks, g)
		}
	}
	if r.err == nil {
		if _, err := r.in.ReadByte(); !errors.Is(err, io.EOF) {
			r.fail("there is more behind the last rank, which ends at byte %d", magicBytes+r.at)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return rails(job, r.maxNIC), nil
}

func (r *binaryReader) fail(problem string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(problem, args...)
	}
}

// wrong is about an operation.
func (r *binaryReader) wrong(op int, problem string, args ...any) {
	r.fail("rank %d, record %d: "+problem, append([]any{r.rank, op}, args...)...)
}

// read reads so many bytes, at most a record; they hold until the next call. Where something is missing, within says of what.
func (r *binaryReader) read(bytes int, within func() string) []byte {
	var err error
	if r.err == nil {
		var b []byte
		if b, err = r.in.Peek(bytes); err == nil {
			_, _ = r.in.Discard(bytes)
			r.at += uint64(bytes)
			return b
		}
		r.at += uint64(len(b))
	}
	switch {
	case r.err != nil:
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		r.fail("the file ends at byte %d, within %s", magicBytes+r.at, within())
	default:
		r.fail("byte %d: %w", magicBytes+r.at, err)
	}
	return zeros[:bytes]
}

var zeros [recordBytes]byte

func (r *binaryReader) word() uint32 { return binary.LittleEndian.Uint32(r.read(4, r.inRank)) }

func (r *binaryReader) inRank() string { return fmt.Sprint("rank ", r.rank) }

func (r *binaryReader) inRecord() string {
	return fmt.Sprintf("rank %d, record %d", r.rank, r.build.Ops())
}

// head reads where the ranks stand.
func (r *binaryReader) head() [][2]uint64 {
	head := r.read(headBytes, func() string { return "its head" })
	r.ranks, r.maxCPU, r.maxNIC = int(binary.LittleEndian.Uint32(head)), head[4], head[5]
	switch {
	case r.err != nil:
	case r.ranks > MaxRanks:
		r.fail("%d ranks are too many: at most %d", r.ranks, MaxRanks)
	case r.maxNIC > maxNIC:
		r.fail("%d as the highest nic is too large: at most %d", r.maxNIC, maxNIC)
	}
	var ranges [][2]uint64
	end := uint64(headBytes) + rangeBytes*uint64(r.ranks)
	for rank := 0; rank < r.ranks && r.err == nil; rank++ {
		b := r.read(rangeBytes, func() string { return fmt.Sprintf("the place of rank %d", rank) })
		from, to := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		switch {
		case r.err != nil:
		case from < end:
			r.fail("rank %d begins at offset %d, before the end of what stands in front of it at %d", rank, from, end)
		case to < from || to-from < 8:
			r.fail("rank %d is from offset %d to %d: not even the two numbers that a rank begins with", rank, from, to)
		}
		ranges, end = append(ranges, [2]uint64{from, to}), to
	}
	return ranges
}

// graph reads the current rank; nil if it is not right.
func (r *binaryReader) graph(place [2]uint64) *schedule.Graph {
	for r.at < place[0] && r.err == nil {
		n, err := r.in.Discard(int(min(place[0]-r.at, 1<<30)))
		if r.at += uint64(n); err != nil {
			r.fail("the file ends at byte %d, before rank %d, which begins at byte %d", magicBytes+r.at, r.rank, magicBytes+place[0])
		}
	}
	ops, roots := uint64(r.word()), uint64(r.word())
	room := place[1] - place[0] - 8
	switch {
	case r.err != nil:
		return nil
	case ops > schedule.MaxOps:
		r.fail("rank %d: %d operations are too many: at most %d", r.rank, ops, schedule.MaxOps)
	case roots > ops:
		r.fail("rank %d: %d roots among %d operations", r.rank, roots, ops)
	case 4*roots+recordBytes*ops > room:
		r.fail("rank %d: %d roots and %d operations do not fit into its %d bytes", r.rank, roots, ops, room+8)
	case (room-4*roots-recordBytes*ops)%4 != 0:
		r.fail("rank %d: %d bytes behind its %d operations are no list of numbers of 4 bytes", r.rank, room-4*roots-recordBytes*ops, ops)
	}
	list := (room - 4*roots - recordBytes*ops) / 4
	r.roots, r.waits, r.lists, r.follows = r.roots[:0], r.waits[:0], r.lists[:0], r.follows[:0]
	for range roots {
		if r.err != nil {
			return nil
		}
		r.roots = append(r.roots, r.word())
	}
	for op := range int(ops) {
		if r.operation(op, list); r.err != nil {
			return nil
		}
	}
	for range list {
		if r.err != nil {
			return nil
		}
		r.follows = append(r.follows, r.word())
	}
	return r.link()
}

// operation reads a record.
func (r *binaryReader) operation(at int, list uint64) {
	b := r.read(recordBytes, r.inRecord)
	if r.err != nil {
		return
	}
	word := binary.LittleEndian.Uint32
	waits, kind, peer, size, tag, cpu, nic := word(b), b[4], word(b[5:]), binary.LittleEndian.Uint64(b[9:]), word(b[17:]), b[21], b[22]
	lists := listed{word(b[23:]), word(b[27:]), word(b[31:]), word(b[35:])}
	op := schedule.Op{Kind: schedule.Send, Stream: cpu, NIC: nic, Peer: int32(peer), Tag: tag, Size: units.Bytes(size)}
	receives := kind == recordRecv
	if cpu > r.maxCPU || nic > r.maxNIC {
		r.wrong(at, "cpu %d and nic %d, where %d and %d are the highest by the file's head", cpu, nic, r.maxCPU, r.maxNIC)
	}
	switch kind {
	case recordCalc:
		time, fits := scale(size, r.unit)
		if !fits {
			r.wrong(at, "calc %d is longer than %v, the most an operation can take", size, MaxTime)
		}
		op = schedule.Op{Kind: schedule.Calc, Stream: cpu, Time: time}
	case recordSend, recordRecv:
		if receives {
			op.Kind = schedule.Recv
		}
		switch {
		case size > uint64(MaxSize):
			r.wrong(at, "a message of %d bytes is too large: at most %d", size, int64(MaxSize))
		case receives && op.Peer == schedule.Any:
		case uint64(peer) >= uint64(r.ranks):
			r.wrong(at, "there is no rank %d; there are ranks 0 to %d", peer, r.ranks-1)
		case int(peer) == r.rank:
			r.wrong(at, "a message of rank %d to itself", r.rank)
		}
		if !receives && tag == schedule.AnyTag {
			r.wrong(at, "a send with tag %d, which receives take for any", tag)
		}
	default:
		r.wrong(at, "an operation of type %d; there are 1 send, 2 recv and 3 calc", kind)
	}
	for _, l := range [][2]uint32{{lists.finish, lists.finishAt}, {lists.start, lists.startAt}} {
		if uint64(l[0])+uint64(l[1]) > list {
			r.wrong(at, "%d operations follow it, from place %d of a list of %d", l[0], l[1], list)
		}
	}
	r.build.Add(op)
	r.waits, r.lists = append(r.waits, waits), append(r.lists, lists)
}

// link takes from the list what follows what, and checks the counts.
func (r *binaryReader) link() *schedule.Graph {
	used := 0
	for op, l := range r.lists {
		if used += int(l.finish) + int(l.start); used > len(r.follows) {
			r.wrong(op, "it and those before it have %d operations that follow them, their list %d", used, len(r.follows))
			return nil
		}
		for _, after := range r.follows[l.finishAt:][:l.finish] {
			if r.follow(op, after) {
				r.build.Requires(int(after), op)
			}
		}
		for _, after := range r.follows[l.startAt:][:l.start] {
			if r.follow(op, after) {
				r.build.IRequires(int(after), op)
			}
		}
	}
	if r.err == nil && used < len(r.follows) {
		r.fail("rank %d: the list of what follows has %d entries, its records say %d", r.rank, len(r.follows), used)
	}
	if r.err != nil {
		return nil
	}
	g, err := r.build.Graph()
	var circle *schedule.CycleError
	if errors.As(err, &circle) {
		r.fail("rank %d can never finish: %s", r.rank, circle.Text(func(op int) string { return fmt.Sprint("record ", op) }))
		return nil
	}
	r.counts(g)
	return g
}

// follow checks an entry of the list.
func (r *binaryReader) follow(op int, after uint32) bool {
	if int(after) >= len(r.lists) {
		r.wrong(op, "record %d follows it; there are %d", after, len(r.lists))
	}
	return r.err == nil
}

// counts compares what records say about how many others they wait for, and the roots, with the lists.
func (r *binaryReader) counts(g *schedule.Graph) {
	roots := 0
	for op, waits := range r.waits {
		if int(waits) != g.Needs(op) {
			r.wrong(op, "it says that it waits for %d operations, and follows %d", waits, g.Needs(op))
			return
		}
		if waits == 0 {
			roots++
		}
	}
	for _, root := range r.roots {
		if int(root) >= len(r.waits) {
			r.fail("rank %d: record %d is called a root; there are %d", r.rank, root, len(r.waits))
			return
		}
		if r.waits[root] > 0 {
			r.wrong(int(root), "it is called a root, and waits for %d operations, or is called so twice", r.waits[root])
			return
		}
		r.waits[root] = 1
	}
	if roots != len(r.roots) {
		r.fail("rank %d: %d roots are named, and %d operations wait for nothing", r.rank, len(r.roots), roots)
	}
}
