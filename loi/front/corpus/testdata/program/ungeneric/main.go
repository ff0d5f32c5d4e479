package ungeneric

import "fmt"

type pair struct{ a, b int }

type node struct {
	value pair
	next  *node
	tags  [2]pair
}

type list struct {
	head *node
	size int
	all  []pair
}

func (l *list) push(v pair) {
	l.head = &node{value: v, next: l.head}
	l.size++
	l.all = append(l.all, v)
}

func unkeyed(v pair, n *node) *node { return &node{v, n, [2]pair{v, v}} }

func array(v pair) *[3]pair { return &[3]pair{v, v} }

func fresh(v pair) *pair { return new(v) }

func (l *list) walk() (last pair) {
	for n := l.head; n != nil; n = n.next {
		last = n.value
		n.tags[1] = last
		n.tags[0] = n.tags[1]
	}
	return last
}

func visit(s []pair) (last pair) {
	for _, v := range s {
		last = v
	}
	for i := range s {
		s[i] = last
	}
	return last
}

func literal(v pair) []pair { return []pair{v, v, v} }

func grown(s []pair, v pair) []pair {
	s = append(s, v, v)
	s = append(s, s...)
	t := make([]pair, len(s))
	copy(t, s)
	clear(s[:2])
	return t
}

func get(p *pair) pair { return *p }

func set(p *pair, v pair) { *p = v }

func swap(p, q *pair) { *p, *q = *q, *p }

func index(m map[int]pair, k int, v pair) pair {
	m[k] = v
	for x := range m {
		v = m[x]
	}
	delete(m, k)
	return v
}

func Main() {
	l := &list{}
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
