package front

import (
	"go/ast"
	"go/types"

	"krdlab/loi"
)

// An address that is known ahead is of constants, of induction variables of the innermost loop and
// of what that does not change. Nothing waits for it: neither for its arithmetic, which compilers
// reduce or fold into addressing modes, nor for the load, which a core begins, or a prefetcher,
// before what it computes needs the value. So both cost 0 on every path, and count as work.
//
// Departure from Kremlin, which counts both: a chain, a[i] = a[i-1]*x, overlaps with the load of its
// next iteration there, and comes out as parallel by that.

// index adds what an index or a bound of a slice depends on.
func (m *maker) index(e ast.Expr, above uint32) {
	m.freely(m.ahead(e), func() { m.expr(e, above) })
}

// freely adds what do adds; if free, at no cost on any path.
func (m *maker) freely(free bool, do func()) {
	outer := m.free
	m.free = outer || free
	do()
	m.free = outer
}

// spend adds a cost to the work, and returns that of a path with it.
func (m *maker) spend(cost, above uint32) uint32 {
	m.op.Work += cost
	if m.free {
		return above
	}
	return above + cost
}

// ahead reports that a value is known ahead.
func (m *maker) ahead(e ast.Expr) bool {
	loop := m.loop()
	return loop != nil && m.countable(loop, e)
}

// loop returns the innermost loop around the value added, nil if there is none: a loop's initial
// statement is outside it.
func (m *maker) loop() ast.Stmt {
	loops := m.loops
	if n := len(loops); n > 0 && m.op.Kind == loi.Head && m.on.When == loi.First {
		loops = loops[:n-1]
	}
	if len(loops) == 0 {
		return nil
	}
	return loops[len(loops)-1]
}

// addressed reports that the address of e is known ahead.
func (m *maker) addressed(e ast.Expr) bool {
	if m.loop() == nil {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.StarExpr:
		return m.ahead(e.X)
	case *ast.SelectorExpr:
		s := m.info.Selections[e]
		switch {
		case s == nil: // of another package
			return true
		case len(hops(s)) > 0 || s.Kind() != types.FieldVal:
			return false
		case s.Indirect():
			return m.ahead(e.X)
		}
		return m.addressed(e.X)
	case *ast.IndexExpr:
		switch core(m.info.TypeOf(e.X)).(type) {
		case *types.Array:
			return m.addressed(e.X) && m.ahead(e.Index)
		case *types.Slice, *types.Pointer, *types.Basic:
			return m.ahead(e.X) && m.ahead(e.Index)
		}
	}
	return false
}

// countable reports that a value is of induction variables of a loop, of constants and of what the
// loop does not change.
func (r *source) countable(loop ast.Stmt, e ast.Expr) bool {
	if e == nil {
		return true
	}
	ids := map[*types.Var]*ast.Ident{}
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := r.info.ObjectOf(id).(*types.Var); ok {
				ids[v] = id
			}
		}
		return true
	})
	return r.bounded(loop, e, func(v *types.Var) bool {
		n := len(r.writes(loop, v))
		return n == 0 || n == 1 && r.keyed(loop, v) || r.steps(loop, ids[v])
	})
}

// keyed reports that a variable is the key of a loop over what has numbers for keys.
func (r *source) keyed(loop ast.Stmt, v *types.Var) bool {
	s, ok := loop.(*ast.RangeStmt)
	if !ok {
		return false
	}
	switch core(r.info.TypeOf(s.X)).(type) {
	case *types.Slice, *types.Array, *types.Pointer, *types.Basic:
		id, ok := s.Key.(*ast.Ident)
		return ok && r.info.ObjectOf(id) == v
	}
	return false
}
