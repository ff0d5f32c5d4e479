package orders

import (
	"fmt"
	"math/rand/v2"
)

// A maker makes a loop.
type maker struct {
	*rand.Rand
	*loop
	size, names int
	arrays      bool
	fields      []string
}

func (m *maker) one(list ...string) string { return list[m.IntN(len(list))] }

func (m *maker) chance(percent int) bool { return m.IntN(100) < percent }

// outer makes a variable that lives longer than an iteration.
func (m *maker) outer(k kind) *variable {
	m.names++
	v := &variable{name: fmt.Sprintf("%s%d", map[kind]string{scalar: "x", elements: "a", array: "a",
		mapping: "m", list: "r"}[k], m.names), kind: k, read: m.chance(50)}
	n := 1
	switch k {
	case field:
		v.name, m.fields = m.fields[0], m.fields[1:]
	case elements, array:
		n = m.size
	case list:
		n = m.IntN(3)
	}
	for range n {
		v.init = append(v.init, m.IntN(40)-10)
	}
	if k == mapping {
		v.init = make([]int, m.size)
	}
	m.vars = append(m.vars, v)
	return v
}

// word makes a scalar or a field, slots a slice or an array.
func (m *maker) word() *variable {
	if len(m.fields) > 1 && m.chance(25) {
		return m.outer(field)
	}
	return m.outer(scalar)
}

func (m *maker) slots() *variable {
	if m.arrays && m.chance(50) {
		return m.outer(array)
	}
	return m.outer(elements)
}

// part is a slice, or another variable that is a part of it.
func (m *maker) part(a *variable) *variable {
	if a.kind == array || m.chance(85) {
		return a
	}
	m.names++
	m.vars = append(m.vars, &variable{name: fmt.Sprintf("b%d", m.names), kind: elements, part: a,
		from: 1 + m.IntN(3)})
	return m.vars[len(m.vars)-1]
}

// inner makes a variable of an iteration.
func (m *maker) inner() *variable {
	m.names++
	v := &variable{name: fmt.Sprintf("y%d", m.names), kind: local, init: []int{0}}
	m.temps = append(m.temps, v)
	return v
}

func (m *maker) i() *expr { return of(m.index) }

// plus is i+c.
func (m *maker) plus(c int) *expr {
	if c == 0 {
		return m.i()
	}
	return bin(m.i(), "+", lit(c))
}

// mask makes an index below 8 of a value.
func mask(e *expr) *expr { return bin(e, "&", lit(7)) }

// where is an index of what is only read.
func (m *maker) where() *expr {
	switch m.IntN(8) {
	case 0:
		return bin(lit(m.size-1), "-", m.i())
	case 1:
		return bin(m.i(), "/", lit(2))
	case 2:
		return bin(m.i(), "%", lit(2+m.IntN(3)))
	case 3:
		return at(m.variable("d"), m.i())
	case 4:
		return at(m.variable("f"), m.plus(m.IntN(3)))
	case 5:
		return mask(at(m.variable("c"), m.i()))
	}
	return m.plus(m.IntN(4))
}

// pure is a value of the index and of what the loop does not change; some are no variables.
func (m *maker) pure(depth int, more ...*expr) *expr {
	if depth > 0 && m.chance(60) {
		return bin(m.pure(depth-1, more...), m.one("+", "-", "*", "+", "^", "min", "max"),
			m.pure(depth-1, more...))
	}
	if len(more) > 0 && m.chance(50) {
		return more[m.IntN(len(more))]
	}
	switch m.IntN(4) {
	case 0:
		return lit(1 + m.IntN(9))
	case 1:
		return m.i()
	}
	return at(m.variable("c"), m.where())
}

// data is a value that differs from iteration to iteration.
func (m *maker) data(more ...*expr) *expr {
	return bin(at(m.variable("c"), m.plus(m.IntN(3))), m.one("+", "-"), m.pure(1, more...))
}

func (m *maker) condition() *expr {
	switch m.IntN(3) {
	case 0:
		return bin(bin(m.i(), "%", lit(2+m.IntN(3))), m.one("==", "!="), lit(m.IntN(2)))
	case 1:
		return bin(m.i(), m.one("<", ">="), lit(m.n/2))
	}
	return bin(at(m.variable("c"), m.where()), m.one("<", ">", "<=", ">="), lit(m.IntN(20)))
}

