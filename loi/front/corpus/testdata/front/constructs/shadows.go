package constructs

import "fmt"

type T struct{ len, string, int, append, B, krd, A int }

func shadows() {
	len, append, new, make := 3, 4, 5, 6
	t := &T{len: len, append: append}
	t.len++
	t.int += new + make
	fmt.Println(t.len, t.append, t.int)
	string := func(i int) int { return i * 2 }
	t.string = string(t.len)
	any := map[interface{}]int{1: 2}
	fmt.Println(any[1], any[t.len], t.string)
	{
		type int = int8
		var x int = 127
		m := map[int]int{x: 1}
		x++
		m[x]++
		m[5]++
		s := []int{x, 1}
		s[1] += x
		fmt.Println(m[x], s, x)
	}
	nil, true := 1, 2
	t.krd, t.A, t.B = nil, true, nil+true
	krdA, krdB, b := 1, 2, 3
	func(fmt int) { t.krd += fmt + krdA + krdB + b }(5)
	fmt.Println(*t)
	copy, delete, cap := []int{1}, func(m map[int]int, k int) { m[k] = 100 }, 9
	m := map[int]int{1: 1}
	delete(m, copy[0])
	fmt.Println(m[copy[0]], cap)
	uint64 := map[byte]byte{'a': 1}
	uint64['a']++
	byte := 4
	uint64[97] += 3
	unsafe, uintptr := t.len, &t.len
	*uintptr = unsafe + byte
	fmt.Println(t.len, uint64)
}
