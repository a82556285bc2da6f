package htsimfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// File is a connection matrix.
type File struct {
	Nodes       int // hosts are numbered from 0
	Connections []Connection
	Triggers    []Trigger
	Failures    []Failure

	name string
}

// Connection is bytes from one host to another, once.
type Connection struct {
	Line     int // where it stands
	Src, Dst int // hosts, different from each other
	ID       int // at least 1 and no other's; 0 if it has none
	// Trigger is the id of the trigger that starts it; 0 if it starts at Start.
	Trigger int
	Start   units.Time
	Size    units.Bytes // at least 1
	// SentTrigger and ReceivedTrigger are the ids of the triggers that it sets off when the last acknowledgement has reached the
	// sender (send_done_trigger), and when the last byte has reached the receiver (recv_done_trigger); 0 for none.
	SentTrigger, ReceivedTrigger int
	// Priority is its prio, what htsim's switches of some kinds go by; NoPriority if it has none.
	Priority int
	Message  int // its msg; 0 if it has none
}

// NoPriority is the priority of a connection that says nothing of one.
const NoPriority = -1

// Trigger is what connections that end set off, and what starts others then.
type Trigger struct {
	Line int // where it stands
	ID   int // at least 1 and no other's
	Kind TriggerKind
	// Count is how many connections have to end before a barrier opens; 0 for other triggers.
	Count int
}

// TriggerKind says what a trigger does when it is set off.
type TriggerKind uint8

const (
	OneShot   TriggerKind = iota // starts all its connections; it is set off once
	MultiShot                    // starts one connection more each time, in the order of the file
	Barrier                      // starts all its connections when it is set off for the Count-th time
)

var triggerKinds = [...]string{"oneshot", "multishot", "barrier"}

// String is the word of the file.
func (k TriggerKind) String() string { return triggerKinds[k] }

// Failure is a cable of a fat-tree that is dead.
type Failure struct {
	Line         int
	Tier         string // "TOR", "AGG" or "CORE"
	Switch, Link int    // number of the switch in its tier, and of its cable towards the tier above
}

// Bounds of what is read, so that a slip does not fill the memory.
const (
	maxNodes   = 1 << 24
	maxRecords = 1 << 24
	maxLine    = 1 << 16
)

// Read reads a connection matrix. Name is what errors call it; each of them is one line that begins with the name and the
// line.
func Read(name string, from io.Reader) (*File, error) { return ReadSized(name, from, 0) }

// ReadSized is [Read] of a file in which connections may have a size of 0, which have no end in htsim: they are given that
// size, unless it is 0 as well.
func ReadSized(name string, from io.Reader, endless units.Bytes) (*File, error) {
	r := &reader{File: File{name: name}, lines: bufio.NewScanner(from), endless: endless}
	r.lines.Buffer(nil, maxLine)
	counts := r.header()
	for more := len(r.words) > 0; more && r.err == nil; more = r.next() {
		r.record(counts)
	}
	if r.err == nil {
		r.counted(counts)
	}
	if r.err == nil {
		r.err = r.File.check()
	}
	if r.err != nil {
		return nil, r.err
	}
	return &r.File, nil
}

// reader goes through a file line by line and keeps the first error.
type reader struct {
	File
	endless units.Bytes // the size of connections whose size is 0
	lines   *bufio.Scanner
	line    int
	words   []string // of the line
	err     error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s:%d: %s", r.name, max(r.line, 1), fmt.Sprintf(format, args...))
	}
}

// next moves to the next line that says something; at the end of the file, and after an error, it has no words and is false.
func (r *reader) next() bool {
	for r.err == nil && r.lines.Scan() {
		r.line++
		if r.words = strings.Fields(r.lines.Text()); len(r.words) > 0 && r.words[0][0] != '#' {
			return true
		}
	}
	if err := r.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		r.line++
		r.fail("a line of more than %d bytes", maxLine)
	} else if err != nil {
		r.fail("%v", err)
	}
	r.words = nil
	return false
}

// headings are the words of a header, and which of them a file can do without.
var headings = [...]struct {
	word  string
	limit int
	must  bool
}{{"Nodes", maxNodes, true}, {"Connections", maxRecords, true}, {"Triggers", maxRecords, false}, {"Failures", maxRecords, false}}

