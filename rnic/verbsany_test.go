package rnic_test

import (
	"context"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
	"pgregory.net/rapid"
)

// Whatever is posted, and whatever is lost, everything completes once, in order and well;
// memory ends as if every request had been carried out once, in order; the books balance.
// With a fence on every request READs find what stood there at their turn.
func TestAnyRequestsUnderAnyLossAreCarriedOutOnceAndInOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		verbs := []rnic.Verb{rnic.Send, rnic.SendImm, rnic.Write, rnic.WriteImm, rnic.Read, rnic.CompareSwap, rnic.FetchAdd}
		e := connect(t, rnic.RC, func(n *simtest.Net, a *rnic.Attributes) {
			n.NIC.Recovery = rapid.SampledFrom([]rnic.Recovery{rnic.GoBackN, rnic.Selective, rnic.Adaptive}).Draw(r, "recovery")
			n.NIC.Selective = rnic.SelectiveRepeat{
				Window: rapid.SampledFrom([]int{0, 4, 30}).Draw(r, "window"), TimerLow: 100 * units.Microsecond, TimerHigh: 320 * units.Microsecond, Few: 3,
			}
			n.NIC.Adaptive = rnic.AdaptiveTimer{Start: 16 * units.Microsecond, Limit: 16 * units.Millisecond, Tries: 1}
			n.NIC.AckEvery = rapid.IntRange(0, 5).Draw(r, "ack every")
			if rapid.Bool().Draw(r, "adapters take time") {
				n.NIC.Hardware = hardware.New("connectx5")
				n.NIC.Hardware.Contexts.Entries = 1
			}
			a.ReadsIssued = rapid.IntRange(1, 4).Draw(r, "reads")
			a.ReadsAccepted, a.Timeout, a.MinRNR = a.ReadsIssued, 6, 1
			a.SendPSN = wire.PSN(rapid.SampledFrom([]int{0, 0xFFFFFA}).Draw(r, "first PSN"))
			if packets := rapid.IntRange(0, 3).Draw(r, "packets of buffer on links with credits"); packets > 0 {
				n.InfiniBand(units.Bytes(packets) * 17 * 64)
			} else if rapid.Bool().Draw(r, "over TCP") {
				n.IWARP(units.Bytes(rapid.SampledFrom([]int{576, 1500}).Draw(r, "MTU")))
				n.NIC.IWARP.TCP.InitialRTO, n.NIC.IWARP.TCP.MinRTO = units.Millisecond, units.Millisecond
				n.NIC.InitialPSN = wire.PSN(rapid.SampledFrom([]uint32{0, 0xFFFFFA00}).Draw(r, "first number"))
				verbs = slices.DeleteFunc(verbs, func(v rnic.Verb) bool { return v == rnic.SendImm })
			}
		})
		e.net.Run.Limit = 10 * units.Second
		for node := range 2 {
			loss := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 40).Draw(r, "loss")
			k, lost := 0, 0
			e.losing(node, func(*wire.Packet) bool {
				k++
				if loss[k%len(loss)] == 0 && lost < 3 {
					lost++
					return true
				}
				return false
			})
		}
		there, here := map[uint64]uint64{}, map[uint64]uint64{} // words by offset
		for i := range uint64(32) {
			e.a.nic.Memory().Store(base+8*i, 1000+i)
			here[8*i] = 1000 + i
		}
		var want []uint64 // by request: what an atomic finds
		n := rapid.IntRange(1, 20).Draw(r, "requests")
		receives := 0
		for i := range n {
			verb := rapid.SampledFrom(verbs).Draw(r, "verb")
			length := rapid.SampledFrom([]int{0, 8, 64, 1024, 1032, 5000}).Draw(r, "length")
			at := 8 * rapid.Uint64Range(0, 15).Draw(r, "at")
			req := rnic.SendRequest{
				ID: uint64(i), Verb: verb, Local: e.a.slice(0, length), Remote: base + at, RKey: e.b.region.RKey, Fence: true,
				CompareAdd: rapid.Uint64Range(0, 2).Draw(r, "compare"), Swap: rapid.Uint64Range(0, 2).Draw(r, "swap"),
			}
			found := uint64(0)
			switch verb {
			case rnic.Read:
				req.Local = e.a.slice(0x40000+i*0x2000, length)
				for o := uint64(0); o < uint64(length/8*8); o += 8 {
					here[0x40000+uint64(i)*0x2000+o] = there[at+o]
				}
			case rnic.CompareSwap, rnic.FetchAdd:
				req.Local = e.a.slice(0x30000, 8)
				found = there[at]
				if verb == rnic.FetchAdd {
					there[at] += req.CompareAdd
				} else if found == req.CompareAdd {
					there[at] = req.Swap
				}
			case rnic.Write, rnic.WriteImm:
				for o := uint64(0); o < uint64(length/8*8); o += 8 {
					there[at+o] = here[o]
				}
			}
			if verb == rnic.Send || verb == rnic.SendImm || verb == rnic.WriteImm {
				receives++
			}
			if verb == rnic.Send || verb == rnic.SendImm {
				buffer := 0x80000 + uint64(receives-1)*0x2000
				for o := uint64(0); o < uint64(length/8*8); o += 8 {
					there[buffer+o] = here[o]
				}
			}
			want = append(want, found)
			e.post(&e.a, req)
		}
		for i := range receives {
			_ = e.b.qp.PostRecv(rnic.RecvRequest{ID: uint64(i), Local: e.b.slice(0x80000+i*0x2000, 0x2000)}, 0)
		}
		if _, err := e.c.Run(context.Background(), e.net.Run); err != nil {
			r.Fatal(err)
		}
		if len(e.a.seen) != n || len(e.b.seen) != receives {
			r.Fatalf("%d of %d requests and %d of %d receives are done: %s", len(e.a.seen), n, len(e.b.seen), receives, e.a.nic.Cause(&e.a.nic.QueuePairs()[0]))
		}
		for i, c := range e.a.seen {
			if c.ID != uint64(i) || c.Status != rnic.Success || c.Verb >= rnic.CompareSwap && c.Old != want[i] {
				r.Fatalf("completion %d is %+v, want %d found", i, c, want[i])
			}
		}
		for at, v := range there {
			if got := e.b.nic.Memory().Load(base + at); got != v {
				r.Fatalf("at %#x there: %d, want %d", at, got, v)
			}
		}
		for at, v := range here {
			if got := e.a.nic.Memory().Load(base + at); got != v {
				r.Fatalf("at %#x here: %d, want %d", at, got, v)
			}
		}
	})
}
