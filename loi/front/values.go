package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"krdlab/loi"
)

// An Operation is a place in the source where values are computed, as [loi.Operation] has it: of it
// the Kernel and the Region are not set.
//
//	func r(s []int, i int) { => func r(s []int, i int) { B := A.B(); D := A.RF(B, 1);
//	  i += s[i]              => i += (*A.L(B, &(s[i]), 1)); A.O(B, 2)
//	  if i > 3 {             => if A.OC(B, i > 3, 3) {
//	    i++                  => i++; A.O(B, 4)
//	  }                      => }
//	}                        => ; A.RE(B, D) }
//
// The program records that an operation was done, behind the accesses that are its own; the table
// has its values and operands. Local variables, parameters and conditions have slots, for each
// activation of their function; the reader of a trace keeps their contents. Variables that
// something points to are memory, as Options.Stack has them.
//
// A condition has a slot that it writes, and the statements under it depend on that. If a break,
// continue, goto or return is among these, so do the later statements in the blocks that it leaves
// and, but for continue, the head of the loop. The head of a loop is one operation, at the
// beginning of the iteration: the loop's initial statement, its post statement and its condition.
//
// Rejected: shadow variables in the program, which change signatures and inlining. The package
// comment has more.
type Operation struct {
	loi.Operation
	Function string
	Self     int            // number of the function's Region
	Calls    int            // number of the Region of the function that it calls; 0: not known
	Sites    []int          // of the accesses that terms are of, by term
	calls    token.Position // of the declaration of what it calls
}

// values records the operations of a function.
type values struct {
	*fn
	slots    map[*types.Var]uint32
	next     uint32 // slot
	controls []uint32
	jumped   []jumped
	inList   int        // of statements that is visited: a number of its own
	lists    int        // so many were there
	outside  int        // so many of jumped are of what stands around the innermost loop
	around   int        // so many of controls stand around its body, with its head
	hidden   string     // what its body does in each iteration that is not seen; "": nothing
	loops    []ast.Stmt // around what is visited, the innermost last
	labelled map[types.Object]ast.Stmt
	switches []ast.Stmt
	choosing bool                     // a break leaves a switch or a select
	given    map[*ast.CallExpr]uint32 // slots of their results
	extremes map[ast.Stmt]loi.Update  // of statements that keep the least or greatest
}

// jumped is the slot of a condition under which a jump leaves what stands behind. It stands for
// those before it in the same list, which it depends on itself.
type jumped struct {
	slot uint32
	list int // of statements
	// heads is the outermost loop that it leaves, bodies that in which it leaves what stands behind, by
	// their numbers among those around it; -1: the function.
	heads, bodies int
}

// valuesOf records the operations of a function.
func valuesOf(w *fn) {
	if !w.opt.Values {
		return
	}
	v := &values{fn: w, slots: map[*types.Var]uint32{}, given: map[*ast.CallExpr]uint32{},
		extremes: map[ast.Stmt]loi.Update{}, labelled: map[types.Object]ast.Stmt{}}
	v.entry()
	v.list(w.block.List)
	v.deferring()
}

// list visits the statements of a list.
func (v *values) list(all []ast.Stmt) {
	outer := v.inList
	v.lists++
	v.inList = v.lists
	for _, s := range all {
		v.visit(s)
	}
	v.inList = outer
}

// visit rewrites a statement: the calls in it, and its own operation.
func (v *values) visit(s ast.Stmt) {
	switch s := s.(type) {
	case nil:
	case *ast.BlockStmt:
		v.list(s.List)
	case *ast.LabeledStmt:
		v.labelled[v.info.ObjectOf(s.Label)] = s.Stmt
		v.visit(s.Stmt)
	case *ast.IfStmt:
		v.within(s.Init, s.Cond)
		end := v.condition(s)
		v.list(s.Body.List)
		v.visit(s.Else)
		end()
	case *ast.ForStmt:
		v.within(s.Init, s.Cond, s.Post)
		v.headed(s, s.Body)
	case *ast.RangeStmt:
		v.within(s.X)
		v.headed(s, s.Body)
	case *ast.SwitchStmt:
		v.within(s.Init, s.Tag)
		v.switched(s, s.Body)
	case *ast.TypeSwitchStmt:
		v.within(s.Init, s.Assign)
		v.switched(s, s.Body)
	case *ast.SelectStmt:
		v.choices(s.Body.List)
	case *ast.CaseClause:
		for _, e := range s.List {
			v.within(e)
		}
		end := v.clause(s)
		v.list(s.Body)
		end()
	case *ast.CommClause:
		if s.Comm != nil {
			v.within(s.Comm)
			v.chosen(s)
		}
		v.list(s.Body)
	default:
		v.within(s)
		v.operated(s)
	}
}

