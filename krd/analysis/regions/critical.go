package regions

// A critical follows the critical paths of the open regions of one thread, the outermost first: how
// long the longest chain of operations of each is that depend on each other (HCPA: Garcia, Jeon,
// Louie and Taylor, Kremlin, PLDI 2011, and the skadu paper, 5.2). Times at a level count from the
// begin of the region that is open there.
type critical struct{ open []span }

// A span is the state of an open region.
type span struct {
	longest  uint64 // the latest time of an operation
	children uint64 // sum of the critical paths of the regions in it that have ended
	work     uint64 // of these
}

func (c *critical) enter() { c.open = append(c.open, span{}) }

// done notes that an operation of the innermost region has ended, at these times.
func (c *critical) done(times []uint64) {
	for i, t := range times[:len(c.open)] {
		c.open[i].longest = max(c.open[i].longest, t)
	}
}

// latest sets tags to the greater ones of two lists, the second with a cost added, and works like
// done for them.
func (c *critical) latest(tags, now, decided []uint64, cost uint64) {
	n := len(tags)
	open, now, decided := c.open[:n], now[:n], decided[:n]
	for i := range tags {
		tag := max(now[i], decided[i]+cost)
		tags[i] = tag
		open[i].longest = max(open[i].longest, tag-1)
	}
}

// leave ends the innermost region, of so much work with all that is in it, and adds it to a sum:
// SP(R) = (critical paths of its children + own work) / its critical path (Kremlin, 2.2).
func (c *critical) leave(n *paths, work uint64) {
	top := len(c.open) - 1
	s := c.open[top]
	c.open = c.open[:top]
	n.critical += s.longest
	if own := s.children + (work - min(work, s.work)); own > 0 {
		n.serial += float64(work) * float64(s.longest) / float64(own)
	}
	if top > 0 {
		around := &c.open[top-1]
		around.children += s.longest
		around.work += work
	}
}
