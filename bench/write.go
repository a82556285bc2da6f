package bench

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Write writes the report in tables: how fast the cases ran, what they did, what they take
// up, and how fast the machine itself was. A report without cases is empty.
func (r *Report) Write(w io.Writer, style Style) error {
	if len(r.Cases) == 0 {
		return nil
	}
	for _, t := range []*table{r.speed(), r.work(), r.memory()} {
		if err := t.write(w, style); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s\n%s%s\n", legend, r.same(), r.machine())
	return err
}

// same says that all runs of a case did the same, without which there is no report, if they
// had different numbers of workers.
func (r *Report) same() string {
	var asked []string
	for _, row := range r.Cases[0].Rows {
		asked = append(asked, row.workers())
	}
	if len(asked) < 2 {
		return ""
	}
	last := len(asked) - 1
	return fmt.Sprintf("Same bits: all runs of a case, with %s and %s workers, ended with the same digest.\n", strings.Join(asked[:last], ", "), asked[last])
}

// legend says what the columns mean that do not say so themselves.
const legend = `median, min, max: on the clock, of all runs. per CPU s: in a second of processor time of all workers
together. normalised: that, with the speed of the machine taken out. ns/hop: of processor time. speed-up:
against 1 worker. digest: of all events, the same with any number of workers. built in: time on the clock
for network and flows. idle port, idle host, flow: heap for one, its share of a switch, its NIC, and its
queue pair included. built MB: heap for all. peak MB: most that the process of a run has had. per hop:
asked for by a packet-hop in the second half of a run.
`

func (r *Report) speed() *table {
	t := &table{
		title:   "Speed, in millions of packet-hops a second",
		columns: []string{"case", "workers", "median", "min", "max", "per CPU s", "normalised", "ns/hop", "speed-up"},
	}
	for _, c := range r.Cases {
		for _, row := range c.Rows {
			t.add(c.Name, row.workers(), millions(row.Rate.Median), millions(row.Rate.Min), millions(row.Rate.Max),
				millions(row.CPURate.Median), millions(row.Normalised.Median), row.perHop(), row.speedUp())
		}
	}
	return t
}

func (r *Report) work() *table {
	t := &table{
		title:   "Work",
		columns: []string{"case", "hosts", "flow", "MTU", "packet-hops", "events/hop", "simulated", "digest"},
	}
	for _, c := range r.Cases {
		t.add(c.Name, results.Count(int64(c.Hosts)), c.Flow, strconv.Itoa(c.MTU), results.Count(int64(c.Hops)),
			decimals(float64(c.Events)/float64(c.Hops), 3), units.Time(c.Simulated).Human(), c.Digest)
	}
	return t
}

func (r *Report) memory() *table {
	t := &table{
		title:   "Memory, in bytes unless it says MB",
		columns: []string{"case", "built in", "idle port", "idle host", "flow", "built MB", "peak MB", "per hop"},
	}
	for _, c := range r.Cases {
		m := &c.Memory
		t.add(c.Name, onClock(c.Rows[0].Build), decimals(m.IdlePort, 0), decimals(m.IdleHost, 0), decimals(m.Flow, 0),
			megabytes(m.Built), megabytes(c.Rows[0].Peak), decimals(m.Steady, 2))
	}
	return t
}

// machine says how fast the machine was.
func (r *Report) machine() string {
	c := &r.Calibration
	return fmt.Sprintf("Machine: %.2f, where 1 is the reference machine (calibration %d: %.1f M events/s, a cache line in %.1f ns of 1 MiB and %.0f ns of 16 MiB).\n"+
		"%s with %s; rdmasim %s, %s.",
		c.Score, c.Version, c.Events/1e6, 1e9/c.Near, 1e9/c.Far,
		r.named(), results.Plural(int64(r.Cores), "core"), r.Program, r.Go)
}

// named is what the machine is called.
func (r *Report) named() string {
	if r.Processor == "" {
		return r.System
	}
	return r.Processor + ", " + r.System
}

// workers is the number of workers that was asked for, with that which there were if it is
// another one: the program's choice, or as many as there are nodes.
func (r *Row) workers() string {
	switch r.Workers {
	case 0:
		return fmt.Sprintf("auto (%d)", r.Used)
	case r.Used:
		return strconv.Itoa(r.Workers)
	}
	return fmt.Sprintf("%d (%d)", r.Workers, r.Used)
}

// perHop is how long a packet-hop takes one worker: of processor time, or where that is
// not known, on the clock.
func (r *Row) perHop() string {
	rate := r.CPURate.Median
	if rate == 0 {
		rate = r.Rate.Median
	}
	if r.Used != 1 {
		return "-"
	}
	return decimals(1e9/rate, 0)
}

func (r *Row) speedUp() string {
	if r.SpeedUp == 0 {
		return "-"
	}
	return decimals(r.SpeedUp, 2)
}

// millions is a rate in millions; one that is not known is a dash.
func millions(rate float64) string {
	if rate == 0 {
		return "-"
	}
	return decimals(rate/1e6, 2)
}

// megabytes is a size in MB; one that is not known is a dash.
func megabytes(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return decimals(float64(bytes)/1e6, 1)
}

func decimals(x float64, places int) string { return strconv.FormatFloat(x, 'f', places, 64) }

// onClock is a time on the clock, to a tenth of a millisecond or in three digits.
func onClock(seconds float64) string {
	d := time.Duration(seconds * 1e9)
	if d < 100*time.Millisecond {
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
