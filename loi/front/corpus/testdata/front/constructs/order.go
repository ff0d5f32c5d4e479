package constructs

import (
	"fmt"
	"runtime"
)

type box struct {
	v    int
	s    []int
	next *box
	m    map[string]int
}

func (b *box) bump() int         { b.v++; return b.v }
func (b *box) grow() int         { b.s = append([]int{b.v * 100}, b.s...); return len(b.s) }
func (b *box) swap() int         { b.next = &box{v: b.v + 50, s: []int{b.v}}; return 1 }
func (b *box) add(n int) *box    { b.v += n; return b }
func (b box) copied(n int) int   { return b.v + n }
func (b *box) pair() (int, bool) { b.v += 3; return b.v, b.v%2 == 0 }

var shared = &box{v: 1, s: []int{1, 2, 3}, m: map[string]int{}}
var count int

func tick() int { count++; return count }

func pick(name string, b *box) *box { fmt.Print("[", name, "]"); return b }
func at(name string, n int) int     { fmt.Print("[", name, "]"); return n }

func order() {
	b := &box{v: 1, s: []int{10, 20, 30}, m: map[string]int{}}
	b.next = b
	fmt.Println(b.v+b.bump(), b.bump()+b.v, b.v, b.bump())
	fmt.Println(b.s[0]+b.grow(), b.grow()+b.s[0], b.s[1], b.grow())
	fmt.Println(b.next.v+b.swap(), b.next.v)
	fmt.Println(count+tick(), tick()+count, count, tick(), count)
	fmt.Println(shared.v+shared.bump(), shared.s[0]*shared.grow(), len(shared.s), shared.grow())
	fmt.Println(b.copied(b.bump()), b.add(2).copied(b.v), b.add(1).v+b.add(1).v)
	x := b.v
	f := func() int { x += 10; b = &box{v: x, s: []int{x}, m: b.m}; return x }
	fmt.Println(x+f(), f()+x, b.v+f(), b.s[0]+f(), x)
	b.s[0] = f()
	b.v = f() + b.v
	fmt.Println(b.v, b.s, x)
	b.next = &box{v: 7, m: map[string]int{}}
	b.next.v = b.swap()
	fmt.Println(b.next.v, b.next.s)
	b.next.v += b.bump() + b.swap()
	fmt.Println(b.next.v)
	// f()[g()] = h()
	pick("f", b).s[at("g", 0)] = at("h", 9)
	pick("f", b).v = at("h", 9)
	pick("f", b).v += at("h", 9)
	pick("f", b).s[at("g", 0)]++
	pick("m", b).m[fmt.Sprint("k", at("k", 1))] = at("v", 2)
	pick("m", b).m[fmt.Sprint("k", at("k", 1))] += at("v", 2)
	pick("a", b).v, pick("b", b).s[at("i", 0)] = at("c", 3), at("d", 4)
	pick("a", b).v, b.m["z"] = pick("b", b).pairless()
	fmt.Println(b.v, b.s, b.m)
	b.v, shared.opened().v = b.pairless()
	b.m["x"], b.s[0] = b.pairless()
	fmt.Println(b.v, b.s, b.m, shared.v)
	// && and || and their operands
	fmt.Println(b.v > 0 && tick() > 0, b == nil || b.next == nil && b.next.v > tick() || count > 3)
	var none *box
	fmt.Println(none != nil && none.v > 0, none == nil || none.v > 0 && none.bump() > 1)
	i := 0
	next := func() int { i++; return i }
	a := []int{0, 1, 2, 3, 4, 5, 6, 7}
	a[next()], a[next()] = a[next()], a[next()]
	fmt.Println(a, i)
	a[i], i = i, a[i]
	fmt.Println(a, i)
	i, a[i] = 2, 77
	fmt.Println(a, i)
	a[a[1]], a[1] = 55, 6
	a[a[1]], a[a[2]] = a[a[2]], a[a[1]]
	fmt.Println(a)
	a[0] = 3
	a[a[0]]++
	a[a[0]] += a[a[0]]
	a[0] = a[a[0]]
	fmt.Println(a)
	a[0], a[0] = 1, 2
	fmt.Println(a[0])
	p, q := &node{value: 1}, &node{value: 2}
	p.next, q.next = q, p
	p.next, p.next.next, p = q.next, q, p.next
	fmt.Println(p.value, p.next.value, q.value, q.next.value)
	p.next, p = nil, q
	fmt.Println(p.next == nil)
	l := &node{value: 1, next: &node{value: 2, next: &node{value: 3}}}
	var back *node
	for l != nil {
		l.next, back, l = back, l, l.next
	}
	for n := back; n != nil; n = n.next {
		fmt.Print(n.value, " ")
	}
	self := &node{value: 4}
	self.next = self
	self.next.next.value = 5
	self.next.next = nil
	fmt.Println(self.value, self.next == nil)
	self.next = self
	self.next.next = self.kid()
	fmt.Println(self.next.value)
	ch := make(chan int, 3)
	ch <- 4
	ch <- 5
	self.value = 0
	fmt.Println(self.value+<-ch, <-ch+self.value)
	s := []int{1, 2, 3}
	s = append(s[:1], s[side("x")+1:]...)
	fmt.Println(s, cap(s))
	keep := func(xs ...int) []int { s = append(s, len(xs)); return xs }
	s = append(s, keep(s...)...)
	fmt.Println(s)
	var total struct{ n int }
	add := func(n int) int { total.n += n; return total.n }
	fmt.Println(total.n, add(1), total.n, add(2), total.n)
	t := [3]int{1, 2, 3}
	tp := &t
	change := func() int { t[0] = 99; tp = &[3]int{4, 5, 6}; return 1 }
	fmt.Println(t[0]+change(), tp[0]+change(), t[0])
	m := map[string][]int{"a": {1}}
	m["a"][0], m["b"] = 2, m["a"]
	m["a"] = append(m["a"], m["a"][0], len(m["b"]))
	fmt.Println(m)
	fmt.Println(appended(&box{v: 1}, 2))
	get := func() map[string][]int { m = map[string][]int{"c": {5}}; return m }
	fmt.Println(len(m["a"]), get()["c"][0], len(m["c"]))
	mingled(b, nil, []int{}, 0, 1)
}

