package front

import (
	"go/ast"
	"go/types"
	"slices"

	"krdlab/loi"
)

// callExpr rewrites a call or conversion. kind: it may stand behind defer or go, so that its
// operands are evaluated but the call is not made yet.
//
//	go h(p.ctr); defer h(s[i])  =>  go h((*A.L(B, &(p.ctr), 1))); defer h((*A.L(B, &(s[i]), 2)))
func (w *accesses) callExpr(e *ast.CallExpr, later bool, kind loi.OperationKind) {
	deferred := kind != loi.CallSite
	switch name := w.builtin(e); {
	case w.info.Types[e.Fun].IsType():
		if !w.unsafe(e) {
			w.seq(later, e.Args...)
			w.converted(e, later)
		}
	case name == "" && deferred: // gc evaluates all operands in their order
		w.seq(false, slices.Concat([]ast.Expr{e.Fun}, e.Args)...)
		w.visited[e] = kind
	case name == "":
		w.parts(e)
		w.visited[e] = kind
	case deferred:
		w.seq(later, e.Args...)
	default:
		w.builtinCall(e, name, later)
	}
}

// convertedKind is that of the site of the elements that a conversion of a slice reads.
const convertedKind = "convert"

// converted rewrites a conversion of the elements of a slice, to a string or an array.
//
//	_ = string([]byte(k))  =>  _ = string(A.G(B, []byte(k), 1))
func (w *accesses) converted(e *ast.CallExpr, later bool) {
	x := e.Args[0]
	if !w.readsSlice(e) {
		return
	}
	_, array := core(w.info.TypeOf(e)).(*types.Array)
	switch {
	case later && !w.settled(x):
		w.left(x, "conversion of "+typeString(w.info.TypeOf(x)), callFirst, loi.In, w.elementOf(x), 0)
	case array:
		w.left(x, "conversion of "+typeString(w.info.TypeOf(x)), "it may be longer", loi.In,
			w.elementOf(x), 0)
	default:
		w.window(x, convertedKind, loi.In)
	}
}

// readsSlice reports that a conversion reads the elements of a slice.
func (r *source) readsSlice(e *ast.CallExpr) bool {
	if len(e.Args) != 1 || r.elementOf(e.Args[0]) == nil {
		return false
	}
	if _, slice := core(r.info.TypeOf(e.Args[0])).(*types.Slice); !slice {
		return false
	}
	switch core(r.info.TypeOf(e)).(type) {
	case *types.Basic, *types.Array:
		return true
	}
	return false
}

// parts rewrites the function or method of a call, and its arguments.
//
//	p.put(g())  =>  A.C(B, 1); p.put(g())
//	h(s[i:], q.s[j])  =>  h(s[i:], (*A.L(B, &((*A.L(B, &(q.s), 1))[j]), 2)))
func (w *accesses) parts(e *ast.CallExpr) {
	late, before := w.callee(e)
	if _, lit := ast.Unparen(e.Fun).(*ast.FuncLit); late && !lit && !w.calls(e.Fun) {
		// gc evaluates it before the arguments only if there is a call in it.
		place := e.Fun
		if x, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && w.where(place) == nowhere {
			place = x.X
		}
		if w.where(place) == heap {
			w.left(e.Fun, "load of "+w.object(place), callFirst, loi.In, w.info.TypeOf(place), 0)
		}
	} else {
		w.val(e.Fun, late)
	}
	w.seqAfter(before, false, e.Args...)
}

// callee reports whether something is evaluated before the function that e calls (later in val),
// and the panics that it may raise before the arguments where it is not recorded. The gc compiler
// evaluates receivers before the arguments, but functions and interfaces after them.
func (w *accesses) callee(e *ast.CallExpr) (late bool, before int) {
	p := w.panics(e.Fun)
	late = w.calls(e.Args...)
	x, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok {
		return late || differ(p, w.panics(e.Args...)), 0
	}
	s := w.info.Selections[x]
	if s == nil || s.Kind() != types.MethodVal || types.IsInterface(s.Recv()) {
		return late || differ(p, w.panics(e.Args...)), 0
	}
	late = late || differ(p, w.copied(e.Args...))
	_, has := s.Recv().Underlying().(*types.Pointer)
	_, takes := s.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer)
	switch {
	case len(s.Index()) > 1 || late && !takes: // what is embedded may be behind nil
		before = p
	case takes && has:
		before = w.loose(x.X, late)
	case takes:
		before = w.panics(x.X)
	default:
		before = w.loose(x.X, late)
	}
	return late, before
}

// unsafe reports whether a conversion is between unsafe.Pointer and uintptr, or stands over one:
// the compiler has patterns for these, so they stay as they are.
func (r *source) unsafe(e *ast.CallExpr) bool {
	b, ok := r.info.TypeOf(e).Underlying().(*types.Basic)
	if !ok || b.Kind() != types.Uintptr && b.Kind() != types.UnsafePointer || len(e.Args) != 1 {
		return false
	}
	from, ok := r.info.TypeOf(e.Args[0]).Underlying().(*types.Basic)
	return ok && (from.Kind() == types.Uintptr || from.Kind() == types.UnsafePointer)
}
