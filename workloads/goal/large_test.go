package goal

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"testing"

	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// ring is a text that is made while it is read: in each of so many steps each rank computes, sends to the next rank and
// receives from the one before, and waits for both before it computes again.
type ring struct {
	ranks, steps int
	rank, step   int
	text         []byte
	read         int
	most         uint64 // heap in use, of what has been looked at
}

const opsPerStep = 3

func (r *ring) Read(into []byte) (int, error) {
	for len(r.text) < len(into) && r.rank < r.ranks {
		r.more()
	}
	if len(r.text) == 0 {
		return 0, io.EOF
	}
	n := copy(into, r.text)
	r.text = r.text[:copy(r.text, r.text[n:])]
	if r.read += n; r.read>>24 != (r.read-n)>>24 {
		r.look()
	}
	return n, nil
}

// look at the heap.
func (r *ring) look() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.most = max(r.most, m.HeapInuse)
}

// more writes a step.
func (r *ring) more() {
	say := func(words string, numbers ...int) {
		for _, c := range []byte(words) {
			if c == '#' {
				r.text = strconv.AppendInt(r.text, int64(numbers[0]), 10)
				numbers = numbers[1:]
			} else {
				r.text = append(r.text, c)
			}
		}
	}
	if r.rank == 0 && r.step == 0 {
		say("num_ranks #\n", r.ranks)
	}
	if r.step == 0 {
		say("rank # {\n", r.rank)
	}
	l := opsPerStep*r.step + 1
	say("l#: calc #\n", l, 1000+r.step%7)
	if r.step > 0 {
		say("l# requires l#\nl# requires l#\n", l, l-2, l, l-1)
	}
	say("l#: send 4096b to # tag #\nl# requires l#\n", l+1, (r.rank+1)%r.ranks, r.step, l+1, l)
	say("l#: recv 4096b from # tag #\n", l+2, (r.rank+r.ranks-1)%r.ranks, r.step)
	if r.step++; r.step == r.steps {
		say("}\n")
		r.rank, r.step = r.rank+1, 0
	}
}

// readRing reads so many operations and returns what the job keeps of the heap, and the most that was in use.
func readRing(t testing.TB, ranks, ops int) (job *schedule.Job, kept, most uint64) {
	t.Helper()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text := &ring{ranks: ranks, steps: ops / ranks / opsPerStep}
	job, err := Read(text, Options{Unit: units.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	text.look()
	if err := job.Check(); err != nil {
		t.Fatal(err)
	}
	text.look()
	most = text.most
	runtime.GC()
	runtime.ReadMemStats(&after)
	if got, want := job.Ops(), ranks*text.steps*opsPerStep; got != want {
		t.Fatalf("%d operations, want %d", got, want)
	}
	return job, after.HeapAlloc - before.HeapAlloc, most
}

// TestALongTextIsNotKept reads 24 MB of text with 600,000 operations. By their layout operations take 40 bytes each, the
// counts of what they wait for and the beginnings of their lists 4 each, what follows what 4 a pair, of which there is
// one an operation here. While it is read there may be as much again, for the check and as garbage.
func TestALongTextIsNotKept(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 600,000 operations")
	}
	for _, ranks := range []int{2, 100} {
		const ops = 600_000
		job, kept, most := readRing(t, ranks, ops)
		if per := float64(kept) / ops; per < 48 || per > 54 {
			t.Errorf("%d ranks: %.1f bytes are kept for each operation", ranks, per)
		}
		if per := float64(most) / ops; per > 200 {
			t.Errorf("%d ranks: at times %.1f bytes were in use for each operation", ranks, per)
		}
		runtime.KeepAlive(job)
	}
}

// BenchmarkRead reads 10 million operations: 400 MB of text.
func BenchmarkRead(b *testing.B) {
	for _, ranks := range []int{64, 1024} {
		b.Run(fmt.Sprintf("%d_ranks", ranks), func(b *testing.B) {
			const ops = 10_000_000
			for b.Loop() {
				job, kept, most := readRing(b, ranks, ops)
				b.ReportMetric(float64(kept)/(1<<20), "MiB-kept")
				b.ReportMetric(float64(most)/(1<<20), "MiB-most")
				runtime.KeepAlive(job)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/ops, "ns/operation")
		})
	}
}

// BenchmarkForms reads 300,000 operations from memory, so that nothing but the reader is measured.
func BenchmarkForms(b *testing.B) {
	const ops = 300_000
	text, err := io.ReadAll(&ring{ranks: 10, steps: ops / 10 / opsPerStep})
	if err != nil {
		b.Fatal(err)
	}
	job, err := Read(bytes.NewReader(text), nanoseconds)
	if err != nil {
		b.Fatal(err)
	}
	var packed bytes.Buffer
	if err := WriteBinary(&packed, job, units.Nanosecond); err != nil {
		b.Fatal(err)
	}
	for name, file := range map[string][]byte{"text": text, "binary": packed.Bytes()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Read(bytes.NewReader(file), nanoseconds); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/ops, "ns/operation")
		})
	}
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if err := job.Check(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/ops, "ns/operation")
	})
}
