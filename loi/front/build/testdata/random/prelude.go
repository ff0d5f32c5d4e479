// Command random runs functions that TestRandom has generated, which are in another file: the
// table functions. It prints what each calls, how it ends and what its state is then.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// T is what pointers of the generated functions point to.
type T struct {
	v  int
	in struct{ x, y int }
	a  [4]int
	s  []int
	p  *T
	m  map[string]int
	i  any
	z  string
	c  chan int
	f  func(int) int
	ps []*T
	vs []V
	V
	*Q
}

// V is embedded in T, and a value of its own.
type V struct {
	e int
	r *T
	b [4]int
	u []int
}

// Q is embedded in T as a pointer.
type Q struct {
	q  int
	qs []int
	qv V
}

// G is a generic type.
type G[K any] struct {
	k    K
	ks   []K
	ka   [4]K
	next *G[K]
}

type caller interface{ Call(int) int }

var (
	gi  int
	gp  *T
	gs  []int
	gl  [4]int
	gv  V
	gm  map[string]int
	gz  string
	gx  any
	ga  [4]*T
	gg  *G[int]
	gn  map[any]*T
	gc  caller
	gok bool
	gt  [256]int8
	gpi *int // escaped
	gpp **T
	gps *[]int
	gpv *V
	gpl *[4]int

	pool  [4]*T
	full  chan int // closed: what is received from it runs out, and is 0 then
	sent  chan int
	ticks int
	laps  int
	out   = bufio.NewWriter(os.Stdout)
)

func fresh(n int) *T {
	t := &T{v: n, a: [4]int{n, 1, 2, 3}, s: []int{n, n + 1, n + 2}, m: map[string]int{"a": n},
		i: n, z: "xyz"[:n&3], c: full, Q: &Q{q: n, qs: []int{n, 1}}}
	t.V = V{e: n, r: t, b: [4]int{3, 2, 1, n}, u: []int{n + 5, n + 6}}
	t.f = func(n int) int { return note("field", n) + t.v }
	t.vs = []V{{e: n}, {e: n + 1, u: []int{1}}}
	return t
}

func reset() {
	ticks, laps = 0, 0
	full, sent = make(chan int, 64), make(chan int, 1000)
	for i := range 40 {
		full <- i % 5
	}
	close(full)
	for i := range pool {
		pool[i] = fresh(i)
	}
	for i, t := range pool {
		t.p, t.r = pool[(i+1)%4], pool[(i+2)%4]
		t.ps = []*T{t, pool[(i+3)%4], nil}
	}
	pool[3].p, pool[3].m, pool[3].Q, pool[2].f, pool[2].s = nil, nil, nil, nil, nil
	gt = [256]int8{2: 1, 255: 3}
	gi, gp, gs, gl = 1, pool[0], []int{4, 3, 2, 1}, [4]int{1, 2, 3, 0}
	gv = V{e: 2, r: pool[1], u: []int{2, 1}}
	gm, gz, gx, ga = map[string]int{"a": 1, "b": 2}, "go", 3, pool
	gg = &G[int]{k: 1, ks: []int{2, 0, 1}, next: &G[int]{k: 2}}
	gn, gc = map[any]*T{1: pool[1], "a": pool[2]}, pool[2]
	gpi, gpp, gps, gpv, gpl = &gi, &gp, &gs, &gv, &gl
}

// note prints a call and changes something of the state; it returns n.
func note(name string, n int) int {
	ticks++
	fmt.Fprint(out, " ", name, "(", n, ")")
	switch (ticks*7 + n*3) % 19 {
	case 0:
		gi++
	case 1:
		gp = pool[n&3]
	case 2:
		gs = append([]int{n, ticks & 3}, gs...)
	case 3:
		gs = gs[:len(gs)/2]
	case 4:
		gl[n&3]++
		gt[n&3]++
	case 5:
		gv.e++
	case 6:
		*gpi += 1
	case 7:
		*gpp = pool[ticks&3]
	case 8:
		pool[n&3].p = pool[ticks&3]
	case 9:
		pool[n&3].s = []int{ticks & 7}
	case 10:
		pool[n&3].a[ticks&3]++
	case 11:
		*gps = []int{ticks & 3, 1}
	case 12:
		gpv.e, gpl[n&3] = n&3, 1
	case 13:
		pool[n&3].Q = &Q{q: ticks & 3, qs: []int{1, 2, 3}}
	case 14:
		gx, gz = pool[n&3], gz+"k"
	case 15:
		gm, pool[0].m = map[string]int{"a": ticks & 3}, map[string]int{"z": 1}
	case 16:
		pool[n&3].v, pool[ticks&3].e = 2, 1
	case 17:
		ga[n&3], gg = pool[ticks&3], &G[int]{k: ticks & 3, ks: []int{1}}
	}
	return n
}