// within visits the calls and the function literals in some nodes. Nodes may be nil.
func (v *values) within(nodes ...ast.Node) {
	for _, n := range nodes {
		if n == nil {
			continue
		}
		eachCall(n, func(e *ast.CallExpr) {
			if kind, ok := v.visited[e]; ok {
				v.passing(e, kind)
			}
		}, func(lit *ast.FuncLit) {
			if in := v.literals[lit]; in != nil {
				valuesOf(in)
			}
		})
	}
}

// slot returns the slot of a local variable of the function; false if it has none.
func (v *values) slot(id *ast.Ident) (uint32, bool) {
	o, ok := v.info.ObjectOf(id).(*types.Var)
	if !ok || o.Pos() < v.at.Pos() || o.Pos() >= v.at.End() || v.where(id) != local {
		return 0, false
	}
	n, ok := v.slots[o]
	if !ok {
		n = v.fresh32()
		v.slots[o] = n
	}
	return n, true
}

func (v *values) fresh32() uint32 {
	v.next++
	return v.next - 1
}

// A maker makes one operation.
type maker struct {
	*values
	op       Operation
	on       *loi.Value       // that is made
	nth      uint32           // result of the call that it is, where that has several
	received []*ast.UnaryExpr // receives in it, in the order of the source
	free     bool             // what is added costs nothing on a path
	blind    bool             // an access of it is left alone
}

func (v *values) maker(n ast.Node, kind loi.OperationKind, name string) *maker {
	return &maker{values: v, op: Operation{Operation: loi.Operation{Name: name, Kind: kind,
		Line: uint32(v.lineAt(n.Pos()))}, Function: v.name, Self: v.self}}
}

// done registers the operation, without parts beyond the limits of a trace, and returns its number,
// from 1.
func (m *maker) done() int {
	if m.blind && len(m.op.Values) == 0 {
		m.value(loi.Place{Kind: loi.Slot, N: m.fresh32()}, loi.Always, false)
	}
	if m.blind {
		m.op.Values[0].Blind = true
	}
	m.op.Values = m.op.Values[:min(len(m.op.Values), loi.MaxValues)]
	for i := range m.op.Values {
		v := &m.op.Values[i]
		v.Operands = v.Operands[:min(len(v.Operands), loi.MaxOperands)]
	}
	m.events++
	m.out.Operations = append(m.out.Operations, m.op)
	return len(m.out.Operations)
}

// value begins a value.
func (m *maker) value(to loi.Place, when loi.When, then bool) {
	m.op.Values = append(m.op.Values, loi.Value{To: to, When: when, Then: then})
	m.on = &m.op.Values[len(m.op.Values)-1]
	if n := len(m.controls); n > 0 {
		m.control(m.controls[n-1], 0)
	}
	for _, j := range m.jumped {
		m.control(j.slot, 0)
	}
}

func (m *maker) control(slot uint32, cost uint32) {
	x := loi.Operand{From: loi.Place{Kind: loi.Slot, N: slot}, Cost: cost, Control: true}
	if len(m.on.Operands) < loi.MaxOperands && !slices.Contains(m.on.Operands, x) {
		m.on.Operands = append(m.on.Operands, x)
	}
}

// from adds an operand, with the longest of its paths.
func (m *maker) from(p loi.Place, cost uint32) *loi.Operand {
	for i := range m.on.Operands {
		if x := &m.on.Operands[i]; x.From == p && !x.Control {
			x.Cost = max(x.Cost, cost)
			return x
		}
	}
	m.on.Operands = append(m.on.Operands, loi.Operand{From: p, Cost: cost})
	return &m.on.Operands[len(m.on.Operands)-1]
}

// memory returns the term of the access at a node; false if none is recorded.
func (m *maker) memory(n ast.Node) (loi.Place, bool) {
	x := m.nodes[n]
	if x.site > 0 && x.site <= len(m.out.Sites) {
		switch m.out.Sites[x.site-1].Kind {
		case appendKind:
			if x.twice {
				return m.term(x.first)
			}
		case convertedKind:
			return m.term(x.first)
		}
	}
	return m.term(x.site)
}

