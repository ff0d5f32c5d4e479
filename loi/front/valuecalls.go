package front

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"

	"krdlab/loi"
)

// last returns the last argument of a call that the agent can be called with, -1: there is none. It
// would be evaluated before others that panic, so that it must not, or nothing else may; and before
// the calls behind it, which must not change it. A call is made where it stands in any case.
func (w *fn) last(e *ast.CallExpr) int {
	last := -1
	for i, x := range e.Args {
		tv := w.info.Types[x]
		_, several := tv.Type.(*types.Tuple)
		if tv.Value != nil || tv.IsNil() || tv.IsType() || w.untyped(x) || several ||
			w.inferred(x) || w.calls(e.Args[i+1:]...) && !w.settled(x) && !w.called(x) {
			continue
		}
		others := slices.Concat([]ast.Expr{e.Fun}, e.Args[:i], e.Args[i+1:])
		if w.called(x) || w.panics(x) == 0 || w.panics(others...) == 0 {
			last = i
		}
	}
	return last
}

// called reports that x is the result of a call, which is made in the order of the source.
func (r *source) called(x ast.Expr) bool {
	c, ok := ast.Unparen(x).(*ast.CallExpr)
	return ok && !r.info.Types[c.Fun].IsType() && r.builtin(c) == ""
}

// inferred reports that x is a generic function whose type arguments the call it is passed to gives.
func (r *source) inferred(x ast.Expr) bool {
	x = ast.Unparen(x)
	switch f := x.(type) {
	case *ast.IndexExpr:
		x = f.X
	case *ast.IndexListExpr:
		x = f.X
	}
	if s, ok := ast.Unparen(x).(*ast.SelectorExpr); ok {
		x = s.Sel
	}
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && r.info.Instances[id].Type != nil
}

// passing wraps the last argument of a call that may stand in a call of the agent, to record the
// values passed:
//
//	func r(i int) { => func r(i int) { B := A.B(); D := A.RF(B, 1);
//	  r(i + 1)      => r(A.OV(B, i + 1, 2))
//	}               => ; A.RE(B, D) }
//
// The results of the call get slots, which the operation writes too: where the function records
// nothing itself, they depend on all arguments. Behind go and defer it has none. Several arguments
// to a variadic parameter are one value.
func (v *values) passing(e *ast.CallExpr, kind loi.OperationKind) {
	if v.atomic(e) != 0 || v.foreign(e) {
		return
	}
	last := v.last(e)
	if last < 0 {
		return
	}
	m := v.maker(e, kind, types.ExprString(e.Fun))
	m.op.calls = v.declared(e)
	k := uint32(0)
	if s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
		if x := v.info.Selections[s]; x != nil && x.Kind() == types.MethodVal {
			m.value(loi.Place{Kind: loi.Passed}, loi.Always, false)
			m.expr(s.X, 0)
			k++
		}
	}
	rest := len(e.Args)
	if f, ok := core(v.info.TypeOf(e.Fun)).(*types.Signature); ok && f.Variadic() &&
		!e.Ellipsis.IsValid() {
		rest = f.Params().Len() - 1
	}
	for i, x := range e.Args {
		if i <= rest {
			m.value(loi.Place{Kind: loi.Passed, N: k + uint32(i)}, loi.Always, false)
			if kind == loi.GoSite {
				m.on.Name = types.ExprString(x)
			}
		}
		if i <= last || !v.calls(x) { // else its calls are still to be made
			m.expr(x, 0)
		}
	}
	if rest == len(e.Args) && rest < v.parameterCount(e) { // nothing for the variadic one
		m.value(loi.Place{Kind: loi.Passed, N: k + uint32(rest)}, loi.Always, false)
	}
	if kind != loi.CallSite {
		v.pass(e.Args[last], "OV", strconv.Itoa(m.done()))
		return
	}
	n := 1
	if t, ok := v.info.TypeOf(e).(*types.Tuple); ok {
		n = t.Len()
	}
	v.given[e] = v.next
	for range n {
		m.value(loi.Place{Kind: loi.Slot, N: v.fresh32()}, loi.Always, false)
		for i, x := range e.Args {
			if i <= last || !v.calls(x) {
				m.expr(x, 0)
			}
		}
	}
	v.pass(e.Args[last], "OV", strconv.Itoa(m.done()))
}