// gc loads what is appended to after what is appended.
func appended(b *box, i int) (out []int) {
	defer func() {
		fmt.Println(recover(), b.s, b.next.s, boxes)
		for skip := 1; ; skip++ { // the line that panicked
			pc, _, line, ok := runtime.Caller(skip)
			if !ok || runtime.FuncForPC(pc).Name() == "corpus/constructs.appended" {
				out = append(out, line)
				return
			}
		}
	}()
	b.next = &box{}
	b.s = append(b.s, b.grow())
	b.next.s = append(b.next.s, b.swap(), 5)
	b.s = append(b.s, b.s...)
	b.s = append(b.s, b.copied(b.bump())+
		b.grow(),
		i) // more
	boxes = append(boxes, fmt.Sprint(
		b.grow(), len(boxes)))
	add := append(b.s, b.s[i], i)
	b.next.next = &box{s: add}
	fmt.Println(add, returned(b))
again:
	b.s = append(b.s, b.s[len(b.s)-1])
	if len(b.s) < 20 {
		goto again
	}
	b.next.next = nil
	b.next.next.s = append(b.next.next.s, b.grow(),
		i)
	return nil
}

func returned(b *box) []int { return append(b.s, b.grow()) }

type inner struct {
	first int
	box
}

func nobody(int) *inner { return nil }

var boxes []string

// Of several operands that panic, gc evaluates first what an earlier store may change.
func mingled(b, none *box, s []int, i, j int) {
	try := func(f func()) {
		defer func() { fmt.Println(recover()) }()
		f()
	}
	try(func() { s[i], s[j] = s[j], s[i] })
	try(func() { b.v, count = s[j], none.v })
	try(func() { b.s[0], none.next.s[i] = s[j], 3 })
	try(func() { n, k := s[j], none.v; fmt.Println(n, k) })
	try(func() {
		var n, k = s[j], none.v
		shared.next = &box{v: k}
		try(func() { n++; fmt.Println(n) })
	})
	try(func() { fmt.Println(both(none, s)) })
	try(func() { n := i; n, k := s[j], s[n]; fmt.Println(n, k) })
	// a place and what is stored there
	try(func() { none.s[0] <<= s[j] })
	var x any
	try(func() { *x.(*box) = *none.next.add(1) })
	try(func() { *x.(*box) = *none.next })
	try(func() { add(none).s[i&1] = s[j] })
	try(func() { table[none.v&3] = s[j] })
	// operands of an expression
	var l [2]int
	try(func() { fmt.Println(l[len(s)+2] + none.v) })
	try(func() { fmt.Println(none.v + len(s[j:])) })
	try(func() { fmt.Println(none.s, box{v: x.(int)}) })
	try(func() { fmt.Println((&box{}).next.s[s[j]], x.(int)/i) })
	try(func() { fmt.Println(append(none.s, s[j])) })
	try(func() { fmt.Println(append(none.s, make([]int, s[j])...)) })
	try(func() { fmt.Println(tick()/i, none.v) })
	try(func() { fmt.Println(none.v, x.(fmt.Stringer), tick()) })
	fmt.Println(len([]int{1, 2, 3, 4, 5, 6, 7, 8, 9}[count%4 : tick()%4+5]))
	// functions and receivers
	c := &chosen{f: tick1}
	c.p = &chosen{f: func(n int) int { return -n }}
	change := func(p **chosen) int { c.f = c.p.f; *p = c; return 1 }
	fmt.Println(c.f(change(&c.p)), c.f(1))
	d := &chosen{p: &chosen{n: 5}}
	fmt.Println(d.p.get(changed(d)), d.p.get(1))
	d = nil
	try(func() { d.f(s[j]) })
	try(func() { nobody(1).add(s[j]) })
	try(func() { d.get(s[j]) })
	try(func() { d.inter.Error(); d.f(tick()) })
	try(func() { defer d.f(s[j]) })
	try(func() { d.f(tick()) })
	try(func() { (*box)(nil).v -= x.(int) })
	try(func() { (&box{}).s[2] <<= []int{s[j], 1}[0-*new(int)] })
	fmt.Println(tick())
}

func add(b *box) *box       { return b }
func tick1(n int) int       { return n + tick() }
func changed(d *chosen) int { d.p = &chosen{n: 7}; return 1 }

type chosen struct {
	f     func(int) int
	p     *chosen
	n     int
	inter error
}

func (c *chosen) get(n int) int { return c.n + n }

func both(none *box, s []int) (n, k int) {
	defer func() { n++ }()
	return s[1], none.v
}

func (b *box) pairless() (int, int) { b.v += 5; return b.v, b.v * 2 }
func (b *box) opened() *box         { fmt.Print("[opened]"); return b }
func (n *node) kid() *node          { n.value++; return &node{value: n.value} }