// used is a statement of its own that uses values.
func (m *maker) used(values ...*expr) *stmt {
	to := at(m.slots(), m.i())
	if m.chance(20) {
		to = at(to.v, at(m.variable("d"), m.i()))
	}
	s := set(to, "=", m.pure(1, values...))
	if len(values) > 0 {
		s.e = bin(values[0], m.one("+", "-", "*"), m.pure(1, values...))
	}
	to.v.read = m.chance(80)
	if m.chance(15) {
		s = when(m.condition(), s)
	}
	return s
}

// beside are statements that carry nothing.
func (m *maker) beside() []*stmt {
	switch m.IntN(5) {
	case 0:
		y := m.inner()
		return []*stmt{set(of(y), ":=", m.pure(2)), m.used(of(y))}
	case 1:
		y, j := m.inner(), m.inner()
		return []*stmt{set(of(y), ":=", m.pure(1)), each(j, lit(2+m.IntN(3)), set(of(y),
			m.one("+=", "-=", "^="), bin(at(m.variable("c"), bin(m.i(), "+", of(j))), "+", of(j)))),
			m.used(of(y))}
	case 2:
		s := when(m.condition(), m.used())
		s.other = []*stmt{m.used()}
		return []*stmt{s}
	}
	return []*stmt{m.used()}
}

// private uses a variable that each iteration writes first.
func (m *maker) private() []*stmt {
	switch m.IntN(6) {
	case 0, 1:
		m.key = m.word()
		x := of(m.key)
		s := []*stmt{set(x, "=", m.data()), m.used(x)}
		if m.chance(30) {
			s = []*stmt{s[0], set(x, m.one("+=", "*=", "^="), m.pure(1)), s[1]}
		}
		return s
	case 2:
		m.key = m.word()
		x := of(m.key)
		s := when(m.condition(), set(x, "=", m.data()))
		if s.other = []*stmt{set(x, "=", m.pure(1))}; m.chance(40) {
			s.other = nil
			s.then = append(s.then, m.used(x))
			return []*stmt{s}
		}
		return []*stmt{s, m.used(x)}
	case 3: // a work array
		m.key = m.slots()
		j, k, y, n := m.inner(), m.inner(), m.inner(), lit(2+m.IntN(3))
		return []*stmt{each(j, n, set(at(m.key, of(j)), "=", m.data(of(j)))),
			set(of(y), ":=", lit(0)), each(k, n, set(of(y), "+=", at(m.key, of(k)))), m.used(of(y))}
	case 4: // an element that iterations share
		m.key = m.slots()
		to := at(m.key, m.elsewhere())
		return []*stmt{set(to, "=", m.data()), m.used(to)}
	}
	m.key = m.outer(list)
	r, j, y := of(m.key), m.inner(), m.inner()
	s := []*stmt{set(r, "reset", nil), set(r, "append", m.data()),
		when(m.condition(), set(r, "append", m.pure(1))), set(of(y), ":=", lit(0))}
	return append(s, each(j, &expr{op: "len", v: m.key}, set(of(y), "+=", at(m.key, of(j)))),
		m.used(of(y)))
}

// elsewhere is an index that several iterations may have.
func (m *maker) elsewhere() *expr {
	switch m.IntN(4) {
	case 0:
		return bin(m.i(), "/", lit(2))
	case 1:
		return bin(m.i(), "%", lit(2+m.IntN(3)))
	case 2:
		return at(m.variable("f"), m.i())
	}
	return mask(at(m.variable("c"), m.i()))
}

// lastValue writes what is read after the loop.
func (m *maker) lastValue() []*stmt {
	var s []*stmt
	switch m.IntN(4) {
	case 0:
		s = m.private()
	case 1:
		m.key = m.word()
		s = []*stmt{when(m.condition(), set(of(m.key), "=", m.data()))}
	case 2:
		m.key = m.slots()
		s = []*stmt{set(at(m.key, m.elsewhere()), "=", m.data())}
	case 3:
		m.key = m.slots()
		s = []*stmt{when(m.condition(), set(at(m.key, m.elsewhere()), "=", m.data()))}
	}
	m.key.read = true
	return s
}

