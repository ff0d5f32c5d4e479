package main

// Names that the language has since Go 1.18 and 1.21 are those of the program.
type (
	any        int
	comparable interface{ less(*names) any }
	names      struct{ a, b any }
)

var max = [2]any{10, 20}

func (n *names) less(m *names) any { return n.a*1000 + m.b }

func min(n *names) any { n.a++; return n.a - n.b }

func clear(m map[string]any, k string) any { m[k] += 5; return m[k] }

func ownNames(n *names) []any {
	var c comparable = n
	m := map[string]any{"k": max[1]}
	list := append([]any{c.less(n)}, min(n), clear(m, "k"), any(len(m)))
	{
		min, cap := func(a any) any { max[0] += a; return max[0] }, n.b
		list = append(list, min(cap))
	}
	for i := range list {
		list[i]++
	}
	return list
}

// Brackets hold type parameters since Go 1.18; an expression there is the length of an array.
type grid [n * two]int

const n, two = 2, 2

func brackets(g *grid) []interface{} {
	a, b := g[0] < g[n], g[1] > (g[two])
	return []interface{}{a, b, len(g) + g[n+1]}
}

// Interfaces satisfy comparable since Go 1.20; to compare what they hold may panic as before.
type key struct{ of interface{} }

func equal(a, b *key) (found [2]bool) {
	found[0] = *a == *b
	defer func() { found[1] = recover() != nil }()
	b.of = *b == *b
	return
}

// A panic without a value is GODEBUG's, which is go.mod's.
func recovered(f *file) (r interface{}) {
	defer func() { r = recover(); f.n++ }()
	f.n = 1
	panic(nil)
}

// Each iteration has variables of its own since Go 1.22.
func loops(p *[3]int) [3]int {
	var all []func()
	for i := 0; i < 3; i++ {
		all = append(all, func() { p[i%3] += i })
	}
	for i, x := range p {
		all = append(all, func() { p[i] += 10 + x })
	}
	for _, f := range all {
		f()
	}
	return *p
}
