package goal

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// WriteText writes a job as text, times counted in unit, with labels l1, l2, l3 … in each rank.
// A job with collectives, or with times that are not whole, is an error.
func WriteText(to io.Writer, job *schedule.Job, unit units.Time) error {
	low, _, err := writable(job, unit)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(to, buffer)
	var line []byte
	number := func(word string, n int64) {
		line = strconv.AppendInt(append(line, word...), n, 10)
	}
	fmt.Fprintf(out, "num_ranks %d\n", len(job.Ranks))
	for rank, g := range job.Ranks {
		fmt.Fprintf(out, "\nrank %d {\n", rank)
		for i := range g.Ops() {
			op := g.Op(i)
			line = line[:0]
			number("l", int64(i)+1)
			if op.Kind == schedule.Calc {
				number(": calc ", int64(op.Time/unit))
			} else {
				number(map[schedule.Kind]string{schedule.Send: ": send ", schedule.Recv: ": recv "}[op.Kind], int64(op.Size))
				number(map[schedule.Kind]string{schedule.Send: "b to ", schedule.Recv: "b from "}[op.Kind], int64(op.Peer))
				if op.Tag == schedule.AnyTag {
					line = append(line, " tag -1"...)
				} else {
					number(" tag ", int64(op.Tag))
				}
			}
			if op.Stream > 0 {
				number(" cpu ", int64(op.Stream))
			}
			if nic := op.NIC - low; op.Kind != schedule.Calc && nic > 0 {
				number(" nic ", int64(nic))
			}
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		for i := range g.Ops() {
			for _, s := range g.Successors(i) {
				line = line[:0]
				number("l", int64(s.Op())+1)
				if s.OnStart() {
					number(" irequires l", int64(i)+1)
				} else {
					number(" requires l", int64(i)+1)
				}
				if _, err := out.Write(append(line, '\n')); err != nil {
					return err
				}
			}
		}
		out.WriteString("}\n")
	}
	return out.Flush()
}

// WriteBinary writes a job in the binary form; it is otherwise as WriteText.
func WriteBinary(to io.Writer, job *schedule.Job, unit units.Time) error {
	low, high, err := writable(job, unit)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(to, buffer)
	word := binary.LittleEndian.AppendUint32
	head := binary.LittleEndian.AppendUint64(nil, magic)
	head = append(word(head, uint32(len(job.Ranks))), high.Stream, high.NIC-low)
	at := uint64(headBytes + rangeBytes*len(job.Ranks))
	for _, g := range job.Ranks {
		head = binary.LittleEndian.AppendUint64(head, at)
		at += 8 + 4*uint64(len(roots(g))) + recordBytes*uint64(g.Ops()) + 4*uint64(g.Dependencies())
		head = binary.LittleEndian.AppendUint64(head, at)
	}
	out.Write(head)
	for _, g := range job.Ranks {
		first := roots(g)
		out.Write(word(word(nil, uint32(g.Ops())), uint32(len(first))))
		for _, op := range first {
			out.Write(word(nil, op))
		}
		list := make([]byte, 0, 4*g.Dependencies())
		record := make([]byte, 0, recordBytes)
		for i := range g.Ops() {
			op := g.Op(i)
			record = word(record[:0], uint32(g.Needs(i)))
			if op.Kind == schedule.Calc {
				record = word(append(record, recordCalc), 0)
				record = binary.LittleEndian.AppendUint64(record, uint64(op.Time/unit))
				record = append(word(record, 0), op.Stream, 0)
			} else {
				record = word(append(record, recordSend+byte(op.Kind-schedule.Send)), uint32(op.Peer))
				record = binary.LittleEndian.AppendUint64(record, uint64(op.Size))
				record = append(word(record, op.Tag), op.Stream, op.NIC-low)
			}
			for _, onStart := range []bool{false, true} {
				from := len(list)
				for _, s := range g.Successors(i) {
					if s.OnStart() == onStart {
						list = word(list, uint32(s.Op()))
					}
				}
				record = word(word(record, uint32(len(list)-from)/4), uint32(from)/4)
			}
			out.Write(record)
		}
		out.Write(list)
	}
	return out.Flush()
}

// roots are the operations that wait for nothing.
func roots(g *schedule.Graph) (roots []uint32) {
	for i := range g.Ops() {
		if g.Needs(i) == 0 {
			roots = append(roots, uint32(i))
		}
	}
	return roots
}

// writable returns what rails begin with, 0 or 1, and the highest stream and rail; an error if the format has no word for
// what the job does.
func writable(job *schedule.Job, unit units.Time) (low uint8, high schedule.Op, err error) {
	own := false
	for rank, g := range job.Ranks {
		for i := range g.Ops() {
			op := g.Op(i)
			high.Stream = max(high.Stream, op.Stream)
			switch {
			case op.Kind == schedule.Collective:
				return 0, high, fmt.Errorf("rank %d, operation %d: GOAL has no collectives", rank, i)
			case op.Time%unit != 0:
				return 0, high, fmt.Errorf("rank %d, operation %d: %v is not a multiple of %v", rank, i, op.Time, unit)
			case op.Kind != schedule.Calc:
				high.NIC = max(high.NIC, op.NIC)
				own = own || op.NIC == 0
			}
		}
	}
	if high.NIC > 0 {
		low = 1
	}
	if high.NIC > 0 && own {
		return 0, high, fmt.Errorf("some messages go by a rail and others by the rank's own: GOAL cannot tell")
	}
	return low, high, nil
}
