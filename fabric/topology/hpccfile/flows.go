package hpccfile

import (
	"io"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Flow is one line of a flow.txt.
type Flow struct {
	Src, Dst int // numbers of the nodes
	Priority int // the class of its data, 0 to 7
	Port     int // UDP destination port; 0 where the file has no such column
	Size     units.Bytes
	Start    units.Time
	Line     int // where it stands
}

// ReadFlows reads a flow.txt: the number of flows, then one line a flow,
//
//	source destination priority port bytes start
//
// with the start in decimal seconds. The port is left out in ConWeave's files.
func ReadFlows(name string, from io.Reader) ([]Flow, error) {
	r := newReader(name, from)
	header := r.numbers("the number of flows", 1, maxCount)
	if r.err != nil {
		return nil, r.err
	}
	count := header[0]
	var flows []Flow
	for i := 0; r.err == nil && i < count; i++ {
		if r.record(i, count, "flows") {
			flows = append(flows, r.flow())
		}
	}
	r.end(count, "flows")
	if r.err != nil {
		return nil, r.err
	}
	return flows, nil
}

// flow reads the current line.
func (r *reader) flow() Flow {
	n := len(r.fields)
	if n != 5 && n != 6 {
		r.fail("%d fields where a flow has 6: source destination priority port bytes start, or 5 without the port", n)
		return Flow{}
	}
	flow := Flow{
		Src: r.number(r.fields[0], maxCount), Dst: r.number(r.fields[1], maxCount),
		Priority: r.number(r.fields[2], 8), Line: r.line,
	}
	if n == 6 {
		flow.Port = r.number(r.fields[3], 1<<16)
	}
	if flow.Src == flow.Dst {
		r.fail("a flow from node %d to itself", flow.Src)
	}
	flow.Size = r.bytes(r.fields[n-2])
	flow.Start = r.seconds(r.fields[n-1])
	return flow
}

// bytes reads a plain number of bytes.
func (r *reader) bytes(field string) (size units.Bytes) {
	if strings.Trim(field, "0123456789") != "" {
		r.fail("%q is not a number of bytes", field)
		return 0
	}
	r.quantity(&size, field)
	return size
}

// seconds reads decimal seconds, exactly, to the picosecond.
func (r *reader) seconds(field string) (start units.Time) {
	if strings.Trim(field, "0123456789.") != "" {
		r.fail("%q is not a number of seconds", field)
		return 0
	}
	r.quantity(&start, field+"s")
	return start
}
