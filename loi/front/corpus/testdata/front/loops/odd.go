package loops

import (
	"fmt"
	"unsafe"
)

// What the text of a loop names may mean something else in its body.

func shadows(a, b []float64, n int) (t float64) {
	for i := 0; i < n; i++ {
		t += a[i]
		i := 3
		t += a[i]
	}
	for i := 0; i < n; i++ {
		t += a[i]
		n := 2
		t += float64(n)
	}
	for i := 0; i < n; i++ {
		a := b
		t += a[i]
	}
	for i := 0; i < n; i++ {
		{
			a := b
			t += a[i]
		}
		t += a[i]
	}
	for i := 0; i < n; i++ {
		{
			own := b[5:]
			t += own[i]
		}
	}
	for i := 0; i < n; i++ {
		{
			own := b
			t += own[i]
		}
	}
	for i := range a {
		t += a[i]
		i := 3
		t += a[i]
	}
	for i := range n {
		t += a[i]
		i := 3.5
		t += i
	}
	for i := 0; i < n; i++ {
		t += b[i]
		b := 2.5
		t += b
	}
	for i, x := range a {
		x := x + float64(i)
		t += x
	}
	for i, x := range a {
		x, y := x+1, float64(i)
		t += x * y
	}
	step := 1
	for i := 0; i < n; i += step {
		t += b[i]
		step := 2
		t += float64(step)
	}
	for i := 0; i < len(a); i++ {
		t += a[i]
		a := 1.0
		t += a
	}
	return t
}

type names struct {
	len, min []float64
}

func builtins(a []float64, n int) (t float64) {
	len, min, krdA, A, s, c, B := 7, a, a, a, a, a, a
	for i := 0; i < len; i++ {
		t += min[i] + krdA[i] + A[i] + s[i] + c[i] + B[i]
	}
	for uintptr := 0; uintptr < n; uintptr++ {
		t += a[uintptr]
	}
	for int := range a {
		t += a[int]
	}
	for _, true := range a {
		t += true
	}
	q := names{a, a}
	p := &q
	for i := 0; i < n; i++ {
		t += q.len[i] * p.min[i]
	}
	return t
}

func parameters(uintptr, int []float64, len int) (t float64) {
	type unsafe float64
	for i, x := range uintptr {
		t += x * float64(i)
	}
	i := 0
	for i = range int {
		t += int[i] + float64(unsafe(i))
	}
	for range uintptr {
		t += int[i]
	}
	m := map[string]float64{"a": 1}
	for range m {
		t += m["a"]
	}
	return t + float64(len)
}

func channels(a []float64) (t float64) {
	ch := make(chan int, 10)
	for i := range 10 {
		ch <- 5 - i/4
	}
	for i := 0; i < <-ch; i++ {
		t += a[i]
	}
	for i := 0; i < len(ch)+8; i++ {
		t += a[i]
	}
	in := make(chan []float64, 50)
	for range 50 {
		in <- a[:20]
	}
	for i := 0; i < len(<-in); i++ {
		t += a[i]
	}
	return t + float64(len(in))
}

type id uint16
type wrapped []float64

const most = 12

