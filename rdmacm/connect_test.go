package rdmacm_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/sim/units"
)

// With a round trip of 8 us and hosts that cost nothing the client may send after REP, a round
// trip after it began, and the server knows of it half a round trip later.
func TestAConnectionTakesOneAndAHalfRoundTrips(t *testing.T) {
	w := newNetwork(t, 2, idle())
	w.connect()
	w.runUntil(units.Millisecond)
	if got := w.once(0, rdmacm.TellEstablished); got != 8*us {
		t.Errorf("the client may send at %v, want 8us", got)
	}
	if got := w.once(1, rdmacm.TellEstablished); got != 12*us {
		t.Errorf("the server knows at %v, want 12us", got)
	}
	if got, want := w.messages(), []rdmacm.Kind{rdmacm.REQ, rdmacm.REP, rdmacm.RTU}; !slices.Equal(got, want) {
		t.Errorf("messages %v, want %v", got, want)
	}
	if n := w.managers[0].Pending() + w.managers[1].Pending(); n != 0 {
		t.Errorf("%d communications are pending", n)
	}
}

// Commands of 150 us and 50 us for each message that comes in. Client: create 150. Server: REQ
// 50, create, RTR, RTS 450. Client: REP 50, RTR, RTS 300. Then, to know: RTU 50. That is
// 150 + 4 + 500 + 4 + 350 = 1008 us until the client may send, 4 + 50 more until the server knows.
func TestAConnectionCostsCommandsAndMessages(t *testing.T) {
	p := idle()
	p.Command, p.Processing = 150*us, 50*us
	w := newNetwork(t, 2, p)
	w.connect()
	w.runUntil(2 * units.Millisecond)
	if got := w.once(0, rdmacm.TellEstablished); got != 1008*us {
		t.Errorf("the client may send at %v, want 1008us", got)
	}
	if got := w.once(1, rdmacm.TellEstablished); got != 1062*us {
		t.Errorf("the server knows at %v, want 1062us", got)
	}
	if got := w.once(1, rdmacm.ToRTS); got != 654*us {
		t.Errorf("the server's queue pair is at RTS at %v, before its REP at 654us", got)
	}
}

// With queue pairs at hand at both ends, two commands of 150 us are less to be waited for.
func TestAQueuePairAtHandSavesItsCommand(t *testing.T) {
	p := idle()
	p.Command = 150 * us
	w := newNetwork(t, 2, p)
	w.accepts = false
	if _, err := w.managers[0].Connect(rdmacm.Request{Peer: 1, Service: service, Ready: true}, 0); err != nil {
		t.Fatal(err)
	}
	w.settle(0)
	w.runUntil(4*us + 1)
	if err := w.managers[1].Accept(w.first(1, rdmacm.TellRequest).ID, rdmacm.Acceptance{Ready: true}, 4*us); err != nil {
		t.Fatal(err)
	}
	w.now = 4 * us
	w.settle(1)
	w.runUntil(2 * units.Millisecond)
	if got, want := w.once(0, rdmacm.TellEstablished), 8*us+4*150*us; got != want {
		t.Errorf("the client may send at %v, want %v", got, want)
	}
}

// The first connection to an endpoint asks for its address: one more round trip, and what the
// other kernel takes for it. Its answer serves others that wait, later ones, and the other side.
func TestAnAddressIsResolvedOnce(t *testing.T) {
	p := idle()
	p.ARP = 5 * us
	w := newNetwork(t, 1, p) // nobody knows anybody
	w.managers = append(w.managers, rdmacm.New(&p))
	w.managers[1].Listen(service)
	w.qpn = make([]uint32, 2)
	w.connect()
	w.connect()
	w.runUntil(100 * us)
	if got, want := w.whenever(0, rdmacm.TellEstablished), []units.Time{21 * us, 21 * us}; !slices.Equal(got, want) {
		t.Errorf("established at %v, want %v", got, want)
	}
	w.connect()
	w.managers[0].Listen(service)
	if _, err := w.managers[1].Connect(rdmacm.Request{Peer: 0, Service: service}, w.now); err != nil {
		t.Fatal(err)
	}
	w.settle(1)
	w.runUntil(200 * us)
	if got := w.whenever(0, rdmacm.TellEstablished)[2]; got != 108*us {
		t.Errorf("the third, from 100us on, stands at %v, want 108us", got)
	}
	if w.sent["0ARP request"] != 1 || w.sent["1ARP reply"] != 1 || w.sent["1ARP request"] != 0 {
		t.Errorf("messages sent: %v, want one ARP request", w.sent)
	}
}