// header reads the header, which ends with the first record; it returns the number of each heading.
func (r *reader) header() (counts [len(headings)]int) {
	var lines [len(headings)]int
	for r.next() {
		which := -1
		for i, h := range headings {
			if r.words[0] == h.word {
				which = i
			}
		}
		if which < 0 {
			break
		}
		switch h := headings[which]; {
		case lines[which] > 0:
			r.fail("%s a second time; it stands in line %d", h.word, lines[which])
		case len(r.words) != 2:
			r.fail("%d words where %s and a number should stand", len(r.words), h.word)
		default:
			counts[which] = r.number(h.word, r.words[1], h.limit)
		}
		lines[which] = r.line
	}
	for i, h := range headings {
		if h.must && lines[i] == 0 {
			r.fail("the header says nothing of %s; it should begin with \"Nodes n\" and \"Connections c\"", h.word)
		}
	}
	if r.Nodes = counts[0]; r.err == nil && r.Nodes == 0 {
		r.fail("a network without nodes")
	}
	return counts
}

// counted compares the numbers of records with what the header announces.
func (r *reader) counted(counts [len(headings)]int) {
	for i, found := range [...]int{len(r.Connections), len(r.Triggers), len(r.Failures)} {
		if found != counts[i+1] {
			r.fail("the file ends after %d of the %d %s that its header announces", found, counts[i+1], strings.ToLower(headings[i+1].word))
		}
	}
}

// record reads the line of a record.
func (r *reader) record(counts [len(headings)]int) {
	kind, have := 0, 0
	switch first := r.words[0]; {
	case strings.Contains(first, "->"):
		r.Connections = append(r.Connections, r.connection())
		kind, have = 1, len(r.Connections)
	case first == "trigger":
		r.Triggers = append(r.Triggers, r.trigger())
		kind, have = 2, len(r.Triggers)
	case first == "failure":
		r.Failures = append(r.Failures, r.failure())
		kind, have = 3, len(r.Failures)
	default:
		for _, h := range headings {
			if first == h.word {
				r.fail("%s among the records; it belongs to the header, before the first of them", first)
			}
		}
		r.fail("%q begins no record; want a connection such as 0->1, \"trigger\" or \"failure\"", first)
		return
	}
	if have > counts[kind] {
		r.fail("more than the %d %s that the header announces", counts[kind], strings.ToLower(headings[kind].word))
	}
}

// attributes goes through the words of a record after the first, each of which is one of those named, is there once and has
// a value, unless it is one of those that stand alone.
func (r *reader) attributes(record string, named, alone []string, take func(word, value string)) {
	seen := map[string]bool{}
	for i := 1; i < len(r.words) && r.err == nil; i++ {
		word := r.words[i]
		single := slices.Contains(alone, word)
		switch {
		case !single && !slices.Contains(named, word):
			r.fail("unknown word %q of a %s; one of %s", word, record, strings.Join(append(slices.Clone(named), alone...), ", "))
		case seen[word]:
			r.fail("%s twice in one record", word)
		case single:
			take(word, "")
		case i+1 == len(r.words):
			r.fail("nothing after %s", word)
		default:
			i++
			take(word, r.words[i])
		}
		seen[word] = true
	}
}

