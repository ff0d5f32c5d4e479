package front

import (
	"go/ast"
	"go/types"
	"slices"

	"krdlab/loi"
)

// callExpr is a call or conversion. kind says whether it stands behind defer or go, so that its
// operands are evaluated but the call is not made yet.
func (w *fn) callExpr(e *ast.CallExpr, later bool, kind loi.OperationKind) string {
	deferred := kind != loi.CallSite
	plain := func(later bool) string {
		return w.splice(e.Pos(), e.End(), w.seq(later, e.Args...)...)
	}
	if w.info.Types[e.Fun].IsType() {
		if w.unsafe(e) {
			return w.raw(e)
		}
		return plain(later)
	}
	name := w.builtin(e)
	if name == "" {
		if deferred { // gc evaluates all operands in their order
			all := w.seq(false, slices.Concat([]ast.Expr{e.Fun}, e.Args)...)
			if len(all) == 1+len(e.Args) {
				w.passing(e, all[1:], kind)
			}
			return w.splice(e.Pos(), e.End(), all...)
		}
		fun, args := w.parts(e)
		text := func() string {
			return w.splice(e.Pos(), e.End(), slices.Concat([]piece{fun}, args)...)
		}
		if op := w.atomic(e); op != 0 {
			return w.atomicCall(e, op, &fun, args, text)
		}
		w.passing(e, args, kind)
		return text()
	}
	if deferred {
		return plain(later)
	}
	switch name {
	case "Sizeof", "Alignof", "Offsetof":
		return w.raw(e)
	case "len", "cap":
		switch deref(w.info.TypeOf(e.Args[0])).Underlying().(type) {
		case *types.Array: // an array is not read for its length
			x := e.Args[0]
			return w.splice(e.Pos(), e.End(), piece{x.Pos(), x.End(), w.plain(x, later)})
		}
		return plain(later)
	case "new":
		t := w.info.TypeOf(e).Underlying().(*types.Pointer).Elem()
		if w.info.Types[e.Args[0]].IsType() {
			return w.made("N", e, "new", t, w.raw(e))
		}
		text := plain(later)
		if later && !w.settled(e.Args[0]) {
			w.left(e, "initial value of "+typeString(t), callFirst, loi.Out, t, 0)
			return text
		}
		sites := len(w.out.Sites)
		text = w.made("N", e, "new", t, text)
		for i := range w.out.Sites[sites:] { // the value is stored
			w.out.Sites[sites+i].Mode, w.out.Sites[sites+i].Items = loi.Out, everything
		}
		return text
	case "make":
		rest := e.Args[1:]
		text := w.splice(e.Pos(), e.End(), w.seq(later, rest...)...)
		for _, x := range rest {
			if later && !w.settled(x) {
				return text
			}
		}
		t := w.info.TypeOf(e)
		switch u := core(t).(type) {
		case *types.Slice:
			if w.empty(u.Elem()) {
				return text
			}
			return w.slice("NS", text, w.windowSite(e, "make", 0, typeString(t), u.Elem()), u.Elem())
		case *types.Map:
			return w.madeMap(e, "make-map", t, text)
		case *types.Chan:
			if w.opt.Sync {
				return w.madeMap(e, "make-chan", t, text)
			}
		}
		return text
	case "append":
		return w.appendExpr(e, later)
	case "copy":
		return w.windows(e, false, [2]string{"copy-to", "copy-from"},
			[2]loi.Mode{loi.Out, loi.In})
	case "clear":
		if _, ok := core(w.info.TypeOf(e.Args[0])).(*types.Slice); ok {
			return w.windows(e, false, [2]string{"clear"}, [2]loi.Mode{loi.Out})
		}
		if _, ok := core(w.info.TypeOf(e.Args[0])).(*types.Map); ok {
			site := w.counted(e, "clear of a map", "its entries are not known", loi.Out, nil, 0)
			x := e.Args[0]
			return w.splice(e.Pos(), e.End(),
				piece{x.Pos(), x.End(), w.call("CM", w.val(x, false), site)})
		}
		w.leave(e, "clear", "it is of several types")
	case "delete":
		m, ok := core(w.info.TypeOf(e.Args[0])).(*types.Map)
		if !ok {
			break
		}
		after := w.calls(e.Args[1])
		key, ok := w.key(e.Args[1], m.Key(), false)
		if !ok || after && !w.settled(e.Args[0]) {
			w.left(e, "delete", "its map or key cannot be named here", loi.Out, nil, 2)
			break
		}
		site := w.mapSite(e, "map", loi.Out, w.info.TypeOf(e.Args[0]), m)
		x, k := e.Args[0], e.Args[1]
		return w.splice(e.Pos(), e.End(),
			piece{x.Pos(), x.End(), w.call("M", w.val(x, after), site)},
			piece{k.Pos(), k.End(), w.call("K", key, site)})
	}
	return plain(later)
}

// parts are the function or method of a call, and its arguments.
func (w *fn) parts(e *ast.CallExpr) (fun piece, args []piece) {
	late, before := w.callee(e)
	fun = piece{e.Fun.Pos(), e.Fun.End(), ""}
	if _, lit := ast.Unparen(e.Fun).(*ast.FuncLit); late && !lit && !w.calls(e.Fun) {
		// gc evaluates it before the arguments only if there is a call in it.
		fun.text = w.raw(e.Fun)
		place := e.Fun
		if x, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && w.where(place) == nowhere {
			place = x.X
		}
		if w.where(place) == heap {
			w.left(e.Fun, "load of "+w.object(place), callFirst, loi.In, w.info.TypeOf(place), 0)
		}
	} else {
		fun.text = w.val(e.Fun, late)
	}
	return fun, w.seqAfter(before, false, e.Args...)
}

