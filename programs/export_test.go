package programs

// Break takes the lock away from whoever has it.
func (l *Lock) Break() { l.space.Store(l.shared.Start+lockWord, 0) }

// Pings is how many operations go before those that are measured.
const Pings = pings
