package stack

import (
	"unsafe"

	"krdlab/hw"
)

// wraps records that the passes count modulo 1<<32, so that only the result must fit 32 bits and
// not all counts.
var wraps = func() bool {
	f := hw.Features()
	return f.AVX2 && f.BMI1 && f.BMI2
}()

// Layout of the levels of Weights in the assembly of add (gen/weights.go).
var (
	_ [24]byte = [unsafe.Sizeof(Weights{}.levels[0])]byte{}
	_ [16]byte = [fan]byte{}
)

func deal(items []item, low uint, mask uint32, to []item, ends []uint32, t *tally) {
	switch {
	case len(items) == 0:
	case wraps:
		dealAVX2(&items[0].key, len(items), low, mask, &to[0].key, unsafe.SliceData(ends),
			&t.window[0])
	default:
		dealPortable(items, low, mask, to, ends, t)
	}
}

func finish(items []item, cum, dist []uint64, shift uint, t *tally) {
	switch {
	case len(items) == 0:
	case wraps:
		finishAVX2(&items[0].key, len(items), unsafe.SliceData(cum), unsafe.SliceData(dist), shift,
			&t.window[0])
	default:
		finishPortable(items, cum, dist, shift, t)
	}
}

func (t *table) places(keys []uint64, places *[probeGroup]uint32) {
	lines := t.array.s
	switch {
	case len(keys) == 0:
	case wraps:
		_ = places[len(keys)-1]
		placesBMI2(&keys[0], len(keys), &lines[0].keys[0], uint64(len(lines)), &places[0])
	default:
		t.placesPortable(keys, places)
	}
}

func (t *table) hits(keys, sizes []uint64, places []uint32, at uint32, prev []uint32) int {
	if wraps {
		return hitsAVX2(&keys[0], len(keys), &sizes[0], &places[0], &t.array.s[0].keys[0], at,
			&prev[0])
	}
	return t.hitsPortable(keys, sizes, places, at, prev)
}

// window is 16 words of ones and 16 of zeros.
var window = func() (w [2 * fan]uint64) {
	for i := range fan {
		w[i] = 1<<64 - 1
	}
	return w
}()

func (w *Weights) add(slot int, delta uint64) {
	if !wraps {
		w.addPortable(slot, delta)
		return
	}
	_ = w.levels[0][slot] // the levels above are as long as it takes
	addAVX2(&w.levels[0], len(w.levels), slot, delta, &window[0])
}
