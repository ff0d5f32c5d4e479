package generic

import "fmt"

type pair struct{ a, b int }

type node[T any] struct {
	value T
	next  *node[T]
	tags  [2]T
}

type list[T any] struct {
	head *node[T]
	size int
	all  []T
}

func (l *list[T]) push(v T) {
	l.head = &node[T]{value: v, next: l.head}
	l.size++
	l.all = append(l.all, v)
}

func unkeyed[T any](v T, n *node[T]) *node[T] { return &node[T]{v, n, [2]T{v, v}} }

func array[T any](v T) *[3]T { return &[3]T{v, v} }

func fresh[T any](v T) *T { return new(v) }

func (l *list[T]) walk() (last T) {
	for n := l.head; n != nil; n = n.next {
		last = n.value
		n.tags[1] = last
		n.tags[0] = n.tags[1]
	}
	return last
}

func visit[T any](s []T) (last T) {
	for _, v := range s {
		last = v
	}
	for i := range s {
		s[i] = last
	}
	return last
}

func literal[T any](v T) []T { return []T{v, v, v} }

func grown[T any](s []T, v T) []T {
	s = append(s, v, v)
	s = append(s, s...)
	t := make([]T, len(s))
	copy(t, s)
	clear(s[:2])
	return t
}

func get[T any](p *T) T { return *p }

func set[T any](p *T, v T) { *p = v }

func swap[T any](p, q *T) { *p, *q = *q, *p }

func index[K comparable, V any](m map[K]V, k K, v V) V {
	m[k] = v
	for x := range m {
		v = m[x]
	}
	delete(m, k)
	return v
}

func Main() {
	l := &list[pair]{}
	for i := range 100 {
		l.push(pair{i, i})
	}
	l.head = unkeyed(pair{1, 2}, l.head)
	x, y := fresh(pair{1, 2}), fresh(pair{3, 4})
	set(x, get(y))
	swap(x, y)
	m := map[int]pair{}
	fmt.Println(l.walk(), visit(l.all), len(literal(*x)), len(grown(l.all, *y)), array(*x)[1],
		index(m, 1, *x), *x, *y)
}
