package schedule

import (
	"testing"

	"pgregory.net/rapid"
)

// naive is matching as the standard of MPI words it: two lists that are searched from their oldest entries on.
type naive struct {
	receives []Op // Root is the operation
	messages []Op // likewise
}

func (n *naive) post(op, peer int32, tag uint32) (message int32, ok bool) {
	for i, m := range n.messages {
		if (peer == Any || peer == m.Peer) && (tag == AnyTag || tag == m.Tag) {
			n.messages = append(n.messages[:i], n.messages[i+1:]...)
			return m.Root, true
		}
	}
	n.receives = append(n.receives, Op{Peer: peer, Tag: tag, Root: op})
	return 0, false
}

func (n *naive) arrive(peer int32, tag uint32, message int32) (op int32, ok bool) {
	for i, r := range n.receives {
		if (r.Peer == Any || r.Peer == peer) && (r.Tag == AnyTag || r.Tag == tag) {
			n.receives = append(n.receives[:i], n.receives[i+1:]...)
			return r.Root, true
		}
	}
	n.messages = append(n.messages, Op{Peer: peer, Tag: tag, Root: message})
	return 0, false
}

func TestMessagesMeetReceivesAsTheStandardOfMPIWordsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Matching[int32]
		var n naive
		peers, tags := rapid.Int32Range(0, 2), rapid.Uint32Range(0, 2)
		for i := range int32(rapid.IntRange(1, 60).Draw(t, "steps")) {
			peer, tag := peers.Draw(t, "peer"), tags.Draw(t, "tag")
			if rapid.Bool().Draw(t, "arrives") {
				got, ok := q.Arrive(peer, tag, i)
				if want, is := n.arrive(peer, tag, i); got != want || ok != is {
					t.Fatalf("a message of %d with tag %d is for operation %d (%v), want %d (%v)", peer, tag, got, ok, want, is)
				}
			} else {
				if rapid.IntRange(0, 3).Draw(t, "any rank") == 0 {
					peer = Any
				}
				if rapid.IntRange(0, 3).Draw(t, "any tag") == 0 {
					tag = AnyTag
				}
				got, from, ok := q.Post(i, peer, tag)
				want, is := n.post(i, peer, tag)
				if got != want || ok != is || ok && peer != Any && from != peer {
					t.Fatalf("a receive from %d with tag %d takes message %d of %d (%v), want %d (%v)", peer, tag, got, from, ok, want, is)
				}
			}
			op, waits := q.Oldest()
			if waits != (len(n.receives) > 0) || waits && op != n.receives[0].Root {
				t.Fatalf("operation %d waits longest (%v) of %v", op, waits, n.receives)
			}
			from, _, unasked := q.Unasked()
			if unasked != (len(n.messages) > 0) || unasked && from != n.messages[0].Peer {
				t.Fatalf("a message of %d is the oldest (%v) of %v", from, unasked, n.messages)
			}
		}
	})
}

// What has been matched is not kept: a rank may receive a hundred thousand messages with a tag of its own each.
func TestMatchingKeepsWhatWaitsOnly(t *testing.T) {
	var q Matching[int32]
	for tag := range uint32(100_000) {
		q.Post(int32(tag), 1, tag)
		if op, ok := q.Arrive(1, tag, 0); !ok || op != int32(tag) {
			t.Fatalf("message %d is for %d (%v)", tag, op, ok)
		}
	}
	if len(q.posted.nodes) > 2 || len(q.posted.ends) > 0 {
		t.Errorf("%d places and %d keys are kept", len(q.posted.nodes), len(q.posted.ends))
	}
}
