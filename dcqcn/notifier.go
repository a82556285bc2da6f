package dcqcn

import "github.com/rdmasim/rdmasim/sim/units"

// Notifier is the notification point for one QP (section 3.1 of the paper): it decides which packets with a congestion mark
// (CE) the receiver answers with a CNP. The zero value is ready: the first mark is answered.
type Notifier struct {
	next units.Time // when a mark is answered again
}

// OnCE reports that a packet marked CE arrived at the time now and returns whether to send a CNP. The first mark is answered
// at once, and from then on one mark in each interval at most. Marks that come too soon are not made up for later.
func (n *Notifier) OnCE(now, interval units.Time) bool {
	if now < n.next {
		return false
	}
	n.next = now + min(interval, units.Never-now)
	return true
}
