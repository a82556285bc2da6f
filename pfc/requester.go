package pfc

// Requester is the receiving side of a port: it keeps the peer told which
// classes to pause. What it was asked and what the peer was last told may
// differ for as long as the frame that says so has to wait for the wire; a wish
// withdrawn before it was sent is never sent. The zero value asks for nothing.
type Requester struct {
	want, told, due uint8
	mute            bool
}

// Mute has it never ask for anything from now on.
func (r *Requester) Mute() { r.mute = true }

// XOFF asks that a class be paused, and tells whether that is news.
func (r *Requester) XOFF(class int) bool { return !r.mute && r.set(class, 1<<class) }

// XON asks that a class be resumed, and tells whether that is news.
func (r *Requester) XON(class int) bool { return r.set(class, 0) }

func (r *Requester) set(class int, bit uint8) bool {
	was := r.want
	r.want = was&^(1<<class) | bit
	return r.want != was
}

// Wants tells whether the peer should be pausing the class.
func (r *Requester) Wants(class int) bool { return r.want&(1<<class) != 0 }

// Refresh asks that the pause of a class be said again before it runs out, if it
// is still wanted when the next frame is made, and tells whether the peer knows of
// it at all.
func (r *Requester) Refresh(class int) bool {
	bit := uint8(1) << class
	r.due |= r.told & bit
	return r.told&bit != 0
}

// Pending is the set of classes that the next PFC frame has to speak of.
func (r *Requester) Pending() uint8 { return r.want ^ r.told | r.due&r.want }

// Message is what a PFC frame says: for the classes it speaks of, which are to
// pause, and which of those it only reminds of. The others of its classes resume.
type Message struct{ Classes, Pause, Refresh uint8 }

// Take makes the message that is pending and notes that the peer is told.
func (r *Requester) Take() Message {
	m := Message{Classes: r.Pending()}
	m.Pause = m.Classes & r.want
	m.Refresh = m.Pause & r.told
	r.told, r.due = r.want, 0
	return m
}
