package fmm

// key is the place of a body on the Morton curve, and the number of the body.
type key struct {
	code uint64
	body uint32
}

// levels of the octree that a Morton code of 63 bits separates, and the cells of the finest along
// each side.
const (
	codeLevels = 21
	codeCells  = 1 << codeLevels
)

// spread puts two zeros behind each of the 21 low bits of v.
func spread(v uint64) uint64 {
	v = (v | v<<32) & 0x001f00000000ffff
	v = (v | v<<16) & 0x001f0000ff0000ff
	v = (v | v<<8) & 0x100f00f00f00f00f
	v = (v | v<<4) & 0x10c30c30c30c30c3
	v = (v | v<<2) & 0x1249249249249249
	return v
}

// morton interleaves three coordinates of 21 bits, x highest.
func morton(x, y, z uint64) uint64 { return spread(x)<<2 | spread(y)<<1 | spread(z) }

const (
	digitBits = 11
	digits    = 1 << digitBits
	passes    = (3*codeLevels + digitBits - 1) / digitBits
)

// sortKeys sorts by code, equal ones in their old order: radix sort from the lowest digit, one
// count of all digits first; digits that are the same everywhere cost nothing more. spare is as
// long as keys and is overwritten. It returns whichever of the two holds the result.
func sortKeys(keys, spare []key) []key {
	if len(keys) < 64 {
		insertionSort(keys)
		return keys
	}
	var counts [passes][digits]uint32
	for _, k := range keys {
		for p := range passes {
			counts[p][k.code>>(p*digitBits)%digits]++
		}
	}
	for p := range passes {
		count := &counts[p]
		if count[keys[0].code>>(p*digitBits)%digits] == uint32(len(keys)) {
			continue
		}
		var at uint32
		for d, n := range count {
			count[d] = at
			at += n
		}
		for _, k := range keys {
			d := k.code >> (p * digitBits) % digits
			spare[count[d]] = k
			count[d]++
		}
		keys, spare = spare, keys
	}
	return keys
}

func insertionSort(keys []key) {
	for i := 1; i < len(keys); i++ {
		k := keys[i]
		j := i
		for ; j > 0 && keys[j-1].code > k.code; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
}
