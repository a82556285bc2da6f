package goal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/rdmasim/rdmasim/schedule"
	"github.com/rdmasim/rdmasim/sim/units"
)

// text reads the text form, line by line.
type text struct {
	in   *bufio.Reader
	unit units.Time

	line int
	rest []byte // of the line
	done bool   // there is no line left
	err  error

	ranks  int
	rank   int // the current one
	build  *schedule.Builder
	labels labels
	maxNIC uint8
	sought *place
	index  *Index // if it is wanted
}

// place is an operation whose line is looked for; its rank is -1 once it is found.
type place struct{ rank, op int }

var errFound = errors.New("found")

func newText(in *bufio.Reader, unit units.Time) *text {
	return &text{in: in, unit: unit, build: schedule.NewBuilder()}
}

func (r *text) fail(problem string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("line %d: "+problem, append([]any{max(1, r.line)}, args...)...)
	}
}

// read reads it all.
func (r *text) read() (*schedule.Job, error) {
	job := new(schedule.Job)
	r.header()
	for r.err == nil && r.statement() {
		switch {
		case !r.keyword("rank"):
			r.fail("%s where rank %d { should stand", r.seen(), len(job.Ranks))
		case len(job.Ranks) == r.ranks:
			r.fail("one more rank than the %d that num_ranks announces", r.ranks)
		default:
			if g := r.block(len(job.Ranks)); g != nil {
				job.Ranks = append(job.Ranks, g)
			}
		}
	}
	if r.err == nil && len(job.Ranks) < r.ranks {
		r.fail("the file ends after %d of the %d ranks that num_ranks announces", len(job.Ranks), r.ranks)
	}
	if r.err != nil {
		return nil, r.err
	}
	return rails(job, r.maxNIC), nil
}

func (r *text) header() {
	if !r.statement() {
		r.fail("the file is empty; a GOAL file begins with num_ranks and the number of ranks")
		return
	}
	if !r.keyword("num_ranks") {
		r.fail("%s where num_ranks should stand, with which a GOAL file begins, or the number %d in 8 bytes", r.seen(), magic)
		return
	}
	r.ranks = int(r.number("the number of ranks", MaxRanks))
	r.end()
}

// block reads a rank from its number on; nil if it is not right.
func (r *text) block(want int) *schedule.Graph {
	r.rank = want
	if rank := r.number("the number of a rank", MaxRanks); r.err == nil && int(rank) != want {
		r.fail("rank %d where rank %d should stand: ranks stand in their order", rank, want)
	}
	if r.err == nil && !r.sign('{') {
		r.fail("%s where { should stand", r.seen())
	}
	r.end()
	r.labels.reset()
	opened := r.line
	for r.err == nil {
		if !r.statement() {
			r.fail("the file ends within rank %d, which line %d opens; it is closed by }", want, opened)
			break
		}
		if r.sign('}') {
			r.end()
			break
		}
		r.inRank()
	}
	if r.err != nil {
		return nil
	}
	g, err := r.build.Graph()
	var circle *schedule.CycleError
	if errors.As(err, &circle) {
		r.fail("rank %d can never finish: %s", want, circle.Text(r.name))
	}
	return g
}

// inRank reads a statement of a rank.
func (r *text) inRank() {
	whole := r.rest
	word := r.word()
	if len(word) == 0 {
		r.fail("%s where an operation, a dependency or } should stand", r.seen())
		return
	}
	if r.sign(':') {
		if r.labels.find(word) >= 0 {
			r.fail("a second operation with label %s in rank %d", word, r.rank)
			return
		}
		r.labels.add(word, r.build.Ops())
		if r.index != nil {
			r.index.named(word)
		}
		r.blank()
		r.operation(r.word())
		return
	}
	r.blank()
	rest := r.rest
	switch string(r.word()) {
	case "requires":
		r.dependency(word, r.build.Requires)
	case "irequires":
		r.dependency(word, r.build.IRequires)
	default:
		if r.rest = rest; isOperation(word) {
			r.operation(word)
			return
		}
		r.rest = whole
		r.fail("%s where an operation (send, recv or calc, perhaps behind a label and :) or a dependency (label requires label) should stand", r.seen())
	}
}