// induction counts in the body.
func (m *maker) induction() []*stmt {
	m.key = m.word()
	k := of(m.key)
	step, c := lit(1+m.IntN(2)), m.variable("c")
	if m.key.init[0] = m.IntN(3); m.chance(25) {
		by := m.word()
		by.init[0] = 1 + m.IntN(2)
		step = of(by)
	}
	s := set(k, m.one("+=", "+=", "-=", "="), step)
	switch s.op {
	case "=":
		if s.e = bin(k, "+", step); m.chance(30) {
			s.e = bin(step, "+", k)
		}
		if m.chance(40) {
			y := of(m.word())
			s = &stmt{op: "both", then: []*stmt{s, set(y, "=", bin(y, "-", lit(1)))}}
		}
	case "-=":
		m.key.init[0] = 2*m.n + 2
	}
	if m.chance(20) { // the other on each path
		s = &stmt{op: "if", e: m.condition(), then: []*stmt{m.used(k), s}, other: []*stmt{s}}
	}
	var use *stmt
	switch m.IntN(3) {
	case 0:
		use = m.used(at(c, k))
	case 1:
		a := m.slots()
		a.read = true
		use = set(at(a, k), "=", m.data())
	case 2:
		use = m.used(k)
	}
	if m.chance(60) {
		return []*stmt{use, s}
	}
	return []*stmt{s, use}
}

// reduction joins.
func (m *maker) reduction() []*stmt {
	e, y := m.data(), m.inner()
	value := []*stmt{}
	if m.chance(30) {
		value, e = append(value, set(of(y), ":=", e)), of(y)
	}
	var s *stmt
	operator := func(x *expr) *stmt {
		switch op := m.one("+", "+", "-", "*", "&", "|", "^", "&^", "min", "max"); {
		case op == "min" || op == "max":
			return set(x, "=", m.turn(x, op, e))
		case op[0] == '+' && m.chance(20):
			return set(x, "=", bin(m.turn(x, op, e), "-", m.pure(1)))
		case op != "-" && op != "&^" && m.chance(30):
			return set(x, "=", m.turn(x, op, e))
		default:
			return set(x, op+"=", e)
		}
	}
	switch m.IntN(8) {
	case 0, 1:
		m.key = m.word()
		s = operator(of(m.key))
	case 2:
		if m.key = m.slots(); m.chance(20) { // a histogram
			m.key = m.outer(mapping)
		}
		s = operator(at(m.key, m.elsewhere()))
	case 3:
		m.key = m.outer(list)
		s = set(of(m.key), "append", e)
		if m.chance(60) {
			s = when(m.condition(), s)
		}
	case 4:
		if m.key = m.outer(field); m.chance(40) {
			m.key = m.outer(scalar)
		}
		s = set(of(m.key), "add", e)
	case 5, 6: // spelt out
		m.key = m.word()
		x, op := of(m.key), m.one("<", ">", "<=", ">=")
		c := bin(e, op, x)
		if m.chance(30) {
			c = bin(x, turned[op], e)
		}
		s = when(c, set(x, "=", e))
		if m.chance(50) { // and where
			v := m.word()
			v.read = true
			s.then = append(s.then, set(of(v), "=", m.i()))
		}
		m.key.init[0] = m.IntN(8)
	case 7:
		m.key = m.word()
		j := m.inner()
		e = bin(at(m.variable("c"), bin(m.i(), "+", of(j))), "*", m.pure(0, of(j)))
		s = each(j, lit(1+m.IntN(3)), set(of(m.key), m.one("+=", "-=", "^="), e))
	}
	if m.key.read = m.chance(90); m.chance(20) {
		s = when(m.condition(), s)
	}
	if value = append(value, s); m.chance(15) && s.op != "if" && s.op != "for" {
		again := *s
		value = append(value, when(m.condition(), &again))
	}
	return value
}

// turn is x op e or e op x.
func (m *maker) turn(x *expr, op string, e *expr) *expr {
	if m.chance(40) {
		x, e = e, x
	}
	return bin(x, op, e)
}

