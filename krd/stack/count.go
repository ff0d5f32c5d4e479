package stack

// midBits is the size of the digits between the top one and those of a tally.
const midBits = 8

// scratch is the memory of each thread for counting the buckets of a chunk.
type scratch struct {
	mem   arena
	tally *tally
	dealt []array[item] // by depth

	sums Weights // of countWide, as the others
	wide []uint64
	prev []uint32
}

// buckets returns the number of tasks in which a chunk is counted.
func (c *chunk) buckets() int { return len(c.ends) }

// countBucket finishes the distances of the accesses whose previous position has the top digit d.
func (c *chunk) countBucket(d int, s *scratch) {
	start := d << c.low
	c.countItems(c.items.s[start:c.ends[d]], c.low, c.cum.s[start:], 0, s)
}

// countItems finishes items that agree in key>>low; cum begins at their range of keys.
func (c *chunk) countItems(items []item, low uint, cum []uint64, depth int, s *scratch) {
	if len(items) == 0 {
		return
	}
	if low == tallyBits {
		s.tally.reset(1 << tallyBits)
		finish(items, cum, c.dist, c.shift, s.tally)
		return
	}
	below := max(tallyBits, int(low)-midBits)
	if depth == len(s.dealt) {
		s.dealt = append(s.dealt, array[item]{})
	}
	to := s.dealt[depth].resize(&s.mem, 1<<low)
	digits := 1 << (low - uint(below))
	var ends [1 << midBits]uint32
	for d := range digits {
		ends[d] = uint32(d << below)
	}
	s.tally.reset(digits)
	deal(items, uint(below), uint32(digits-1), to, ends[:digits], s.tally)
	for d, end := range ends[:digits] {
		start := d << below
		if start >= len(cum) {
			break
		}
		c.countItems(to[start:end], uint(below), cum[start:], depth+1, s)
	}
}
