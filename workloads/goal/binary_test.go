package goal

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// two is a small job in the binary form: rank 0 computes, and then sends to rank 1, which beside that computes once it has begun to receive.
func two(t testing.TB) []byte {
	job, err := Read(strings.NewReader("num_ranks 2\nrank 0 {\nl1: calc 5\nl2: send 8b to 1 tag 3 cpu 1\nl2 requires l1\n}\n"+
		"rank 1 {\nl1: recv 8b from -1 tag -1\nl2: calc 1\nl2 irequires l1\n}\n"), nanoseconds)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := WriteBinary(&file, job, units.Nanosecond); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Where the fields of two stand.
const (
	atRanges  = magicBytes + headBytes
	atRank0   = atRanges + 2*rangeBytes
	atRecord0 = atRank0 + 8 + 4
	atRecord1 = atRecord0 + recordBytes
	atList    = atRecord1 + recordBytes
	atRank1   = atList + 4
)

func TestBinaryErrorsNameTheRecord(t *testing.T) {
	type change struct {
		at    int
		bytes int
		value uint64
	}
	end0 := uint64(atRank1 - magicBytes)
	for want, changes := range map[string][]change{
		"16777217 ranks are too many: at most 16777216":                                             {{8, 4, 1<<24 + 1}},
		"255 as the highest nic is too large: at most 254":                                          {{13, 1, 255}},
		"rank 0 begins at offset 37, before the end of what stands in front of it at 38":            {{atRanges, 8, 37}},
		"rank 1 begins at offset 1, before the end of what stands in front of it at":                {{atRanges + 16, 8, 1}},
		"rank 0 is from offset 38 to 45: not even the two numbers that a rank begins with":          {{atRanges + 8, 8, 45}},
		"rank 0 is from offset 38 to 3: not even":                                                   {{atRanges + 8, 8, 3}},
		"the file ends at byte 234, before rank 1, which begins at byte 1000008":                    {{atRanges + 16, 8, 1e6}, {atRanges + 24, 8, 2e6}},
		"rank 0: 4294967295 operations are too many: at most 2147483647":                            {{atRank0, 4, 1<<32 - 1}},
		"rank 0: 3 roots among 2 operations":                                                        {{atRank0 + 4, 4, 3}},
		"rank 0: 1 roots and 3 operations do not fit into its 94 bytes":                             {{atRank0, 4, 3}},
		"rank 0: 2 bytes behind its 2 operations are no list of numbers of 4 bytes":                 {{atRanges + 8, 8, end0 - 2}},
		"rank 0: record 2 is called a root; there are 2":                                            {{atRank0 + 8, 4, 2}},
		"rank 0, record 1: it is called a root, and waits for 1 operations, or is called so twice":  {{atRank0 + 8, 4, 1}},
		"rank 0, record 0: cpu 2 and nic 0, where 1 and 0 are the highest by the file's head":       {{atRecord0 + 21, 1, 2}},
		"rank 0, record 1: cpu 1 and nic 1, where 1 and 0 are the highest":                          {{atRecord1 + 22, 1, 1}},
		"rank 0, record 1: an operation of type 4; there are 1 send, 2 recv and 3 calc":             {{atRecord1 + 4, 1, 4}},
		"rank 0, record 1: there is no rank 2; there are ranks 0 to 1":                              {{atRecord1 + 5, 4, 2}},
		"rank 0, record 1: there is no rank 4294967295; there are ranks 0 to 1":                     {{atRecord1 + 5, 4, 1<<32 - 1}},
		"rank 0, record 1: a message of rank 0 to itself":                                           {{atRecord1 + 5, 4, 0}},
		"rank 0, record 1: a message of 1099511627777 bytes is too large: at most 1099511627776":    {{atRecord1 + 9, 8, 1<<40 + 1}},
		"rank 0, record 1: a send with tag 4294967295, which receives take for any":                 {{atRecord1 + 17, 4, 1<<32 - 1}},
		"rank 0, record 0: calc 1000000000000001 is longer than 1000000s":                           {{atRecord0 + 9, 8, 1e15 + 1}},
		"rank 0, record 0: 2 operations follow it, from place 0 of a list of 1":                     {{atRecord0 + 23, 4, 2}},
		"rank 0, record 0: 1 operations follow it, from place 4294967295 of a list of 1":            {{atRecord0 + 27, 4, 1<<32 - 1}},
		"rank 0, record 0: 1 operations follow it, from place 1 of a list of 1":                     {{atRecord0 + 31, 4, 1}},
		"rank 0, record 1: it and those before it have 2 operations that follow them, their list 1": {{atRecord1 + 23, 4, 1}, {atRecord1 + 27, 4, 0}},
		"rank 0: the list of what follows has 1 entries, its records say 0":                         {{atRecord0 + 23, 4, 0}},
		"rank 0, record 0: record 7 follows it; there are 2":                                        {{atList, 4, 7}},
		"rank 0 can never finish: record 0 waits for record 0":                                      {{atList, 4, 0}},
		"rank 0, record 1: it says that it waits for 0 operations, and follows 1":                   {{atRecord1, 4, 0}},
		"rank 1: 0 roots are named, and 1 operations wait for nothing":                              {},
		"there is more behind the last rank, which ends at byte ":                                   {},
	} {
		file := two(t)
		for _, c := range changes {
			copy(file[c.at:], binary.LittleEndian.AppendUint64(nil, c.value)[:c.bytes])
		}
		switch {
		case strings.HasPrefix(want, "there is more"):
			file = append(file, 0)
		case strings.HasPrefix(want, "rank 1: 0 roots"):
			end := binary.LittleEndian.Uint64(file[atRanges+24:])
			binary.LittleEndian.PutUint64(file[atRanges+24:], end-4)
			file[atRank1+4] = 0
			file = append(file[:atRank1+8], file[atRank1+12:]...)
		}
		if _, err := Read(bytes.NewReader(file), nanoseconds); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestABinaryFileCutOffAnywhereIsAnError(t *testing.T) {
	file := two(t)
	if _, err := Read(bytes.NewReader(file), nanoseconds); err != nil {
		t.Fatal(err)
	}
	for n := magicBytes; n < len(file); n++ {
		_, err := Read(bytes.NewReader(file[:n]), nanoseconds)
		if err == nil || !strings.HasPrefix(err.Error(), "the file ends at byte ") {
			t.Errorf("the first %d of %d bytes: %v", n, len(file), err)
		}
	}
}

// TestRanksMayHaveRoomBetweenThem moves the second rank by 3 bytes.
func TestRanksMayHaveRoomBetweenThem(t *testing.T) {
	file := two(t)
	moved := append(append(append([]byte(nil), file[:atRank1]...), 1, 2, 3), file[atRank1:]...)
	for _, at := range []int{atRanges + 16, atRanges + 24} {
		binary.LittleEndian.PutUint64(moved[at:], binary.LittleEndian.Uint64(file[at:])+3)
	}
	job, err := Read(bytes.NewReader(moved), nanoseconds)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := WriteBinary(&again, job, units.Nanosecond); err != nil || !bytes.Equal(again.Bytes(), file) {
		t.Errorf("%v: it is not the same job", err)
	}
}
