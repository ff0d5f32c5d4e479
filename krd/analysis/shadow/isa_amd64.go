package shadow

import "krdlab/hw"

var hasAVX2 = hw.Features().AVX2

// cutVectors cuts the tags at the beginning of list, by vectors, and returns how many.
func cutVectors(list []uint8, most uint8) int {
	n := len(list) / 32
	if !hasAVX2 || n == 0 {
		return 0
	}
	cutAVX2(&list[0], n, most)
	return 32 * n
}