func f(n int) int          { return note("f", n) }
func two(n int) (int, int) { return note("two", n), ticks & 3 }
func twop(n int) (*T, int) { note("twop", n); return pool[ticks&3], n & 3 }
func twos(n int) ([]int, *T) {
	note("twos", n)
	return []int{n, ticks & 3}, pool[n&3]
}
func h(xs ...any) int  { return note("h", len(xs)) }
func hi(xs ...int) int { return note("hi", len(xs)) }
func id[K any](k K) K  { note("id", 1); return k }
func pick[K any](a, b K) K {
	if note("pick", 2)+ticks&1 == 0 {
		return a
	}
	return b
}
func fx(n int) any            { return []any{n, "s", pool[n&3], nil, n}[note("fx", n&3)] }
func fz(n int) string         { return "abc"[:note("fz", n)&3] }
func fm(n int) map[string]int { note("fm", n); return []map[string]int{gm, nil, pool[0].m}[n&1] }
func fl(n int) [4]int         { note("fl", n); return gl }
func fv(n int) V              { note("fv", n); return gv }
func fi(n int) *int           { note("fi", n); return []*int{gpi, &gi, &pool[0].v, nil}[ticks&3] }
func fb(n int) bool           { return note("fb", n)&1 == 0 }

func fc(n int) chan int { note("fc", n); return full }

func fp(n int) *T {
	if note("fp", n)+ticks%7 == 3 {
		return nil
	}
	return pool[n&3]
}

func fs(n int) []int {
	if note("fs", n)+ticks%5 == 3 {
		return nil
	}
	return gs
}

func boom(n int) int {
	if note("boom", n)&3 == 2 {
		panic(fmt.Sprint("boom ", ticks))
	}
	return n
}

func swapped[K any](s []K, i, j int) []K {
	s[i], s[j] = s[j], s[i]
	return append(s, id(s[i]))
}

func (t *T) inc(n int) int    { t.v += note("inc", n); return t.v }
func (t T) get(n int) int     { return t.v + note("get", n) }
func (t *T) Call(n int) int   { return t.a[note("Call", n)] }
func (t *T) next(n int) *T    { note("next", n); return t.p }
func (v V) val(n int) int     { return v.e + note("val", n) }
func (v *V) ref(n int) int    { v.e += note("ref", n); return v.e }
func (q *Q) pq(n int) int     { q.q++; return note("pq", n) }
func (q Q) vq(n int) int      { return q.q + note("vq", n) }
func (g *G[K]) set(k K) *G[K] { note("set", 1); g.k, g.ka[1] = k, g.k; return g.next }
func (g G[K]) value(n int) K  { note("value", n); return g.ks[n] }

func lap() {
	if laps++; laps > 30 {
		panic("laps")
	}
}

// ended prints how a deferred function was reached, and goes on.
func ended(x any) {
	if x != nil {
		fmt.Fprint(out, " recovered:", text(x))
	}
}

func text(x any) string {
	if e, ok := x.(error); ok {
		return e.Error()
	}
	return fmt.Sprint(x)
}

func run(name string, f func()) {
	reset()
	fmt.Fprintf(out, "%s:", name)
	defer func() {
		if x := recover(); x != nil {
			fmt.Fprintf(out, " panic:%s", text(x))
		}
		show("globals", gi, gp, gs, gl, gv, gm, gz, gx, ga, gg, gn, pool, len(full))
		for range len(sent) {
			fmt.Fprint(out, " sent:", <-sent)
		}
		fmt.Fprintln(out)
	}()
	f()
}

// show prints values, each T once.
func show(name string, xs ...any) {
	fmt.Fprint(out, " ", name, "=")
	seen := map[*T]int{}
	for _, x := range xs {
		var b strings.Builder
		dump(&b, seen, x)
		fmt.Fprint(out, b.String(), ";")
	}
}

func dump(b *strings.Builder, seen map[*T]int, x any) {
	v := func(v V) {
		fmt.Fprint(b, v.e, v.b, v.u, len(v.u))
		dump(b, seen, v.r)
	}
	switch x := x.(type) {
	case *T:
		n, ok := seen[x]
		if ok || x == nil {
			fmt.Fprint(b, "T", n)
			return
		}
		seen[x] = len(seen) + 1
		fmt.Fprint(b, "T", seen[x], "{", x.v, x.in, x.a, x.s, x.m, x.z, len(x.ps), cap(x.s))
		dump(b, seen, x.p)
		dump(b, seen, x.i)
		for _, p := range x.ps {
			dump(b, seen, p)
		}
		for _, e := range x.vs {
			v(e)
		}
		v(x.V)
		if x.Q != nil {
			fmt.Fprint(b, x.q, x.qs)
			v(x.qv)
		}
		fmt.Fprint(b, "}")
	case T:
		dump(b, seen, &x)
	case [4]*T:
		for _, p := range x {
			dump(b, seen, p)
		}
	case V:
		v(x)
	case *V:
		v(*x)
	case **T:
		dump(b, seen, *x)
	case *int:
		if x != nil {
			fmt.Fprint(b, *x)
		}
	case map[any]*T:
		for _, k := range []any{0, 1, 2, 3, "a", "b"} {
			if p, ok := x[k]; ok {
				fmt.Fprint(b, k, ":")
				dump(b, seen, p)
			}
		}
	case *G[int]:
		for range 4 { // it may be a ring
			if x == nil {
				break
			}
			fmt.Fprint(b, x.k, x.ks, x.ka)
			x = x.next
		}
	default: // nothing with a pointer in it
		fmt.Fprintf(b, "%T%v", x, x)
	}
}

func main() {
	for _, f := range functions {
		run(f.name, f.call)
	}
	out.Flush()
}
