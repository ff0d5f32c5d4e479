package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"krdlab/loi"
)

const (
	nowhere where = iota // a value without an address
	local                // a variable of the function, or a part of one
	heap                 // what is reached through a pointer or a slice, or a global
)

// recorder returns the agent's function that records an access to the datum n, and its site.
func (w *accesses) recorder(n ast.Expr, kind string, mode loi.Mode) (name, site string) {
	t := w.info.TypeOf(n)
	name = "L"
	if parametric(t) {
		name = "LX"
	}
	if w.steady != nil {
		name = "LL"
	}
	return name, w.site(n, kind, mode, w.object(n), t)
}

// record returns the agent's call that records an access to the datum n at a pointer.
func (w *accesses) record(n ast.Expr, kind string, mode loi.Mode, pointer string) string {
	name, site := w.recorder(n, kind, mode)
	return w.call(name, pointer, site)
}

// recorded records n where it stands, within some text.
func (w *accesses) recorded(n ast.Expr, kind string, mode loi.Mode, before, after string) {
	name, site := w.recorder(n, kind, mode)
	if name == "L" && before == "(*" && w.opt.EarlyLoads && w.still {
		name = "LV"
	}
	w.wrap(n, "&(", ")")
	w.pass(n, name, site)
	w.wrap(n, before, after)
}

// val rewrites e as a value. later: something is called afterwards that the gc compiler would call
// before it evaluates e.
func (w *accesses) val(e ast.Expr, later bool) {
	if text, ok := w.instead[e]; ok {
		w.replace(e.Pos(), e.End(), text)
		return
	}
	tv := w.info.Types[e]
	if tv.Value != nil || tv.IsType() || tv.IsNil() || tv.IsBuiltin() {
		return
	}
	if w.where(e) == heap && !w.empty(tv.Type) {
		w.load(e, later)
	} else {
		w.plain(e, later)
	}
}

// load rewrites e, a value on the heap.
//
//	_ = p.ctr  =>  _ = (*A.L(B, &(p.ctr), 1))
//	_ = *p  =>  _ = (*A.L(B, p, 1))
//	_ = p.in.v  =>  _ = (*A.L(B, &(p.in.v), 1))
//	_ = p.a.ctr  =>  _ = (*A.L(B, &((*A.L(B, &(p.a), 1)).ctr), 2))
//	_ = s[i]  =>  _ = (*A.L(B, &(s[i]), 1))
//	_ = l[i]  =>  _ = l[i]
//	_ = v.in.u  =>  _ = v.in.u
//	_ = global  =>  _ = (*A.L(B, &(global), 1))
//	_ = g() + s[i]  =>  _ = g() + (*A.L(B, &(s[i]), 1))
func (w *accesses) load(e ast.Expr, later bool) {
	if p, ok := e.(*ast.ParenExpr); ok {
		w.load(p.X, later)
		return
	}
	if later {
		if w.steady == nil && w.loadLate(e) {
			return
		}
		if !w.fixed(e) {
			if w.behind(e) {
				return
			}
			w.left(e, "load of "+w.object(e), callFirst, loi.In, w.info.TypeOf(e), 0)
			w.plain(e, later)
			return
		}
	}
	if s, ok := e.(*ast.StarExpr); ok {
		if _, plain := types.Unalias(w.info.TypeOf(s.X)).(*types.Pointer); plain {
			w.val(s.X, later)
			name, site := w.recorder(e, "load", loi.In)
			w.replace(e.Pos(), s.X.Pos(), "")
			w.pass(e, name, site)
			w.wrap(e, "(*", ")")
			return
		}
	}
	w.plain(e, later)
	w.recorded(e, "load", loi.In, "(*", ")")
}

// fixed reports that the address of e is a constant.
//
//	_ = global + g()  =>  _ = (*A.L(B, &(global), 1)) + g()
//	_ = table[i&3] + g()  =>  _ = (*A.L(B, &(table[i&3]), 1)) + g()
func (r *source) fixed(e ast.Expr) bool {
	for x := e; ; { // rootVar's way
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
			continue
		case *ast.SelectorExpr:
			x = y.X
			continue
		case *ast.IndexExpr:
			if !r.settled(y.Index) {
				return false
			}
			x = y.X
			continue
		}
		break
	}
	v := rootVar(r.info, e)
	return v != nil && r.panics(e)&otherPanic == 0 && (global(v) || r.where(e) == heap)
}

