package stacked

var large, small = make([]int, 10_000), make([]int, 100)

//go:noinline
func sum(v []int) (n int) {
	for i := range v {
		n += v[i]
	}
	return n
}

//go:noinline
func once(v []int) (n int) {
	for i := range v {
		n += v[i]
	}
	return n
}

// Main has sum access as much on the stack as on the heap, by stretches of 10 000 and by 100, and
// once, which runs one time, nothing but the heap.
func Main() {
	var long [10_000]int
	var short [100]int
	n := once(small)
	for range 2000 {
		n += sum(large) + sum(long[:])
		for range 100 {
			n += sum(small) + sum(short[:])
		}
	}
	println(n)
}
