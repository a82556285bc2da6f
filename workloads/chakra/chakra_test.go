package chakra

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/collective"
	"github.com/rdmasim/rdmasim/internal/golden"
	"github.com/rdmasim/rdmasim/internal/jobtest"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
	"google.golang.org/protobuf/encoding/protowire"
)

const us = units.Microsecond

// comp, send, recv and coll are nodes that depend on others.
func comp(id uint64, took units.Time, on ...uint64) *Node {
	return &Node{ID: id, Type: Comp, Duration: took, Data: on, Source: nobody, Destination: nobody, Root: nobody}
}

func send(id uint64, to int64, size units.Bytes, on ...uint64) *Node {
	return &Node{ID: id, Type: Send, Destination: to, Size: size, Data: on, Source: nobody, Root: nobody}
}

func recv(id uint64, from int64, size units.Bytes, on ...uint64) *Node {
	return &Node{ID: id, Type: Recv, Source: from, Size: size, Data: on, Destination: nobody, Root: nobody}
}

func coll(id uint64, kind Comm, size units.Bytes, group string, on ...uint64) *Node {
	return &Node{ID: id, Type: Coll, HasComm: true, Comm: kind, Size: size, Group: group, Data: on, Source: nobody, Destination: nobody, Root: nobody}
}

// trace writes a trace.
func trace(nodes ...*Node) []byte {
	var text bytes.Buffer
	w := NewWriter(&text, "0.0.4")
	for _, n := range nodes {
		w.Node(n)
	}
	return text.Bytes()
}

