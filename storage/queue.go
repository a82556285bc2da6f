package storage

// DeterministicWait is the mean time for which a command waits for one of some channels, by the theory of queues: commands come as a
// Poisson process of so many in a unit of time, and each takes a channel equally long. It is half of what Erlang's C formula
// gives for times that are exponential, which is exact for one channel (Pollaczek and Khinchine) and near for more. It tells
// nothing where commands come faster than channels serve them.
func DeterministicWait(channels int, rate, takes float64) (wait float64, ok bool) {
	load := float64(rate * takes)
	k := float64(channels)
	if load >= k || channels < 1 {
		return 0, false
	}
	blocked := 1.0 // Erlang's B, of one channel more each time
	for i := 1; i <= channels; i++ {
		blocked = float64(load*blocked) / (float64(i) + float64(load*blocked))
	}
	waits := blocked / (1 - float64(load/k*(1-blocked))) // Erlang's C
	return float64(float64(waits*takes)/(k-load)) / 2, true
}
