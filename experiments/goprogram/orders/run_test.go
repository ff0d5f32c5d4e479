package orders

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// A removal is one of a loop in the document.
type removal struct{ By, Name, Operator string }

// A way is how iterations have a variable. The zero value: they share it.
type way struct {
	own    bool   // each has its own
	last   bool   // the last iteration that wrote leaves its value
	copied bool   // what an iteration has not written is read from a copy made before
	ahead  bool   // its value at the begin of each is known
	reduce string // each has a part, which the operator joins
}

// A machine executes a loop.
type machine struct {
	*loop
	ways   []way // by id
	mem    [][]int
	before [][]int
	own    [][]int // what this iteration wrote, of what is own, and where
	stamp  [][]int
	epoch  int
	k      int // the iteration, in plain order
	parts  []part
	failed bool
	ended  bool // the loop
	gone   bool // on to the next iteration
}

// A part is the value that an iteration left in a variable of its own.
type part struct {
	k, id, cell, value int
	list               []int
}

// operators are those of reductions, with what they start with.
var operators = map[string]int{"+": 0, "*": 1, "&": -1, "|": 0, "^": 0, "min": math.MaxInt,
	"max": math.MinInt, "append": 0}

func apply(op string, a, b int) int {
	truth := func(x bool) int {
		if x {
			return 1
		}
		return 0
	}
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "%":
		return a % b
	case "&":
		return a & b
	case "&^":
		return a &^ b
	case "|":
		return a | b
	case "^":
		return a ^ b
	case "min":
		return min(a, b)
	case "max":
		return max(a, b)
	case "<":
		return truth(a < b)
	case "<=":
		return truth(a <= b)
	case ">":
		return truth(a > b)
	case ">=":
		return truth(a >= b)
	case "==":
		return truth(a == b)
	case "!=":
		return truth(a != b)
	}
	panic("operator " + op)
}

// whole returns what a variable is a part of, or itself.
func (v *variable) whole() *variable {
	if v.part != nil {
		return v.part
	}
	return v
}

// all returns the variables by id.
func (l *loop) all() []*variable { return append(slices.Clip(l.vars), l.temps...) }

// run executes the loop in an order of its iterations, and returns what is read after it; false: an
// index was out of range.
func (l *loop) run(order []int, ways []way) (result []int, ok bool) {
	m := &machine{loop: l, ways: ways}
	for _, v := range l.all() {
		m.mem = append(m.mem, slices.Clone(v.init))
	}
	m.execute(order, 0)
	if l.twice {
		m.execute(order, 1)
	}
	for _, v := range l.vars {
		if v.read {
			result = append(result, m.mem[v.id]...)
		}
	}
	return result, !m.failed
}

// stepsOf returns the steps of all variables, from a plain run.
func (l *loop) stepsOf() (steps [2][]int) {
	m := &machine{loop: l}
	for _, v := range l.all() {
		m.mem = append(m.mem, slices.Clone(v.init))
	}
	for _, cells := range m.mem {
		l.updates = append(l.updates, make([]string, len(cells)))
	}
	for time := range 2 {
		first := make([]int, len(m.mem))
		m.begin(time)
		for k := range 2 {
			for id, cells := range m.mem {
				if len(cells) == 0 {
					cells = []int{0}
				}
				first[id] = cells[0] - first[id]
			}
			if k == 0 {
				m.iteration(0)
			}
		}
		// first is v1 - (v0 - 0)
		steps[time] = first
		for k := 1; k < l.n; k++ {
			m.iteration(k)
		}
	}
	return steps
}

func (m *machine) begin(time int) {
	if m.kinds() && m.index != nil && m.index.kind == scalar {
		m.mem[m.index.id][0] = 0
	}
	m.before, m.own, m.stamp, m.parts, m.ended = nil, nil, nil, nil, false
	for _, cells := range m.mem {
		m.before = append(m.before, slices.Clone(cells))
		m.own = append(m.own, make([]int, len(cells)))
		m.stamp = append(m.stamp, make([]int, max(1, len(cells))))
	}
}

func (m *machine) kinds() bool { return m.head == "before" || m.head == "while" }

// way is that of an element. A reduction is of those that are updated by its operator alone.
func (m *machine) way(id, cell int) way {
	if id >= len(m.ways) {
		return way{}
	}
	w := m.ways[id]
	if u := m.updates[id]; w.reduce != "" && m.vars[id].slots() {
		if u[cell] == "" || u[cell] == w.reduce {
			return way{reduce: w.reduce}
		}
		w.reduce = ""
	}
	return w
}

// slots reports that a variable has elements.
func (v *variable) slots() bool { return v.kind == elements || v.kind == array || v.kind == mapping }

