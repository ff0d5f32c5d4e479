package gotrace

import (
	"fmt"
	"strings"
	"testing"
)

// A program that is written with type parameters, and the same with pair and int in their place.
const generic = `package main

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

func main() {
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
`

func TestGenericsCountAsPlain(t *testing.T) {
	plain := generic
	for _, r := range [][2]string{{"[K comparable, V any]", ""}, {"[T any]", ""}, {"node[T]", "node"},
		{"list[T]", "list"}, {"list[pair]", "list"}, {"map[K]V", "map[int]pair"}, {"k K", "k int"},
		{"v V) V", "v pair) pair"}, {"]T", "]pair"}, {"*T", "*pair"}, {" T,", " pair,"}, {" T)", " pair)"},
		{" T {", " pair {"}, {"value T", "value pair"}} {
		plain = strings.ReplaceAll(plain, r[0], r[1])
	}
	count := func(text string, stack bool) (string, map[string]uint64) {
		d, out, err := trace(t, Data, text, func(r *Request) { r.Build.Stack = stack })
		if err != nil {
			t.Fatal(err)
		}
		if d.Accounts.Unknown+d.Accounts.Lost != 0 {
			t.Errorf("%+v %+v", d.Accounts, d.Places)
		}
		n := map[string]uint64{"on the stack": d.Accounts.Stack, "left": d.Accounts.Left}
		for _, f := range d.Functions {
			n[f.Name] = f.Accesses
		}
		return out, n
	}
	for _, stack := range []bool{false, true} {
		out, with := count(generic, stack)
		same, without := count(plain, stack)
		if out != same || len(with) < map[bool]int{false: 7, true: 13}[stack] ||
			fmt.Sprint(with) != fmt.Sprint(without) {
			t.Errorf("with type parameters %v, without %v\n%s%s", with, without, out, same)
		}
	}
}

// A program of which nothing is observed says why.
func TestNothingObserved(t *testing.T) {
	for text, why := range map[string]string{
		"package main\n\nfunc main() { println(1) }\n": "no access to the heap in their sources: " +
			"example.org/p",
		"package main\n\nvar x int\n\nfunc main() {\n\tif len(f()) > 5 {\n\t\tx++\n\t}\n}\n\n" +
			"func f() string { return \"f\" }\n": "none of the 1 accesses in the sources",
		"package main\n\ntype t struct{ a int }\n\nfunc (x *t) set() { x.a++ }\n\nfunc main() {\n" +
			"\tx := &t{}\n\tx.set()\n}\n": "of 1 accesses that the rewritten packages made, 1 were to the " +
			"stack",
	} {
		d, _, err := trace(t, Lines, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(d.Doubts(), "; "); d.Accesses != 0 || !strings.Contains(said, why) {
			t.Errorf("%s\n%d accesses, %q, expected %q", text, d.Accesses, said, why)
		}
	}
}
