package record

import (
	"fmt"

	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Media is streams of frames of the run, under the label of their workload.
type Media struct {
	Workload string
	*programs.Media
}

// mediaTable is the name of the table of streams of frames.
const mediaTable = "media"

// MediaTable is the table of what receivers of frames measured.
func (r *Run) MediaTable() *results.Table {
	type result = programs.MediaResult
	t := results.NewTable("media.csv", "one row a workload of streams of frames")
	workload := t.String("workload", "workload it belongs to")
	streams, rate := t.Int("streams", "streams", "streams, each of a sender and a receiver"), t.Int("frames_per_second", "frames/s", "frames a second of each")
	frames, payload := t.Int("frames", "frames", "frames that came whole"), t.Bytes("frame_bytes", "their mean size")
	times := []timeColumn[result]{
		{t.Time("wire_us", "for how long a frame of mean size keeps the sender's link busy: the least that it takes"), func(m *result) units.Time { return m.Wire }},
	}
	times = append(times, spreadColumns(t, "latency", "times from when a frame was due until it was whole at its receiver", func(m *result) *programs.Spread { return &m.Latency })...)
	times = append(times, spreadColumns(t, "jitter", "deviations of the time between the arrivals of two frames that follow each other from the time between those at which they were due", func(m *result) *programs.Spread { return &m.Jitter })...)
	times = append(times, timeColumn[result]{t.Time("jitter_alone_p99_us", "what 99 % of these would not exceed if frames of these sizes took their time on the sender's link and nothing came between"), func(m *result) units.Time {
		if m.Alone.Count == 0 {
			return units.Never
		}
		return m.Alone.P99
	}})
	deadline := t.Time("deadline_us", "after which a frame is late, from when it was due")
	late, share := t.Int("late", "frames", "frames that were whole later than that, or not at all"), t.Float("late_share", "", "their part of all whose deadline was over")
	sender, receiver := t.Time("sender_cpu_us", "processor time of the senders for each frame"), t.Time("receiver_cpu_us", "likewise of the receivers")
	for i := range r.Medias {
		s := &r.Medias[i]
		m := s.Result(r.Report.Now)
		workload.Append(s.Workload)
		streams.Append(int64(len(s.From)))
		rate.Append(int64(s.Rate))
		frames.Append(int64(m.Frames))
		payload.Append(m.Bytes / units.Bytes(max(1, m.Frames)))
		for _, c := range times {
			if m.Frames == 0 {
				c.to.Append(units.Never)
			} else {
				c.to.Append(c.of(&m))
			}
		}
		deadline.Append(s.Deadline)
		late.Append(int64(m.Late))
		share.Append(m.LateShare)
		sender.Append(m.Sender)
		receiver.Append(m.Receiver)
	}
	return t
}

// gist is what receivers of frames measured, in a line.
func (s *Media) gist(now units.Time) string {
	m := s.Result(now)
	if m.Frames == 0 {
		return "no frame has come whole"
	}
	return fmt.Sprintf("%s of %d frames a second; a frame of %s in %s (median; %s on the wire), 99.9 %% within %s; jitter %s (median), 99 %% within %s (alone %s), 99.9 %% within %s; %s of %s later than %s (%s)",
		results.Plural(int64(len(s.From)), "stream"), s.Rate, (m.Bytes / units.Bytes(m.Frames)).Human(), m.Latency.Median.Human(), m.Wire.Human(), m.Latency.P999.Human(),
		m.Jitter.Median.Human(), m.Jitter.P99.Human(), m.Alone.P99.Human(), m.Jitter.P999.Human(),
		results.Count(int64(m.Late)), results.Plural(int64(m.Frames), "frame"), s.Deadline.Human(), results.Percent(m.LateShare))
}