// copied reads what a later iteration overwrites.
func (m *maker) copied() []*stmt {
	m.key = m.slots()
	a, j, y := m.key, m.inner(), m.inner()
	a.read = m.chance(80)
	later := at(m.part(a), m.plus(1+m.IntN(4)))
	switch m.IntN(6) {
	case 0:
		return []*stmt{set(at(a, m.i()), "=", m.pure(1, later))}
	case 1:
		return []*stmt{m.used(later), set(at(a, m.i()), "=", m.data())}
	case 2:
		return []*stmt{set(at(a, m.i()), m.one("+=", "-=", "*="), bin(later, "+", lit(m.IntN(3))))}
	case 3:
		return []*stmt{set(of(y), ":=", lit(1)), each(j, lit(2+m.IntN(3)), set(of(y), "+=",
			at(a, bin(m.i(), "+", of(j))))), set(at(a, m.i()), "=", of(y))}
	case 4:
		return []*stmt{when(m.condition(), m.used(later)), set(at(a, m.i()), "=", m.data())}
	}
	// read by all, written by the last
	m.key = m.word()
	x := of(m.key)
	return []*stmt{m.used(x), when(bin(m.i(), "==", m.final()), set(x, "=", m.data()))}
}

// final is the index of the last iteration.
func (m *maker) final() *expr {
	switch m.head {
	case "down":
		return lit(0)
	case "from":
		return lit(m.n + 1)
	case "by two":
		return lit(2*m.n - 2)
	}
	return lit(m.n - 1)
}

// ordered carries what nothing removes.
func (m *maker) ordered() []*stmt {
	a := m.slots()
	m.key = a
	a.read = true
	before, c := at(m.part(a), m.i()), m.variable("c")
	x := of(m.word())
	x.v.read = true
	switch m.IntN(11) {
	case 0:
		e := bin(before, m.one("+", "-", "*"), m.data())
		return []*stmt{set(at(a, m.plus(1+m.IntN(3))), "=", e)}
	case 1:
		return []*stmt{set(x, m.one("+=", "^=", "-="), m.data()), m.used(x)}
	case 2:
		return []*stmt{set(x, "=", bin(bin(x, "*", lit(3)), m.one("+", "^"), m.data()))}
	case 3:
		return []*stmt{m.used(x), set(x, "=", m.data())}
	case 4:
		return []*stmt{set(x, "=", bin(m.data(), "-", x))}
	case 5:
		e := bin(bin(m.i(), "%", lit(3)), "+", lit(2))
		return []*stmt{set(x, "+=", m.data()), set(x, "*=", e)}
	case 6:
		to := at(a, m.elsewhere())
		return []*stmt{set(to, "=", bin(bin(to, "*", lit(2)), m.one("+", "^"), m.data()))}
	case 7: // counted where there is something
		x.v.init[0] = 0
		return []*stmt{when(m.condition(), set(at(a, x), "=", m.data()), set(x, "+=", lit(1)))}
	case 8:
		return []*stmt{set(x, "=", bin(x, m.one("min", "max"), m.data())), m.used(x)}
	case 9:
		s := m.used()
		return []*stmt{set(at(a, m.i()), "=", m.data()), s,
			when(bin(at(c, m.i()), ">", lit(18+m.IntN(8))), &stmt{op: "break"})}
	}
	return []*stmt{set(at(a, m.plus(1)), "=", m.data()), set(x, "+=", bin(x, "^", before))}
}

// free is anything: shared variables, whatever is done with them.
func (m *maker) free() (body []*stmt) {
	a, h, x, y, r := m.slots(), m.slots(), m.word(), m.word(), m.outer(list)
	m.key = x
	value := func() *expr {
		return m.pure(1, of(x), of(y), at(a, m.plus(m.IntN(3))), at(h, m.elsewhere()))
	}
	to := func() *expr {
		switch m.IntN(6) {
		case 0:
			return of(x)
		case 1:
			return of(y)
		case 2:
			return at(h, m.elsewhere())
		case 3:
			return at(a, mask(value()))
		}
		return at(a, m.plus(m.IntN(3)))
	}
	var statement func(depth int) *stmt
	statement = func(depth int) *stmt {
		switch n := m.IntN(10); {
		case n == 0:
			return set(of(r), "append", value())
		case n == 1 && depth > 0:
			s := when(bin(value(), m.one("<", ">=", "=="), value()), statement(depth-1))
			if m.chance(40) {
				s.other = []*stmt{statement(depth - 1)}
			}
			return s
		case n == 2 && depth > 0:
			return when(m.condition(), statement(depth-1))
		case n == 3 && depth > 0:
			j := m.inner()
			return each(j, lit(2), set(at(a, bin(m.i(), "+", of(j))), m.one("=", "+="), value()))
		case n < 7:
			return set(to(), m.one("+=", "-=", "*=", "^=", "&=", "|="), value())
		}
		return set(to(), "=", value())
	}
	for range 2 + m.IntN(3) {
		body = append(body, statement(2))
	}
	return body
}

