package programs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
	"github.com/rdmasim/rdmasim/tcp/congestion"
)

// party is a program at one end of a channel, made of a closure that is called for what comes.
type party struct {
	box    *programs.Mailbox
	begin  func(t *host.Thread)
	came   func(t *host.Thread, a programs.Arrival)
	wanted int
	got    int
	begun  bool
	err    error
}

func (p *party) Done() bool    { return p.err != nil || p.begun && p.got == p.wanted && p.box.Idle() }
func (p *party) Failed() error { return p.err }
func (p *party) Waits() string {
	return fmt.Sprintf("has %d of %d; %s", p.got, p.wanted, p.box.Waits())
}

func (p *party) Step(t *host.Thread) {
	if !p.begun {
		p.begun = true
		if p.begin != nil {
			p.begin(t)
		}
	}
	for !p.Done() {
		a, ok, err := p.box.Next(t)
		if p.err = err; !ok {
			return
		}
		p.got++
		if p.came != nil {
			p.came(t, a)
		}
	}
}

// speakTCP lets programs of a cluster talk over sockets.
func speakTCP(c *host.Cluster) {
	c.UseTCP(&host.TCP{Config: tcp.Defaults(), Control: congestion.CUBIC.Params().New, Class: rnic.Class{}}, kernel.New(""))
}

