//go:build !amd64

package stack

// wraps records that the passes count modulo 1<<32; the portable ones do not.
const wraps = false

func deal(items []item, low uint, mask uint32, to []item, ends []uint32, t *tally) {
	dealPortable(items, low, mask, to, ends, t)
}

func finish(items []item, cum, dist []uint64, shift uint, t *tally) {
	finishPortable(items, cum, dist, shift, t)
}

func (t *table) places(keys []uint64, places *[probeGroup]uint32) { t.placesPortable(keys, places) }

func (t *table) hits(keys, sizes []uint64, places []uint32, at uint32, prev []uint32) int {
	return t.hitsPortable(keys, sizes, places, at, prev)
}

func (w *Weights) add(slot int, delta uint64) { w.addPortable(slot, delta) }
