package programs_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// tcpAck is an acknowledgement of TCP on the wire.
const tcpAck = 84

// fpdu is a message of iWARP that fits one packet on the wire: length, headers of DDP and RDMAP and
// payload, padded to a multiple of four, a CRC, and 78 bytes around.
func fpdu(headers, payload int) int { return (2+headers+payload+3)/4*4 + 4 + 78 }

// Headers of segments that say where they go, and of others.
const tagged, untagged = 14, 18

// onIWARP runs a test between two hosts on one switch over iWARP.
func onIWARP(t *testing.T, o programs.Options, change ...func(*simtest.Net)) programs.Result {
	t.Helper()
	net := simtest.Star(2, 100*units.Gbps, 500*units.Nanosecond)
	o.Data = net.IWARP(1500)
	for _, f := range change {
		f(net)
	}
	c := net.Cluster(t)
	p, err := programs.New(c, 0, 1, o)
	if err != nil {
		t.Fatal(err)
	}
	if r := net.Finish(t, c); r.Outcome != host.Done || len(p.Results()) != 1 {
		t.Fatalf("%v: %v at %v: %+v", o.Test, r.Outcome, r.Now, c.ThreadWaits(r.Now))
	}
	return p.Results()[0]
}

// With hosts and adapters that take no time latency over iWARP is the network's: of a message one way, and
// before it that of the acknowledgement of the one that it answers; of a READ (28 bytes to ask, and the payload
// back) and of an atomic operation (52 bytes, and 12 back) both ways.
func TestLatencyOfTheNetworkAloneOverIWARP(t *testing.T) {
	for _, c := range []struct {
		o    programs.Options
		want units.Time
	}{
		{programs.Options{Test: programs.WriteLat, Sizes: []units.Bytes{8}}, oneWay(fpdu(tagged, 8)) + tcpAck*byteTime},
		{programs.Options{Test: programs.SendLat, Sizes: []units.Bytes{8}}, oneWay(fpdu(untagged, 8)) + tcpAck*byteTime},
		{programs.Options{Test: programs.SendLat, Sizes: []units.Bytes{1436}}, oneWay(1538) + tcpAck*byteTime},
		{programs.Options{Test: programs.ReadLat, Sizes: []units.Bytes{8}}, oneWay(fpdu(untagged, 28)) + oneWay(fpdu(tagged, 8)) + 2*tcpAck*byteTime},
		{programs.Options{Test: programs.AtomicLat, Atomic: rnic.FetchAdd}, oneWay(fpdu(untagged, 52)) + oneWay(fpdu(untagged, 12)) + 2*tcpAck*byteTime},
		{programs.Options{Test: programs.AtomicLat, Atomic: rnic.CompareSwap}, oneWay(fpdu(untagged, 52)) + oneWay(fpdu(untagged, 12)) + 2*tcpAck*byteTime},
	} {
		c.o.Iterations = 100
		if l := onIWARP(t, c.o).Latency; l.Typical != c.want || l.Max != c.want {
			t.Errorf("%v of %v: %+v, want %v", c.o.Test, c.o.Sizes, *l, c.want)
		}
	}
}

// A connection of which everything is acknowledged has a message wait for its pace, and nothing comes
// meanwhile that would have it looked at: the adapter looks by itself when the time has come.
func TestIWARPWaitsForItsPaceAndGoesOn(t *testing.T) {
	paced := map[string]func(*simtest.Net){
		"by the congestion control": func(n *simtest.Net) {
			n.NIC.IWARP = rnic.NewIWARP(n.NIC.IWARP.TCP, congestion.BBR.Params())
		},
		"by itself": func(n *simtest.Net) { n.NIC.IWARP.TCP.Pacing = true },
	}
	for how, pace := range paced {
		for _, test := range []programs.Test{programs.WriteLat, programs.SendLat, programs.ReadLat, programs.AtomicLat} {
			o := programs.Options{Test: test, Iterations: 300, Sizes: []units.Bytes{64}}
			if test == programs.AtomicLat {
				o.Sizes, o.Atomic = nil, rnic.FetchAdd
			}
			if l := onIWARP(t, o, pace).Latency; l.Max > 100*units.Microsecond {
				t.Errorf("paced %s: %v takes %v", how, test, l.Max)
			}
		}
	}
}

// An adapter that runs TCP adds half a microsecond to what goes one way, and a whole one to what goes both
// ways: 250 ns at either end.
func TestIWARPTakesHalfAMicrosecondMore(t *testing.T) {
	for test, more := range map[programs.Test]units.Time{programs.WriteLat: 500, programs.SendLat: 500, programs.ReadLat: 1000} {
		o := programs.Options{Test: test, Sizes: []units.Bytes{8}, Iterations: 100}
		equip := func(n *simtest.Net) {
			n.Graph = simtest.Star(2, 100*units.Gbps, 25*units.Nanosecond).Graph
			n.NIC.Hardware, n.Fabric.Pipeline = hardware.New("connectx5"), 300*units.Nanosecond
		}
		got := onIWARP(t, o, equip).Latency.Typical - equipped(t, "connectx5", o).Latency.Typical + 170*units.Nanosecond // of a processor
		if test == programs.SendLat {
			got += 30 * units.Nanosecond // for the receive request
		}
		if more *= units.Nanosecond; got < more-50*units.Nanosecond || got > more+50*units.Nanosecond {
			t.Errorf("%v: %v more, want %v", test, got, more)
		}
	}
}