// connection reads "src->dst [id n] start ps|trigger n size bytes …".
func (r *reader) connection() Connection {
	c := Connection{Line: r.line, Priority: NoPriority}
	src, dst, _ := strings.Cut(r.words[0], "->")
	c.Src, c.Dst = r.number("the sender", src, r.Nodes), r.number("the receiver", dst, r.Nodes)
	if r.err == nil && c.Src == c.Dst {
		r.fail("a connection from host %d to itself", c.Src)
	}
	started, sized := "", false
	named := []string{"id", "start", "trigger", "size", "send_done_trigger", "recv_done_trigger", "prio", "msg"}
	r.attributes("connection", named, nil, func(word, value string) {
		if word == "start" || word == "trigger" {
			if started != "" {
				r.fail("both %s and %s: a connection starts at a time or is started by a trigger", started, word)
			}
			started = word
		}
		switch word {
		case "id":
			c.ID = r.id(word, value)
		case "start":
			// Older generators of htsim write 0.000000.
			whole, fraction, point := strings.Cut(value, ".")
			if !point || fraction == "" || strings.Trim(fraction, "0") != "" {
				whole = value
			}
			c.Start = units.Time(r.integer("start, in picoseconds,", whole))
		case "trigger":
			c.Trigger = r.id(word, value)
		case "size":
			if sized, c.Size = true, units.Bytes(r.integer("size, in bytes,", value)); c.Size == 0 {
				c.Size = r.endless
				if c.Size == 0 {
					r.fail("a size of 0, which is a connection without an end to htsim; here each has one, and size beside file gives it to these")
				}
			}
		case "send_done_trigger":
			c.SentTrigger = r.id(word, value)
		case "recv_done_trigger":
			c.ReceivedTrigger = r.id(word, value)
		case "prio":
			c.Priority = r.number(word, value, math.MaxInt32)
		case "msg":
			c.Message = r.number(word, value, math.MaxInt32)
		}
	})
	switch {
	case started == "":
		r.fail("neither start nor trigger: nothing starts the connection")
	case !sized:
		r.fail("a connection without a size")
	case c.Trigger > 0 && c.ID == 0:
		r.fail("a connection that a trigger starts needs an id")
	}
	return c
}

// trigger reads "trigger id n oneshot|multishot|barrier [count n]".
func (r *reader) trigger() Trigger {
	t := Trigger{Line: r.line}
	kinds, counted := 0, false
	r.attributes("trigger", []string{"id", "count"}, triggerKinds[:], func(word, value string) {
		switch word {
		case "id":
			t.ID = r.id(word, value)
		case "count":
			counted, t.Count = true, r.number(word, value, math.MaxInt32)
		default:
			t.Kind = TriggerKind(slices.Index(triggerKinds[:], word))
			kinds++
		}
	})
	switch {
	case t.ID == 0:
		r.fail("a trigger without an id")
	case kinds != 1:
		r.fail("a trigger is one of oneshot, multishot and barrier")
	case t.Kind == Barrier && t.Count == 0:
		r.fail("a barrier needs a count of 1 or more: how many connections have to end")
	case t.Kind != Barrier && counted:
		r.fail("a count is for a barrier; this trigger is %v", t.Kind)
	}
	return t
}

// failure reads "failure switch_type TOR|AGG|CORE switch_id n link_id n".
func (r *reader) failure() Failure {
	f := Failure{Line: r.line}
	words := 0
	r.attributes("failure", []string{"switch_type", "switch_id", "link_id"}, nil, func(word, value string) {
		words++
		switch word {
		case "switch_type":
			if f.Tier = value; value != "TOR" && value != "AGG" && value != "CORE" {
				r.fail("unknown switch_type %q; one of TOR, AGG, CORE", value)
			}
		case "switch_id":
			f.Switch = r.number(word, value, maxNodes)
		case "link_id":
			f.Link = r.number(word, value, maxNodes)
		}
	})
	if words < 3 {
		r.fail("a failure needs switch_type, switch_id and link_id")
	}
	return f
}

// id reads the number of a connection or trigger.
func (r *reader) id(what, word string) int {
	id := r.number(what, word, math.MaxInt32)
	if r.err == nil && id == 0 {
		r.fail("%s 0: numbers of connections and triggers begin with 1", what)
	}
	return id
}

// number reads a whole number from 0 to below a limit.
func (r *reader) number(what, word string, limit int) int {
	n := r.integer(what, word)
	if n >= int64(limit) {
		r.fail("%s %s is too large: at most %d", what, word, limit-1)
		return 0
	}
	return int(n)
}

// integer reads a whole number of up to 63 bits.
func (r *reader) integer(what, word string) int64 {
	n, err := strconv.ParseInt(word, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		r.fail("%s %s is too large", what, word)
	case err != nil || strings.HasPrefix(word, "+") || n < 0:
		r.fail("%s %q is not a whole number", what, word)
	default:
		return n
	}
	return 0
}
