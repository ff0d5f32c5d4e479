package stack

// Weights holds a weight for each of n slots and answers sums over the slots above one.
//
// A hierarchy of groups of 16: the word of a slot, or of a group of them on the levels above, is
// the sum of the weights of its later siblings, so that a sum is one load a level and a change
// touches one group (two cache lines) a level. That suits a stack of recency, where most of what
// happens is near its top: there the groups are in cache, and few siblings are earlier.
//
// The zero value has no slots. Weights are 64-bit words that wrap around, so that a weight is
// lowered by adding its two's complement.
type Weights struct {
	// by level, from the slots up: sum over the later siblings; lengths are multiples of fan
	levels [][]uint64
	total  uint64
}

const (
	fanBits = 4
	fan     = 1 << fanBits
)

// Reset makes it n slots of weight 0. Memory: 8.5 bytes a slot, kept for later resets.
func (w *Weights) Reset(n int) {
	w.total = 0
	l := 0
	for ; l == 0 || n > 1; l++ {
		n = (n + fan - 1) >> fanBits << fanBits
		if l == len(w.levels) {
			w.levels = append(w.levels, nil)
		}
		if n > cap(w.levels[l]) {
			w.levels[l] = make([]uint64, n)
		} else {
			w.levels[l] = w.levels[l][:n]
			clear(w.levels[l])
		}
		n >>= fanBits
	}
	w.levels = w.levels[:l]
}

// Add adds delta to the weight of a slot, which must be below the number of slots. One group of 16
// words a level is changed.
func (w *Weights) Add(slot int, delta uint64) {
	w.total += delta
	w.add(slot, delta)
}

func (w *Weights) addPortable(slot int, delta uint64) {
	for _, sums := range w.levels {
		for group := sums[slot&^(fan-1) : slot]; len(group) > 0; group = group[1:] {
			group[0] += delta
		}
		slot >>= fanBits
	}
}

// After returns the sum of the weights of all slots above the given one. One load a level.
func (w *Weights) After(slot int) uint64 {
	var sum uint64
	for _, sums := range w.levels {
		sum += sums[slot]
		slot >>= fanBits
	}
	return sum
}

// Total returns the sum of all weights.
func (w *Weights) Total() uint64 { return w.total }

// Set makes it len(weights) slots with these weights. Cost: sequential, as Reset.
func (w *Weights) Set(weights []uint64) {
	w.Reset(len(weights))
	copy(w.levels[0], weights)
	w.sum()
}

// sum makes the lowest level, whose words are the weights of its slots, and those above it sums.
func (w *Weights) sum() {
	below := w.levels[0]
	for l, sums := range w.levels {
		var next []uint64
		if l+1 < len(w.levels) {
			next = w.levels[l+1]
		}
		for g := 0; g < len(below); g += fan {
			var sum uint64
			for i := min(g+fan, len(below)) - 1; i >= g; i-- {
				v := below[i] // is sums' own word: read before it is overwritten
				sums[i] = sum
				sum += v
			}
			if next != nil {
				next[g>>fanBits] = sum
			} else {
				w.total = sum
			}
		}
		below = next
	}
}
