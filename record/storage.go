package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Storage is a storage target of the run with its initiators, under the label of its workload.
type Storage struct {
	Workload string
	*programs.Storage
}

// storageTable is the name of the table of storage.
const storageTable = "storage"

// StorageTable is the table of what initiators measured.
func (r *Run) StorageTable() *results.Table {
	t := results.NewTable("storage.csv", "one row a workload of storage")
	workload, target := t.String("workload", "workload it belongs to"), t.String("target", "host that has the devices")
	jobs, depth := t.Int("jobs", "programs", "jobs of all initiators"), t.Int("depth", "commands", "commands that each has under way")
	block, reads := t.Bytes("block_bytes", "data of a command"), t.Int("reads_percent", "%", "reads of a hundred commands")
	cores, channels := t.Int("target_cores", "cores", "threads of the target, each on a core"), t.Int("device_channels", "", "commands that the devices work on at the same time")
	commands := t.Int("commands", "commands", "commands that are done")
	rate := t.Float("iops", "1/s", "commands a second, from the first to the last")
	payload := t.Rate("payload_gbps", "their data by that time")
	times := spreadColumns(t, "t", "commands, from when the initiator begins with one until it has the answer", func(m *programs.StorageResult) *programs.Spread { return &m.Latency })
	under := t.Float("underway", "commands", "rate times mean latency: by Little's law the commands under way in the mean")
	empty := t.Time("empty_us", "what a command takes when no other is under way")
	bounds := []struct {
		to *results.Values[float64]
		of func(m *programs.StorageResult) float64
	}{
		{t.Float("bound_depth_iops", "1/s", "bound by what jobs have under way: depth of all by empty"), func(m *programs.StorageResult) float64 { return m.ByDepth }},
		{t.Float("bound_device_iops", "1/s", "bound by the devices: channels by their time, or their rate; empty without one"), func(m *programs.StorageResult) float64 { return m.ByDevice }},
		{t.Float("bound_link_iops", "1/s", "bound by the target's links"), func(m *programs.StorageResult) float64 { return m.ByLink }},
		{t.Float("bound_cores_iops", "1/s", "bound by the target's cores, if each command takes what it took in the mean"), func(m *programs.StorageResult) float64 { return m.ByCores }},
	}
	cpu, theirs := t.Time("target_cpu_us", "processor time of the target's threads for a command"), t.Time("initiator_cpu_us", "processor time of the initiator's thread for a command")
	load, kept := t.Float("target_load", "", "share of the target's cores that its threads, and over TCP its kernel, worked: those of its threads, and over TCP all of the host"), t.Float("target_kept", "", "share of them that they kept from others: all where they look for commands all the time")
	for i := range r.Storages {
		s := &r.Storages[i]
		m := s.Result()
		some := m.IOs > 0
		workload.Append(s.Workload)
		target.Append(s.TargetName())
		jobs.Append(int64(len(s.Initiators)))
		depth.Append(int64(s.Depth))
		block.Append(s.Block)
		reads.Append(int64(s.Reads))
		cores.Append(int64(s.Cores))
		channels.Append(int64(s.Device.Channels))
		commands.Append(int64(m.IOs))
		appendKnown(rate, m.PerSecond, some)
		if some {
			payload.Append(units.Rate(m.PerSecond * float64(s.Block) * 8))
		} else {
			payload.AppendMissing()
		}
		for _, c := range times {
			if some {
				c.to.Append(c.of(&m))
			} else {
				c.to.Append(units.Never)
			}
		}
		appendKnown(under, m.UnderWay, some)
		empty.Append(m.Empty)
		for _, b := range bounds {
			appendKnown(b.to, b.of(&m), b.of(&m) > 0)
		}
		cpu.Append(m.Target)
		theirs.Append(m.Initiator)
		appendKnown(load, m.TargetLoad, some)
		appendKnown(kept, m.TargetKept, some)
	}
	return t
}

// gist is what initiators measured, in a line.
func (s *Storage) gist() string {
	m := s.Result()
	if m.IOs == 0 {
		return "no command is done"
	}
	return fmt.Sprintf("%s commands of %s a second in %s (mean), 99 %% within %s; target's cores %s busy; bound by %s",
		results.Figure(m.PerSecond), s.Block, m.Latency.Mean.Human(), m.Latency.P99.Human(), results.Percent(m.TargetLoad), s.bound(&m))
}

// bound is what bounds the commands first, and how near they come to it.
func (s *Storage) bound(m *programs.StorageResult) string {
	var first string
	var least float64
	for _, b := range [...]struct {
		what string
		most float64
	}{{"what is under way", m.ByDepth}, {"the devices", m.ByDevice}, {"the link", m.ByLink}, {"the target's cores", m.ByCores}} {
		if b.most > 0 && (least == 0 || b.most < least) {
			first, least = b.what, b.most
		}
	}
	if least == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s at %s (%s of that)", first, results.Figure(least), results.Percent(m.PerSecond/least))
}

// text is what initiators measured, as a person reads it.
func (s *Storage) text() string {
	m := s.Result()
	var b strings.Builder
	fmt.Fprintf(&b, "%d jobs with %d commands under way each at %s: %d cores, %d channels of %s to read and %s to write\n", len(s.Initiators), s.Depth,
		s.TargetName(), s.Cores, s.Device.Channels, s.Device.Read.Human(), s.Device.Write.Human())
	fmt.Fprintf(&b, "%10s %10s %10s %10s %10s %10s %12s %12s %12s %12s\n",
		"#IOPS", "avg[us]", "median[us]", "99%[us]", "max[us]", "empty[us]", "by depth", "by devices", "by link", "by cores")
	fmt.Fprintf(&b, "%10.0f %10.2f %10.2f %10.2f %10.2f %10.2f %12.0f %12.0f %12.0f %12.0f\n", m.PerSecond, m.Latency.Mean.Microseconds(), m.Latency.Median.Microseconds(),
		m.Latency.P99.Microseconds(), m.Latency.Max.Microseconds(), m.Empty.Microseconds(), m.ByDepth, m.ByDevice, m.ByLink, m.ByCores)
	fmt.Fprintf(&b, "IOPS x mean latency = %.2f under way (Little's law); a command takes %s of the target's processors, which are %.1f %% busy and %.1f %% kept, and %s of the initiator's\n",
		m.UnderWay, m.Target.Human(), 100*m.TargetLoad, 100*m.TargetKept, m.Initiator.Human())
	return b.String()
}