func isOperation(word []byte) bool {
	return string(word) == "send" || string(word) == "recv" || string(word) == "calc"
}

func (r *text) dependency(after []byte, tell func(after, before int)) {
	r.blank()
	before := r.word()
	if len(before) == 0 {
		r.fail("%s where a label should stand", r.seen())
	}
	r.end()
	if r.err != nil {
		return
	}
	a, b := r.labels.find(after), r.labels.find(before)
	for _, side := range []struct {
		op    int
		label []byte
	}{{a, after}, {b, before}} {
		if side.op < 0 {
			r.fail("there is no operation %s above this line in rank %d; labels are known from where they stand on", side.label, r.rank)
			return
		}
	}
	tell(a, b)
}

// operation reads an operation behind its word.
func (r *text) operation(word []byte) {
	var op schedule.Op
	switch string(word) {
	case "send":
		op.Kind = schedule.Send
		r.message(&op, "to")
	case "recv":
		op.Kind = schedule.Recv
		r.message(&op, "from")
	case "calc":
		op.Kind = schedule.Calc
		count := r.number("a time", 1<<63)
		time, fits := scale(count, r.unit)
		if !fits {
			r.fail("calc %d is longer than %v, the most an operation can take", count, MaxTime)
		}
		op.Time = time
		op.Stream = r.modifier("cpu", 255)
	default:
		r.fail("%q where send, recv or calc should stand", word)
	}
	r.end()
	if r.err != nil {
		return
	}
	if r.index != nil {
		r.index.add(r.rank, r.line)
	}
	if at := r.build.Add(op); r.sought != nil && *r.sought == (place{r.rank, at}) {
		r.sought.rank = -1
		r.err = errFound
	}
}

// message reads what a send and a recv have in common.
func (r *text) message(op *schedule.Op, toward string) {
	op.Size = units.Bytes(r.number("a size", uint64(MaxSize)))
	if r.err == nil && !r.sign('b') {
		r.fail("%s where b should stand behind the number of bytes", r.seen())
	}
	if r.err == nil && !r.keyword(toward) {
		r.fail("%s where %s should stand", r.seen(), toward)
	}
	receives := op.Kind == schedule.Recv
	if receives && r.any() {
		op.Peer = schedule.Any
	} else {
		peer := r.number("the number of a rank", 1<<32)
		switch {
		case r.err != nil:
		case peer >= uint64(r.ranks):
			r.fail("there is no rank %d; there are ranks 0 to %d", peer, r.ranks-1)
		case int(peer) == r.rank:
			r.fail("a message of rank %d to itself", r.rank)
		}
		op.Peer = int32(peer)
	}
	if r.keyword("tag") {
		if receives && r.any() {
			op.Tag = schedule.AnyTag
		} else {
			op.Tag = uint32(r.number("a tag", uint64(schedule.AnyTag)-1))
		}
	}
	op.Stream = r.modifier("cpu", 255)
	op.NIC = r.modifier("nic", maxNIC)
	r.maxNIC = max(r.maxNIC, op.NIC)
}

// modifier reads a number behind a word, 0 if the word is not there.
func (r *text) modifier(word string, most uint64) uint8 {
	if !r.keyword(word) {
		return 0
	}
	return uint8(r.number("the number of a "+word, most))
}

// any reads a -1.
func (r *text) any() bool {
	r.blank()
	if bytes.HasPrefix(r.rest, []byte("-1")) && (len(r.rest) == 2 || !isWord(r.rest[2])) {
		r.rest = r.rest[2:]
		return true
	}
	return false
}

// name is what a user calls an operation of the current rank.
func (r *text) name(op int) string {
	if label := r.labels.name(op); label != "" {
		return label
	}
	return fmt.Sprint("operation ", op)
}

// statement goes to where the next statement begins, false if there is none.
func (r *text) statement() bool {
	for r.err == nil {
		r.blank()
		switch {
		case len(r.rest) == 0:
			if !r.next() {
				return false
			}
		case bytes.HasPrefix(r.rest, []byte("//")):
			r.rest = nil
		case bytes.HasPrefix(r.rest, []byte("/*")):
			r.comment()
		default:
			return true
		}
	}
	return false
}