// term returns that of the accesses of a site; false if none is recorded.
func (m *maker) term(site int) (loi.Place, bool) {
	if site > 0 && site <= len(m.out.Sites) && m.out.Sites[site-1].Kind == LeftAlone {
		m.blind = true
	}
	if site == 0 || site > len(m.out.Sites) || m.out.Sites[site-1].Kind == LeftAlone {
		return loi.Place{}, false
	}
	i := slices.Index(m.op.Sites, site)
	if i < 0 {
		i = len(m.op.Sites)
		m.op.Sites = append(m.op.Sites, site)
	}
	return loi.Place{Kind: loi.Memory, N: uint32(i)}, true
}

// loads adds the access at an expression, if there is one, and returns the cost of a path that
// comes to what it is made of.
func (m *maker) loads(e ast.Expr, above uint32) uint32 {
	if p, ok := m.memory(e); ok {
		m.freely(m.addressed(e), func() { above = m.spend(costLoad, above) })
		m.from(p, above)
	}
	return above
}

// expr adds what the value e depends on; above is the cost from e on.
func (m *maker) expr(e ast.Expr, above uint32) {
	if e == nil {
		return
	}
	tv := m.info.Types[e]
	if tv.Value != nil || tv.IsType() || tv.IsNil() || tv.IsBuiltin() {
		return
	}
	add := func(c uint32) uint32 { return m.spend(c, above) }
	switch e := e.(type) {
	case *ast.ParenExpr:
		m.expr(e.X, above)
	case *ast.Ident:
		if n, ok := m.slot(e); ok {
			m.from(loi.Place{Kind: loi.Slot, N: n}, above)
		} else {
			m.loads(e, above)
		}
	case *ast.BinaryExpr:
		c := add(cost(e.Op, m.info.TypeOf(e.X)))
		m.expr(e.X, c)
		m.expr(e.Y, c)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			m.expr(e.X, above)
			return
		}
		c := add(cost(e.Op, m.info.TypeOf(e.X)))
		m.expr(e.X, c)
		if e.Op == token.ARROW {
			m.receive(e, c)
		}
	case *ast.StarExpr:
		m.expr(e.X, m.loads(e, above))
	case *ast.SelectorExpr:
		above = m.loads(e, above)
		if m.info.Selections[e] != nil {
			m.expr(e.X, above)
		}
	case *ast.IndexExpr:
		above = m.loads(e, above)
		m.freely(m.addressed(e), func() { m.expr(e.X, above) })
		m.index(e.Index, above)
	case *ast.SliceExpr:
		if !m.emptied(e) {
			m.expr(e.X, above)
		}
		for _, x := range []ast.Expr{e.Low, e.High, e.Max} {
			m.index(x, above)
		}
	case *ast.TypeAssertExpr:
		m.expr(e.X, add(costSimple))
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			m.expr(x, above)
		}
	case *ast.CallExpr:
		m.call(e, above)
	}
}

// counts reports that a call is of the length of a map that the loops around it, or what they call,
// may make longer: of a map entries alone are data.
func (m *maker) counts(e *ast.CallExpr) bool {
	if m.builtin(e) != "len" {
		return false
	}
	t := m.info.TypeOf(e.Args[0])
	if _, ok := core(t).(*types.Map); !ok {
		return false
	}
	grows := len(m.loops) == 0 // in a loop that calls the function, perhaps
	for _, l := range m.loops {
		ast.Inspect(l, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				name := m.builtin(n)
				grows = grows || name == "delete" || name == "clear" || name == "" &&
					!m.info.Types[n.Fun].IsType() && !m.pure(n)
			case *ast.AssignStmt:
				for _, x := range n.Lhs {
					_, entry := m.mapEntry(x)
					grows = grows || entry
				}
			case *ast.IncDecStmt:
				_, entry := m.mapEntry(n.X)
				grows = grows || entry
			}
			return !grows
		})
	}
	return grows
}

// emptied reports that a slice has no element: nothing of what was in it is left.
func (r *source) emptied(e *ast.SliceExpr) bool {
	if e.High == nil {
		return false
	}
	v := r.info.Types[e.High].Value
	return v != nil && v.ExactString() == "0"
}