// rows are the rows of the table and the loops that each has of 1 500.
var rows = []struct {
	name   string
	of1500 int
	core   func(*maker) []*stmt
}{
	{"private", 210, (*maker).private}, {"last value", 210, (*maker).lastValue},
	{"induction", 210, (*maker).induction}, {"reduction", 210, (*maker).reduction},
	{"copy", 210, (*maker).copied}, {"ordered", 310, (*maker).ordered},
	{"plain", 50, (*maker).beside}, {"free", 90, (*maker).free},
}

// made makes a loop of a row, by several tries.
func made(row int, seed uint64) *loop {
	for try := uint64(0); ; try++ {
		m := &maker{Rand: rand.New(rand.NewPCG(seed, try)), loop: &loop{row: rows[row].name},
			fields: []string{"t.p", "t.q", "t.r", "t.s", "t.u", "t.v"}}
		m.make(rows[row].core)
		if m.loop.fits() {
			return m.loop
		}
	}
}

func (m *maker) make(core func(*maker) []*stmt) {
	m.n = 6 + m.IntN(5)
	m.size = 2*m.n + 8
	m.head = m.one("up", "up", "up", "range", "values", "down", "from", "by two", "before", "while")
	m.index = &variable{name: "i", kind: local, init: []int{0}}
	if m.head == "before" || m.head == "while" {
		m.index.kind, m.index.read = scalar, m.chance(30)
		m.vars = append(m.vars, m.index)
	} else {
		m.temps = append(m.temps, m.index)
	}
	if m.head == "values" {
		m.temps = append(m.temps, &variable{name: "e", kind: local, init: []int{0}})
	}
	c, d, f := &variable{name: "c", kind: elements}, &variable{name: "d", kind: elements,
		init: m.Perm(m.size)}, &variable{name: "f", kind: elements}
	for range m.size {
		c.init, f.init = append(c.init, m.IntN(40)-10), append(f.init, m.IntN(5))
	}
	m.vars = append(m.vars, c, d, f)
	m.twice, m.arrays = m.chance(10), m.chance(4)
	body := core(m)
	key := m.key
	if m.row != "free" && m.row != "ordered" && m.row != "plain" && m.chance(25) { // with another
		body = append(body, rows[m.IntN(5)].core(m)...)
	}
	m.key = key
	for range m.IntN(3) {
		if m.chance(50) {
			body = append(m.beside(), body...)
		} else {
			body = append(body, m.beside()...)
		}
	}
	if m.head != "while" && m.chance(5) {
		body = append([]*stmt{when(m.condition(), &stmt{op: "continue"})}, body...)
	}
	m.body = body
	for id, v := range m.all() {
		v.id = id
	}
	m.orders = shuffled(m.n, m.Shuffle)
	m.steps = m.stepsOf()
}

// fits reports whether the loop is one of its row: what the row names is needed.
func (l *loop) fits() bool {
	if _, ok := l.run(l.orders[0], nil); !ok {
		return false
	}
	ways := l.found()
	l.same = ways != nil
	without := func(w way) bool { // nothing better than this
		if ways == nil {
			return false
		}
		old := ways[l.key.id]
		ways[l.key.id] = w
		defer func() { ways[l.key.id] = old }()
		return l.changes(ways)
	}
	switch l.row {
	case "ordered":
		return ways == nil
	case "private":
		return l.same && !l.key.read
	case "last value", "copy":
		return without(way{})
	case "induction", "reduction":
		return without(way{own: true, last: true, copied: true})
	case "plain":
		return l.same
	}
	return true
}