// Both sides hear of the other's queue pair and private data, and of no more READs than the
// other serves: the client would like 4 and serves 16, the server would like 16 and serves 2.
func TestEachSideIsToldWhatTheOtherOffers(t *testing.T) {
	w := newNetwork(t, 2, idle())
	w.qpn = []uint32{40, 50}
	w.connect()
	w.runUntil(units.Millisecond)
	if got := string(w.first(1, rdmacm.TellRequest).Private); got != "key" {
		t.Errorf("the server got %q, want key", got)
	}
	if got := string(w.first(0, rdmacm.TellEstablished).Private); got != "address" {
		t.Errorf("the client got %q, want address", got)
	}
	for _, do := range []rdmacm.Do{rdmacm.ToRTR, rdmacm.ToRTS} {
		client, server := w.first(0, do), w.first(1, do)
		if client.Mine.QPN != 41 || client.Theirs.QPN != 51 || server.Mine.QPN != 51 || server.Theirs.QPN != 41 {
			t.Errorf("%v: queue pairs %+v and %+v, want 41 and 51", do, client, server)
		}
		if client.Theirs.Beside != int32(1) || server.Theirs.Beside != int32(0) {
			t.Errorf("%v: beside the offers came %v and %v, want what the other side's owner gave", do, client.Theirs.Beside, server.Theirs.Beside)
		}
		if client.Mine.Reads != 2 || client.Theirs.Reads != 16 || server.Mine.Reads != 16 || server.Theirs.Reads != 2 {
			t.Errorf("%v: READs outstanding %+v and %+v, want 2 for the client, 16 for the server", do, client, server)
		}
	}
}

// Firmware executes one command after the other, and so does the thread that handles messages:
// of connections that are begun together each has to wait for the others.
func TestManyConnectionsWaitForFirmware(t *testing.T) {
	p := idle()
	p.Command = 150 * us
	p.Timeout = 100 * units.Millisecond
	w := newNetwork(t, 2, p)
	const n = 20
	for range n {
		w.connect()
	}
	w.runUntil(50 * units.Millisecond)
	times := w.whenever(1, rdmacm.TellEstablished)
	if len(times) != n {
		t.Fatalf("%d connections, want %d", len(times), n)
	}
	// The server has three commands for each.
	if last := times[n-1]; last < n*450*us {
		t.Errorf("the last connection stood at %v, though firmware was busy until %v", last, n*450*us)
	}
}

func TestARequestNobodyListensForIsRejected(t *testing.T) {
	w := newNetwork(t, 2, idle())
	if _, err := w.managers[0].Connect(rdmacm.Request{Peer: 1, Service: service + 1}, 0); err != nil {
		t.Fatal(err)
	}
	w.settle(0)
	w.runUntil(units.Millisecond)
	if got := w.once(0, rdmacm.TellRefused); got != 8*us {
		t.Errorf("refused at %v, want 8us", got)
	}
	if a := w.first(0, rdmacm.TellRefused); a.Reason != rdmacm.NobodyListens {
		t.Errorf("the reason is %v", a.Reason)
	}
	w.once(0, rdmacm.Release)
	if s := w.managers[0].State(1); s != rdmacm.Over {
		t.Errorf("the communication is %v", s)
	}
}