func kinds(a []float64) (t float64) {
	k := uint(3)
	for i := uint64(0); i < 1<<k; i++ {
		t += a[i]
	}
	for i := id(3); i <= most; i += 2 {
		t += a[i]
		a[i+1] = 2
	}
	for i := ^uint64(0) - 9; i < ^uint64(0); i++ {
		t += a[i+10]
	}
	for i := ^uint64(0) - 9; i <= ^uint64(0); i++ {
		if t += a[i+10]; t > 1e300 {
			t++
		}
		if i+10 == 10 {
			break
		}
	}
	for i := uint64(1) << 63; i < 1<<63+20; i += 3 {
		t += a[i-1<<63]
	}
	for i := 'a'; i < 'z'; i++ {
		t += a[i-'a']
	}
	for i := 'a'; i <= 'z'; i++ {
		t += a[i]
	}
	for i := byte(0); i < 'c'; i += '\x02' {
		t += a[i]
	}
	for i := 0; i < 1e1; i += 1.0 {
		t += a[i<<1|0]
		t += a[i<<k]
		t += a[int8(i)]
	}
	for i := 0; i < 10; i++ {
		t += a[^(^i)] + a[i&^0] + a[i|1] + a[+i]
	}
	for i := range most {
		t += a[i]
	}
	for i := range id(most) {
		t += a[i]
	}
	for i := range uint64(20) {
		t += wrapped(a)[i]
	}
	for i := range 'c' {
		t += a[i]
	}
	for i := -10; i < 0; i++ {
		t += a[-i] + a[i+10]
	}
	for i := int64(-1 << 63); i < -1<<63+9; i++ {
		t += a[i-(-1<<63)]
	}
	return t
}

func empty(a []float64) (t float64) {
	defer func() { fmt.Println("recovered", recover(), t) }()
	z := make([]struct{}, 20)
	for i := 0; i < 20; i++ {
		_ = z[i]
		t += a[i]
	}
	for range z {
		t += a[0]
	}
	for i := range z {
		t += a[i]
	}
	for i := 0; i < 40; i++ {
		t += a[i]
		_ = z[i]
	}
	return t
}

func emptyArrays(a []float64) (t float64) {
	defer func() { fmt.Println("recovered", recover(), t) }()
	z := make([][0]int, 20)
	for i := 0; i < 40; i++ {
		t += a[i] + float64(len(z[i]))
	}
	return t
}

func emptyBlank(a []float64) (t float64) {
	defer func() { fmt.Println("recovered", recover(), t) }()
	z := make([]struct{ _ [0]int }, 20)
	for i := 0; i < 40; i++ {
		_ = z[i]
		t += a[i]
	}
	return t
}

func jumps(a []float64, n int) (t float64) {
	k := 0
again:
	for i := 0; i < n; i++ {
		t += a[i]
	}
	if k++; k < 3 {
		goto again
	}
	if k > 100 {
		goto end
	}
outer:
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			t += a[j]
		}
		for j := 0; j < n; j++ {
			if t += a[j]; j == 7 {
				continue outer
			}
		}
	}
	for i := 0; i < n; i++ {
	here:
		if t += a[i]; t < 0 {
			t = -t
			goto here
		}
	}
end:
	for i := 0; i < n; i++ {
		t += a[i]
	}
	switch k {
	case 3:
		for i := 0; i < n; i++ {
			t += a[i]
		}
		fallthrough
	case 4:
		for i := range a {
			t += a[i]
		}
	}
	return t
}

var table [64]float64
var square [8][8]float64

func arrays(pa *[64]float64, sq *[8][8]float64, n int) (t float64) {
	for i := 0; i < n; i++ {
		t += table[i] + pa[i] + square[i&7][3] + square[3][i&7]
	}
	for i := 0; i < 8; i++ {
		t += square[i][3] + sq[i][2] + sq[i][i]
		square[3][i] = t
		sq[i][1]++
	}
	for i := range pa {
		t += pa[i]
	}
	for i, x := range pa {
		t += x + table[i]
	}
	for i, x := range table {
		t += x + float64(i)
	}
	for i := range len(table) {
		t += (*pa)[i]
	}
	for i := 0; i < len(pa); i++ {
		t += pa[i]
	}
	return t
}

func overlap(a []float64) (t float64) {
	b, c := a[1:], a[7:9]
	for i := 0; i < 40; i++ {
		b[i] = a[i] + 1
	}
	for i := range a[:40] {
		t += a[i]
		a = a[:len(a)-1]
	}
	for i := 0; i < len(b) && i < 60; i++ {
		t += b[i]
		b = b[:len(b)-2]
	}
	p := (*[6]float64)(unsafe.Pointer(&c[0]))
	for i := 0; i < len(p); i++ {
		t += p[i]
	}
	words := unsafe.Slice((*uint32)(unsafe.Pointer(&a[0])), 60)
	for i := range words {
		words[i] ^= words[len(words)-1-i]
		t += float64(words[i] & 255)
	}
	return t
}