// callee says of the function that e calls whether something is evaluated before it (later in val),
// and what it may panic with before the arguments where it is not recorded. The gc compiler
// evaluates receivers before the arguments, but functions and interfaces after them.
func (w *fn) callee(e *ast.CallExpr) (late bool, before int) {
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

// unsafe reports that a conversion is between unsafe.Pointer and uintptr, or stands over one: the
// compiler knows patterns of these, which stay as they are.
func (w *fn) unsafe(e *ast.CallExpr) bool {
	b, ok := w.info.TypeOf(e).Underlying().(*types.Basic)
	if !ok || b.Kind() != types.Uintptr && b.Kind() != types.UnsafePointer || len(e.Args) != 1 {
		return false
	}
	from, ok := w.info.TypeOf(e.Args[0]).Underlying().(*types.Basic)
	return ok && (from.Kind() == types.Uintptr || from.Kind() == types.UnsafePointer)
}

// window wraps a slice or string whose elements an operation is about to access; "" if it cannot
// be.
func (w *fn) window(x ast.Expr, text, kind string, mode loi.Mode) (wrapped, site string) {
	t := w.info.TypeOf(x)
	name := "G"
	var element types.Type
	switch u := core(t).(type) {
	case *types.Slice:
		element = u.Elem()
	case *types.Basic:
		if u.Info()&types.IsString == 0 || u.Kind() == types.UntypedNil {
			return "", ""
		}
		name, element = "GS", types.Typ[types.Byte]
	default:
		return "", ""
	}
	if w.empty(element) {
		return "", ""
	}
	site = w.windowSite(x, kind, mode, typeString(t), element)
	return w.slice(name, text, site, element), site
}

// elementOf is the type of the elements of a slice or string, nil if it is of several types.
func (w *fn) elementOf(x ast.Expr) types.Type {
	switch u := core(w.info.TypeOf(x)).(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Basic:
		return types.Typ[types.Byte]
	}
	return nil
}

// nothing reports that x is a slice of elements without bytes.
func (w *fn) nothing(x ast.Expr) bool {
	s, ok := core(w.info.TypeOf(x)).(*types.Slice)
	return ok && w.empty(s.Elem())
}

// sliced reports that gc evaluates an argument of copy or append before the next.
func sliced(x ast.Expr) bool {
	_, ok := ast.Unparen(x).(*ast.SliceExpr)
	return ok
}

// windows wraps the arguments of copy or clear, all or none.
func (w *fn) windows(e *ast.CallExpr, later bool, kinds [2]string, modes [2]loi.Mode) string {
	all := w.seq(later, e.Args...)
	plain := w.splice(e.Pos(), e.End(), all...)
	from := w.mark()
	for i, x := range e.Args {
		why := ""
		if (later || w.calls(e.Args[i+1:]...)) && !w.settled(x) && !sliced(x) {
			why = callFirst
		} else if text, _ := w.window(x, all[i].text, kinds[i], modes[i]); text != "" {
			all[i].text = text
		} else if !w.nothing(x) {
			why = "its elements are of several types"
		}
		if why != "" { // half of a copy is none
			w.undo(from)
			if len(e.Args) == 1 {
				w.leave(e, kinds[0], why)
				return plain
			}
			for j, x := range e.Args {
				plain = w.call("CN", plain, w.counted(x, kinds[j], why, modes[j], w.elementOf(x), 0))
			}
			return plain
		}
	}
	return w.splice(e.Pos(), e.End(), all...)
}

// appendExpr is a call of append: the slice before it, what is appended if that is a slice, and
// the slice after it.
func (w *fn) appendExpr(e *ast.CallExpr, later bool) string {
	x, rest := e.Args[0], e.Args[1:]
	if len(rest) == 0 || w.info.Types[x].IsNil() {
		return w.splice(e.Pos(), e.End(), w.seq(later, e.Args...)...)
	}
	if c, ok := ast.Unparen(rest[0]).(*ast.CallExpr); ok && e.Ellipsis.IsValid() &&
		w.builtin(c) == "make" {
		// The compiler makes no slice here, and would if it were looked at.
		w.leave(e, "append of make", "it would allocate")
		differs := differ(w.panics(x), w.panics(rest...))
		return w.splice(e.Pos(), e.End(), append(w.seq(differs || w.calls(rest...), x), piece{c.Pos(),
			c.End(), w.splice(c.Pos(), c.End(), w.seq(differs, c.Args[1:]...)...)})...)
	}
	why := ""
	// gc loads x at last, after its operands.
	differs := differ(w.panics(x), w.panics(rest...)) && !sliced(x)
	switch {
	case differs:
		why = "its operands may panic in another order"
	case w.calls(rest...) && !w.settled(x) && !sliced(x):
		why = callFirst
	}
	all := w.seq(differs, e.Args...)
	text, site := "", ""
	if why == "" {
		if text, site = w.window(x, all[0].text, "append", loi.Out); text == "" && !w.nothing(x) {
			why = "its elements are of several types"
		}
	}
	switch {
	case why != "" && e.Ellipsis.IsValid():
		w.leave(e, "append", why)
	case why != "":
		w.left(e, "append", why, loi.Out, w.elementOf(x), len(rest))
	}
	if text == "" {
		return w.splice(e.Pos(), e.End(), all...)
	}
	all[0].text = text
	if s := &w.out.Sites[len(w.out.Sites)-1]; e.Ellipsis.IsValid() {
		last := len(all) - 1
		if text, _ := w.window(rest[0], all[last].text, "append-from", loi.In); text != "" {
			all[last].text = text
		}
	} else {
		s.Bytes, s.Items = s.Element*uint64(len(rest)), len(rest)
	}
	return w.call("NS", w.splice(e.Pos(), e.End(), all...), site)
}