// call adds what the result of a call depends on.
func (m *maker) call(e *ast.CallExpr, above uint32) {
	nth := m.nth // of its results
	m.nth = 0
	m.blind = m.blind || m.hides(e) || m.counts(e)
	if n, ok := m.given[e]; ok { // its results have slots
		m.from(loi.Place{Kind: loi.Slot, N: n + nth}, above)
		return
	}
	switch name := m.builtin(e); {
	case m.info.Types[e.Fun].IsType():
		above = m.spend(converted(m.info.TypeOf(e.Args[0]), m.info.TypeOf(e)), above)
		if m.readsSlice(e) {
			if p, ok := m.term(m.nodes[e.Args[0]].site); ok {
				m.from(p, above)
			}
		}
	case name == "min" || name == "max":
		above = m.spend(cost(token.LSS, m.info.TypeOf(e))*uint32(len(e.Args)-1), above)
	case name != "":
		above = m.loads(e, above)
	default:
		if !m.foreign(e) {
			m.from(loi.Place{Kind: loi.Returned, N: nth}, above)
		}
		m.expr(e.Fun, above)
	}
	for _, x := range e.Args {
		m.expr(x, above)
	}
}

// store begins the value of a place on the left side of an assignment, which depends on where that
// is; false if it has none.
func (m *maker) store(e ast.Expr, when loi.When, then bool) bool {
	e = ast.Unparen(e)
	if isBlank(e) {
		return false
	}
	if id, ok := e.(*ast.Ident); ok {
		if n, ok := m.slot(id); ok {
			m.value(loi.Place{Kind: loi.Slot, N: n}, when, then)
			m.on.Name = types.ExprString(e)
			m.on.New = m.info.Defs[id] != nil
			return true
		}
	}
	blind := m.blind
	p, ok := m.memory(e)
	if id, is := e.(*ast.Ident); is && when == loi.First && m.info.Defs[id] != nil {
		m.blind = blind // a variable of the loop, which nothing has seen before
	}
	if ok {
		m.value(p, when, then)
		m.on.Name = types.ExprString(e)
		m.op.Work += costStore
		m.address(e)
		return true
	}
	if v := rootVar(m.info, e); v != nil && m.where(e) == local { // a part of a variable
		if id, ok := base(e).(*ast.Ident); ok {
			if n, ok := m.slot(id); ok {
				m.value(loi.Place{Kind: loi.Slot, N: n}, when, then)
				m.on.Name = types.ExprString(e)
				m.from(loi.Place{Kind: loi.Slot, N: n}, 0)
				m.address(e)
				return true
			}
		}
	}
	return false
}

// address adds what the place of e depends on.
func (m *maker) address(e ast.Expr) {
	switch e := e.(type) {
	case *ast.IndexExpr:
		m.freely(m.addressed(e), func() { m.expr(e.X, costStore) })
		m.index(e.Index, costStore)
	case *ast.StarExpr:
		m.expr(e.X, costStore)
	case *ast.SelectorExpr:
		if m.info.Selections[e] != nil {
			m.expr(e.X, costStore)
		}
	}
}

// base returns the x of x.a[i].b and the like.
func base(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return e
		}
	}
}

// statement adds the values of an assignment, a definition or an update.
func (m *maker) statement(s ast.Stmt, when loi.When, then bool) {
	switch s := s.(type) {
	case *ast.IncDecStmt:
		m.assign(s.X, nil, token.ADD, when, then)
	case *ast.AssignStmt:
		if op, ok := assignedBy[s.Tok]; ok {
			m.assign(s.Lhs[0], s.Rhs[0], op, when, then)
			return
		}
		for i, x := range s.Lhs {
			if !m.store(x, when, then && i == 0) {
				continue
			}
			above := uint32(0)
			if m.on.To.Kind == loi.Memory {
				above = costStore
			}
			m.result(s.Rhs, i, above)
			if u := m.extremes[s]; u != loi.NoUpdate {
				m.on.Update = u
				for i := range m.on.Operands { // of what it is a part of
					if o := &m.on.Operands[i]; o.From == m.on.To {
						o.Update = u
					}
				}
			} else if i < len(s.Rhs) && len(s.Lhs) == len(s.Rhs) {
				u, old, others := m.update(x, s.Rhs[i])
				m.updates(u, x, old, others...)
			}
		}
		for i, y := range s.Rhs {
			if c, ok := ast.Unparen(y).(*ast.CallExpr); ok && m.builtin(c) == "append" {
				m.appended(c, s.Lhs[i], when)
			}
		}
	case *ast.DeclStmt:
		d, _ := s.Decl.(*ast.GenDecl)
		if d == nil || d.Tok != token.VAR {
			return
		}
		for _, spec := range d.Specs {
			spec := spec.(*ast.ValueSpec)
			for i, x := range spec.Names {
				if !m.store(x, when, then) {
					continue
				}
				m.result(spec.Values, i, 0)
			}
		}
	}
}

