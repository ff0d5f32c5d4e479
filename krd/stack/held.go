package stack

// held holds the data in the filter in front of an engine.
//
// An access that the filter did not answer takes a datum x into it and drives another, e, out. The
// engine's stack is of the data that are not in the filter, by the time at which they left, which
// is the order of their last accesses: at the position t of the access lies e and not x. The bytes
// above x, which left at p, are those of the data in the filter, and of those that left since p and
// are not back. Be prev(s) the position at which the datum fetched by access s had left before.
// With w(s) its size, and C(p) the sum of the weights at positions 1..p,
//
//	D(t) = sum of w(s) over s < t with prev(s) <= p  -  C(p)
//
// as without a filter: of the data that were fetched and left since p each is counted at its first
// departure after p, those that are still in the filter and left last before p, or never, are
// counted too, and no others; data that left up to p were fetched with prev(s) <= p and are taken
// away. So all that changes is which weights are summed up in C, and that the position of an access
// is not that of its datum, which is known when it leaves.
type held struct {
	at    [FilterSlots]uint32 // by slot: the position of the access that fetched what it holds, or 0
	sizes [FilterSlots]uint64
	base  uint32        // positions of the chunk up to this are of data that had left before it
	left  array[uint32] // by position - base - 1: where the datum lies, or ^slot of what is held
}

// settle ends a chunk.
func (h *held) settle() {
	for slot, at := range h.at {
		if at != 0 {
			h.left.s[at-h.base-1] = ^uint32(slot)
		}
	}
}

// translate works like positions.translate where there is a filter; live as it will be.
func (h *held) translate(p *positions, states []blockState, live uint32) {
	alive, before := p.live.s, p.before.s
	before = before[:len(alive)]
	for i := range states {
		st := &states[i]
		at := st.last
		if at > h.base {
			at = h.left.s[at-h.base-1]
			if at > maxPositions {
				st.last = live + 1 + ^at
				continue
			}
		}
		st.last = rank(alive, before, at)
	}
}

// begin makes a chunk whose first positions after the stack are those of the accesses that fetched
// the data held.
func (h *held) begin(m *arena, p *positions, c *chunk, accesses int) {
	h.base = uint32(c.live)
	h.left.resize(m, FilterSlots+accesses)
	for slot := range h.at {
		at := h.base + 1 + uint32(slot)
		if h.at[slot] != 0 {
			h.at[slot] = at
		}
		c.held += h.sizes[slot]
		p.kill(at)
	}
}

// enter takes accesses at positions at, at+1, ...: it turns prev into where their data lay, and
// writes the sizes of what they drive out.
func (h *held) enter(at uint32, prev []uint32, sizes []uint64, slots []uint8, out []uint64,
	p *positions) {
	left := h.left.s
	sizes, slots, out = sizes[:len(prev)], slots[:len(prev)], out[:len(prev)]
	for i, from := range prev {
		if from > h.base {
			prev[i] = left[from-h.base-1]
		}
		slot := slots[i] & (FilterSlots - 1)
		out[i] = h.sizes[slot]
		if gone := h.at[slot]; gone != 0 {
			left[gone-h.base-1] = at + uint32(i)
		} else {
			p.kill(at + uint32(i))
		}
		h.at[slot], h.sizes[slot] = at+uint32(i), sizes[i]
	}
}

// weigh makes data of the sizes out lie at the positions from at on, of accesses to data of sizes.
func (c *chunk) weigh(at int, sizes, out []uint64) {
	sum, cum := c.cum.s[at-1], c.cum.s[at:][:len(out)]
	sizes = sizes[:len(out)]
	for i, size := range out {
		sum += size
		cum[i] = sum
		c.entered += sizes[i]
	}
}