// joined is the operator that joins parts of what an operator makes.
var joined = map[string]string{"-": "+", "&^": "&", "add": "+"}

// update is the operator that an assignment updates by, "=" if it does not.
func (s *stmt) update() string {
	op := strings.TrimSuffix(s.op, "=")
	if s.op == "=" {
		of := func(e *expr) string { return cmp.Or(joined[e.op], e.op) }
		for e := s.e; len(e.args) == 2 && of(e) == of(s.e); e = e.args[0] {
			a, b := e.args[0].String(), e.args[1].String()
			if x := s.to.String(); a == x || b == x && e.op != "-" {
				op = of(e)
				break
			}
		}
	}
	op = cmp.Or(joined[op], op)
	if _, ok := operators[op]; !ok {
		return "="
	}
	return op
}

// execute executes all iterations once.
func (m *machine) execute(order []int, time int) {
	m.begin(time)
	// in another order it is unknown which iteration is begun, unless that is named
	m.failed = m.failed || m.ways != nil && m.head == "while" && !m.ways[m.index.id].ahead
	done := 0
	for _, k := range order {
		if m.ended || m.failed {
			break
		}
		done++
		m.epoch++
		for id := range m.ways {
			if m.ways[id].ahead {
				m.own[id][0] = m.before[id][0] + k*m.steps[time][id]
				m.stamp[id][0] = m.epoch
			}
		}
		m.iteration(k)
		m.leave(k)
	}
	m.join(done, time)
}

// iteration executes one.
func (m *machine) iteration(k int) {
	m.k = k
	if !m.kinds() {
		i := k
		switch m.head {
		case "down":
			i = m.n - 1 - k
		case "from":
			i = k + 2
		case "from one":
			i = k + 1
		case "by two":
			i = 2 * k
		case "values":
			m.mem[m.temp("e").id][0] = m.mem[m.variable("c").id][k]
		}
		m.mem[m.index.id][0] = i
	}
	m.gone = false
	m.block(m.body)
	if m.kinds() && !m.ended {
		m.store(m.index, 0, m.load(m.index, 0)+1)
	}
}

func (l *loop) temp(name string) *variable     { return named(l.temps, name) }
func (l *loop) variable(name string) *variable { return named(l.vars, name) }

func named(list []*variable, name string) *variable {
	for _, v := range list {
		if v.name == name {
			return v
		}
	}
	return nil
}

// leave keeps what the iteration leaves of its own.
func (m *machine) leave(k int) {
	for id := range m.ways {
		if w := &m.ways[id]; !w.own && w.reduce == "" {
			continue
		}
		if m.vars[id].kind == list {
			if m.stamp[id][0] == m.epoch {
				m.parts = append(m.parts, part{k: k, id: id, list: slices.Clone(m.own[id])})
			}
			continue
		}
		for cell, s := range m.stamp[id] {
			if w := m.way(id, cell); s == m.epoch && (w.own || w.reduce != "") {
				m.parts = append(m.parts, part{k: k, id: id, cell: cell, value: m.own[id][cell]})
			}
		}
	}
}

// join brings together what iterations left: so many were executed.
func (m *machine) join(done, time int) {
	for id := range m.ways {
		if m.ways[id].ahead {
			m.mem[id][0] = m.before[id][0] + done*m.steps[time][id]
		}
	}
	for _, p := range m.parts { // in the order of execution
		if op := m.way(p.id, p.cell).reduce; op != "" && op != "append" && m.least(p.id) == nil {
			m.mem[p.id][p.cell] = apply(op, m.mem[p.id][p.cell], p.value)
		}
	}
	slices.SortStableFunc(m.parts, func(a, b part) int { return a.k - b.k })
	with := map[[2]int]int{} // what is set where a variable becomes less, by iteration
	for _, p := range m.parts {
		with[[2]int{p.k, p.id}] = p.value
	}
	for _, p := range m.parts {
		w := m.way(p.id, p.cell)
		switch g := m.least(p.id); {
		case w.own && m.vars[p.id].kind == list:
			if m.mem[p.id] = p.list; !w.last {
				m.mem[p.id] = []int{poison(p.k)}
			}
		case w.own:
			if m.mem[p.id][p.cell] = p.value; !w.last {
				m.mem[p.id][p.cell] = poison(p.k)
			}
		case w.reduce == "append":
			m.mem[p.id] = append(m.mem[p.id], p.list...)
		case g != nil && g.of.id == p.id:
			if apply(g.op, p.value, m.mem[p.id][0]) == 1 {
				m.mem[p.id][0] = p.value
				for _, v := range g.with {
					if x, ok := with[[2]int{p.k, v.id}]; ok && m.ways[v.id].reduce != "" {
						m.mem[v.id][0] = x
					}
				}
			}
		}
	}
}