// laid writes the traces of ranks into a folder and returns what their names begin with.
func laid(t *testing.T, traces ...[]byte) string {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "job")
	for rank, text := range traces {
		if err := os.WriteFile(fmt.Sprintf("%s.%d.et", prefix, rank), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return prefix
}

func jobs(prefix string, o Options) (*schedule.Job, *Notes, error) {
	files, err := Traces(prefix)
	if err != nil {
		return nil, nil, err
	}
	return Jobs(files, o)
}

// job makes a job that passes its check.
func job(t testing.TB, prefix string, o Options) (*schedule.Job, *Notes) {
	t.Helper()
	j, notes, err := jobs(prefix, o)
	if err == nil {
		err = j.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return j, notes
}

// perKiB is a network on which a message takes 1 us, and a collective 10 us for each KiB.
var perKiB = jobtest.Network{
	Message:    func(units.Bytes) units.Time { return us },
	Collective: func(op *schedule.Op, _ int) units.Time { return units.Time(op.Size/1024) * 10 * us },
}

func TestANodeIsReadAsItWasWritten(t *testing.T) {
	nodes := []*Node{
		{ID: 1 << 63, Name: "a", Type: Comp, Control: []uint64{3, 1 << 40}, Data: []uint64{0}, Start: 17 * us, Duration: 5 * us, CPU: true,
			Thread: -4, HasThread: true, Operations: 1 << 62, TensorSize: 12, Source: nobody, Destination: nobody, Root: nobody},
		{Name: "b", Type: Coll, HasComm: true, Comm: Barrier, Size: 1<<63 - 1, Group: "tp", Root: 0, Partly: true, Source: nobody, Destination: nobody},
		{ID: 5, Type: Send, Source: 0, Destination: 1<<31 - 1, Tag: 1<<32 - 2, Root: nobody},
		{ID: 6, Type: Metadata, Values: "[\"x\"]", Source: nobody, Destination: nobody, Root: nobody},
	}
	r, err := NewReader("f", bytes.NewReader(trace(nodes...)))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range nodes {
		got, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) || r.Version != "0.0.4" || r.Record() != 5 {
		t.Errorf("%v at the end of %d messages of version %s", err, r.Record(), r.Version)
	}
}

// node is a message of a node with one attribute comm_size, in a field of the caller's choice.
func sized(field protowire.Number, kind protowire.Type, value func([]byte) []byte) []byte {
	a := text(nil, attrName, "comm_size")
	a = value(protowire.AppendTag(a, field, kind))
	m := number(nil, nodeType, uint64(Coll))
	m = text(m, nodeAttr, string(a))
	global := protowire.AppendBytes(nil, text(nil, globalVersion, "x"))
	return protowire.AppendBytes(global, m)
}

func TestAnIntegerMayHaveAnyWidth(t *testing.T) {
	for field, kind := range map[protowire.Number]protowire.Type{
		attrInt32: protowire.VarintType, attrInt64: protowire.VarintType, attrUint32: protowire.VarintType, attrUint64: protowire.VarintType,
		attrSint32: protowire.VarintType, attrSint64: protowire.VarintType, attrFixed32: protowire.Fixed32Type, attrSfixed32: protowire.Fixed32Type,
		attrFixed64: protowire.Fixed64Type, attrSfixed64: protowire.Fixed64Type,
	} {
		r, err := NewReader("f", bytes.NewReader(sized(field, kind, func(m []byte) []byte {
			switch kind {
			case protowire.Fixed32Type:
				return protowire.AppendFixed32(m, 77)
			case protowire.Fixed64Type:
				return protowire.AppendFixed64(m, 77)
			}
			if field == attrSint32 || field == attrSint64 {
				return protowire.AppendVarint(m, protowire.EncodeZigZag(77))
			}
			return protowire.AppendVarint(m, 77)
		})))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := r.Next(); err != nil || n.Size != 77 {
			t.Errorf("field %d: %+v, %v", field, n, err)
		}
	}
}

func TestWhatIsUnknownIsSkipped(t *testing.T) {
	m := number(nil, nodeID, 7)
	m = text(m, 11, "storage") // of a later schema
	m = number(m, 500, 3)
	m = protowire.AppendFixed32(protowire.AppendTag(m, 501, protowire.Fixed32Type), 3)
	m = protowire.AppendGroup(protowire.AppendTag(m, 502, protowire.StartGroupType), 502, number(nil, 1, 1))
	m = text(m, nodeAttr, string(text(text(nil, attrName, "op_schema"), attrString, "f(x)")))
	m = number(m, nodeControl, 1) // not packed
	m = number(m, nodeControl, 2)
	m = number(m, nodeType, uint64(Comp))
	r, err := NewReader("f", bytes.NewReader(append(trace(), protowire.AppendBytes(nil, m)...)))
	if err != nil {
		t.Fatal(err)
	}
	want := comp(7, 0)
	want.Control, want.Data = []uint64{1, 2}, nil
	if n, err := r.Next(); err != nil || cmp.Diff(want, n) != "" {
		t.Errorf("%v: %s", err, cmp.Diff(want, n))
	}
}

// readAll reads a text as a trace to its end.
func readAll(text []byte) error {
	r, err := NewReader("f", bytes.NewReader(text))
	for err == nil {
		_, err = r.Next()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func TestAnErrorNamesTheMessageAndItsByte(t *testing.T) {
	whole := trace(comp(1, us), comp(2, us, 1))
	one := len(trace(comp(1, us)))
	node := func(m []byte) []byte { return append(trace(comp(1, us)), protowire.AppendBytes(nil, m)...) }
	attr := func(a []byte) []byte { return node(text(nil, nodeAttr, string(a))) }
	cases := map[string]struct {
		text []byte
		want string
	}{
		"empty":      {nil, "f: an empty file; a trace begins with a message about itself"},
		"text":       {[]byte("num_ranks 4\nrank 0 {"), "f: message 1 at byte 0: the file ends after 19 of the 110 bytes of the message"},
		"huge":       {bytes.Repeat([]byte{0xff}, 9), "f: message 1 at byte 0: no length of a message; is this a trace of Chakra?"},
		"long":       {protowire.AppendVarint(nil, 1<<29), "f: message 1 at byte 0: a message of 536870912 bytes; at most 268435456"},
		"no global":  {whole[7:], "f: message 1 at byte 0: a node, where a message about the whole trace should stand"},
		"cut":        {whole[:len(whole)-1], fmt.Sprintf("f: message 3 at byte %d: the file ends after %d of the %d bytes of the message", one, len(whole)-one-2, len(whole)-one-1)},
		"cut length": {append(trace(), 0x80), "f: message 2 at byte 8: the file ends within the length of the message"},
		"field":      {node([]byte{0x0a, 0x7f}), fmt.Sprintf("f: message 3 at byte %d: field 1: unexpected EOF", one)},
		"tag":        {node([]byte{0x07}), fmt.Sprintf("f: message 3 at byte %d: invalid field number", one)},
		"type":       {node(number(number(nil, nodeID, 9), nodeType, 8)), fmt.Sprintf("f: message 3 at byte %d: node 9 has the type 8; known are 0 to 7", one)},
		"time":       {node(number(nil, nodeDuration, 1<<63)), fmt.Sprintf("f: message 3 at byte %d: a time of 9223372036854775808 us is too long", one)},
		"deps":       {node(text(nil, nodeData, "\x80")), fmt.Sprintf("f: message 3 at byte %d: a list of nodes: unexpected EOF", one)},
		"negative":   {attr(number(text(nil, attrName, "comm_size"), attrInt64, 1<<64-1)), fmt.Sprintf("f: message 3 at byte %d: the attribute comm_size of node 0 is -1; want 0 to 9223372036854775807", one)},
		"unsigned":   {attr(number(text(nil, attrName, "comm_dst"), attrUint64, 1<<63)), fmt.Sprintf("f: message 3 at byte %d: the attribute comm_dst of node 0 is -9223372036854775808; want 0 to 2147483647", one)},
		"kind":       {attr(number(text(nil, attrName, "comm_type"), attrInt64, 10)), fmt.Sprintf("f: message 3 at byte %d: the attribute comm_type of node 0 is 10; want 0 to 9", one)},
		"text size":  {attr(text(text(nil, attrName, "comm_size"), attrString, "7")), fmt.Sprintf("f: message 3 at byte %d: the attribute comm_size of node 0 is not an integer", one)},
	}
	for name, tc := range cases {
		err := readAll(tc.text)
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s:\n\terror %q\n\twant  %q", name, err, tc.want)
		}
	}
}

// Rank 0 computes for 5 us and sends; rank 1 receives and computes; both sum up.
func TestTracesOfRanksBecomeAJob(t *testing.T) {
	prefix := laid(t,
		trace(comp(1, 5*us), send(2, 1, 4096, 1), coll(3, AllReduce, 2048, "", 2)),
		trace(recv(10, 0, 4096), comp(11, 3*us, 10), coll(12, AllReduce, 2048, "", 11)))
	j, notes := job(t, prefix, Options{})
	spans := jobtest.Run(t, j, perKiB)
	if diff := cmp.Diff([][]string{
		{"0s-5us calc of 5us", "5us-6us send of 4096 bytes to rank 1, tag 0", "6us-29us all-reduce of 2048 bytes in group 0"},
		{"0s-6us recv of 4096 bytes from rank 0, tag 0", "6us-6us calc of 0s", "6us-9us calc of 3us", "9us-29us all-reduce of 2048 bytes in group 0"},
	}, [][]string{jobtest.Lines(j, spans, 0), jobtest.Lines(j, spans, 1)}); diff != "" {
		t.Error(diff)
	}
	if want := (Notes{Files: 2, Nodes: [typeCount]int{Comp: 2, Send: 1, Recv: 1, Coll: 2}}); *notes != want {
		t.Errorf("%+v", notes)
	}
}

// An all-gather of 1 KiB of each of two ranks is one of 2 KiB, as nccl-tests counts; a reduce-scatter is of what goes in.
func TestSizesOfCollectives(t *testing.T) {
	for kind, want := range map[Comm]schedule.Op{
		AllReduce:          {What: collective.AllReduce, Size: 1024},
		Reduce:             {What: collective.Reduce, Size: 1024, Root: 1},
		Broadcast:          {What: collective.Broadcast, Size: 1024, Root: 1},
		AllGather:          {What: collective.AllGather, Size: 2048},
		AllToAll:           {What: collective.AllToAll, Size: 1024},
		ReduceScatter:      {What: collective.ReduceScatter, Size: 1024},
		ReduceScatterBlock: {What: collective.ReduceScatter, Size: 1024},
		Barrier:            {What: collective.Barrier},
	} {
		n := coll(1, kind, 1024, "g")
		n.Root = 2
		group := Groups{"g": {0, 2}}
		j, _ := job(t, laid(t, trace(n), trace(comp(1, us)), trace(n)), Options{Groups: group})
		want.Kind = schedule.Collective
		if diff := cmp.Diff(want, *j.Ranks[2].Op(0)); diff != "" {
			t.Errorf("%v: %s", kind, diff)
		}
	}
}

// Two threads of the processor and two streams of the GPU: nodes of one take turns, others run side by side.
func TestNodesOfOneStreamTakeTurns(t *testing.T) {
	on := func(id uint64, cpu bool, thread int64) *Node {
		n := comp(id, 10*us)
		n.CPU, n.Thread, n.HasThread = cpu, thread, true
		return n
	}
	j, _ := job(t, laid(t, trace(on(1, true, 1), on(2, true, 2), on(3, false, 1), on(4, false, 1), on(5, false, 7), on(6, true, 1))), Options{})
	var ends []units.Time
	for _, s := range jobtest.Run(t, j, perKiB)[0] {
		ends = append(ends, s.End)
	}
	if diff := cmp.Diff([]units.Time{10 * us, 10 * us, 10 * us, 20 * us, 10 * us, 20 * us}, ends); diff != "" {
		t.Error(diff)
	}
}

// Two all-reduces of one stream, of 10 us each, and 3 us of computing after the second: the second waits for the first although
// nothing says so. On a stream of its own it does not. If the first of the file depends on what depends on the other, that
// one comes first.
func TestCollectivesOfAStreamFollowEachOther(t *testing.T) {
	for _, tc := range []struct {
		streams [2]int64
		on      []uint64
		end     units.Time
	}{{[2]int64{14, 14}, nil, 23 * us}, {[2]int64{14, 15}, nil, 13 * us}, {[2]int64{14, 14}, []uint64{3}, 23 * us}} {
		a, b := coll(1, AllReduce, 1024, "", tc.on...), coll(2, AllReduce, 1024, "")
		a.Thread, a.HasThread, b.Thread, b.HasThread = tc.streams[0], true, tc.streams[1], true
		text := trace(a, b, comp(3, 3*us, 2))
		j, _ := job(t, laid(t, text, text), Options{})
		if end := jobtest.End(jobtest.Run(t, j, perKiB)); end != tc.end {
			t.Errorf("streams %v, %v: ends at %v, want %v", tc.streams, tc.on, end, tc.end)
		}
	}
}

// A call of the processor that launches a collective takes its duration there, and no part in it.
func TestALaunchIsNoCollective(t *testing.T) {
	call := coll(1, AllReduce, 0, "")
	call.HasComm, call.CPU, call.Duration = false, true, 7*us
	text := trace(call, coll(2, AllReduce, 1024, "", 1))
	j, notes := job(t, laid(t, text, text), Options{})
	if end := jobtest.End(jobtest.Run(t, j, perKiB)); end != 17*us || notes.Launches != 2 {
		t.Errorf("ends at %v, %d launches", end, notes.Launches)
	}
}

// 10^9 operations at 10^12 a second take 1 ms, 10^6 bytes at 800 Gb/s 10 us; 3*10^9 bytes at 800 Gb/s 30 ms, which is more.
func TestWhatHasNoDurationTakesWhatTheRooflineSays(t *testing.T) {
	load, small, large := comp(1, 0), comp(2, 0, 1), comp(3, 0, 2)
	load.Type, load.TensorSize = MemLoad, 1e6
	small.Operations, large.Operations, large.TensorSize = 1e9, 1e9, 3e9
	prefix := laid(t, trace(load, small, large))
	j, notes := job(t, prefix, Options{Memory: 800 * units.Gbps, Peak: 1e12, Bandwidth: 800 * units.Gbps})
	if end := jobtest.End(jobtest.Run(t, j, perKiB)); end != 31*units.Millisecond+10*us*8/8 || notes.Timeless != 0 {
		t.Errorf("ends at %v, %+v", end, notes)
	}
	j, notes = job(t, prefix, Options{})
	if end := jobtest.End(jobtest.Run(t, j, perKiB)); end != 0 || notes.Timeless != 3 {
		t.Errorf("without one ends at %v, %+v", end, notes)
	}
}

func TestGroupsComeFromAFileOrFromMetadata(t *testing.T) {
	pgs := comp(1, 0)
	pgs.Type = Metadata
	for _, values := range []string{
		`[[{"pg_name": "0", "ranks": []}, {"pg_name": "5", "backend_config": "cuda:nccl", "ranks": [0, 2]}]]`,
		`["[{\"pg_name\": \"5\", \"ranks\": [0, 2]}]"]`,
	} {
		pgs.Values = values
		text := trace(coll(2, AllReduce, 1024, "5"), pgs) // what it is called by may come later
		j, _ := job(t, laid(t, text, trace(comp(1, us)), text), Options{})
		if diff := cmp.Diff([][]int32{{0, 2}}, j.Groups); diff != "" {
			t.Error(diff)
		}
	}
	groups, err := ReadGroups("g", []byte("{\n\t\"1\":[0,1],\n\t\"2\":[2,3]\n}\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	a, b := trace(coll(1, AllReduce, 1024, "1")), trace(coll(1, AllReduce, 1024, "2"))
	j, _ := job(t, laid(t, a, a, b, b), Options{Groups: groups})
	if diff := cmp.Diff([][]int32{{0, 1}, {2, 3}}, j.Groups); diff != "" {
		t.Error(diff)
	}
}

func TestGroupsThatMakeNoSenseAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		``:                     `g: no object of groups; want {"name": [rank, rank …], …}`,
		`[1]`:                  `g: no object of groups; want {"name": [rank, rank …], …}`,
		`{"1": [0, 0]}`:        `g: group "1" has rank 0 twice, or no such rank can be`,
		`{"1": [-1]}`:          `g: group "1" has rank -1 twice, or no such rank can be`,
		`{"1": []}`:            `g: group "1" has no ranks`,
		`{"1": [0], "1": [1]}`: `g: at byte 14: group "1" a second time`,
		`{"1": "0"}`:           `g: group "1" at byte 9: json: cannot unmarshal string into Go value of type []int32`,
		`{"1": [0]} {`:         `g: at byte 11: something follows the groups`,
		`{"1": [0]`:            `g: at byte 9: EOF`,
	} {
		if _, err := ReadGroups("g", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s:\n\terror %v\n\twant  %s", text, err, want)
		}
	}
}

func TestAJobThatMakesNoSenseIsRefused(t *testing.T) {
	lone := comp(1, us)
	on := func(n *Node, control ...uint64) *Node { n.Control = control; return n }
	gather := coll(1, Gather, 1, "")
	partly := coll(1, AllReduce, 1, "")
	partly.Partly = true
	unknown := coll(1, AllReduce, 1, "")
	unknown.HasComm = false
	mine := send(1, 1, 1)
	mine.Source = 1
	rooted := coll(1, Broadcast, 1, "")
	rooted.Root = 2
	long := comp(1, 1<<40*us)
	two := Groups{"g": {0, 1}, "far": {0, 7}, "others": {1, 2}}
	for _, tc := range []struct {
		first []*Node
		want  string
	}{
		{[]*Node{lone, lone}, "message 3 at byte 33: node 1 a second time; it is message 2"},
		{[]*Node{lone, comp(2, us, 9)}, "node 2 (message 3) depends (data) on node 9, which is not in the trace"},
		{[]*Node{lone, on(comp(2, us), 9)}, "node 2 (message 3) depends (control) on node 9, which is not in the trace; as ASTRA-sim does, dependencies: data follows those of data only"},
		{[]*Node{comp(4, us, 4)}, "nodes depend on each other in a circle: node 4 (message 2) waits for node 4 (message 2); as ASTRA-sim does, dependencies: data follows those of data only"},
		{[]*Node{comp(4, us, 5), on(comp(5, us), 4)}, "nodes depend on each other in a circle: node 4 (message 2) waits for node 5 (message 3), which waits for node 4 (message 2); as ASTRA-sim does, dependencies: data follows those of data only"},
		{[]*Node{send(1, 3, 1)}, "node 1: comm_dst is 3, and there are 3 ranks"},
		{[]*Node{send(1, 0, 1)}, "node 1: comm_dst is the rank itself, 0"},
		{[]*Node{send(1, nobody, 1)}, "node 1 is a COMM_SEND without comm_dst"},
		{[]*Node{recv(1, nobody, 1)}, "node 1 is a COMM_RECV without comm_src"},
		{[]*Node{mine}, "node 1 is a COMM_SEND with comm_src 1 in the trace of rank 0"},
		{[]*Node{unknown}, "node 1 is a collective without comm_type"},
		{[]*Node{gather}, "node 1 is a GATHER, which is not run; it can be given as sends and receives"},
		{[]*Node{partly}, "node 1: involved_dim leaves out dimensions of a network of several; give the ranks as a group (pg_name)"},
		{[]*Node{coll(1, AllReduce, 1, "x")}, `node 1: there is no group "x"; its ranks belong in the file of groups or in a METADATA node`},
		{[]*Node{coll(1, AllReduce, 1, "far")}, `node 1: group "far" has rank 7, and there are 3 ranks`},
		{[]*Node{coll(1, AllReduce, 1, "others")}, `node 1: rank 0 is not in group "others"`},
		{[]*Node{coll(1, AllGather, 1<<46, "")}, "node 1: an all-gather of 70368744177664 bytes of each of 3 ranks is too large"},
		{[]*Node{coll(1, AllReduce, 1<<62, "")}, "node 1: comm_size is 4611686018427387904; at most 70368744177664"},
		{[]*Node{send(1, 1, 1<<30+1)}, "node 1 is a COMM_SEND of 1073741825 bytes; a message has at most 1073741824"},
		{[]*Node{long}, "node 1 takes 1099511.627776s; at most 1000000s"},
		{nil, "a trace without nodes"},
	} {
		_, _, err := jobs(laid(t, trace(tc.first...), trace(lone), trace(lone)), Options{Groups: two})
		if err == nil || !strings.HasSuffix(err.Error(), tc.want) || !strings.Contains(err.Error(), "job.0.et: ") {
			t.Errorf("error %v\n\twant  %s", err, tc.want)
		}
	}
	_, _, err := jobs(laid(t, trace(rooted), trace(rooted)), Options{})
	if err == nil || !strings.HasSuffix(err.Error(), "node 1: root_rank 2 is not in the group") {
		t.Error(err)
	}
	_, _, err = jobs(laid(t, trace(lone), trace(lone)), Options{Ranks: 8})
	if err == nil || err.Error() != "traces of 2 ranks for 8 ranks" {
		t.Error(err)
	}
}

// What the traces of ranks do not say alike comes with the file and the message of one of them.
func TestWhatIsWrongBetweenRanksComesWithItsMessage(t *testing.T) {
	lone := comp(9, us)
	for _, tc := range []struct {
		first, second []*Node
		want          string
	}{
		{[]*Node{lone, send(1, 1, 8)}, []*Node{lone}, "job.0.et: message 3 (send of 8 bytes to rank 1, tag 0): rank 1 has no receive left for it"},
		{[]*Node{lone}, []*Node{lone, comp(2, us), recv(1, 0, 8)}, "job.1.et: message 4 (recv of 8 bytes from rank 0, tag 0): no message of rank 0 is left for it: it would wait forever"},
		{[]*Node{send(1, 1, 8)}, []*Node{recv(2, 0, 8, 3), recv(3, 0, 4)}, "job.0.et: message 2 (send of 8 bytes to rank 1, tag 0): larger than what rank 1 receives with operation 2 (recv of 4 bytes from rank 0, tag 0)"},
		{[]*Node{lone, coll(1, AllReduce, 8, "")}, []*Node{coll(1, AllReduce, 4, "")}, "job.1.et: message 2 (all-reduce of 4 bytes in group 0): rank 0 of the same group has no such collective left for it"},
	} {
		_, _, err := jobs(laid(t, trace(tc.first...), trace(tc.second...)), Options{})
		if err == nil || !strings.HasSuffix(err.Error(), tc.want) {
			t.Errorf("error %v\n\twant  %s", err, tc.want)
		}
	}
}

func TestOneTraceForAllRanks(t *testing.T) {
	text := trace(comp(1, 5*us), coll(2, AllReduce, 1024, "", 1))
	j, notes := job(t, laid(t, text), Options{Ranks: 64})
	if end := jobtest.End(jobtest.Run(t, j, perKiB)); len(j.Ranks) != 64 || j.Ranks[63] != j.Ranks[0] || len(j.Groups[0]) != 64 || notes.Shared != 64 || end != 15*us {
		t.Errorf("%d ranks, groups %v, %+v, ends at %v", len(j.Ranks), j.Groups, notes, end)
	}
	for _, tc := range []struct {
		node *Node
		want string
	}{
		{send(1, 1, 1), "node 1 is a message of one rank; the one trace cannot be that of 64 ranks"},
		{coll(1, AllReduce, 1, "tp"), `node 1: group "tp" has 2 of the 64 ranks; the one trace does not say what the others do`},
	} {
		if _, _, err := jobs(laid(t, trace(tc.node)), Options{Ranks: 64, Groups: Groups{"tp": {0, 1}}}); err == nil || !strings.HasSuffix(err.Error(), tc.want) {
			t.Error(err)
		}
	}
}

func TestFilesAreFoundByTheirRank(t *testing.T) {
	prefix := laid(t, trace(comp(1, us)), trace(comp(1, us)), trace(comp(1, us)))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(trace(comp(1, us))); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(prefix+".3.et.gz", packed.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if j, _ := job(t, prefix, Options{}); len(j.Ranks) != 4 {
		t.Errorf("%d ranks", len(j.Ranks))
	}
	if j, _ := job(t, prefix+".3.et.gz", Options{}); len(j.Ranks) != 1 {
		t.Errorf("%d ranks", len(j.Ranks))
	}
	if err := os.WriteFile(prefix+".3.et", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Traces(prefix); err == nil || !strings.HasPrefix(err.Error(), "rank 3 has two files, ") {
		t.Error(err)
	}
	if os.Remove(prefix+".3.et") != nil || os.Remove(prefix+".1.et") != nil {
		t.Fatal("files cannot be removed")
	}
	if _, err := Traces(prefix); err == nil || err.Error() != prefix+".1.et is missing, and there is job.3.et.gz" {
		t.Error(err)
	}
	if _, err := Traces(prefix + "x"); err == nil || err.Error() != "there is neither a file "+prefix+"x nor "+prefix+"x.0.et" {
		t.Error(err)
	}
}

// The reference ring: 14 steps of 128 KiB; a message takes 1 us here, and after each of the first 7 a rank sums up for 7 us.
func TestTheReferenceRingRuns(t *testing.T) {
	j, notes := job(t, filepath.Join(golden.Dir(t, "chakra"), "custom_ring_allreduce_8npus_1MB", "custom_allreduce"), Options{})
	if want := (Notes{Files: 8, Nodes: [typeCount]int{Comp: 8 * 7, Send: 8 * 14, Recv: 8 * 14}}); *notes != want {
		t.Errorf("%+v", notes)
	}
	for rank, g := range j.Ranks {
		var sent units.Bytes
		for i := range g.Ops() {
			if op := g.Op(i); op.Kind == schedule.Send {
				sent += op.Size
			}
		}
		if sent != 14*131072 {
			t.Errorf("rank %d sends %d", rank, sent)
		}
	}
	// Nobody can receive before the step of the one before, but all do at the same time.
	if end := jobtest.End(jobtest.Run(t, j, perKiB)); end != (14+7*7)*us {
		t.Errorf("ends at %v", end)
	}
}

func TestTheReferenceAllReduceRuns(t *testing.T) {
	j, _ := job(t, filepath.Join(golden.Dir(t, "chakra"), "all_reduce", "4npus_1MB", "all_reduce"), Options{})
	if end := jobtest.End(jobtest.Run(t, j, perKiB)); len(j.Ranks) != 4 || end != 10240*us {
		t.Errorf("%d ranks, %v", len(j.Ranks), end)
	}
}

// The real trace: 5 all-reduces of 102228128 bytes in all and 2 broadcasts. Its control dependencies name the operations by which
// others were called, most of which are not in it.
func TestTheRealTraceRuns(t *testing.T) {
	path := filepath.Join(golden.Dir(t, "chakra"), "pytorch_rank0.et.gz")
	if _, _, err := jobs(path, Options{Ranks: 2}); err == nil || !strings.HasSuffix(err.Error(), "as ASTRA-sim does, dependencies: data follows those of data only") {
		t.Error(err)
	}
	j, notes := job(t, path, Options{Ranks: 2, DataOnly: true})
	if want := (Notes{Files: 1, Shared: 2, Nodes: [typeCount]int{Comp: 3643, Coll: 21}, Launches: 14, Left: 3664, Timeless: notes.Timeless}); *notes != want {
		t.Errorf("%+v", notes)
	}
	var sum units.Bytes
	var launched, ops = 0, j.Ranks[0].Ops()
	for i := range ops {
		if op := j.Ranks[0].Op(i); op.Kind == schedule.Collective {
			launched++
			if op.What == collective.AllReduce {
				sum += op.Size
			}
		}
	}
	if ops != 3664 || launched != 7 || sum != 102228128 {
		t.Errorf("%d operations, %d collectives, all-reduces of %d bytes", ops, launched, sum)
	}
	if end := jobtest.End(jobtest.Run(t, j, jobtest.Network{})); end <= 0 {
		t.Errorf("ends at %v", end)
	} else {
		t.Logf("with collectives of no time: %v", end)
	}
}
