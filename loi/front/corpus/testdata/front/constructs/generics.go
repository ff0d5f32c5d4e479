package constructs

import (
	"cmp"
	"fmt"
	"strings"
)

type number interface{ ~int | ~int64 | ~float64 }

type list[T any] struct {
	head, tail *element[T]
	size       int
}

type element[T any] struct {
	value T
	next  *element[T]
}

func (l *list[T]) push(v T) *list[T] {
	e := &element[T]{value: v}
	if l.tail == nil {
		l.head = e
	} else {
		l.tail.next = e
	}
	l.tail, l.size = e, l.size+1
	return l
}

func (l *list[T]) all(yield func(T) bool) {
	for e := l.head; e != nil; e = e.next {
		if !yield(e.value) {
			return
		}
	}
}

type tree[K cmp.Ordered, V any] struct {
	root *leaf[K, V]
	n    map[K]int
}

type leaf[K cmp.Ordered, V any] struct {
	k           K
	v           V
	left, right *leaf[K, V]
}

func (t *tree[K, V]) put(k K, v V) {
	p := &t.root
	for *p != nil {
		switch c := cmp.Compare(k, (*p).k); {
		case c == 0:
			(*p).v = v
			t.n[k]++
			return
		case c < 0:
			p = &(*p).left
		default:
			p = &(*p).right
		}
	}
	*p = &leaf[K, V]{k: k, v: v}
	if t.n == nil {
		t.n = make(map[K]int)
	}
	t.n[k] = 1
}

func (l *leaf[K, V]) walk(f func(K, V)) {
	if l != nil {
		l.left.walk(f)
		f(l.k, l.v)
		l.right.walk(f)
	}
}

func sum[S ~[]E, E number](s S) (total E) {
	for i, x := range s {
		total += x
		s[i] = total
	}
	return total
}

func mapped[S ~[]A, A, B any](s S, f func(A) B) []B {
	out := make([]B, 0, len(s))
	for _, x := range s {
		out = append(out, f(x))
	}
	return out
}

func keys[M ~map[K]V, K comparable, V any](m M) (n int, has bool) {
	for k := range m {
		_, has = m[k]
		n++
	}
	var zero K
	delete(m, zero)
	m[zero] = *new(V)
	return n, has
}

func pointer[T any, P interface {
	*T
	set(string)
}](s string) T {
	var t T
	P(&t).set(s)
	p := P(new(T))
	p.set(s + "!")
	t = *p
	return t
}

type named2 struct{ s string }

func (n *named2) set(s string) { n.s = strings.ToUpper(s) }

type stringer interface{ String() string }

func show[T stringer](xs ...T) string {
	var b strings.Builder
	for _, x := range xs {
		b.WriteString(x.String())
	}
	return b.String()
}

type code int

func (c code) String() string { return fmt.Sprintf("code%d", int(c)) }

type pairOf[A, B any] struct {
	a A
	b B
}

func (p *pairOf[A, B]) flip() pairOf[B, A] { return pairOf[B, A]{p.b, p.a} }

func swapAll[T any](a, b []T) {
	for i := range min(len(a), len(b)) {
		a[i], b[i] = b[i], a[i]
	}
}

func arrays[T any](p *[3]T, v T) (n int) {
	for i, x := range p {
		_ = x
		p[i] = v
		n += i
	}
	for _, x := range *p {
		_ = x
	}
	return n + len(p)
}

func bytesOf[T ~string | ~[]byte](t T) (n int) {
	for i := range len(t) {
		n += int(t[i])
	}
	return n
}

func first[T any](s []T, or T) T {
	defer func() { recover() }()
	if len(s) > 0 {
		return s[0]
	}
	return or
}

type ints []int

func deref[T any](p *T) T { return *p }

func set[T any](p *T, v T) { *p = v }

// descends has accesses whose place no call can count, and no others.
func descends[S ~[]E, E any](s S, less func(a, b E) int) bool {
	for i := len(s) - 1; i > 0; i-- {
		if less(s[i-1], s[i]) < 0 {
			return false
		}
	}
	return true
}

func generics() {
	fmt.Println(descends([]int{3, 2, 1}, cmp.Compare), descends([]int{1, 2}, cmp.Compare))
	l := &list[string]{}
	l.push("a").push("b").push("c")
	for s := range l.all {
		fmt.Print(s, " ")
		if s == "b" {
			break
		}
	}
	t := &tree[string, []int]{}
	for i, k := range []string{"m", "c", "x", "a", "m"} {
		t.put(k, []int{i})
	}
	t.root.walk(func(k string, v []int) { fmt.Print(k, v, " ") })
	fmt.Println(t.n)
	s := ints{1, 2, 3}
	fmt.Println(sum(s), s, sum([]float64{1.5, 2}))
	fmt.Println(mapped(s, func(i int) string { return fmt.Sprint(i * 2) }))
	fmt.Println(keys(map[string]int{"a": 1}))
	fmt.Println(keys(map[any]struct{ x int }{1: {2}, "x": {3}}))
	fmt.Println(pointer[named2]("name").s, show(code(1), code(2)))
	p := &pairOf[int, string]{1, "one"}
	q := p.flip()
	p.a, q.a = 2, "two"
	fmt.Println(*p, q, q.flip())
	a, b := []string{"x", "y"}, []string{"z"}
	swapAll(a, b)
	var arr [3]pairOf[int, bool]
	fmt.Println(a, b, arrays(&arr, pairOf[int, bool]{1, true}), arr)
	fmt.Println(bytesOf("abc"), bytesOf([]byte("abc")), first(a, ""), first(nil, 7))
	x := 5
	set(&x, deref(&x)+1)
	set(&p.b, "set")
	fmt.Println(x, p.b, deref(&p.b))
}