// Of a long message over iWARP 1440 of 1538 bytes are payload, 1436 of one that goes to a receive request; for
// messages both ways the acknowledgements of those that come take their part, 84 bytes for each packet.
func TestBandwidthOverIWARP(t *testing.T) {
	for _, c := range []struct {
		o    programs.Options
		want float64 // Gb/s
	}{
		{programs.Options{Test: programs.WriteBW}, 100 * 1440.0 / 1538},
		{programs.Options{Test: programs.ReadBW}, 100 * 1440.0 / 1538},
		{programs.Options{Test: programs.SendBW}, 100 * 1436.0 / 1538},
		{programs.Options{Test: programs.WriteBW, Bidirectional: true}, 200 * 1440.0 / (1538 + 84)},
	} {
		c.o.Sizes, c.o.Iterations = []units.Bytes{1436 * 1440}, 50
		if got := float64(onIWARP(t, c.o).Bandwidth.Average) / 1e9; got < 0.98*c.want || got > c.want {
			t.Errorf("%v, both ways %v: %.2f Gb/s, want %.2f less what a small window costs at the start", c.o.Test, c.o.Bidirectional, got, c.want)
		}
	}
}

// shortOverIWARP is a test of short connections over iWARP between hosts on one switch; the last host is the server.
func shortOverIWARP(t *testing.T, hosts int, cm rdmacm.Params, o programs.ShortLivedOptions, change ...func(*simtest.Net, *host.Cluster)) *programs.ShortLived {
	t.Helper()
	net := simtest.Star(hosts, 100*units.Gbps, 500*units.Nanosecond)
	o.Data, o.Server = net.IWARP(1500), hosts-1
	net.NIC.Connections = &cm
	c := net.Cluster(t)
	s, err := programs.NewShortLived(c, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(net, c)
	}
	if r := net.Finish(t, c); r.Outcome != host.Done {
		t.Fatalf("%v at %v: %+v", r.Outcome, r.Now, c.ThreadWaits(r.Now))
	}
	return s
}

// A connection over iWARP takes two round trips until the side that asks for it may send: SYN and its answer (98 bytes with
// their options), and the request of MPA and its reply (24 bytes, 102 on the wire), before each of which an acknowledgement
// leaves. It ends with a FIN there and one back, both behind an acknowledgement. Numbers of queue pairs need no rest.
func TestAConnectionOverIWARPTakesTwoRoundTrips(t *testing.T) {
	s := shortOverIWARP(t, 2, rdmacm.Costless(), programs.ShortLivedOptions{Clients: []int{0}, Sessions: 3, Requests: 5, RequestSize: 64, AnswerSize: 64})
	sessions := s.SessionsOf(0)
	if len(sessions) != 3 {
		t.Fatalf("%d sessions, want 3", len(sessions))
	}
	for i, got := range sessions {
		want := 2*oneWay(98) + 2*oneWay(102) + 2*tcpAck*byteTime
		if i == 0 {
			want += 2 * oneWay(84) // ARP
		} else {
			want += tcpAck * byteTime // that of the FIN before
		}
		if took := got.Connected - got.Begun; took != want {
			t.Errorf("session %d connected in %v, want %v", i, took, want)
		}
		if took, want := got.Ended-got.Answered, 2*oneWay(84)+2*tcpAck*byteTime; took != want {
			t.Errorf("session %d ended in %v, want %v", i, took, want)
		}
	}
}

// With one packet in twenty lost, handshakes and ends of connections among them, all sessions come to their end,
// however much is used again.
func TestSessionsOverIWARPEndUnderLoss(t *testing.T) {
	for _, reuse := range []programs.Reuse{programs.ReuseNothing, programs.ReuseQueuePairs, programs.ReuseConnections} {
		cm := rdmacm.Default()
		cm.ResolveTimeout, cm.ResolveRetries = 5*units.Millisecond, 15
		s := shortOverIWARP(t, 4, cm, programs.ShortLivedOptions{
			Clients: []int{0, 1, 2}, Sessions: 20, Requests: 3, RequestSize: 64, AnswerSize: 5000, Reuse: reuse, Pool: 3,
		}, lossy(3, 20), func(n *simtest.Net, _ *host.Cluster) {
			n.NIC.IWARP.TCP.InitialRTO, n.NIC.IWARP.TCP.MinRTO = 5*units.Millisecond, 5*units.Millisecond
		})
		for i := range 3 {
			if got := len(s.SessionsOf(i)); got != 20 {
				t.Errorf("%v used again: client %d had %d sessions, want 20", reuse, i, got)
			}
		}
	}
}