// appended adds the value of the elements that a call of append writes, beside those that it moves.
func (m *maker) appended(c *ast.CallExpr, x ast.Expr, when loi.When) {
	site := m.nodes[c.Args[0]].site
	if site == 0 || site > len(m.out.Sites) || m.out.Sites[site-1].Kind != appendKind {
		return
	}
	p, ok := m.term(site)
	if !ok {
		return
	}
	work := m.op.Work // of the arguments, which the slice has already
	u, _, _ := m.update(x, c)
	m.value(p, when, false)
	m.on.Name, m.on.Update = types.ExprString(x), u
	for _, e := range c.Args[1:] {
		m.expr(e, 0)
	}
	m.from(p, 0).Update = u
	m.op.Work = work
}

// result adds what the i-th of the values of a list depends on, which may be results of one call.
func (m *maker) result(list []ast.Expr, i int, above uint32) {
	switch {
	case len(list) == 0:
	case i < len(list):
		m.expr(list[i], above)
	default:
		m.nth = uint32(i)
		m.expr(list[0], above)
		m.nth = 0
	}
}

// assign adds the value of x op= y, with y nil of x++.
func (m *maker) assign(x, y ast.Expr, op token.Token, when loi.When, then bool) {
	if !m.store(x, when, then) {
		return
	}
	c := cost(op, m.info.TypeOf(x))
	m.op.Work += c
	if m.on.To.Kind == loi.Memory {
		c += costStore
		m.freely(m.addressed(x), func() { m.from(m.on.To, m.spend(costLoad, c)) })
	} else {
		m.from(m.on.To, c)
	}
	m.expr(y, c)
	u := updateOf[op]
	if u == loi.Sum && m.text(x) {
		u = loi.Joined
	}
	m.updates(u, x, x, y)
}

// assignedBy are the operators of assignments that read what they write.
var assignedBy = map[token.Token]token.Token{token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB,
	token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO, token.REM_ASSIGN: token.REM,
	token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR,
	token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT}

// unseen puts an operation behind a statement whose writes have no access; the operation reads the
// data in some expressions. Where it reads nothing, and each iteration executes it, the head of the
// loop records it.
func (v *values) unseen(s ast.Stmt, name string, reads ...ast.Expr) {
	m := v.maker(s, loi.Compute, name)
	m.blind = true
	m.value(loi.Place{Kind: loi.Slot, N: v.fresh32()}, loi.Always, false)
	conditions := len(m.on.Operands)
	m.freely(true, func() {
		for _, x := range reads {
			m.expr(x, 0)
		}
	})
	m.op.Work = 0 // it is no work of the program's own
	if len(m.on.Operands) == conditions && len(v.loops) > 0 && len(v.controls) == v.around &&
		len(v.jumped) == v.outside {
		v.hidden = name
		return
	}
	v.after(s, "; "+v.call("O", strconv.Itoa(m.done())))
}

// operated puts the operation of a statement of a list behind it.
func (v *values) operated(s ast.Stmt) {
	name := ""
	switch s := s.(type) {
	case *ast.AssignStmt:
		name = types.ExprString(s.Lhs[0])
	case *ast.IncDecStmt:
		name = types.ExprString(s.X)
	case *ast.DeclStmt:
		name = "var"
	case *ast.SendStmt:
		m := v.maker(s, loi.Compute, types.ExprString(s.Chan))
		m.send(s)
		v.after(s, "; "+v.call("O", strconv.Itoa(m.done())))
		return
	case *ast.ReturnStmt:
		if call := v.returned(s); v.split(s) {
			v.between[s] = call
		} else {
			v.before(s, call)
		}
		return
	case *ast.ExprStmt:
		if c, ok := ast.Unparen(s.X).(*ast.CallExpr); ok && v.hides(c) {
			v.unseen(s, types.ExprString(c.Fun), append([]ast.Expr{c.Fun}, c.Args...)...)
		}
		return
	case *ast.GoStmt: // what it does belongs to no iteration
		v.unseen(s, token.GO.String())
		return
	case *ast.DeferStmt:
		if len(v.loops) > 0 { // which is called first
			v.unseen(s, token.DEFER.String())
		}
		return
	default:
		return
	}
	m := v.maker(s, loi.Compute, name)
	if m.statement(s, loi.Always, false); len(m.op.Values) > 0 || m.blind {
		v.after(s, "; "+v.call("O", strconv.Itoa(m.done())))
	}
}
