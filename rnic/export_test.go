package rnic

// Receiving tells whether a message that has taken a receive request is in progress.
func (q *VerbsQP) Receiving() bool { return q.message.open && q.message.verb == Send }
