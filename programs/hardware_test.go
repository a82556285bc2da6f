package programs_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/sim/units"
)

// equipped runs a test between two hosts on one switch of 300 ns, with 5 m of cable and the
// figures of an adapter.
func equipped(t *testing.T, profile string, o programs.Options) programs.Result {
	t.Helper()
	net := simtest.Star(2, 100*units.Gbps, 25*units.Nanosecond)
	net.Fabric.Pipeline = 300 * units.Nanosecond
	net.NIC.Timeout = 14
	net.NIC.Hardware = hardware.New(profile)
	c := net.Cluster(t)
	c.CPU = host.CPU{Post: net.NIC.Hardware.Post, Poll: net.NIC.Hardware.Poll}
	o.Data = simtest.Data
	p, err := programs.New(c, 0, 1, o)
	if err != nil {
		t.Fatal(err)
	}
	if r := net.Finish(t, c); r.Outcome != host.Done {
		t.Fatalf("%v at %v", r.Outcome, r.Now)
	}
	return p.Results()[0]
}

// The latency of small messages is the sum of its parts. One way, inline: 120 ns to post, 150 of doorbell, 150 of pipeline,
// 366.96 of network (106 B twice, twice 25 ns, a switch of 300), 150 of pipeline, 250 until it is in memory, 50 until
// it is seen: 1236.96 ns. For a READ another pipeline each way, 550 ns until the other end has read its memory and the network
// once more (98 and 94 B, 730.72 ns in all): 2450.72 ns. What the bus adds to that are a few ns for 64 or 88 bytes.
func TestLatencyOfSmallMessagesIsTheSumOfItsParts(t *testing.T) {
	for _, c := range []struct {
		test programs.Test
		want units.Time
	}{
		{programs.WriteLat, 1236_960}, {programs.ReadLat, 2450_720},
	} {
		l := equipped(t, "connectx6", programs.Options{Test: c.test, Sizes: []units.Bytes{8}, Iterations: 100}).Latency
		if over := l.Typical - c.want; over < 0 || over > 15*units.Nanosecond {
			t.Errorf("%v of 8 B takes %v, want %v and up to 15 ns on the bus", c.test, l.Typical, c.want)
		}
	}
}

// 64 KiB at MTU 4096 on 100 Gb/s: 98.0 Gb/s with an adapter that keeps up.
func TestAnAdapterThatKeepsUpFillsTheLink(t *testing.T) {
	for _, profile := range []string{"connectx5", "connectx6", "connectx7"} {
		b := equipped(t, profile, programs.Options{Test: programs.WriteBW, Iterations: 2000}).Bandwidth
		if b.Average < 97_800*units.Mbps || b.Average > 98_020*units.Mbps {
			t.Errorf("%s: %v, want 98.0 Gb/s", profile, b.Average)
		}
	}
}

// What nobody acknowledges is done when it has left, and not when the adapter has it ready: no test finds
// more than the link carries, which is 4096 of 4186 bytes for datagrams.
func TestUnansweredMessagesAreDoneWhenTheyHaveLeft(t *testing.T) {
	for _, service := range []rnic.Service{rnic.UC, rnic.UD} {
		b := equipped(t, "connectx6", programs.Options{Test: programs.SendBW, Service: service, Sizes: []units.Bytes{4096}, Iterations: 200}).Bandwidth
		if most := 100 * units.Gbps / 4186 * 4096; b.Average > most+most/500 || b.Average < 95*most/100 {
			t.Errorf("%v: %v, want up to %v", service, b.Average, most)
		}
	}
}
