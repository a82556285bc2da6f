package tcp

// Recovering tells whether what was lost is being sent again.
func (e *Endpoint) Recovering() bool { return e.phase != open }

// WindowLimited tells whether the congestion window is what keeps more from being sent, when
// [Endpoint.Next] was asked last.
func (e *Endpoint) WindowLimited() bool {
	return e.waits == forWindow || e.waits == forMore || e.waits == forPace
}

// ReceiverLimited tells whether the peer's window is.
func (e *Endpoint) ReceiverLimited() bool { return e.waits == forPeer }
