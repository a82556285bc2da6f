package workloads

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
)

// Media is streams of video frames that have to be there in time.
type Media struct {
	noFlows
	From      []string    `key:"from" required:"true" doc:"selectors of the hosts that send"`
	To        []string    `key:"to" required:"true" doc:"selectors of the hosts that receive: stream i goes from the i-th sender to the i-th receiver, both lists gone through again and again"`
	Streams   int         `key:"streams" default:"0" min:"0" max:"100000" doc:"streams; 0: one for each sender, or for each receiver if these are more"`
	Rate      int         `key:"frames_per_second" default:"60" min:"1" max:"100000" doc:"frames a second of each stream, by a timetable that sender and receiver have in common"`
	Frames    int         `key:"frames" default:"60" min:"1" max:"1000000" doc:"frames of each stream"`
	Frame     units.Bytes `key:"frame" default:"5184000B" min:"1B" max:"256MiB" doc:"mean size of a frame" source:"1920 times 1080 pixels of 2.5 B each: 10 bits, 4:2:2, uncompressed"`
	Sigma     units.Ratio `key:"sigma" default:"0" max:"2" doc:"sizes are log-normal with this standard deviation of their logarithm; 0: all alike"`
	KeyEvery  int         `key:"key_every" default:"1" min:"1" max:"10000" doc:"of so many frames the first is a key frame, of compressed video"`
	KeyFactor units.Ratio `key:"key_factor" default:"5" min:"1" max:"100" doc:"size of a key frame as a multiple of others; the mean of all is frame" source:"assumed: 3 to 10"`
	Slices    int         `key:"slices" default:"1" min:"1" max:"10000" doc:"pieces in which a frame is sent, each a WRITE with immediate, or a message over a socket"`
	Spread    units.Ratio `key:"spread" default:"0" max:"1" doc:"part of the time until the next frame over which they are sent evenly; 0: in a burst"`
	Deadline  units.Time  `key:"deadline" default:"16ms" max:"10s" doc:"a frame that is whole at its receiver later than so long after it was due is late" source:"about the time until the next, at 60 a second"`
	Together  bool        `key:"together" default:"false" doc:"whether frames of all streams are due at the same time, as of cameras that are locked; else each stream begins at random"`
	Events    bool        `key:"events" default:"false" doc:"whether programs sleep until a message has come and do not look for it all the time"`
	Credits   int         `key:"credits" default:"64" min:"2" max:"4096" doc:"slices that the sender may have sent and the receiver not taken"`
	Overhead  units.Time  `key:"overhead" default:"100ns" max:"1s" doc:"processor time of the library for each slice, at either end, beside verbs or system calls" source:"assumed: as of MPI"`
	Start     units.Time  `key:"start" default:"0s" doc:"when they start; they are connected by then"`
	Priority  int         `key:"priority" default:"-1" min:"-1" max:"7" doc:"class of the data; -1 for the one the host is configured with"`
	Travel    `key:",inline"`
}

// MediaStreams is the program of a [Media].
type MediaStreams struct {
	*Media
	Senders, Receivers []int           // indices into Env.Hosts, of each stream
	Sizes              [][]units.Bytes // of each frame of each stream
	Phases             []units.Time    // of each stream: when its first frame is due
}

// Begins implements [Task].
func (m *Media) Begins() units.Time { return m.Start }

// Class implements [Task].
func (m *Media) Class() int { return m.Priority }

// Queues implements [Task].
func (m *MediaStreams) Queues() Queues {
	pairs := len(m.Senders)
	return Queues{Pairs: pairs, Requests: 4 * pairs * m.Credits, Receives: 4 * pairs * m.Credits}
}

// mostFrames bounds the frames of a workload, whose sizes are kept in memory.
const mostFrames = 1 << 24

// Programs returns the program.
func (m *Media) Programs(env Env) ([]Program, error) {
	hosts := newDirectory(env)
	from, noSenders := hosts.find("from", m.From)
	to, noReceivers := hosts.find("to", m.To)
	problems := []error{noSenders, noReceivers, moment("start", m.Start)}
	if noSenders == nil && len(from) == 0 {
		problems = append(problems, &units.FieldError{Key: "from", Problem: "nobody sends", Want: "at least one host"})
	}
	if noReceivers == nil && len(to) == 0 {
		problems = append(problems, &units.FieldError{Key: "to", Problem: "nobody receives", Want: "at least one host"})
	}
	streams := m.Streams
	if streams == 0 {
		streams = max(len(from), len(to))
	}
	if m.Frames*streams > mostFrames {
		problems = append(problems, units.Field("frames", m.Frames, fmt.Sprintf("too many of %d streams together", streams), fmt.Sprintf("at most %d", mostFrames/streams)))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	task := &MediaStreams{Media: m}
	for i := range streams {
		a, b := from[i%len(from)], to[i%len(to)]
		if a == b {
			return nil, units.Field("to", env.Hosts[b], fmt.Sprintf("stream %d goes from it to itself", i), "receivers in an order in which no stream does")
		}
		task.Senders, task.Receivers = append(task.Senders, a), append(task.Receivers, b)
		random := env.Rand(fmt.Sprintf("frames/%d", i))
		phase := units.Time(Uint64N(random, uint64(units.Second)/uint64(m.Rate)))
		if m.Together {
			phase = 0
		}
		task.Phases = append(task.Phases, phase)
		task.Sizes = append(task.Sizes, m.sizes(random))
	}
	return []Program{{Task: task}}, nil
}

// sizes draws the sizes of a stream's frames: of key_every frames one has key_factor times the size of each other.
func (m *Media) sizes(random Rand) []units.Bytes {
	factor := m.KeyFactor.Float()
	every := float64(m.KeyEvery)
	other := float64(m.Frame) * every / (every - 1 + factor)
	if m.KeyEvery == 1 {
		other, factor = float64(m.Frame), 1
	}
	first := int(Uint64N(random, uint64(m.KeyEvery))) // not all streams have their key frames at once
	all := make([]units.Bytes, m.Frames)
	for k := range all {
		size := other
		if (k+first)%m.KeyEvery == 0 {
			size = float64(other * factor)
		}
		if sigma := m.Sigma.Float(); sigma > 0 {
			size = float64(size * variate.LogNormal(random, sigma))
		}
		all[k] = max(units.Bytes(m.Slices), units.Bytes(size+0.5))
	}
	return all
}
