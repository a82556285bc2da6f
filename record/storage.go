package record

import (
	"fmt"
	"strings"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Storage is targets of storage of the run with their initiators, under the label of their workload.
type Storage struct {
	Workload string
	*programs.Storage
}

// storageTable is the name of the table of storage.
const storageTable = "storage"

// StorageTable is the table of what initiators measured.
func (r *Run) StorageTable() *results.Table {
	t := results.NewTable("storage.csv", "one row a workload of storage")
	workload, target := t.String("workload", "workload it belongs to"), t.String("target", "host that has the devices, or the first and the last of several")
	protocol, layout := t.String("protocol", "messages of an operation"), t.String("layout", "where its data lies")
	jobs, depth := t.Int("jobs", "programs", "jobs of all initiators"), t.Int("depth", "operations", "operations that each has under way, or may have in an open loop")
	block, reads := t.Bytes("block_bytes", "data of an operation in the mean"), t.Int("reads_percent", "%", "reads of a hundred operations")
	cores, channels := t.Int("target_cores", "cores", "threads of each target, each on a core"), t.Int("device_channels", "", "commands that the devices of each target work on at the same time")
	commands := t.Int("commands", "operations", "operations that are done")
	rate := t.Float("iops", "1/s", "operations a second, from the first to the last")
	payload := t.Rate("payload_gbps", "their data by that time")
	span := t.Time("span_us", "that time")
	times := spreadColumns(t, "t", "operations, from when the initiator begins with one, in an open loop from when it was to begin, until it is done", func(m *programs.StorageResult) *programs.Spread { return &m.Latency })
	under := t.Float("underway", "operations", "operations under way in the mean: the integral of how many were, by the time")
	little := t.Float("little", "", "sum of all latencies by that integral: 1 by Little's law")
	theories := []timeColumn[programs.StorageResult]{
		{t.Time("empty_us", "what an operation takes when no other is under way"), func(m *programs.StorageResult) units.Time { return m.Empty }},
		{t.Time("theory_us", "what that is by its parts, where targets pass on what is written: way_us and the longer of a device and of hop_us and a device"), func(m *programs.StorageResult) units.Time { return m.Theory }},
		{t.Time("way_us", "the way of a write to the first target and back, which does nothing about it"), func(m *programs.StorageResult) units.Time { return m.Way }},
		{t.Time("hop_us", "the way on to another target and back"), func(m *programs.StorageResult) units.Time { return m.Hop }},
		{t.Time("queueing_us", "mean latency in an open loop by the theory of queues (M/D/k), of the devices alone"), func(m *programs.StorageResult) units.Time { return m.Queueing }},
	}
	bounds := []struct {
		to *results.Values[float64]
		of func(m *programs.StorageResult) float64
	}{
		{t.Float("bound_arrivals_iops", "1/s", "operations that are to begin in a second, in an open loop"), func(m *programs.StorageResult) float64 { return m.ByArrivals }},
		{t.Float("bound_depth_iops", "1/s", "bound by what jobs have under way: depth of all by empty"), func(m *programs.StorageResult) float64 { return m.ByDepth }},
		{t.Float("bound_device_iops", "1/s", "bound by the devices: channels by their time, or their rates; empty without one"), func(m *programs.StorageResult) float64 { return m.ByDevice }},
		{t.Float("bound_link_iops", "1/s", "bound by the links of targets and initiators"), func(m *programs.StorageResult) float64 { return m.ByLink }},
		{t.Float("bound_cores_iops", "1/s", "bound by the targets' cores, if each operation takes what it took in the mean"), func(m *programs.StorageResult) float64 { return m.ByCores }},
	}
	cpu, theirs := t.Time("target_cpu_us", "processor time of the targets' threads for an operation"), t.Time("initiator_cpu_us", "processor time of the initiator's thread for an operation")
	load, kept := t.Float("target_load", "", "share of the targets' cores that their threads, and over TCP their kernels, worked: those of their threads, and over TCP all of their hosts"), t.Float("target_kept", "", "share of them that they kept from others: all where they look for commands all the time")
	messages, copies := t.Float("messages", "", "messages that both ends sent for an operation, those of a rebuild included; over TCP the protocol's, by RDMA SENDs, WRITEs and READs"), t.Float("copies", "", "how often processors copied a byte of an operation's data, what its messages say beside included")
	stalls := t.Int("stalls", "commands", "commands that met garbage collection")
	rebuilt, rebuiltRate := t.Bytes("rebuilt_bytes", "what a spare has got"), t.Rate("rebuild_gbps", "at which rate")
	for i := range r.Storages {
		s := &r.Storages[i]
		m := s.Result()
		some := m.IOs > 0
		workload.Append(s.Workload)
		target.Append(s.targets())
		protocol.Append(s.Protocol.Name)
		layout.Append(s.layout())
		jobs.Append(int64(len(s.Initiators)))
		depth.Append(int64(s.Depth))
		block.Append(s.MeanBlock())
		reads.Append(int64(s.Reads))
		cores.Append(int64(s.Cores))
		channels.Append(int64(s.Device.Channels))
		commands.Append(int64(m.IOs))
		appendKnown(rate, m.PerSecond, some)
		if some {
			payload.Append(units.Rate(float64(m.Bytes) * 8 / max(1, m.Ended-m.Begun).Seconds()))
			span.Append(m.Ended - m.Begun)
		} else {
			payload.AppendMissing()
			span.Append(units.Never)
		}
		for _, c := range times {
			if some {
				c.to.Append(c.of(&m))
			} else {
				c.to.Append(units.Never)
			}
		}
		appendKnown(under, m.UnderWay, some)
		appendKnown(little, float64(m.Sum)/float64(max(1, m.Area)), some)
		for _, c := range theories {
			c.to.Append(c.of(&m))
		}
		for _, b := range bounds {
			appendKnown(b.to, b.of(&m), b.of(&m) > 0)
		}
		cpu.Append(m.Target)
		theirs.Append(m.Initiator)
		appendKnown(load, m.TargetLoad, some)
		appendKnown(kept, m.TargetKept, some)
		appendKnown(messages, m.Messages, some)
		appendKnown(copies, m.Copies, some)
		stalls.Append(int64(m.Stalls))
		rebuilt.Append(m.Rebuilt)
		rebuiltRate.Append(m.RebuildRate)
	}
	return t
}

// targets names the targets.
func (s *Storage) targets() string {
	names := s.TargetNames()
	if len(names) == 1 {
		return names[0]
	}
	return names[0] + " to " + names[len(names)-1]
}

// layout says where the data of an operation lies.
func (s *Storage) layout() string {
	switch l := &s.Layout; {
	case l.Copies > 1 && l.Chain:
		return fmt.Sprintf("chain of %d", l.Copies)
	case l.Copies > 1:
		return fmt.Sprintf("%d copies", l.Copies)
	case l.Parity > 0:
		return fmt.Sprintf("%d+%d parts", l.Data, l.Parity)
	case l.Data > 0:
		return fmt.Sprintf("%d parts", l.Data)
	}
	return "one target"
}

// gist is what initiators measured, in a line.
func (s *Storage) gist() string {
	m := s.Result()
	if m.IOs == 0 {
		return "no command is done"
	}
	text := fmt.Sprintf("%s commands of %s a second in %s (mean), 99 %% within %s; target's cores %s busy; bound by %s",
		results.Figure(m.PerSecond), s.MeanBlock(), m.Latency.Mean.Human(), m.Latency.P99.Human(), results.Percent(m.TargetLoad), s.bound(&m))
	if m.Theory != units.Never {
		text += fmt.Sprintf("; alone in %s, by theory %s", m.Empty.Human(), m.Theory.Human())
	}
	if m.Rebuilt > 0 {
		text += fmt.Sprintf("; %s rebuilt at %s", m.Rebuilt, m.RebuildRate.Human())
	}
	return text
}

// bound is what bounds the operations first, and how near they come to it.
func (s *Storage) bound(m *programs.StorageResult) string {
	var first string
	var least float64
	for _, b := range [...]struct {
		what string
		most float64
	}{{"what is to begin", m.ByArrivals}, {"what is under way", m.ByDepth}, {"the devices", m.ByDevice}, {"the link", m.ByLink}, {"the target's cores", m.ByCores}} {
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
	fmt.Fprintf(&b, "%d jobs with %d operations under way each at %s (%s, %s): %d cores, %d channels of %s to read and %s to write\n", len(s.Initiators), s.Depth,
		s.targets(), s.Protocol.Name, s.layout(), s.Cores, s.Device.Channels, s.Device.Read.Human(), s.Device.Write.Human())
	fmt.Fprintf(&b, "%10s %10s %10s %10s %10s %10s %12s %12s %12s %12s\n",
		"#IOPS", "avg[us]", "median[us]", "99%[us]", "max[us]", "empty[us]", "by depth", "by devices", "by link", "by cores")
	fmt.Fprintf(&b, "%10.0f %10.2f %10.2f %10.2f %10.2f %10.2f %12.0f %12.0f %12.0f %12.0f\n", m.PerSecond, m.Latency.Mean.Microseconds(), m.Latency.Median.Microseconds(),
		m.Latency.P99.Microseconds(), m.Latency.Max.Microseconds(), m.Empty.Microseconds(), m.ByDepth, m.ByDevice, m.ByLink, m.ByCores)
	fmt.Fprintf(&b, "IOPS x mean latency = %.2f under way (Little's law); an operation takes %s of the target's processors, which are %.1f %% busy and %.1f %% kept, and %s of the initiator's\n",
		m.UnderWay, m.Target.Human(), 100*m.TargetLoad, 100*m.TargetKept, m.Initiator.Human())
	if m.ByArrivals > 0 {
		fmt.Fprintf(&b, "%.0f operations are to begin in a second\n", m.ByArrivals)
	}
	fmt.Fprintf(&b, "an operation is %.2f messages; processors copy its data %.2f times\n", m.Messages, m.Copies)
	if m.Theory != units.Never {
		of := fmt.Sprintf("max(device, %s on + device)", m.Hop.Human())
		if s.Layout.Chain {
			of = fmt.Sprintf("%d x %s on + device", s.Layout.Copies-1, m.Hop.Human())
		}
		fmt.Fprintf(&b, "alone it takes %s; by theory %s to the first and back + %s = %s\n", m.Empty.Human(), m.Way.Human(), of, m.Theory.Human())
	}
	if m.Queueing != units.Never {
		fmt.Fprintf(&b, "mean latency by the theory of queues (M/D/%d): %s\n", s.Device.Channels, m.Queueing.Human())
	}
	if m.Rebuilt > 0 {
		fmt.Fprintf(&b, "rebuilt: %s at %s\n", m.Rebuilt, m.RebuildRate.Human())
	}
	return b.String()
}
