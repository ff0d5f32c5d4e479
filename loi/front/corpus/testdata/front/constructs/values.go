package constructs

import "fmt"

type weekday int

const (
	sunday weekday = iota
	monday
	tuesday
	_
	last = iota * 10
)

const (
	kb = 1 << (10 * (iota + 1))
	mb
	big = 1 << 100
)

type matrix [2][2]complex128

type holder struct {
	arr   [3]int
	c     complex128
	f     float32
	u8    uint8
	i8    int8
	u64   uint64
	any   any
	err   error
	days  [last]weekday
	s     struct{ x, y int }
	flags struct {
		a, b bool
		z    struct{}
	}
	p *[4]int
}

func values() {
	h := &holder{p: new([4]int)}
	var names [len(table) + len(h.arr)]string
	const n = len(h.p) + cap(h.arr)
	names[tuesday] = fmt.Sprint(n, last, kb, mb, big>>98)
	fmt.Println(names, len(names), len(h.days), monday)
	h.c = complex(1, 2)
	h.c *= 2i
	h.f += 1.5
	h.f /= 4
	fmt.Println(h.c, real(h.c), imag(h.c), h.f, -h.f)
	h.u8--
	h.i8 = 127
	h.i8++
	h.u64 = 1<<63 | 1
	shift := uint(3)
	h.u64 = h.u64>>shift | 1<<shift
	h.u8 = 1 << shift
	h.u8 |= ^h.u8 &^ 0x80
	var f64 = float64(int32(1 << shift))
	h.arr[1<<shift%3] = -7 / 2
	h.arr[0] = -7 % 3
	fmt.Println(h.u8, h.i8, h.u64, f64, h.arr, 1<<shift == h.u64)
	a := h.arr
	a[0]++
	h.arr[2] = a[0]
	b := [3]int{1: 5}
	h.arr, b = b, h.arr
	fmt.Println(a, b, h.arr, a == b, h.arr == [3]int{0, 5, 0}, h.arr != b)
	modify := func(a [3]int, p *[3]int) [3]int { a[0], p[0] = 50, 60; return a }
	fmt.Println(modify(h.arr, &h.arr), h.arr)
	h.any = h.arr
	h.any = h.any.([3]int)[1]
	h.err = fmt.Errorf("e%v", h.any)
	if i, ok := h.any.(int); ok {
		h.any = &i
		*h.any.(*int) += 3
		fmt.Println(i, *h.any.(*int), h.err)
	}
	h.any, h.err = nil, nil
	fmt.Println(h.any == nil, h.err == nil, h.any)
	h.any = 5
	fmt.Println(h.any == 5, h.any == any(5), h.any != nil, h.any == "5")
	h.any = h.s
	fmt.Println(h.any == struct{ x, y int }{}, h.s == struct{ x, y int }{0, 1})
	h.flags.a = h.u8 > 1
	h.flags.b = !h.flags.a || h.f == h.f
	h.flags.z = struct{}{}
	type boolean bool
	var flag boolean = h.u8 > 3
	bs := []boolean{flag}
	bs[0] = h.u8 < h.arrLen()
	fmt.Println(h.flags, flag, bs)
	m := &matrix{{1, 2}, {3, 4i}}
	m[0][1], m[1][0] = m[1][0], m[0][1]
	m[1][1] *= m[1][1]
	t := *m
	t[0][0] = 9
	fmt.Println(*m, t, *m == t)
	h.p[len(h.p)-1] = 3
	q := *h.p
	h.p[0]++
	fmt.Println(q, *h.p, h.p[1:3], len(h.p[1:]), cap(h.p[:2:3]))
	*h.p = [4]int{4, 3, 2, 1}
	(*h.p)[1] = 8
	for i := range h.p {
		h.p[i] *= 2
	}
	fmt.Println(*h.p)
	var x interface{ arrLen() uint8 } = h
	fmt.Println(x.arrLen(), x.(*holder).arr[1])
	pp := &h
	(*pp).s.x = 4
	(**pp).s.y, (*pp).f = 5, 6
	ppp := &pp
	(**ppp).s.x++
	fmt.Println(h.s, h.f, (***ppp).s)
	s3 := [][]int{{1}, {2, 3}}
	s3[1][0], s3[0] = 7, s3[1]
	s3[0][1]++
	fmt.Println(s3)
	arr := [3]int(append([]int{}, s3[0][0], 2, 3))
	parr := (*[2]int)(s3[1])
	parr[0] = -1
	fmt.Println(arr, s3, *parr)
	fmt.Println(max(h.arr[0], len(h.p), 2), min(h.f, 3))
	if v := variadic(); v != 0 {
		fmt.Println(v)
	}
	fmt.Println(variadic(h.arr[:]...), variadic(1, h.arr[1], h.p[0]), *new(h.arrLen()), *new(5))
	type ring struct {
		v    int
		next *ring
	}
	r := &ring{v: 1, next: &ring{v: 2}}
	r.next.next = r
	for i := 0; i < 5; i, r = i+1, r.next {
		r.v += i
	}
	fmt.Println(r.v, r.next.v)
	anon := []struct {
		name string
		f    func(int) int
	}{{"inc", func(i int) int { return i + 1 }}, {"dec", func(i int) int { return i - 1 }}}
	for _, x := range anon {
		fmt.Print(x.name, x.f(5), " ")
	}
	anon[1].f = anon[0].f
	anon[0].name += "!"
	fmt.Println(anon[1].f(1), anon[0].name)
}

