package goal

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Bounds of what a file can say.
const (
	MaxRanks = 1 << 24
	MaxSize  = units.TiB // of a message
	MaxTime  = 1_000_000 * units.Second
)

// Options are what a file does not tell.
type Options struct {
	Unit units.Time // that its times count in: a nanosecond as schedgen writes them
	// LocalTags has a tag stand for its place among the tags of its rank, in the order in which they first occur there.
	// schedgen goes on counting from rank to rank in some of its patterns, so that a send and its receive have tags that differ.
	LocalTags bool
}

// Open reads the file at path and checks that what it says can finish: see [schedule.Job.Check]. Errors begin with the
// path, and name the line or the record.
func Open(path string, options Options) (*schedule.Job, error) {
	job, err := open(path, func(from io.Reader) (*schedule.Job, error) {
		job, err := Read(from, options)
		if err != nil {
			return nil, err
		}
		return job, check(job, options)
	})
	// Where operations stand is not kept. If one of them is wrong, its line is looked for once more.
	var wrong *schedule.OpError
	if errors.As(err, &wrong) {
		if line, _ := open(path, func(from io.Reader) (int, error) { return lineOf(from, wrong.Rank, wrong.Op) }); line > 0 {
			err = fmt.Errorf("line %d: %w", line, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return job, nil
}

// check tells also whether all would be well with local tags.
func check(job *schedule.Job, options Options) error {
	err := job.Check()
	if err == nil || options.LocalTags {
		return err
	}
	localTags(job)
	if job.Check() == nil {
		err = fmt.Errorf("%w; all messages would meet if each rank's tags were numbered by themselves (tags: per-rank)", err)
	}
	return err
}

// localTags numbers the tags of each rank from 0.
func localTags(job *schedule.Job) {
	places := map[uint32]uint32{}
	for _, g := range job.Ranks {
		clear(places)
		for i := range g.Ops() {
			op := g.Op(i)
			if op.Kind == schedule.Calc || op.Tag == schedule.AnyTag {
				continue
			}
			place, known := places[op.Tag]
			if !known {
				place = uint32(len(places))
				places[op.Tag] = place
			}
			op.Tag = place
		}
	}
}

func open[T any](path string, read func(io.Reader) (T, error)) (T, error) {
	file, err := os.Open(path)
	if err != nil {
		var none T
		if inner := errors.Unwrap(err); inner != nil {
			err = inner // without the path, which comes in front
		}
		return none, err
	}
	defer file.Close()
	return read(file)
}

// Read reads a schedule, text or binary, packed or not. What each operation says is checked; whether sends and receives
// go together, [schedule.Job.Check] tells.
func Read(from io.Reader, options Options) (*schedule.Job, error) {
	in, isBinary, err := unpack(from)
	if err != nil {
		return nil, err
	}
	var job *schedule.Job
	if isBinary {
		job, err = readBinary(in, options.Unit)
	} else {
		job, err = newText(in, options.Unit).read()
	}
	if err == nil && options.LocalTags {
		localTags(job)
	}
	return job, err
}

// buffer is how much is read at a time, and the longest line.
const buffer = 1 << 16

// unpack looks at how a file begins.
func unpack(from io.Reader) (in *bufio.Reader, isBinary bool, err error) {
	in = bufio.NewReaderSize(from, buffer)
	if head, _ := in.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		packed, err := gzip.NewReader(in)
		if err != nil {
			return nil, false, fmt.Errorf("begins like a file of gzip and is none: %w", err)
		}
		in = bufio.NewReaderSize(packed, buffer)
	}
	head, _ := in.Peek(8)
	return in, len(head) == 8 && binary.LittleEndian.Uint64(head) == magic, nil
}

// lineOf returns the line of an operation in a text; 0 if there is none.
func lineOf(from io.Reader, rank, op int) (int, error) {
	in, isBinary, err := unpack(from)
	if err != nil || isBinary {
		return 0, err
	}
	r := newText(in, 1)
	r.sought = &place{rank, op}
	_, err = r.read()
	if r.sought.rank >= 0 {
		return 0, err
	}
	return r.line, nil
}

// scale returns a time of a file, false if it is too long.
func scale(count uint64, unit units.Time) (units.Time, bool) {
	if count > uint64(MaxTime/unit) {
		return 0, false
	}
	return units.Time(count) * unit, true
}

// rails makes rails of the NICs of a file: where none but 0 is named, each rank has its own.
func rails(job *schedule.Job, maxNIC uint8) *schedule.Job {
	if maxNIC == 0 {
		return job
	}
	for _, g := range job.Ranks {
		for i := range g.Ops() {
			if op := g.Op(i); op.Kind != schedule.Calc {
				op.NIC++
			}
		}
	}
	return job
}

// maxNIC is the highest number of a NIC: rails count from 1.
const maxNIC = 254
