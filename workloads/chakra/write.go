package chakra

import (
	"io"
	"math"

	"github.com/rdmasim/rdmasim/sim/units"
	"google.golang.org/protobuf/encoding/protowire"
)

// Writer writes a trace that [Reader] reads.
type Writer struct {
	to     io.Writer
	buffer []byte
	err    error
}

// NewWriter begins a trace with the message about it. What goes wrong is told by [Writer.Err].
func NewWriter(to io.Writer, version string) *Writer {
	w := &Writer{to: to}
	w.message(text(nil, globalVersion, version))
	return w
}

// Err returns the first error of writing.
func (w *Writer) Err() error { return w.err }

func (w *Writer) message(message []byte) {
	w.buffer = protowire.AppendBytes(w.buffer[:0], message)
	if w.err == nil {
		_, w.err = w.to.Write(w.buffer)
	}
}

// Node adds a node. Times are written in whole microseconds.
func (w *Writer) Node(n *Node) {
	m := number(nil, nodeID, n.ID)
	m = text(m, nodeName, n.Name)
	m = number(m, nodeType, uint64(n.Type))
	m = list(list(m, nodeControl, n.Control), nodeData, n.Data)
	m = number(m, nodeStart, uint64(n.Start/units.Microsecond))
	m = number(m, nodeDuration, uint64(n.Duration/units.Microsecond))
	if n.Values != "" {
		m = text(m, nodeInputs, string(text(nil, ioValues, n.Values)))
	}
	m = attribute(m, "is_cpu_op", attrBool, protowire.EncodeBool(n.CPU))
	if n.HasThread {
		m = attribute(m, "tid", attrInt64, uint64(n.Thread))
	}
	if n.HasComm {
		m = attribute(m, "comm_type", attrInt64, uint64(n.Comm))
	}
	for _, a := range [...]struct {
		name  string
		value int64
		none  int64
	}{
		{"comm_size", int64(n.Size), 0}, {"comm_src", n.Source, nobody}, {"comm_dst", n.Destination, nobody}, {"root_rank", n.Root, nobody},
		{"comm_tag", int64(n.Tag), 0}, {"num_ops", int64(min(n.Operations, math.MaxInt64)), 0}, {"tensor_size", int64(n.TensorSize), 0},
	} {
		if a.value != a.none {
			m = attribute(m, a.name, attrUint64, uint64(a.value))
		}
	}
	if n.Group != "" {
		m = text(m, nodeAttr, string(text(text(nil, attrName, "pg_name"), attrString, n.Group)))
	}
	if n.Partly {
		m = text(m, nodeAttr, string(text(text(nil, attrName, "involved_dim"), attrBools, string(list(nil, 1, []uint64{1, 0})))))
	}
	w.message(m)
}

func number(m []byte, field protowire.Number, value uint64) []byte {
	if value == 0 {
		return m // as protocol buffers leave out what is the default
	}
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), value)
}

func text(m []byte, field protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), value)
}

func list(m []byte, field protowire.Number, values []uint64) []byte {
	if len(values) == 0 {
		return m
	}
	var packed []byte
	for _, v := range values {
		packed = protowire.AppendVarint(packed, v)
	}
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), packed)
}

func attribute(m []byte, name string, field protowire.Number, value uint64) []byte {
	a := text(nil, attrName, name)
	a = protowire.AppendVarint(protowire.AppendTag(a, field, protowire.VarintType), value)
	return text(m, nodeAttr, string(a))
}
