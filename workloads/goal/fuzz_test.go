package goal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// FuzzText feeds any text to the reader: it is an error of one line that begins with the number of a line, or a job that
// can be written, and read again to the same.
func FuzzText(f *testing.F) {
	for _, text := range []string{
		"num_ranks 2\nrank 0 {\nl1: calc 5 cpu 1\nx: send 8b to 1 tag 3\nx requires l1\n}\nrank 1 {\nrecv 8b from -1 tag -1 nic 1\n}\n",
		"num_ranks 1\nrank 0 {\nl1: calc 1\nl2: calc 2\nl1 irequires l2\nl2 requires l1\n}\n",
		"/* */num_ranks 1//\n\nrank 0 {\n}", "num_ranks 0", "num_ranks 9999999\nrank 0 {\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) >= 8 && text[0] == magic&0xff || len(text) > 1 && text[0] == 0x1f {
			return // another form
		}
		expectSame(t, text, "line ")
	})
}

// FuzzBinary feeds anything behind the magic number.
func FuzzBinary(f *testing.F) {
	f.Add(two(f)[magicBytes:])
	f.Add([]byte{0xff, 0xff, 0xff, 0, 0, 0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, rest []byte) {
		expectSame(t, append([]byte{magic & 0xff, magic >> 8, 0, 0, 0, 0, 0, 0}, rest...), "")
	})
}

func expectSame(t *testing.T, file []byte, prefix string) {
	t.Helper()
	job, err := Read(bytes.NewReader(file), nanoseconds)
	if err != nil {
		if text := err.Error(); !strings.HasPrefix(text, prefix) || strings.Contains(text, "\n") {
			t.Fatalf("the error %q is not one line that names the place", text)
		}
		return
	}
	_ = job.Check()
	var text, first, second, third bytes.Buffer
	if err := WriteText(&text, job, units.Nanosecond); err != nil {
		t.Fatal(err)
	}
	if err := WriteBinary(&first, job, units.Nanosecond); err != nil {
		t.Fatal(err)
	}
	written := text.String()
	again, err := Read(&text, nanoseconds)
	if err != nil {
		t.Fatalf("%v in what was written:\n%s", err, written)
	}
	if err := WriteBinary(&second, again, units.Nanosecond); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatalf("by way of text another job (%v):\n%s", err, written)
	}
	if again, err = Read(&first, nanoseconds); err != nil {
		t.Fatalf("%v in the binary form of\n%s", err, written)
	}
	if err := WriteBinary(&third, again, units.Nanosecond); err != nil || !bytes.Equal(second.Bytes(), third.Bytes()) {
		t.Fatalf("by way of the binary form another job (%v):\n%s", err, written)
	}
}