// A least is `if e < m { m = e; at = i }`.
type least struct {
	of   *variable
	op   string // between e and m
	with []*variable
}

// least returns the pattern that a reduced variable is part of, if one is with others.
func (m *machine) least(id int) *least {
	for _, g := range m.leasts() {
		if m.ways[g.of.id].reduce == "" || len(g.with) == 0 {
			continue
		}
		if g.of.id == id || slices.ContainsFunc(g.with, func(v *variable) bool { return v.id == id }) {
			return g
		}
	}
	return nil
}

var turned = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

// leasts finds the patterns of the loop.
func (l *loop) leasts() (found []*least) {
	if l.patterns != nil {
		return *l.patterns
	}
	walk(l.body, func(s *stmt) {
		if s.op != "if" || turned[s.e.op] == "" || len(s.other) > 0 {
			return
		}
		a, op, b := s.e.args[0], s.e.op, s.e.args[1]
		for range 2 {
			var g *least
			for _, x := range s.then {
				if x.op == "=" && b.op == "var" && x.to.String() == b.String() &&
					x.e.String() == a.String() {
					g = &least{of: b.v, op: op}
				}
			}
			if g != nil {
				for _, x := range s.then {
					if x.op == "=" && x.to.op == "var" && x.to.v != g.of && x.to.v.kind != local {
						g.with = append(g.with, x.to.v)
					}
				}
				found = append(found, g)
			}
			a, op, b = b, turned[op], a
		}
	})
	l.patterns = &found
	return found
}

// walk calls f with all statements.
func walk(list []*stmt, f func(*stmt)) {
	for _, s := range list {
		f(s)
		walk(s.then, f)
		walk(s.other, f)
	}
}

// poison returns a value in place of an undefined one.
func poison(k int) int { return 1_000_003 * (k + 1) }

func (m *machine) inside(v *variable, cell int) bool {
	if cell < 0 || cell >= len(m.mem[v.id]) {
		m.failed = true
	}
	return !m.failed
}

func (m *machine) load(v *variable, cell int) int {
	if v.kind == list {
		x := m.listOf(v)
		if cell < 0 || cell >= len(x) {
			m.failed = true
			return 0
		}
		return x[cell]
	}
	if !m.inside(v, cell) {
		return 0
	}
	if v.kind == local {
		return m.mem[v.id][cell]
	}
	w := m.way(v.id, cell)
	mine := m.stamp[v.id][cell] == m.epoch
	switch {
	case w == way{}:
		return m.mem[v.id][cell]
	case w.own || w.ahead || w.reduce != "":
		switch {
		case mine:
			return m.own[v.id][cell]
		case w.reduce != "":
			return operators[w.reduce]
		case w.copied:
			return m.before[v.id][cell]
		}
		return poison(m.k)
	case mine:
		return m.mem[v.id][cell]
	}
	return m.before[v.id][cell]
}

func (m *machine) store(v *variable, cell, x int) {
	if !m.inside(v, cell) {
		return
	}
	if w := m.way(v.id, cell); v.kind != local && (w.own || w.ahead || w.reduce != "") {
		m.own[v.id][cell] = x
	} else {
		m.mem[v.id][cell] = x
	}
	m.stamp[v.id][cell] = m.epoch
}

func (m *machine) listOf(v *variable) []int {
	w := m.way(v.id, 0)
	mine := m.stamp[v.id][0] == m.epoch
	switch {
	case w == way{}:
		return m.mem[v.id]
	case w.own || w.reduce != "":
		switch {
		case mine:
			return m.own[v.id]
		case w.reduce != "":
			return nil
		case w.copied:
			return m.before[v.id]
		}
		return []int{poison(m.k)}
	case mine:
		return m.mem[v.id]
	}
	return m.before[v.id]
}

func (m *machine) setList(v *variable, x []int) {
	if w := m.way(v.id, 0); w.own || w.reduce != "" {
		m.own[v.id] = x
	} else {
		m.mem[v.id] = x
	}
	m.stamp[v.id][0] = m.epoch
}

func (m *machine) eval(e *expr) int {
	switch e.op {
	case "lit":
		return e.n
	case "var":
		return m.load(e.v, 0)
	case "[]":
		return m.load(e.v.whole(), m.eval(e.args[0])+e.v.from)
	case "len":
		if e.v.kind == list {
			return len(m.listOf(e.v))
		}
		return len(m.mem[e.v.id])
	}
	return apply(e.op, m.eval(e.args[0]), m.eval(e.args[1]))
}

// longest is how often a loop within is executed at most: one that reads what is not defined may
// not end.
const longest = 100

