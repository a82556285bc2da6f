package selective_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/rnic/selective"
)

// naive is both ends in the plainest way: sets of packets.
type naive struct {
	got               map[int64]came // by the receiver
	expected          int64
	una, until, upTo  int64 // upTo: packets before it count as lost unless reported
	reported, resent  map[int64]bool
	recovering        bool
	window            int64
	messages, packets int64
	bytes             uint64
}

func (m *naive) take(c came) selective.Arrival {
	_, known := m.got[c.packet]
	switch {
	case known || c.packet < m.expected:
		return selective.Duplicate
	case c.packet >= m.expected+m.window:
		return selective.Beyond
	}
	first := c.packet == m.expected
	m.got[c.packet] = c
	for next, there := m.got[m.expected]; there; next, there = m.got[m.expected] {
		m.expected++
		m.packets++
		m.bytes += uint64(next.bytes())
		if next.ends {
			m.messages++
		}
	}
	if first {
		return selective.Next
	}
	return selective.Ahead
}

func (m *naive) lost() (packet int64, found bool) {
	for p := m.una; p < m.upTo; p++ {
		if !m.reported[p] && !m.resent[p] {
			return p, true
		}
	}
	return 0, false
}

func (m *naive) begin(next int64) { m.recovering, m.until, m.resent = true, next, map[int64]bool{} }

// Both ends over a channel that loses and reorders, both ways: at every step the state
// machines agree with sets of packets, and in the end all is there, once and in order.
func TestBothEndsAgreeWithSetsOfPackets(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		window, total := 1+random.Int64N(150), 200+random.Int64N(400)
		start := random.Int64N(1 << 30)
		loss, late := random.Float64()/2, random.Float64()/2
		s, r := selective.NewSender(start, int(window)), selective.NewReceiver(start, int(window))
		m := &naive{got: map[int64]came{}, expected: start, una: start, reported: map[int64]bool{}, resent: map[int64]bool{}, window: window}
		type answer struct{ cumulative, trigger int64 }
		var there []came
		var back []answer
		var passed selective.Passed
		draw := func(n int) int { // which of n in flight comes next
			if random.Float64() < late {
				return random.IntN(n)
			}
			return 0
		}
		next, end := start, start+total
		for step := 0; m.una < end; step++ {
			if step > 1_000_000 {
				t.Fatalf("seed %d: no end: %d of %d acknowledged", seed, m.una-start, total)
			}
			lost, found := s.Lost()
			if want, is := m.lost(); found != is || found && lost != want {
				t.Fatalf("seed %d: packet %d is to be sent again (%v); want %d (%v)", seed, lost, found, want, is)
			}
			send := int64(-1)
			switch {
			case found && random.IntN(2) == 0:
				s.Resent()
				m.resent[lost] = true
				send = lost
			case next < min(end, m.una+window) && random.IntN(2) == 0:
				send = next
				next++
			case len(there)+len(back) == 0 && !found:
				s.Expire(next)
				delete(m.reported, m.una)
				m.upTo = next
				m.begin(next)
			}
			if send >= 0 && random.Float64() >= loss {
				there = append(there, came{send, send%7 == 0 || send == end-1})
			}
			if len(there) > 0 && random.IntN(3) == 0 {
				k := draw(len(there))
				c := there[k]
				there = slices.Delete(there, k, k+1)
				arrival, p := r.Take(c.packet, c.bytes(), c.ends)
				if want := m.take(c); arrival != want || r.Expected() != m.expected {
					t.Fatalf("seed %d: packet %d is %d, then %d expected; want %d, %d", seed, c.packet, arrival, r.Expected(), want, m.expected)
				}
				passed.Packets += p.Packets
				passed.Messages += p.Messages
				passed.Bytes += p.Bytes
				if random.Float64() >= loss {
					back = append(back, answer{m.expected, c.packet})
				}
			}
			if len(back) > 0 && random.IntN(3) == 0 {
				k := draw(len(back))
				a := back[k]
				back = slices.Delete(back, k, k+1)
				s.Acknowledge(a.cumulative)
				if m.una = max(m.una, a.cumulative); m.una >= m.until {
					m.recovering = false
				}
				if a.trigger > a.cumulative {
					s.Report(a.trigger)
					if a.trigger > m.una {
						m.reported[a.trigger] = true
						m.upTo = max(m.upTo, a.trigger)
					}
				}
				begins := !m.recovering && m.upTo > m.una
				if s.Recover(next) != begins {
					t.Fatalf("seed %d: a recovery begins: %v; want %v", seed, !begins, begins)
				}
				if begins {
					m.begin(next)
				}
				if s.Recovering() != m.recovering {
					t.Fatalf("seed %d: recovering: %v; want %v", seed, !m.recovering, m.recovering)
				}
			}
		}
		if want := (selective.Passed{Packets: m.packets, Messages: m.messages, Bytes: m.bytes}); passed != want || m.packets != total {
			t.Errorf("seed %d: passed %+v of %d packets; want %+v", seed, passed, total, want)
		}
	}
}