// parties has two programs at hosts with a switch between them, and a channel. Costs of
// processors are those of a server of today.
func parties(t *testing.T, o programs.ChannelOptions, a, b *party) (*host.Cluster, host.Report) {
	t.Helper()
	net := simtest.Star(2, 100*units.Gbps, 500*units.Nanosecond)
	net.NIC.Timeout = 14
	net.Fabric.Priorities = []int{0, 3, 6}
	c := net.Cluster(t)
	c.CPU = host.DefaultCPU()
	speakTCP(c)
	if o.Transport != programs.TCP {
		o.Data = simtest.Data
	}
	for i, p := range []*party{a, b} {
		p.box = programs.NewMailbox(c, i, c.AddThread(i, p, host.ThreadOptions{Name: "party"}))
	}
	if _, _, err := programs.Open(a.box, b.box, 0, o); err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(context.Background(), net.Run)
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

// transports are how channels are tested.
var transports = []programs.Transport{programs.RoCEv2, programs.TCP}

// Messages of all lengths come in the order in which they were sent, with what they say, however few
// credits there are and whether they are announced before or not.
func TestMessagesComeWholeAndInOrder(t *testing.T) {
	sizes := []units.Bytes{0, 1, 200, 3000, 8192, 8193, 100000, 5, units.MiB, 17}
	for _, transport := range transports {
		for _, credits := range []int{2, 3, 64} {
			o := programs.DefaultChannel()
			o.Transport, o.Credits, o.Memory = transport, credits, units.MiB
			const count, told = 200, 29 // of which every seventh is followed by a WRITE with immediate
			message := func(i int) host.Message {
				return host.Message{Size: sizes[i%len(sizes)], Tag: uint32(i), A: uint64(i) << 40, B: ^uint64(i)}
			}
			a := &party{wanted: count}
			b := &party{wanted: count + told}
			a.begin = func(t *host.Thread) {
				for i := range count {
					err := a.box.Channel(0).Send(t, message(i))
					if i%7 == 3 {
						err = errors.Join(err, a.box.Channel(0).PutTelling(t, units.Bytes(i), uint32(i)))
					}
					a.err = errors.Join(a.err, err)
				}
			}
			a.came = func(_ *host.Thread, m programs.Arrival) {
				if m.Tag != uint32(2*a.got-2) {
					a.err = fmt.Errorf("answer %d to message %d", m.Tag, a.got-1)
				}
			}
			next := 0
			b.came = func(t *host.Thread, m programs.Arrival) {
				if m.Wrote {
					if i := next - 1; i%7 != 3 || m.Tag != uint32(i) || m.Size != units.Bytes(i) {
						b.err = fmt.Errorf("a WRITE of %v with %d came behind message %d", m.Size, m.Tag, i)
					}
					return
				}
				want := message(next)
				next++
				if m.Size != want.Size || m.Tag != want.Tag || m.A != want.A || m.B != want.B {
					b.err = fmt.Errorf("%+v came, want %+v", m, want)
				}
				if err := b.box.Channel(0).Send(t, host.Message{Size: 8, Tag: 2 * m.Tag}); err != nil {
					b.err = err
				}
			}
			c, r := parties(t, o, a, b)
			if r.Outcome != host.Done {
				t.Errorf("%v with %d credits: %v: %v", transport, credits, r.Outcome, c.ThreadWaits(r.Now))
			}
		}
	}
}

// A thread that does not take messages keeps the other from sending more than it has credits for.
func TestNobodySendsMoreThanHisCredits(t *testing.T) {
	o := programs.DefaultChannel()
	o.Credits = 4
	a, b := &party{}, &party{wanted: 1}
	a.begin = func(t *host.Thread) {
		for range 10 {
			a.err = a.box.Channel(0).Send(t, host.Message{Size: 8})
		}
	}
	c, r := parties(t, o, a, b)
	waits := c.ThreadWaits(r.Now)
	if r.Outcome == host.Done || len(waits) != 1 || !strings.Contains(waits[0].Cause, "the other end to take what has been sent") {
		t.Errorf("%v: %v, want one that waits for the other to take what it has sent", r.Outcome, waits)
	}
}

// What is put is there before the message behind it, and what is got comes with its tag. Over
// sockets the thread at the other end has a part in it, over RDMA none.
func TestMemoryOfTheOtherEndIsReached(t *testing.T) {
	for _, transport := range transports {
		o := programs.DefaultChannel()
		o.Transport, o.Memory = transport, 64*units.KiB
		a, b := &party{wanted: 2}, &party{wanted: 2}
		var busy [3]units.Time
		var at [3]units.Time
		a.begin = func(t *host.Thread) {
			if err := a.box.Channel(0).Put(64 * units.KiB); err != nil {
				a.err = err
			}
			a.err = a.box.Channel(0).Send(t, host.Message{Size: 16, Tag: 1})
		}
		b.came = func(t *host.Thread, m programs.Arrival) {
			at[0] = t.Now()
			if m.Size != 16 || m.Got {
				b.err = fmt.Errorf("%+v came", m)
			}
			busy[b.got] = b.box.Busy()
			b.err = b.box.Channel(0).Send(t, host.Message{Size: 16, Tag: 2})
		}
		a.came = func(t *host.Thread, m programs.Arrival) {
			at[a.got] = t.Now()
			switch {
			case a.got == 1:
				a.err = a.box.Channel(0).Get(t, 64*units.KiB, 77)
			case !m.Got || m.Tag != 77:
				a.err = fmt.Errorf("%+v came, want what was got", m)
			default:
				a.err = a.box.Channel(0).Send(t, host.Message{Size: 16, Tag: 3})
			}
		}
		c, r := parties(t, o, a, b)
		if r.Outcome != host.Done {
			t.Fatalf("%v: %v: %v", transport, r.Outcome, c.ThreadWaits(r.Now))
		}
		// 64 KiB at 100 Gb/s.
		const wire = 5243 * units.Nanosecond
		if at[0] < wire || at[2]-at[1] < wire {
			t.Errorf("%v: put by %v, got in %v: 64 KiB take %v on the wire", transport, at[0], at[2]-at[1], wire)
		}
		// From one message to the next b's processor sends one, and takes one.
		between := busy[2] - busy[1]
		if took := between > 2*units.Microsecond; took != (transport == programs.TCP) {
			t.Errorf("%v: the processor of who is asked works for %v", transport, between)
		}
	}
}

func TestChannelsRefuseWhatDoesNotFit(t *testing.T) {
	o := programs.DefaultChannel()
	a, b := &party{}, &party{}
	a.begin = func(t *host.Thread) { a.err = a.box.Channel(0).Send(t, host.Message{Size: o.Eager + 1}) }
	if _, r := parties(t, o, a, b); r.Outcome != host.Failed || !strings.Contains(a.err.Error(), "longer than the channel to h1 was made for") {
		t.Errorf("%v, %v", r.Outcome, a.err)
	}
	for _, bad := range []func(*programs.ChannelOptions){
		func(o *programs.ChannelOptions) { o.Credits = 1 },
		func(o *programs.ChannelOptions) { o.Header = 8 },
		func(o *programs.ChannelOptions) { o.Header, o.Eager = 0, 8 },
	} {
		o := programs.DefaultChannel()
		bad(&o)
		if o.Check() == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}