func (m *machine) block(list []*stmt) {
	for _, s := range list {
		if m.failed || m.ended || m.gone {
			return
		}
		switch s.op {
		case "if":
			if m.eval(s.e) != 0 {
				m.block(s.then)
			} else {
				m.block(s.other)
			}
		case "for":
			m.store(s.to.v, 0, 0)
			for i := 0; i < m.eval(s.e) && !m.failed && !m.ended; i++ {
				m.failed = m.failed || i > longest
				m.store(s.to.v, 0, i)
				m.block(s.then)
			}
		case "append":
			x := m.eval(s.e)
			m.setList(s.to.v, append(slices.Clip(m.listOf(s.to.v)), x))
		case "reset":
			m.setList(s.to.v, nil)
		case "both": // neither reads what the other writes
			m.block(s.then)
		case "break":
			m.ended = true
		case "continue":
			m.gone = true
		default:
			m.assign(s)
		}
	}
}

func (m *machine) assign(s *stmt) {
	cell := 0
	if s.to.op == "[]" {
		cell = m.eval(s.to.args[0]) + s.to.v.from
	}
	v, x := s.to.v.whole(), m.eval(s.e)
	switch {
	case s.op == "add":
		x += m.load(v, cell)
	case s.op != "=" && s.op != ":=":
		x = apply(s.op[:len(s.op)-1], m.load(v, cell), x)
	}
	m.store(v, cell, x)
	if u := m.updates[v.id]; m.ways == nil && !m.failed && v.slots() {
		if op := s.update(); u[cell] == "" {
			u[cell] = op
		} else if u[cell] != op {
			u[cell] = "="
		}
	}
}

// shuffled returns the plain order of n iterations and 20 others.
func shuffled(n int, shuffle func(int, func(i, j int))) (orders [][]int) {
	plain := make([]int, n)
	for i := range plain {
		plain[i] = i
	}
	back := slices.Clone(plain)
	slices.Reverse(back)
	orders = append(orders, plain, back, slices.Concat(plain[n/2:], plain[:n/2]))
	for len(orders) <= 20 {
		o := slices.Clone(plain)
		shuffle(n, func(i, j int) { o[i], o[j] = o[j], o[i] })
		orders = append(orders, o)
	}
	return orders
}

// changes reports whether the result is another in one of the orders.
func (l *loop) changes(ways []way) bool {
	want, _ := l.run(l.orders[0], nil)
	for _, o := range l.orders { // the plain one too: what is carried out must be right there
		if got, ok := l.run(o, ways); !ok || !slices.Equal(got, want) {
			return true
		}
	}
	return false
}

// found returns ways in which the result is the same in all orders; nil: there are none.
func (l *loop) found() []way {
	choices := make([]map[way]bool, len(l.vars))
	choose := func(e *expr, w way) {
		if v := e.v.whole(); v.kind != local {
			if choices[v.id] == nil {
				choices[v.id] = map[way]bool{{own: true, last: true, copied: true}: true}
			}
			choices[v.id][w] = true
		}
	}
	walk(l.body, func(s *stmt) {
		switch s.op {
		case "if", "for", "both", "break", "continue", ":=":
		case "reset":
			choose(s.to, way{own: true, last: true, copied: true})
		case "append":
			choose(s.to, way{reduce: "append"})
		case "add", "+=", "-=":
			choose(s.to, way{reduce: "+"})
			if s.to.op == "var" {
				choose(s.to, way{ahead: true})
			}
		case "=":
			choose(s.to, way{own: true, last: true, copied: true})
			op := s.e.op
			if op == "-" {
				op = "+"
			}
			if _, ok := operators[op]; ok {
				choose(s.to, way{reduce: op})
				if op == "+" && s.to.op == "var" {
					choose(s.to, way{ahead: true})
				}
			}
		case "&^=":
			choose(s.to, way{reduce: "&"})
		default:
			choose(s.to, way{reduce: s.op[:len(s.op)-1]})
		}
	})
	for _, g := range l.leasts() {
		op := "min"
		if g.op[0] == '>' {
			op = "max"
		}
		for _, v := range append(g.with, g.of) {
			choices[v.id][way{reduce: op}] = true
		}
	}
	if l.index.kind == scalar {
		choices[l.index.id] = map[way]bool{{ahead: true}: true}
	}
	ways := make([]way, len(l.vars))
	var try func(id int) bool
	try = func(id int) bool {
		if id == len(ways) {
			return !l.changes(ways)
		}
		if choices[id] == nil {
			return try(id + 1)
		}
		for _, w := range slices.SortedFunc(maps.Keys(choices[id]), func(a, b way) int {
			return len(b.reduce) - len(a.reduce)
		}) {
			if ways[id] = w; try(id + 1) {
				return true
			}
		}
		return false
	}
	if try(0) {
		return ways
	}
	return nil
}
