package coherence

import "math/bits"

// holes is a set of slots that returns the highest: a bitmap, with a bitmap of its words that are
// not 0 above it, and so on. Cost: O(log64 of the slots).
type holes struct {
	levels [][]uint64 // from the slots up; the last is one word
}

// reset makes it empty, for slots below n.
func (h *holes) reset(n int) {
	for l := 0; ; l++ {
		n = (n + 63) / 64
		if l == len(h.levels) {
			h.levels = append(h.levels, nil)
		}
		if n > cap(h.levels[l]) {
			h.levels[l] = make([]uint64, n)
		} else {
			h.levels[l] = h.levels[l][:n]
			clear(h.levels[l])
		}
		if n <= 1 {
			h.levels = h.levels[:l+1]
			return
		}
	}
}

func (h *holes) insert(slot int) {
	for _, words := range h.levels {
		w := &words[slot>>6]
		was := *w
		*w = was | 1<<(slot&63)
		if was != 0 {
			return // the levels above know
		}
		slot >>= 6
	}
}

func (h *holes) remove(slot int) {
	for _, words := range h.levels {
		w := &words[slot>>6]
		*w &^= 1 << (slot & 63)
		if *w != 0 {
			return
		}
		slot >>= 6
	}
}

// last returns the highest slot in the set, -1 if it is empty.
func (h *holes) last() int {
	slot := 0
	for l := len(h.levels) - 1; l >= 0; l-- {
		w := h.levels[l][slot]
		if w == 0 {
			return -1 // on the highest level only
		}
		slot = slot<<6 + bits.Len64(w) - 1
	}
	return slot
}
