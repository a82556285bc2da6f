package goal

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/internal/golden"
	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

var nanoseconds = Options{Unit: units.Nanosecond}

// census is what a job consists of.
type census struct {
	ranks, sends, recvs, calcs, dependencies int
	bytes                                    units.Bytes
}

func count(job *schedule.Job) census {
	c := census{ranks: len(job.Ranks)}
	for _, g := range job.Ranks {
		c.dependencies += g.Dependencies()
		for i := range g.Ops() {
			switch op := g.Op(i); op.Kind {
			case schedule.Send:
				c.sends++
				c.bytes += op.Size
			case schedule.Recv:
				c.recvs++
			case schedule.Calc:
				c.calcs++
			}
		}
	}
	return c
}

// TestFilesOfLogGOPSimHoldWhatItsToolsCount reads every file, text and binary; the counts are those of the statistics
// that came with them, and of the file for binary_tree_32 by grep.
func TestFilesOfLogGOPSimHoldWhatItsToolsCount(t *testing.T) {
	dir := golden.Dir(t, "goal")
	want := map[string]census{
		"allreduce_ring_16_1M":     {16, 480, 480, 0, 464, 503316480},
		"dissemination_16_4K":      {16, 64, 64, 0, 48, 262144},
		"resnet152_16":             {16, 640, 640, 336, 1600, 15409358848},
		"sweep3d_4":                {4, 6052, 6052, 11836, 24220, 207362036},
		"loggopsim_binary_tree_32": {32, 31, 31, 0, 26, 31},
	}
	read := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.[gb]*"))
	if err != nil || len(files) != 9 {
		t.Fatalf("%d files in %s: %v", len(files), dir, err)
	}
	for _, path := range files {
		job, err := Open(path, Options{Unit: units.Nanosecond, LocalTags: strings.Contains(path, "resnet152")})
		if err != nil {
			t.Error(err)
			continue
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		read[name] = true
		if got := count(job); got != want[name] {
			t.Errorf("%s: %+v, want %+v", filepath.Base(path), got, want[name])
		}
	}
	if len(read) != len(want) {
		t.Errorf("%d of %d schedules read", len(read), len(want))
	}
}

// TestTextBecomesTheBinaryFileOfLogGOPSim writes what has been read from text in the binary form and compares it byte
// by byte with what LogGOPSim's own converter has made of the same text.
func TestTextBecomesTheBinaryFileOfLogGOPSim(t *testing.T) {
	dir := golden.Dir(t, "goal")
	for text, packed := range map[string]string{
		"allreduce_ring_16_1M.goal": "allreduce_ring_16_1M.bin.gz",
		"dissemination_16_4K.goal":  "dissemination_16_4K.bin",
		"resnet152_16.goal.gz":      "resnet152_16.bin.gz",
		"sweep3d_4.goal.gz":         "sweep3d_4.bin.gz",
	} {
		fromText, err := Read(bytes.NewReader(unpacked(t, filepath.Join(dir, text))), nanoseconds)
		if err != nil {
			t.Fatal(err)
		}
		want := unpacked(t, filepath.Join(dir, packed))
		var got bytes.Buffer
		if err := WriteBinary(&got, fromText, units.Nanosecond); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s does not become %s: %d and %d bytes", text, packed, got.Len(), len(want))
		}
		// And back: from the binary form to text, and from that to the same bytes again.
		fromBinary, err := Read(bytes.NewReader(want), nanoseconds)
		if err != nil {
			t.Fatal(err)
		}
		var written, again bytes.Buffer
		if err := WriteText(&written, fromBinary, units.Nanosecond); err != nil {
			t.Fatal(err)
		}
		reread, err := Read(&written, nanoseconds)
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteBinary(&again, reread, units.Nanosecond); err != nil || !bytes.Equal(again.Bytes(), want) {
			t.Errorf("%s by way of text: %d bytes, %v", packed, again.Len(), err)
		}
	}
}

// TestTagsThatGoOnFromRankToRankAreSeen: schedgen's resnet152 has tags 100000 to 100009 at rank 0, 100010 to 100019 at
// rank 1 and so on, so that no message has the tag that its receiver waits for.
func TestTagsThatGoOnFromRankToRankAreSeen(t *testing.T) {
	dir := golden.Dir(t, "goal")
	for name, want := range map[string]string{
		"resnet152_16.goal.gz": "line 20: rank 0, operation 10 (recv of 26046368 bytes from rank 8, tag 100000): ",
		"resnet152_16.bin.gz":  "rank 0, operation 10 (recv of 26046368 bytes from rank 8, tag 100000): ",
	} {
		path := filepath.Join(dir, name)
		want = path + ": " + want + "no message of rank 8 is left for it: it would wait forever; " +
			"all messages would meet if each rank's tags were numbered by themselves (tags: per-rank)"
		if _, err := Open(path, nanoseconds); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// unpacked returns the content of a file, packed or not.
func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if content, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return content
}