type holder struct {
	v [16]float64
	s []float64
	n int
}

func (h holder) sum() (t float64) {
	for i := 0; i < h.n; i++ {
		t += h.s[i] + h.v[i&15]
	}
	for i := range h.v {
		t += h.v[i]
	}
	return t
}

func (h *holder) grow() {
	for i := 0; i < h.n; i++ {
		h.s[i]++
		if i == 4 {
			h.n = 12
		}
	}
	for i := 0; i < h.n; i++ {
		h.n--
		h.s[i]++
	}
	for i := 0; i < h.n; i++ {
		h.v[i] = h.s[i]
	}
}

func sum[T int | float64](a []T, n int) (t T) {
	for i := 0; i < n; i++ {
		t += a[i]
	}
	for _, x := range a {
		t += x
	}
	return t
}

func sumOf[S ~[]E, E ~float64, I ~int | ~uint8](s S, n I, f []float64) (t float64) {
	for i := I(0); i < n; i++ {
		t += float64(s[i]) + f[i]
	}
	for i := 0; i < int(n); i++ {
		t += f[i]
	}
	for i := range f[:n] {
		t += f[i]
	}
	return t
}

func closures(a []float64, n int) (t float64) {
	k := 0
	f := func() {
		for i := 0; i < n; i++ {
			t += a[i]
		}
		for k = 0; k < n; k++ {
			t += a[k]
		}
	}
	f()
	a = a[3:]
	f()
	var fs []func() float64
	for i := 0; i < n; i++ {
		fs = append(fs, func() float64 { return a[i] })
	}
	for i := range fs {
		t += fs[i]()
	}
	defer func() {
		for i := 0; i < n; i++ {
			a[i]++
		}
	}()
	for x := range func(yield func(float64) bool) {
		for i := 0; i < n; i++ {
			t += a[i]
		}
		for i := 0; i < n; i++ {
			if !yield(a[i]) {
				return
			}
		}
	} {
		for i := 0; i < n; i++ {
			t += a[i] * x
		}
		if x > 6 {
			break
		}
	}
	return t
}

func recurse(a []float64, n int) (t float64) {
	if n == 0 {
		return 0
	}
	for i := 0; i < n; i++ {
		t += a[i]
	}
	t += recurse(a[1:], n-1)
	for i := n - 1; i >= 0; i-- {
		t -= a[i]
	}
	return t
}

var startup [50]float64

func init() {
	for i := range startup {
		startup[i] = float64(i)
	}
	for i := 1; i < len(startup); i++ {
		startup[i] += startup[i-1]
	}
}

func odd() {
	fmt.Println(shadows(data[3000:3020], data[3010:3040], 15))
	fmt.Println(builtins(data[3000:3020], 15), channels(data[3050:3100]), kinds(data[3100:3300]))
	fmt.Println(parameters(data[3000:3020], data[3200:3220], 3))
	empty(data[3000:3100])
	emptyArrays(data[3000:3100])
	emptyBlank(data[3000:3100])
	fmt.Println(jumps(data[3200:3230], 12))
	fmt.Println(arrays((*[64]float64)(data[3300:]), &square, 40))
	fmt.Println(overlap(data[3400:3500]))
	h := &holder{s: data[3500:3520], n: 8}
	fmt.Println(h.sum())
	h.grow()
	fmt.Println(h.sum(), sum(data[3500:3520], 9), sum(ints[5:40], 9))
	fmt.Println(sumOf(data[3500:3520], uint8(7), data[3700:]), sumOf(wrapped(data[3600:3620]), 9,
		data[3800:]))
	fmt.Println(closures(data[3500:3520], 9), recurse(data[3530:], 7), startup[49])
}
