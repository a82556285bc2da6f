package programs_test

import (
	"context"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/sim/units"
)

// watched has hosts 1, 2 … each send a stream of frames of these sizes to host 0 around one switch without a pipeline, at
// links of 100 Gb/s and 500 ns, all due at the same times.
func watched(t *testing.T, transport programs.Transport, streams int, o programs.MediaOptions, sizes ...units.Bytes) programs.MediaResult {
	t.Helper()
	net := simtest.Star(streams+1, 100*units.Gbps, 500*units.Nanosecond)
	net.NIC.Timeout = 14
	net.Fabric.Priorities = []int{0, 3, 6}
	c := net.Cluster(t)
	speakTCP(c)
	o.Channel = programs.ChannelOptions{Transport: transport, Header: programs.MessageHeader, Credits: 8}
	if transport != programs.TCP {
		o.Channel.Data = simtest.Data
	}
	o.Rate, o.Frames, o.Slices = 1000, len(sizes), max(1, o.Slices)
	for i := range streams {
		o.From, o.To = append(o.From, 1+i), append(o.To, 0)
		o.Sizes, o.Phases = append(o.Sizes, sizes), append(o.Phases, 0)
	}
	m, err := programs.NewMedia(c, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(context.Background(), net.Run)
	if err != nil || r.Outcome != host.Done {
		t.Fatalf("%v, %v: %v", r.Outcome, err, c.ThreadWaits(r.Now))
	}
	return m.Result(r.Now)
}

// A frame of 4 packets of 4096 B goes by WRITE with immediate: 16 B of address in the first packet, 4 of immediate in the
// last, 82 around each. Alone it is whole after its first packet, which is the longest, on one link, all of it on the next, and 1 us
// of cable, every time.
func TestAFrameAloneTakesItsTimeOnTheWireAndHasNoJitter(t *testing.T) {
	link := (100 * units.Gbps).Serialise
	frame := units.Bytes(4 * 4096)
	want := link(4*(4096+82)+16+4) + link(4096+82+16) + units.Microsecond
	r := watched(t, programs.RoCEv2, 1, programs.MediaOptions{Deadline: want}, frame, frame, frame, frame, frame)
	if r.Frames != 5 || r.Latency.Min != want || r.Latency.Max != want || r.Jitter.Max != 0 || r.Late != 0 {
		t.Errorf("%d frames in %v to %v, jitter up to %v, %d late; want all in %v", r.Frames, r.Latency.Min, r.Latency.Max, r.Jitter.Max, r.Late, want)
	}
	if r.Wire > want-units.Microsecond || r.Wire < want-units.Microsecond-link(4096+82+16)-link(4) {
		t.Errorf("the least is %v, of %v", r.Wire, want)
	}
	if hasty := watched(t, programs.RoCEv2, 1, programs.MediaOptions{Deadline: want - 1}, frame, frame); hasty.Late != 2 || hasty.LateShare != 1 {
		t.Errorf("with a picosecond less %d of 2 are late", hasty.Late)
	}
}

// Frames that are alternately long and short come apart by what they differ in on the wire, alone as well as by theory; slices that are sent
// over three quarters of the time until the next frame are whole after three quarters of that, less a slice's.
func TestJitterOfAFrameComesOfItsSizeAndSlicesTakeTheTimeTheyAreSpreadOver(t *testing.T) {
	link := (100 * units.Gbps).Serialise
	r := watched(t, programs.RoCEv2, 1, programs.MediaOptions{Deadline: units.Millisecond}, 4096, 40960, 4096, 40960)
	want := 9 * link(4096+82)
	if r.Jitter.Min < want-2*link(86) || r.Jitter.Max > want+2*link(86) || r.Alone.Min < want-link(86) || r.Alone.Max > want+link(86) {
		t.Errorf("jitter from %v to %v, by theory from %v to %v, want %v", r.Jitter.Min, r.Jitter.Max, r.Alone.Min, r.Alone.Max, want)
	}
	r = watched(t, programs.RoCEv2, 1, programs.MediaOptions{Deadline: units.Millisecond, Slices: 4, Spread: 0.75}, 4096, 4096)
	last := units.Millisecond * 3 / 4 * 3 / 4
	if r.Latency.Min < last+units.Microsecond || r.Latency.Max > last+2*units.Microsecond {
		t.Errorf("frames in slices are whole after %v to %v, want a little more than %v", r.Latency.Min, r.Latency.Max, last)
	}
}

// Cameras that are locked send at the same time: frames meet at the receiver's link, the last is whole after all of
// them have come through, by RDMA and over TCP, whose hosts add to that.
func TestFramesOfLockedCamerasMeet(t *testing.T) {
	for _, transport := range transports {
		const streams, frame = 4, 400_000
		r := watched(t, transport, streams, programs.MediaOptions{Deadline: 100 * units.Microsecond}, frame, frame)
		all := (100 * units.Gbps).Serialise(streams * frame)
		if r.Frames != 2*streams || r.Latency.Max < all || r.Latency.Max > all*2 {
			t.Errorf("%v: %d frames, the last in %v; want all, and %v for %d of %d B", transport, r.Frames, r.Latency.Max, all, streams, frame)
		}
		if r.Late == 0 || r.Late > 2*streams {
			t.Errorf("%v: %d late", transport, r.Late)
		}
	}
}