func TestAProgramMayRefuse(t *testing.T) {
	w := newNetwork(t, 2, idle())
	w.accepts = false
	w.connect()
	w.runUntil(20 * us)
	if err := w.managers[1].Reject(w.first(1, rdmacm.TellRequest).ID, []byte("full"), w.now); err != nil {
		t.Fatal(err)
	}
	w.settle(1)
	w.runUntil(units.Millisecond)
	a := w.first(0, rdmacm.TellRefused)
	if a.Reason != rdmacm.ProgramRefuses || string(a.Private) != "full" {
		t.Errorf("refused: %v, %q; want as the program said", a.Reason, a.Private)
	}
	if got := w.once(0, rdmacm.TellRefused); got != 24*us {
		t.Errorf("refused at %v, want 24us", got)
	}
}

// After 1 + 15 requests without an answer, each 1 ms after the one before, the other side is
// declared unreachable; the same goes for 1 + 2 requests for its address.
func TestNobodyWaitsForEver(t *testing.T) {
	for _, tc := range []struct {
		kind rdmacm.Kind
		want units.Time
		sent int
	}{
		{rdmacm.REQ, 16 * units.Millisecond, 16},
		{rdmacm.ARPRequest, 3 * units.Millisecond, 3},
	} {
		p := idle()
		w := newNetwork(t, 2, p)
		w.managers[0] = rdmacm.New(&p)
		if tc.kind == rdmacm.REQ {
			w.managers[0].Know(1)
		}
		w.lost = func(_ int32, kind rdmacm.Kind, _ int) bool { return kind == tc.kind }
		id := w.connect()
		w.runUntil(units.Second)
		if got := w.once(0, rdmacm.TellUnreachable); got != tc.want {
			t.Errorf("all %v lost: given up at %v, want %v", tc.kind, got, tc.want)
		}
		if got := w.sent["0"+tc.kind.String()]; got != tc.sent {
			t.Errorf("%d of %v were sent, want %d", got, tc.kind, tc.sent)
		}
		if w.managers[0].State(id) != rdmacm.Over || w.managers[0].Pending() != 0 {
			t.Errorf("all %v lost: the communication is %v", tc.kind, w.managers[0].State(id))
		}
	}
}

// A server whose REP is not answered gives up, and says so: its client, whose RTUs are all
// lost, does not believe in the connection for longer.
func TestAServerThatGivesUpTellsItsClient(t *testing.T) {
	w := newNetwork(t, 2, idle())
	w.lost = func(_ int32, kind rdmacm.Kind, _ int) bool { return kind == rdmacm.RTU }
	id := w.connect()
	w.runUntil(15 * units.Millisecond)
	w.once(0, rdmacm.TellEstablished)
	w.runUntil(units.Second)
	if got, want := w.once(1, rdmacm.TellUnreachable), 4*us+16*units.Millisecond; got != want {
		t.Errorf("the server gave up at %v, want %v", got, want)
	}
	w.once(0, rdmacm.TellDisconnected)
	w.once(0, rdmacm.Release)
	w.once(1, rdmacm.Release)
	if s := w.managers[0].State(id); s != rdmacm.Over {
		t.Errorf("the client's communication is %v", s)
	}
}

// Every message may be lost once, or more often: the connection comes to be, once at each end,
// later by a timeout (1 ms) for each that has to be sent again.
func TestALostMessageIsSentAgain(t *testing.T) {
	for _, tc := range []struct {
		kind           rdmacm.Kind
		times          int
		client, server units.Time
	}{
		{rdmacm.REQ, 1, 1008 * us, 1012 * us},
		{rdmacm.REQ, 3, 3008 * us, 3012 * us},
		// The client asks again at 1000, the server answers again at 1004, in either case.
		{rdmacm.REP, 1, 1008 * us, 1012 * us},
		// The server answers again at 1004; the client hears it at 1008.
		{rdmacm.RTU, 1, 8 * us, 1012 * us},
		{rdmacm.RTU, 2, 8 * us, 2012 * us},
	} {
		w := newNetwork(t, 2, idle())
		w.lost = func(_ int32, kind rdmacm.Kind, n int) bool { return kind == tc.kind && n < tc.times }
		w.connect()
		w.runUntil(100 * units.Millisecond)
		if got := w.once(0, rdmacm.TellEstablished); got != tc.client {
			t.Errorf("%d %v lost: the client may send at %v, want %v", tc.times, tc.kind, got, tc.client)
		}
		if got := w.once(1, rdmacm.TellEstablished); got != tc.server {
			t.Errorf("%d %v lost: the server knows at %v, want %v", tc.times, tc.kind, got, tc.server)
		}
	}
}

