package front

import (
	"go/ast"
	"go/types"
	"slices"

	"krdlab/loi"
)

// builtinCall rewrites a call of a builtin function.
//
//	clear(s); clear(m)  =>  clear(A.G(B, s, 1)); clear(A.CM(B, m, 2))
//	_ = new(3)  =>  _ = A.N(B, new(3), 1)
//	_ = new(int)  =>  _ = A.N(B, new(int), 1)
func (w *accesses) builtinCall(e *ast.CallExpr, name string, later bool) {
	switch name {
	case "Sizeof", "Alignof", "Offsetof":
		return
	case "len", "cap":
		if _, array := deref(w.info.TypeOf(e.Args[0])).Underlying().(*types.Array); array {
			w.plain(e.Args[0], later) // an array is not read for its length
			return
		}
	case "new":
		t := w.info.TypeOf(e).Underlying().(*types.Pointer).Elem()
		if w.info.Types[e.Args[0]].IsType() {
			w.allocated("N", e, "new", t)
			return
		}
		w.seq(later, e.Args...)
		if later && !w.settled(e.Args[0]) {
			w.left(e, "initial value of "+typeString(t), callFirst, loi.Out, t, 0)
			return
		}
		sites := len(w.out.Sites)
		w.allocated("N", e, "new", t)
		for i := range w.out.Sites[sites:] { // the value is stored
			w.out.Sites[sites+i].Mode, w.out.Sites[sites+i].Items = loi.Out, everything
		}
		return
	case "make":
		w.makeCall(e, later)
		return
	case "append":
		w.appendExpr(e, later)
		return
	case "copy":
		w.windows(e, [2]string{"copy-to", "copy-from"}, [2]loi.Mode{loi.Out, loi.In})
		return
	case "clear":
		x := e.Args[0]
		switch core(w.info.TypeOf(x)).(type) {
		case *types.Slice:
			w.windows(e, [2]string{"clear"}, [2]loi.Mode{loi.Out})
			return
		case *types.Map:
			site := w.counted(e, "clear of a map", "its entries are not known", loi.Out, nil, 0)
			w.val(x, false)
			w.pass(x, "CM", site)
			return
		}
		w.leave(e, "clear", "it is of several types")
	case "delete":
		if w.deleteCall(e) {
			return
		}
	}
	w.seq(later, e.Args...)
}

// makeCall rewrites a call of make.
//
//	_ = make([]int, i)  =>  _ = A.NS(B, make([]int, i), 1)
func (w *accesses) makeCall(e *ast.CallExpr, later bool) {
	rest := e.Args[1:]
	w.seq(later, rest...)
	if later && slices.ContainsFunc(rest, func(x ast.Expr) bool { return !w.settled(x) }) {
		return
	}
	t := w.info.TypeOf(e)
	switch u := core(t).(type) {
	case *types.Slice:
		if !w.empty(u.Elem()) {
			w.slice("NS", e, w.windowSite(e, "make", 0, typeString(t), u.Elem()), u.Elem())
		}
	case *types.Map:
		w.madeMap(e, "make-map", t)
	case *types.Chan:
		if w.opt.Sync {
			w.madeMap(e, "make-chan", t)
		}
	}
}

// deleteCall rewrites a call of delete; it returns false if its entry is not recorded.
//
//	delete(m, k)  =>  delete(A.M(B, m, 1), A.K(B, k, 1))
//	delete(p.mm, g())  =>  delete(p.mm, A.KM(B, g(), (*A.L(B, &(p.mm), 2)), 1))
func (w *accesses) deleteCall(e *ast.CallExpr) bool {
	m, ok := core(w.info.TypeOf(e.Args[0])).(*types.Map)
	if !ok {
		return false
	}
	why := w.entry(e, e.Args[0], e.Args[1], m, loi.Out, false)
	if why != "" {
		w.left(e, "delete", why, loi.Out, nil, 2)
	}
	return why == ""
}

// window makes the agent note a slice or string whose elements an operation is about to access; it
// returns false if it cannot.
func (w *accesses) window(x ast.Expr, kind string, mode loi.Mode) (site string, ok bool) {
	t := w.info.TypeOf(x)
	name := "G"
	var element types.Type
	switch u := core(t).(type) {
	case *types.Slice:
		element = u.Elem()
	case *types.Basic:
		if u.Info()&types.IsString == 0 || u.Kind() == types.UntypedNil {
			return "", false
		}
		name, element = "GS", types.Typ[types.Byte]
	default:
		return "", false
	}
	if w.empty(element) {
		return "", false
	}
	site = w.windowSite(x, kind, mode, typeString(t), element)
	w.slice(name, x, site, element)
	return site, true
}

