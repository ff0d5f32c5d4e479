package cilksort

import "unsafe"

// radix sorts keys by their four bytes, the lowest first. other is scratch of the same length.
func radix(keys, other []int32) {
	var count [4][256]int32
	for _, k := range keys {
		x := uint32(k) ^ 1<<31
		count[0][x&255]++
		count[1][x>>8&255]++
		count[2][x>>16&255]++
		count[3][x>>24]++
	}
	other = other[:len(keys)]
	for pass := range 4 {
		at, sum := &count[pass], int32(0)
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		shift := 8 * pass
		for _, k := range keys {
			d := uint8((uint32(k) ^ 1<<31) >> (shift & 31))
			other[at[d]] = k
			at[d]++
		}
		keys, other = other, keys
	}
}

// mergeRuns merges a and b, which are sorted, into out, which has room for both. Half of the output
// is merged upwards from the beginning and half downwards from the end, in one loop: the two wait
// for memory and comparisons side by side, and neither has a branch to predict.
func mergeRuns(a, b, out []int32) {
	for {
		// as many steps as neither side can run out of keys in
		n := min(len(a), len(b)) / 2
		if n == 0 {
			break
		}
		i, p := upwardsAndDown(unsafe.SliceData(a), unsafe.SliceData(b), unsafe.SliceData(out),
			n, len(a)-1, len(b)-1, len(out)-1)
		a, b, out = a[i:p+1], b[n-i:len(b)-n+len(a)-1-p], out[n:len(out)-n]
	}
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			out[0], a = a[0], a[1:]
		} else {
			out[0], b = b[0], b[1:]
		}
		out = out[1:]
	}
	copy(out, a)
	copy(out[len(a):], b)
}

// upwardsAndDown makes n steps from both ends of a, b and out, whose last keys have the numbers p, q
// and end, and returns how far it came in a. Neither a nor b has fewer than 2 n keys. Checks of
// bounds would need more registers than there are.
func upwardsAndDown(a, b, out *int32, n, p, q, end int) (i, last int) {
	at := func(x *int32, i int) *int32 {
		return (*int32)(unsafe.Add(unsafe.Pointer(x), 4*i))
	}
	j := 0
	for k := range n {
		x, y := *at(a, i), *at(b, j)
		less := 0
		if x <= y {
			less = 1
		}
		*at(out, k) = min(x, y)
		i += less
		j = k + 1 - i
		u, v := *at(a, p), *at(b, q)
		more := 0
		if u > v {
			more = 1
		}
		*at(out, end-k) = max(u, v)
		p -= more
		q -= 1 - more
	}
	return i, p
}