// Data that comes before the RTU, or in its place, tells the server that its client is ready.
func TestDataStandsForALostRTU(t *testing.T) {
	w := newNetwork(t, 2, idle())
	w.lost = func(_ int32, kind rdmacm.Kind, _ int) bool { return kind == rdmacm.RTU }
	w.connect()
	w.runUntil(13 * us)
	w.managers[1].Arrived(w.first(1, rdmacm.ToRTS).ID, 13*us)
	w.settle(1)
	w.managers[1].Arrived(w.first(1, rdmacm.ToRTS).ID, 13*us)
	w.settle(1)
	w.runUntil(100 * units.Millisecond)
	if got := w.once(1, rdmacm.TellEstablished); got != 13*us {
		t.Errorf("the server knows at %v, want 13us", got)
	}
	if w.sent["1REP"] != 1 {
		t.Errorf("%d REPs sent, want 1", w.sent["1REP"])
	}
}

// A message that comes twice does what it does once.
func TestDuplicatesDoNothing(t *testing.T) {
	w := newNetwork(t, 2, idle())
	w.twice = true
	id := w.connect()
	w.runUntil(500 * us)
	if err := w.managers[0].Disconnect(id, w.now); err != nil {
		t.Fatal(err)
	}
	w.settle(0)
	w.runUntil(units.Second)
	for who := range int32(2) {
		for _, do := range []rdmacm.Do{rdmacm.Create, rdmacm.ToRTR, rdmacm.ToRTS, rdmacm.TellEstablished, rdmacm.ToERR,
			rdmacm.TellDisconnected, rdmacm.Release} {
			w.once(who, do)
		}
		if c := w.managers[who].Counted(); c.Again == 0 || c.Opened != 1 || c.Ended != 1 {
			t.Errorf("endpoint %d counted %+v, want duplicates and one connection", who, c)
		}
	}
	w.once(1, rdmacm.TellRequest)
}

func TestWhatCannotBeIsRefused(t *testing.T) {
	w := newNetwork(t, 2, idle())
	m := w.managers[1]
	if _, err := w.managers[0].Connect(rdmacm.Request{Peer: 1, Service: service, Private: make([]byte, 57)}, 0); err == nil {
		t.Error("a REQ took 57 bytes of private data")
	}
	if err := m.Accept(1, rdmacm.Acceptance{}, 0); err == nil {
		t.Error("a communication that is not there was accepted")
	}
	if err := m.Reject(1, nil, 0); err == nil {
		t.Error("a communication that is not there was rejected")
	}
	if err := m.Disconnect(1, 0); err == nil {
		t.Error("a communication that is not there was disconnected")
	}
	w.accepts = false
	id := w.connect()
	if err := w.managers[0].Disconnect(id, 0); err == nil {
		t.Error("a connection that does not stand was disconnected")
	}
	w.runUntil(5 * us)
	asked := w.first(1, rdmacm.TellRequest).ID
	if err := m.Accept(asked, rdmacm.Acceptance{Private: make([]byte, 197)}, w.now); err == nil {
		t.Error("a REP took 197 bytes of private data")
	}
	if err := m.Reject(asked, make([]byte, 149), w.now); err == nil {
		t.Error("a REJ took 149 bytes of private data")
	}
	if err := m.Accept(asked, rdmacm.Acceptance{}, w.now); err != nil {
		t.Error(err)
	}
	if err := m.Accept(asked, rdmacm.Acceptance{}, w.now); err == nil {
		t.Error("a connection was accepted twice")
	}
}
