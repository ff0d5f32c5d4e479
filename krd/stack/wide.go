package stack

// wide reports whether sums of the chunk may not fit the 32 bits of items and tallies, in units.
func (c *chunk) wide() bool {
	cum := c.cum.s
	return !wraps && max(c.entered, cum[c.n]-cum[c.live])>>c.shift>>32 != 0 ||
		(cum[c.live]+c.held+c.cold)>>c.shift>>32 != 0
}

// countWide counts a wide chunk with 64-bit sums, several times as slowly.
func (c *chunk) countWide(s *scratch) {
	cum := c.cum.s[:c.n+1]
	if cap(s.wide) < len(cum) {
		s.wide, s.prev = make([]uint64, len(cum)), make([]uint32, len(cum))
	}
	weights, prev := s.wide[:len(cum)], s.prev[:c.n-c.before]
	clear(weights)
	for p := 1; p <= c.live; p++ {
		weights[p] = cum[p] - cum[p-1]
	}
	clear(prev)
	for d, end := range c.ends {
		for _, it := range c.items.s[d<<c.low : end] {
			prev[it.at] = it.key
		}
	}
	s.sums.Set(weights)
	held := c.held
	for i, p := range prev {
		at := c.before + 1 + i
		left := cum[at] - cum[at-1]
		size := left
		if len(c.sizes) == 1 {
			size = c.sizes[0]
		} else if c.sizes != nil {
			size = c.sizes[i]
		}
		if p != 0 {
			c.dist[i] = s.sums.After(int(p)) + held
			s.sums.Add(int(p), -size)
		}
		held += size - left
		s.sums.Add(at, left)
	}
}