// loadLate records e before it is evaluated, without following a pointer or indexing a slice early.
// It returns false if its address is not settled.
//
//	_ = s[i] + g()  =>  _ = A.Q(B, s, i, 0, 1)[i] + g()
//	_ = p.s[i] + g()  =>  A.C(B, 1); _ = A.P(B, p, 48, 2).s[i] + g()
func (w *accesses) loadLate(e ast.Expr) bool {
	offset, x := int64(0), e
	early := func(x ast.Expr, name string, args ...string) bool {
		w.pass(x, name, append(args, strconv.FormatInt(offset, 10),
			w.site(e, "load", loi.In, w.object(e), w.info.TypeOf(e)))...)
		return true
	}
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
			continue
		case *ast.SelectorExpr:
			s := w.info.Selections[y]
			if s == nil || s.Kind() != types.FieldVal || len(hops(s)) > 0 {
				return false
			}
			t := s.Recv()
			pointer, is := types.Unalias(t).(*types.Pointer)
			if is {
				t = pointer.Elem()
			}
			if _, other := t.Underlying().(*types.Pointer); other {
				return false
			}
			n, ok := w.offset(t, s.Index())
			if !ok {
				return false
			}
			offset += n
			x = y.X
			if !is {
				continue
			}
			return w.settled(x) && early(x, "P")
		case *ast.StarExpr:
			_, ok := types.Unalias(w.info.TypeOf(y.X)).(*types.Pointer)
			if !ok || !w.settled(y.X) || parametric(w.info.TypeOf(e)) {
				return false
			}
			early(y.X, "P")
			if x == e {
				w.wrap(e, "(", ")")
			}
			return true
		case *ast.IndexExpr:
			_, slice := w.info.TypeOf(y.X).Underlying().(*types.Slice)
			if !slice || !w.settled(y.X) || !w.settled(y.Index) || parametric(w.info.TypeOf(e)) ||
				strings.Contains(w.raw(y.Index), "\n") {
				return false
			}
			i := w.constant(y.Index)
			if i == "" {
				i = w.raw(y.Index)
			}
			return early(y.X, "Q", i)
		}
		return false
	}
}

// seq rewrites expressions that are evaluated one after the other. Recorded expressions are
// evaluated before the others, so they must not panic in their place.
func (w *accesses) seq(later bool, es ...ast.Expr) { w.seqAfter(0, later, es...) }

// seqAfter works like seq, behind an expression that may panic and is not recorded.
func (w *accesses) seqAfter(before int, later bool, es ...ast.Expr) {
	for i, e := range es {
		p := w.panics(e)
		late := later || w.calls(es[i+1:]...) || differ(before, p) ||
			p != 0 && differ(p, w.copied(es[i+1:]...))
		w.val(e, late)
		before |= w.loose(e, late)
	}
}

// plain rewrites e without a record of its own datum: an operand of &, the left of an assignment,
// or a value that is not on the heap. Loads on the way to it are recorded.
//
//	_ = &p.ctr  =>  _ = &p.ctr
//	_ = p.arr[:]  =>  _ = p.arr[:]
//	_ = [len(table)]int{}  =>  _ = [len(table)]int{}
//	_ = *empty  =>  _ = *empty
func (w *accesses) plain(e ast.Expr, later bool) {
	tv := w.info.Types[e]
	if tv.Value != nil || tv.IsType() || tv.IsNil() || tv.IsBuiltin() {
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		w.plain(e.X, later)
	case *ast.FuncLit:
		w.literal(e)
	case *ast.CompositeLit:
		w.composite(e, later)
	case *ast.SelectorExpr:
		w.selector(e, later)
	case *ast.IndexExpr:
		w.index(e, later)
	case *ast.SliceExpr:
		w.sliceExpr(e, later)
	case *ast.StarExpr:
		w.seq(later, e.X)
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok && e.Op == token.AND {
			w.pointed(e, lit, later)
		} else if e.Op == token.AND {
			w.plain(e.X, later)
		} else {
			w.seq(later, e.X)
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			w.shortCircuit(e)
		} else {
			w.seq(later, e.X, e.Y)
		}
	case *ast.TypeAssertExpr:
		w.seq(later, e.X)
	case *ast.CallExpr:
		w.callExpr(e, later, loi.CallSite)
	}
}

// shortCircuit rewrites x && y or x || y.
//
//	_ = p != nil && p.ctr > g()  =>  _ = p != nil && A.P(B, p, 0, 1).ctr > g()
func (w *accesses) shortCircuit(e *ast.BinaryExpr) {
	w.val(e.X, false)
	mark := len(w.pending)
	w.val(e.Y, false)
	some := w.since(mark)
	switch {
	case !w.boolean(e.X) && w.untyped(e.X) || w.info.Types[e.X].Value != nil:
		w.dropped(some)
	case e.Op == token.LAND:
		w.around("And", e.X, some)
	default:
		w.around("Or", e.X, some)
	}
}

// allocated makes the agent note that n allocates a t.
func (w *accesses) allocated(name string, n ast.Expr, kind string, t types.Type) {
	if w.empty(t) {
		return
	}
	if parametric(t) {
		name += "X"
	}
	w.pass(n, name, w.site(n, kind, 0, typeString(t), t))
}

// callFirst is why what a call follows in its statement is left alone.
const callFirst = "a call in the statement comes before it"
