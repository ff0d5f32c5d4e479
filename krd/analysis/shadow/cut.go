package shadow

import "unsafe"

// cut makes no tag larger than most. list is whole words.
func cut[T uint8 | uint16](list []T, most T) {
	if narrow, ok := any(list).([]uint8); ok {
		if list = list[cutVectors(narrow, uint8(most)):]; len(list) == 0 {
			return
		}
	}
	cutPortable(list, most)
}

// cutPortable works like cut, by words of tags whose upper bits are 0.
func cutPortable[T uint8 | uint16](list []T, most T) {
	size := unsafe.Sizeof(T(0))
	all := uint64(1)<<(8*size) - 1
	lanes := ^uint64(0) / all // 1 in each lane
	top := 8*size - 1
	upper, limit := lanes<<top, lanes*uint64(most)
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(list))),
		uintptr(len(list))*size/8)
	for i, w := range words {
		fits := ((limit | upper) - w) & upper // the upper bit stays where a tag is not larger
		keep := fits >> top * all
		words[i] = w&keep | limit&^keep
	}
}

// same returns how many tags at the beginning of list, which is not empty, are equal.
func same[T uint8 | uint16](list []T) int {
	x, n, lanes := list[0], 1, 8/sizeOf[T]()
	word := ^uint64(0) / (1<<(8*sizeOf[T]()) - 1) * uint64(x)
	for n < len(list) && list[n] == x {
		if n%lanes == 0 && n+lanes <= len(list) &&
			*(*uint64)(unsafe.Pointer(&list[n])) == word {
			n += lanes
			continue
		}
		n++
	}
	return n
}

func fill[T uint8 | uint16](list []T, x T) {
	for i := range list {
		list[i] = x
	}
}
