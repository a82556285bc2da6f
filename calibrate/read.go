package calibrate

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Table is what one run of a test has printed.
type Table struct {
	programs.Options // as far as they are printed; all sizes
	MTU              int
	File             string
	Rows             []Row
}

// Row is what it measured with messages of one size.
type Row struct {
	Line int
	Size units.Bytes
	// Typical is the median latency, 0 for tests of bandwidth.
	Typical units.Time
	// Average is the mean bandwidth in bit/s, 0 for tests of latency.
	Average float64
}

// Name tells of the table and its options in a few words.
func (t *Table) Name() string {
	name := fmt.Sprintf("%v %v, MTU %d", t.Test, t.Service, t.MTU)
	if !t.Test.MeasuresLatency() {
		name += fmt.Sprintf(", %d x %d under way", t.QPs, t.TxDepth)
	}
	return name
}

// titles are the words by which perftest's titles tell its tests apart, in an order in which none is part of a later one.
var titles = []struct {
	words string
	test  programs.Test
}{
	{"RDMA_Write Latency Test", programs.WriteLat},
	{"RDMA_Write BW Test", programs.WriteBW},
	{"RDMA_Read Latency Test", programs.ReadLat},
	{"RDMA_Read BW Test", programs.ReadBW},
	{"Send Latency Test", programs.SendLat},
	{"Send BW Test", programs.SendBW},
}

// reader goes through the lines of a file.
type reader struct {
	file   string
	line   int
	tables []Table
	next   *Table // whose title and options have come; nil before the first
	unit   float64
	inside bool // a table, of which the header has come
}

// Read reads what perftest has printed, with all around it that is no table left aside. The
// error names the file and the line.
func Read(file string, from io.Reader) ([]Table, error) {
	r := &reader{file: file}
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		r.line++
		if err := r.take(strings.TrimSpace(lines.Text())); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, r.line, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, r.line+1, err)
	}
	if len(r.tables) == 0 {
		return nil, fmt.Errorf("%s:1: no table of perftest; want the whole output of tests such as ib_write_bw, from the line with its title on", file)
	}
	// A server that has no part in a test prints the header and no row.
	full := slices.DeleteFunc(r.tables, func(t Table) bool { return len(t.Rows) == 0 })
	if len(full) == 0 {
		return nil, fmt.Errorf("%s:1: no table with a row; want the output of the client, which measures", file)
	}
	return full, nil
}

