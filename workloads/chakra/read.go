package chakra

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
	"google.golang.org/protobuf/encoding/protowire"
)

// maxMessage is the longest message that is read, so that a slip does not fill the memory.
const maxMessage = 1 << 28

// Reader goes through a trace.
type Reader struct {
	Version string // of the schema, as the trace says

	name   string
	from   *bufio.Reader
	record int   // of the message that was read last, from 1
	offset int64 // of its length
	next   int64 // of what follows
	buffer []byte
}

// NewReader begins a trace. Name is what errors call it; they tell the number of the message, from 1, and the byte at which it
// begins, after unpacking.
func NewReader(name string, from io.Reader) (*Reader, error) {
	r := &Reader{name: name, from: bufio.NewReaderSize(from, 1<<16)}
	message, err := r.message()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: an empty file; a trace begins with a message about itself", name)
	}
	if err != nil {
		return nil, err
	}
	return r, r.global(message)
}

// Open opens the trace of a rank; it is unpacked on the way if its name ends in .gz. The caller closes it.
func Open(path string) (*Reader, io.Closer, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	var text io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if text, err = gzip.NewReader(file); err != nil {
			return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
		}
	}
	r, err := NewReader(path, text)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return r, file, nil
}

// Record is the number of the message that was read last, from 1; the first node is message 2.
func (r *Reader) Record() int { return r.record }

// fail is an error about the message that was read last.
func (r *Reader) fail(format string, args ...any) error {
	return fmt.Errorf("%s: message %d at byte %d: %s", r.name, r.record, r.offset, fmt.Sprintf(format, args...))
}

// message reads the next message, which is good until the next call; io.EOF at the end.
func (r *Reader) message() ([]byte, error) {
	if _, err := r.from.Peek(1); errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	r.record++
	r.offset = r.next
	length, err := r.length()
	if err != nil {
		return nil, err
	}
	r.buffer = r.buffer[:0]
	for need := int(length); need > len(r.buffer); {
		// Room grows with what has come, not with what a broken length promises.
		part := min(need-len(r.buffer), max(1<<12, len(r.buffer)))
		at := len(r.buffer)
		r.buffer = append(r.buffer, make([]byte, part)...)
		if n, err := io.ReadFull(r.from, r.buffer[at:]); err != nil {
			return nil, r.broken(err, "the file ends after %d of the %d bytes of the message", at+n, length)
		}
	}
	r.next += int64(length)
	return r.buffer, nil
}

// length reads that of a message.
func (r *Reader) length() (uint64, error) {
	var length uint64
	for shift := 0; ; shift += 7 {
		b, err := r.from.ReadByte()
		if err != nil {
			return 0, r.broken(err, "the file ends within the length of the message")
		}
		r.next++
		length |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
		if shift == 28 {
			return 0, r.fail("no length of a message; is this a trace of Chakra?")
		}
	}
	if length > maxMessage {
		return 0, r.fail("a message of %d bytes; at most %d", length, maxMessage)
	}
	return length, nil
}

// broken is an error of reading: that of the end of the file in words, any other as it is.
func (r *Reader) broken(err error, format string, args ...any) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.fail(format, args...)
	}
	return r.fail("%v", err)
}

// fields calls take with each field of a message: its value is number of varints and fixed ones, bytes of others. Groups
// and what take does not look at are skipped.
func (r *Reader) fields(message []byte, take func(field protowire.Number, kind protowire.Type, number uint64, bytes []byte) error) error {
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return r.fail("%s", badWire(n))
		}
		message = message[n:]
		var number uint64
		var bytes []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var half uint32
			half, n = protowire.ConsumeFixed32(message)
			number = uint64(half)
		case protowire.Fixed64Type:
			number, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(field, kind, message)
		}
		if n < 0 {
			return r.fail("field %d: %s", field, badWire(n))
		}
		message = message[n:]
		if err := take(field, kind, number, bytes); err != nil {
			return err
		}
	}
	return nil
}

// badWire is an error of protowire in words. Its module puts a blank of one of two kinds after its name, by chance.
func badWire(n int) string {
	return strings.TrimLeft(strings.TrimPrefix(protowire.ParseError(n).Error(), "proto:"), " \u00a0")
}

// Fields of a GlobalMetadata, a Node, its IOInfo and an AttributeProto.
const (
	globalVersion = 1

	nodeID       = 1
	nodeName     = 2
	nodeType     = 3
	nodeControl  = 4
	nodeData     = 5
	nodeStart    = 6
	nodeDuration = 7
	nodeInputs   = 8
	nodeAttr     = 10

	ioValues = 1

	attrName     = 1
	attrInt32    = 7
	attrInt64    = 9
	attrUint32   = 11
	attrUint64   = 13
	attrSint32   = 15
	attrSint64   = 17
	attrFixed32  = 19
	attrFixed64  = 21
	attrSfixed32 = 23
	attrSfixed64 = 25
	attrBool     = 27
	attrBools    = 28
	attrString   = 29
)

// global reads the first message.
func (r *Reader) global(message []byte) error {
	return r.fields(message, func(field protowire.Number, kind protowire.Type, _ uint64, bytes []byte) error {
		switch {
		case field == globalVersion && kind == protowire.BytesType:
			r.Version = string(bytes)
		case field == nodeID || field == nodeType && kind == protowire.VarintType:
			return r.fail("a node, where a message about the whole trace should stand")
		}
		return nil
	})
}

