package record

// watermarks adds how full the queue and the priority group of a switch's port became.
func (r *Run) watermarks(c *counters, p port, q int) {
	c.add(p, q, "queue_peak", float64(p.sw.Queue(p.index, q).Peak), "bytes")
	g := p.sw.Group(p.index, q)
	c.add(p, q, "pg_peak", float64(g.Peak), "bytes")
	c.add(p, q, "pg_shared_peak", float64(g.PeakShared), "bytes")
	if g.Lossless {
		c.add(p, q, "pg_headroom_peak", float64(g.PeakHeadroom), "bytes")
	}
}

// pools adds how full the shared pools of the switches became.
func (r *Run) pools(c *counters) {
	r.eachPort(func(p port) {
		if p.sw == nil || p.index > 0 {
			return
		}
		p.index = wholeNode
		size, peak := p.sw.SharedPool()
		c.add(p, anyPriority, "shared_pool", float64(size), "bytes")
		c.add(p, anyPriority, "shared_pool_peak", float64(peak), "bytes")
	})
}