// comment skips one, over lines.
func (r *text) comment() {
	opened := r.line
	r.rest = r.rest[2:]
	for {
		if _, after, closed := bytes.Cut(r.rest, []byte("*/")); closed {
			r.rest = after
			return
		}
		if !r.next() {
			r.fail("the file ends within the comment that line %d opens; it is closed by */", opened)
			return
		}
	}
}

// next goes to the next line.
func (r *text) next() bool {
	if r.done || r.err != nil {
		return false
	}
	line, err := r.in.ReadSlice('\n')
	if len(line) > 0 {
		r.line++
	}
	switch {
	case err == nil:
		line = line[:len(line)-1]
	case errors.Is(err, io.EOF):
		r.done = true
	case errors.Is(err, bufio.ErrBufferFull):
		r.fail("longer than %d bytes", buffer)
		return false
	default:
		r.fail("%w", err)
		return false
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	r.rest = line
	return len(line) > 0 || !r.done
}

// end wants nothing more on the line.
func (r *text) end() {
	if r.blank(); r.err != nil || len(r.rest) == 0 {
		return
	}
	switch word := r.peek(); {
	case bytes.HasPrefix(r.rest, []byte("//")), bytes.HasPrefix(r.rest, []byte("/*")):
		r.fail("a comment behind a statement; it stands on a line of its own")
	case string(word) == "tag", string(word) == "cpu", string(word) == "nic":
		r.fail("%s cannot stand here; a message has tag, cpu and nic in this order, a calc has cpu", word)
	default:
		r.fail("%s behind the end of the statement; each stands on a line of its own", r.seen())
	}
}

// seen is what stands there, for an error.
func (r *text) seen() string {
	if r.blank(); len(r.rest) == 0 {
		return "the end of the line"
	}
	const most = 32
	field := r.rest
	if i := bytes.IndexAny(field, " \t"); i > 0 {
		field = field[:i]
	}
	if len(field) > most {
		return fmt.Sprintf("%q…", field[:most])
	}
	return fmt.Sprintf("%q", field)
}

// blank skips blanks.
func (r *text) blank() {
	i := 0
	for i < len(r.rest) && (r.rest[i] == ' ' || r.rest[i] == '\t') {
		i++
	}
	r.rest = r.rest[i:]
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

// peek returns the word that stands there; it is empty if none does.
func (r *text) peek() []byte {
	if len(r.rest) == 0 || !isLetter(r.rest[0]) {
		return nil
	}
	i := 1
	for i < len(r.rest) && isWord(r.rest[i]) {
		i++
	}
	return r.rest[:i]
}

// word reads a word.
func (r *text) word() []byte {
	word := r.peek()
	r.rest = r.rest[len(word):]
	return word
}

// keyword reads that word if it stands there.
func (r *text) keyword(word string) bool {
	r.blank()
	n := len(word)
	if len(r.rest) < n || string(r.rest[:n]) != word || len(r.rest) > n && isWord(r.rest[n]) {
		return false
	}
	r.rest = r.rest[n:]
	return true
}

// sign reads that character if it stands there.
func (r *text) sign(c byte) bool {
	if c != 'b' {
		r.blank()
	}
	if len(r.rest) == 0 || r.rest[0] != c || c == 'b' && len(r.rest) > 1 && isWord(r.rest[1]) {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// number reads a whole number.
func (r *text) number(what string, most uint64) uint64 {
	if r.err != nil {
		return 0
	}
	r.blank()
	i, value, over := 0, uint64(0), false
	for i < len(r.rest) && isDigit(r.rest[i]) {
		digit := uint64(r.rest[i] - '0')
		over = over || value > (1<<64-1-digit)/10
		value = value*10 + digit
		i++
	}
	switch {
	case i == 0:
		r.fail("%s where %s should stand, a whole number", r.seen(), what)
	case over || value > most:
		r.fail("%s of %s is too large: at most %d", what, r.rest[:min(i, 32)], most)
	case i < len(r.rest) && isWord(r.rest[i]) && r.rest[i] != 'b':
		r.fail("%s where %s should stand, a whole number", r.seen(), what)
	}
	r.rest = r.rest[i:]
	return value
}