// Next returns the next node; io.EOF at the end.
func (r *Reader) Next() (*Node, error) {
	message, err := r.message()
	if err != nil {
		return nil, err
	}
	node := &Node{Source: nobody, Destination: nobody, Root: nobody}
	var values []byte
	err = r.fields(message, func(field protowire.Number, kind protowire.Type, number uint64, bytes []byte) error {
		switch {
		case field == nodeID && kind == protowire.VarintType:
			node.ID = number
		case field == nodeName && kind == protowire.BytesType:
			node.Name = string(bytes)
		case field == nodeType && kind == protowire.VarintType:
			if number >= uint64(typeCount) {
				return r.fail("node %d has the type %d; known are 0 to %d", node.ID, number, typeCount-1)
			}
			node.Type = Type(number)
		case field == nodeControl:
			return r.list(&node.Control, kind, number, bytes)
		case field == nodeData:
			return r.list(&node.Data, kind, number, bytes)
		case field == nodeStart && kind == protowire.VarintType:
			return r.micros(&node.Start, number)
		case field == nodeDuration && kind == protowire.VarintType:
			return r.micros(&node.Duration, number)
		case field == nodeInputs && kind == protowire.BytesType:
			return r.fields(bytes, func(field protowire.Number, kind protowire.Type, _ uint64, bytes []byte) error {
				if field == ioValues && kind == protowire.BytesType {
					values = bytes
				}
				return nil
			})
		case field == nodeAttr && kind == protowire.BytesType:
			return r.attribute(node, bytes)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if node.Type == Metadata { // those of other nodes say nothing here, and are long
		node.Values = string(values)
	}
	return node, nil
}

// list adds numbers to a repeated field, packed or one by one.
func (r *Reader) list(all *[]uint64, kind protowire.Type, number uint64, packed []byte) error {
	if kind == protowire.VarintType {
		*all = append(*all, number)
	}
	for len(packed) > 0 {
		id, n := protowire.ConsumeVarint(packed)
		if n < 0 {
			return r.fail("a list of nodes: %s", badWire(n))
		}
		*all, packed = append(*all, id), packed[n:]
	}
	return nil
}

func (r *Reader) micros(into *units.Time, number uint64) error {
	if number > math.MaxInt64/uint64(units.Microsecond) {
		return r.fail("a time of %d us is too long", number)
	}
	*into = units.Time(number) * units.Microsecond
	return nil
}

// value is that of an attribute: an integer, or a text.
type value struct {
	is      bool
	integer int64
	over    bool // it is an unsigned number of more than 63 bits
	text    string
	bools   []bool
}

// attribute reads an attribute and keeps it if it means something here.
func (r *Reader) attribute(node *Node, message []byte) error {
	name := ""
	var v value
	err := r.fields(message, func(field protowire.Number, kind protowire.Type, number uint64, bytes []byte) error {
		switch field {
		case attrName:
			name = string(bytes)
		case attrInt32, attrInt64, attrBool:
			v.is, v.integer = true, int64(number)
		case attrUint32, attrUint64, attrFixed32, attrFixed64:
			v.is, v.integer, v.over = true, int64(number), number > math.MaxInt64
		case attrSint32, attrSint64:
			v.is, v.integer = true, protowire.DecodeZigZag(number)
		case attrSfixed32:
			v.is, v.integer = true, int64(int32(number))
		case attrSfixed64:
			v.is, v.integer = true, int64(number)
		case attrString:
			v.text = string(bytes)
		case attrBools:
			return r.fields(bytes, func(_ protowire.Number, kind protowire.Type, number uint64, packed []byte) error {
				var numbers []uint64
				if err := r.list(&numbers, kind, number, packed); err != nil {
					return err
				}
				for _, n := range numbers {
					v.bools = append(v.bools, n != 0)
				}
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.keep(node, name, v)
}

// keep puts an attribute into the node's field for it, if there is one.
func (r *Reader) keep(node *Node, name string, v value) error {
	most := int64(math.MaxInt64)
	var into *int64
	switch name {
	case "is_cpu_op":
		node.CPU = v.integer != 0
	case "tid":
		node.Thread, node.HasThread = v.integer, v.is
	case "pg_name":
		node.Group = v.text
		if v.is {
			node.Group = strconv.FormatInt(v.integer, 10)
		}
	case "involved_dim":
		for _, involved := range v.bools {
			node.Partly = node.Partly || !involved
		}
	case "comm_type":
		most, into = int64(commCount)-1, new(int64)
	case "comm_size":
		into = (*int64)(&node.Size)
	case "tensor_size":
		into = (*int64)(&node.TensorSize)
	case "comm_src":
		most, into = math.MaxInt32, &node.Source
	case "comm_dst":
		most, into = math.MaxInt32, &node.Destination
	case "root_rank":
		most, into = math.MaxInt32, &node.Root
	case "comm_tag":
		most, into = math.MaxUint32-1, new(int64)
	case "num_ops":
		into = new(int64)
	}
	if into == nil {
		return nil
	}
	if !v.is {
		return r.fail("the attribute %s of node %d is not an integer", name, node.ID)
	}
	if v.over || v.integer < 0 || v.integer > most {
		return r.fail("the attribute %s of node %d is %d; want 0 to %d", name, node.ID, v.integer, most)
	}
	*into = v.integer
	switch name {
	case "comm_type":
		node.Comm, node.HasComm = Comm(v.integer), true
	case "comm_tag":
		node.Tag = uint32(v.integer)
	case "num_ops":
		node.Operations = uint64(v.integer)
	}
	return nil
}