// elementOf returns the type of the elements of a slice or string, nil if it is of several types.
func (r *source) elementOf(x ast.Expr) types.Type {
	switch u := core(r.info.TypeOf(x)).(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Basic:
		return types.Typ[types.Byte]
	}
	return nil
}

// nothing reports that x is a slice of elements without bytes.
func (r *source) nothing(x ast.Expr) bool {
	s, ok := core(r.info.TypeOf(x)).(*types.Slice)
	return ok && r.empty(s.Elem())
}

// sliced reports that gc evaluates an argument of copy or append before the next.
func sliced(x ast.Expr) bool {
	_, ok := ast.Unparen(x).(*ast.SliceExpr)
	return ok
}

// windows rewrites the arguments of copy or clear: it notes all or none.
//
//	copy(s, p.s)  =>  copy(A.G(B, s, 2), A.G(B, (*A.L(B, &(p.s), 1)), 3))
//	copy(s[i:], h2())  =>  copy(A.G(B, s[i:], 1), A.G(B, h2(), 2))
//	copy(p.s, h2())  =>  A.CN(B, A.CN(B, copy(A.P(B, p, 48, 1).s, h2()), 2), 3)
func (w *accesses) windows(e *ast.CallExpr, kinds [2]string, modes [2]loi.Mode) {
	w.seq(false, e.Args...)
	from := w.mark()
	for i, x := range e.Args {
		why := ""
		if w.calls(e.Args[i+1:]...) && !w.settled(x) && !sliced(x) {
			why = callFirst
		} else if _, ok := w.window(x, kinds[i], modes[i]); !ok && !w.nothing(x) {
			why = "its elements are of several types"
		}
		if why == "" {
			continue
		}
		w.undo(from) // half of a copy is none
		if len(e.Args) == 1 {
			w.leave(e, kinds[0], why)
			return
		}
		for j, x := range e.Args {
			w.pass(e, "CN", w.counted(x, kinds[j], why, modes[j], w.elementOf(x), 0))
		}
		return
	}
}

// appendKind is that of the site of the elements that append writes.
const appendKind = "append"

// appendExpr rewrites a call of append: it records the slice before it, the appended slice, if it
// is one, and the slice after it.
//
//	s = append(s, 1)  =>  s = A.NS(B, append(A.G(B, s, 1), 1), 1)
//	s = append(s, s...)  =>  s = A.NS(B, append(A.G(B, s, 1), A.G(B, s, 2)...), 1)
//	s = append(s, g())  =>  s = A.NS(B, append(A.G(B, s, 1), g()), 1)
func (w *accesses) appendExpr(e *ast.CallExpr, later bool) {
	x, rest := e.Args[0], e.Args[1:]
	if len(rest) == 0 || w.info.Types[x].IsNil() {
		w.seq(later, e.Args...)
		return
	}
	// gc loads x at last, after its operands.
	differs := differ(w.panics(x), w.panics(rest...))
	if c, ok := ast.Unparen(rest[0]).(*ast.CallExpr); ok && e.Ellipsis.IsValid() &&
		w.builtin(c) == "make" {
		// The compiler makes no slice here, and would if it were looked at.
		w.leave(e, "append of make", "it would allocate")
		w.seq(differs || w.calls(rest...), x)
		w.seq(differs, c.Args[1:]...)
		return
	}
	why := ""
	differs = differs && !sliced(x)
	switch {
	case differs:
		why = "its operands may panic in another order"
	case w.calls(rest...) && !w.settled(x) && !sliced(x):
		why = callFirst
	}
	w.seq(differs, e.Args...)
	site, noted := "", false
	if why == "" {
		if site, noted = w.window(x, appendKind, loi.Out); !noted && !w.nothing(x) {
			why = "its elements are of several types"
		}
	}
	switch {
	case why != "" && e.Ellipsis.IsValid():
		w.leave(e, "append", why)
	case why != "":
		w.left(e, "append", why, loi.Out, w.elementOf(x), len(rest))
	}
	if !noted {
		return
	}
	if s := &w.out.Sites[len(w.out.Sites)-1]; e.Ellipsis.IsValid() {
		w.window(rest[0], "append-from", loi.In)
	} else {
		s.Bytes, s.Items = s.Element*uint64(len(rest)), len(rest)
	}
	w.pass(e, "NS", site)
}