func (h *holder) arrLen() uint8 { return uint8(len(h.arr)) }

func variadic(xs ...int) (n int) {
	for i, x := range xs {
		n += x
		xs[i] = 0
	}
	return
}

func assignments() {
	h := &holder{}
	h.u64 = 0xff
	h.u64 &= 0x3c
	h.u64 |= 1
	h.u64 ^= 0xf0
	h.u64 &^= 4
	h.u64 <<= 2
	h.u64 >>= 1
	h.u64 -= 3
	h.u64 *= 5
	h.u64 /= 3
	h.u64 %= 1000
	h.arr[h.arr[0]]--
	h.arr[h.arr[1]] += 2
	var i8 int8 = -128
	h.i8 = i8
	h.i8 /= -1
	h.i8 >>= 9
	fmt.Println(h.u64, h.arr, h.i8)
	names := []string{"a"}
	names[0] += "b"
	names[0] += names[0] + names[0][:1]
	fmt.Println(names)
	var e struct{ err error }
	_, e.err = fmt.Sscan("12", &h.s.x)
	h.s.y, e.err = fmt.Sscan("x", &h.s.x)
	fmt.Println(h.s, e.err)
	h.any, e.err = 1, fmt.Errorf("x")
	var ok bool
	h.s.x, ok = h.any.(int)
	h.s.y, h.flags.a = h.any.(int)
	fmt.Println(h.s, ok, h.flags.a)
	c := make(chan int, 2)
	c <- 5
	h.s.x, h.flags.b = <-c
	close(c)
	h.s.y, ok = <-c
	fmt.Println(h.s, h.flags.b, ok)
	table[0], table[1], table[2] = 1, 2, 3
	table[0], table[1], table[2] = table[2], table[0], table[1]
	table[table[0]%4], table[0] = table[0], 9
	fmt.Println(table)
	p, q := &table[1], &table[2]
	*p, *q = *q, *p
	*p++
	*q += *p
	fmt.Println(table, *p, *q)
	x := &node{value: 1}
	x, x.value = &node{value: 2}, 3
	fmt.Println(x.value)
	x.next = x
	x.next, x.next.value = nil, 8
	fmt.Println(x.value, x.next == nil)
	var local struct{ a, b [2]int }
	local.a[0], local.b[local.a[0]] = 1, 2
	local.a, local.b = local.b, local.a
	fmt.Println(local)
	if x.value = 4; x.value > 3 {
		x.value++
	}
	for x.value = 0; x.value < 3; x.value++ {
		x.kids = append(x.kids, &node{value: x.value})
	}
	x.kids[0].kids, x.kids = x.kids, x.kids[1:]
	fmt.Println(len(x.kids), x.value)
	switch x.value += 2; x.value {
	case 5:
		fmt.Println("five")
	}
	switch x.next = x; y := any(x.next.value).(type) {
	case int:
		fmt.Println(y)
	}
	multi := &[]*node{
		{value: 1},
		nil,
	}
	(*multi)[1],
		x.next = &node{
		value: (*multi)[0].
			value + 1,
	}, (*multi)[0]
	(*multi)[len(
		*multi)-1].value += 2
	fmt.Println((*multi)[1].value, x.next.value)
}