// take handles a line.
func (r *reader) take(line string) error {
	switch {
	case strings.HasPrefix(line, "#bytes"):
		return r.header(line)
	case strings.HasSuffix(line, "Test"):
		return r.title(line)
	case strings.HasPrefix(line, "Test with events") && r.next != nil:
		r.next.Events = true
	case r.inside && startsWithDigit(line):
		return r.row(line)
	case strings.HasPrefix(line, "---"):
		r.inside = false
	case strings.Contains(line, ":") && r.next != nil && !r.inside:
		return r.options(line)
	}
	return nil
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// title begins a test.
func (r *reader) title(line string) error {
	both := strings.Contains(line, " Bidirectional")
	words := strings.Replace(strings.Replace(line, " Bidirectional", "", 1), " Post List", "", 1)
	for _, t := range titles {
		if words == t.words {
			r.next, r.inside = &Table{File: r.file, MTU: 4096}, false
			r.next.Test, r.next.Bidirectional, r.next.QPs, r.next.TxDepth = t.test, both, 1, 128
			if t.test.MeasuresLatency() {
				r.next.TxDepth = 1
			}
			return nil
		}
	}
	if strings.HasPrefix(line, "Atomic ") || strings.HasSuffix(line, "Latency Test") || strings.HasSuffix(line, "BW Test") {
		return fmt.Errorf("%q: not a test that can be fitted; want WRITE, SEND or READ", line)
	}
	return nil
}

// Bounds of options, which are those of workloads.
const (
	maxDepth    = 16384 // of queues, and queue pairs
	maxCQMod    = 1024
	maxPostList = 1024
	maxInline   = 912
)

// options takes what a line says of the options, which come in pairs of a name and a value.
func (r *reader) options(line string) error {
	name, value, _ := strings.Cut(line, ":")
	word, _, _ := strings.Cut(strings.Join(strings.Fields(value), " "), " ")
	var to *int
	most := maxDepth
	switch strings.TrimSpace(name) {
	case "Number of qps":
		to = &r.next.QPs
	case "TX depth":
		to = &r.next.TxDepth
	case "RX depth":
		to = &r.next.RxDepth
	case "CQ Moderation":
		to, most = &r.next.CQMod, maxCQMod
	case "Post List":
		to, most = &r.next.PostList, maxPostList
	case "Mtu":
		word = strings.TrimSuffix(word, "[B]")
		if !slices.Contains([]string{"256", "512", "1024", "2048", "4096"}, word) {
			return fmt.Errorf("%s %q: want 256[B], 512[B], 1024[B], 2048[B] or 4096[B]", strings.TrimSpace(name), word)
		}
		to = &r.next.MTU
	case "Max inline data":
		bytes, err := strconv.Atoi(strings.TrimSuffix(word, "[B]"))
		if err != nil || bytes < 0 || bytes > maxInline {
			return fmt.Errorf("max inline data %q: not a number of bytes, such as 220[B], of %d at most", word, maxInline)
		}
		inline := units.Bytes(bytes)
		r.next.Inline = &inline
		return nil
	case "Connection type":
		for _, s := range []rnic.Service{rnic.RC, rnic.UC, rnic.UD} {
			if word == s.String() {
				r.next.Service = s
				return nil
			}
		}
		return fmt.Errorf("connection type %q: want RC, UC or UD", word)
	default:
		return nil
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > most {
		return fmt.Errorf("%s %q: not a number from 1 to %d", strings.TrimSpace(name), word, most)
	}
	*to = n
	return nil
}

// header begins the table of a test.
func (r *reader) header(line string) error {
	latency := strings.Contains(line, "t_typical[usec]")
	switch {
	case strings.Contains(line, "#sl"):
		return fmt.Errorf("a table of service levels; want one without the column #sl")
	case strings.Contains(line, "tps average"):
		return fmt.Errorf("a table of a test that ran for a time and knows no median; want one of iterations, without -D")
	case latency:
	case strings.Contains(line, "BW average[MB/sec]"), strings.Contains(line, "BW average[MiB/sec]"):
		r.unit = 8 * float64(units.MiB)
	case strings.Contains(line, "BW average[Gb/sec]"):
		r.unit = 1e9
	default:
		return fmt.Errorf("a table with other columns than t_typical[usec], BW average[MB/sec] or BW average[Gb/sec]")
	}
	if r.next == nil {
		return fmt.Errorf("a table without a title; want a line such as \"RDMA_Write BW Test\" above it")
	}
	if latency != r.next.Test.MeasuresLatency() {
		return fmt.Errorf("not the columns of %v, whose title stands above", r.next.Test)
	}
	r.tables, r.inside = append(r.tables, *r.next), true
	return nil
}

// leastFigure is a picosecond, as microseconds; it is no bandwidth either.
const leastFigure = 1e-6

// row takes a line of a table.
func (r *reader) row(line string) error {
	t := &r.tables[len(r.tables)-1]
	least, at := 5, 3 // the columns, and which of them counts
	if t.Test.MeasuresLatency() {
		at = 4
	}
	fields := strings.Fields(line)
	if len(fields) < least {
		return fmt.Errorf("%d columns, want at least %d", len(fields), least)
	}
	size, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil || size < 1 || units.Bytes(size) > units.GiB {
		return fmt.Errorf("%q: not a number of bytes from 1 to 1 GiB", fields[0])
	}
	iterations, err := strconv.Atoi(fields[1])
	if err != nil || iterations < 1 {
		return fmt.Errorf("%q: not a number of iterations", fields[1])
	}
	value, err := strconv.ParseFloat(fields[at], 64)
	if err != nil || !(value >= leastFigure) || value > 1e9 {
		return fmt.Errorf("%q: not a positive figure in column %d", fields[at], at+1)
	}
	row := Row{Line: r.line, Size: units.Bytes(size)}
	if t.Test.MeasuresLatency() {
		row.Typical = units.Time(value * float64(units.Microsecond))
	} else {
		row.Average = value * r.unit
		// A rate of messages has more digits than a bandwidth of little.
		if rate, err := strconv.ParseFloat(fields[4], 64); err == nil && rate > 0 && value < 1000 {
			if exact := rate * 1e6 * 8 * float64(size); exact > 0.9*row.Average && exact < 1.1*row.Average {
				row.Average = exact
			}
		}
	}
	t.Rows = append(t.Rows, row)
	t.Sizes = append(t.Sizes, row.Size)
	t.Iterations = max(t.Iterations, iterations/max(1, t.QPs))
	return nil
}
