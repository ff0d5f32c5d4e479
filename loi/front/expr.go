package front

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"krdlab/loi"
)

// where records what an expression denotes.
type where int

const (
	nowhere where = iota // a value without an address
	local                // a variable of the function, or a part of one
	heap                 // what is reached through a pointer or a slice, or a global
)

func (r *source) where(e ast.Expr) where {
	if r.steady.silent(e) {
		return local
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.where(e.X)
	case *ast.Ident:
		v, ok := r.info.ObjectOf(e).(*types.Var)
		switch {
		case !ok:
			return nowhere
		case global(v):
			return heap
		case r.escapes(v):
			return heap
		}
		return local
	case *ast.SelectorExpr:
		s := r.info.Selections[e]
		if s == nil {
			if _, ok := r.info.Uses[e.Sel].(*types.Var); ok {
				return heap
			}
			return nowhere
		}
		if s.Kind() != types.FieldVal {
			return nowhere
		}
		if s.Indirect() {
			return heap
		}
		return r.where(e.X)
	case *ast.IndexExpr:
		switch t := core(r.info.TypeOf(e.X)).(type) {
		case *types.Slice:
			return heap
		case *types.Pointer:
			if _, ok := t.Elem().Underlying().(*types.Array); ok {
				return heap
			}
		case *types.Array:
			if _, ok := r.info.TypeOf(e.X).(*types.TypeParam); !ok {
				return r.where(e.X)
			}
		}
	case *ast.StarExpr:
		return heap
	}
	return nowhere
}

// object names what e denotes.
func (w *fn) object(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.object(e.X)
	case *ast.Ident:
		v, ok := w.info.ObjectOf(e).(*types.Var)
		if ok && global(v) {
			return v.Pkg().Name() + "." + v.Name()
		}
		in := w // the function that declares it
		for ok && in.lit != nil && (v.Pos() < in.lit.Pos() || v.Pos() >= in.lit.End()) {
			in = in.outer
		}
		return in.name + "." + e.Name
	case *ast.SelectorExpr:
		s := w.info.Selections[e]
		if s == nil {
			return types.ExprString(e)
		}
		t := deref(s.Recv())
		for _, i := range s.Index()[:len(s.Index())-1] {
			t = deref(t.Underlying().(*types.Struct).Field(i).Type())
		}
		if _, ok := types.Unalias(t).(*types.Named); !ok && w.where(e.X) == heap {
			return w.object(e.X) + "." + e.Sel.Name // a struct without a name
		}
		return typeString(t) + "." + e.Sel.Name
	case *ast.IndexExpr:
		return typeString(w.info.TypeOf(e.X))
	}
	return typeString(w.info.TypeOf(e))
}

// recorder is the agent's function that records an access to the datum n, and its site.
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

// record is the agent's call that records an access to the datum n at a pointer.
func (w *accesses) record(n ast.Expr, kind string, mode loi.Mode, pointer string) string {
	name, site := w.recorder(n, kind, mode)
	return w.call(name, pointer, site)
}

// recorded has n be recorded where it stands, within some text.
func (w *accesses) recorded(n ast.Expr, kind string, mode loi.Mode, before, after string) {
	name, site := w.recorder(n, kind, mode)
	w.wrap(n, "&(", ")")
	w.pass(n, name, site)
	w.wrap(n, before, after)
}

// empty says that values of a type have no bytes.
func (r *source) empty(t types.Type) bool { return !parametric(t) && r.sizes.Sizeof(t) == 0 }

// val is e as a value. later says that something is called afterwards that the gc compiler would
// call before it evaluates e.
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

// load is the value of e, which is on the heap.
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

// loadLate is the value of e, recorded before it is evaluated, without following a pointer or
// indexing a slice early; false if its address is not settled.
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

// offset is where the field at a path lies in t; false if that depends on type parameters.
func (r *source) offset(t types.Type, path []int) (n int64, ok bool) {
	for _, i := range path {
		if parametric(t) {
			return 0, false
		}
		s := t.Underlying().(*types.Struct)
		fields := make([]*types.Var, s.NumFields())
		for j := range fields {
			fields[j] = s.Field(j)
		}
		n += r.sizes.Offsetsof(fields)[i]
		t = fields[i].Type()
	}
	return n, !parametric(t)
}

// seq rewrites expressions that are evaluated one after the other. What is recorded is evaluated
// before what is not, so it must not panic instead of that.
func (w *accesses) seq(later bool, es ...ast.Expr) { w.seqAfter(0, later, es...) }

// seqAfter is seq behind what may panic and is not recorded.
func (w *accesses) seqAfter(before int, later bool, es ...ast.Expr) {
	for i, e := range es {
		p := w.panics(e)
		late := later || w.calls(es[i+1:]...) || differ(before, p) ||
			p != 0 && differ(p, w.copied(es[i+1:]...))
		w.val(e, late)
		before |= w.loose(e, late)
	}
}

// plain is e without a record of what it denotes itself: what stands behind & or at the left of
// an assignment, or a value that is not on the heap. What is read on the way to it is recorded.
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

// sliceExpr is x[i:j:k].
func (w *accesses) sliceExpr(e *ast.SliceExpr, later bool) {
	es := []ast.Expr{}
	for _, x := range []ast.Expr{e.Low, e.High, e.Max} {
		if x != nil {
			es = append(es, x)
		}
	}
	after := later || w.calls(es...)
	if _, array := w.info.TypeOf(e.X).Underlying().(*types.Array); array {
		w.plain(e.X, after)
		later = later || differ(w.panics(e.X), w.panics(es...))
	} else {
		w.val(e.X, after)
	}
	mark := len(w.made)
	w.seq(later, es...)
	for i, b := range es { // gc copies bounds before the next is called, but no variables
		if _, name := ast.Unparen(b).(*ast.Ident); name && w.calls(es[i+1:]...) {
			w.restore(b, mark)
		}
	}
}

// pointed is &lit.
func (w *accesses) pointed(e ast.Expr, lit *ast.CompositeLit, later bool) {
	w.elements(lit, later)
	if later && !w.settled(lit) {
		w.leftLiteral(lit, callFirst)
		return
	}
	sites := len(w.out.Sites)
	w.allocated("N", e, "new", w.info.TypeOf(lit))
	if len(w.out.Sites) > sites {
		w.initial(&w.out.Sites[sites], lit)
	}
}

// shortCircuit is x && y or x || y.
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

// allocated has the agent note that n allocates a t.
func (w *accesses) allocated(name string, n ast.Expr, kind string, t types.Type) {
	if w.empty(t) {
		return
	}
	if parametric(t) {
		name += "X"
	}
	w.pass(n, name, w.site(n, kind, 0, typeString(t), t))
}

// elements is a literal of a structure, array, slice or map with its elements rewritten.
func (w *accesses) elements(e *ast.CompositeLit, later bool) {
	t := w.info.TypeOf(e)
	_, isStruct := core(deref(t)).(*types.Struct)
	_, isMap := core(t).(*types.Map)
	var es []ast.Expr
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if isMap && !isStruct {
				es = append(es, kv.Key)
			}
			x = kv.Value
		}
		es = append(es, x)
	}
	w.seq(later, es...)
}

// composite is such a literal as a value: a slice or map is an allocation.
func (w *accesses) composite(e *ast.CompositeLit, later bool) {
	t := w.info.TypeOf(e)
	w.elements(e, later)
	_, isMap := core(t).(*types.Map)
	if len(e.Elts) == 0 && (!isMap || e.Type == nil) {
		return
	}
	_, allocates := core(t).(*types.Slice)
	_, pointer := core(t).(*types.Pointer)
	switch allocates = allocates || isMap || pointer; {
	case !allocates:
		return
	case e.Type == nil:
		w.leftLiteral(e, "its type is not written")
		return
	case later && !w.settled(e):
		w.leftLiteral(e, callFirst)
		return
	}
	switch u := core(t).(type) {
	case *types.Slice:
		if w.empty(u.Elem()) {
			return
		}
		mode := loi.Out
		if slices.ContainsFunc(e.Elts, isKeyed) {
			w.leftLiteral(e, "the literal has keys")
			mode = 0
		}
		w.slice("NS", e, w.windowSite(e, "literal", mode, typeString(t), u.Elem()), u.Elem())
	case *types.Map:
		if len(e.Elts) > 0 {
			w.leftLiteral(e, "the keys of a literal are not known")
		}
		w.madeMap(e, "literal-map", t)
	}
}

// slice has n, a slice, be an argument of the agent.
func (w *accesses) slice(name string, n ast.Expr, site string, element types.Type) {
	if parametric(element) {
		name += "X"
	}
	w.pass(n, name, site)
}

// callFirst is why what a call follows in its statement is left alone.
const callFirst = "a call in the statement comes before it"

// leftLiteral leaves alone what a literal stores: a slice's or map's, or that of a pointer to a
// structure or an array.
func (w *accesses) leftLiteral(lit *ast.CompositeLit, why string) {
	t := w.info.TypeOf(lit)
	what := "initial values of " + typeString(t)
	switch u := core(t).(type) {
	case *types.Slice:
		if !w.empty(u.Elem()) {
			w.left(lit, what, why, loi.Out, u.Elem(), len(lit.Elts))
		}
		return
	case *types.Map:
		w.left(lit, what, why, loi.Out, nil, 2*len(lit.Elts))
		return
	}
	if len(lit.Elts) == 0 || w.empty(deref(t)) {
		return
	}
	s := Site{Bytes: 1}
	w.initial(&s, lit)
	n := max(len(s.Leaves), len(s.Fields), s.Items)
	if slices.ContainsFunc(lit.Elts, isKeyed) {
		n = max(n, len(lit.Elts)) // of an array
	}
	w.left(lit, what, why, loi.Out, nil, n)
}

func isKeyed(e ast.Expr) bool {
	_, ok := e.(*ast.KeyValueExpr)
	return ok
}

// initial says at the site of &lit what of the new object the literal stores.
func (w *accesses) initial(s *Site, lit *ast.CompositeLit) {
	if len(lit.Elts) == 0 {
		return // zeros
	}
	t := deref(w.info.TypeOf(lit))
	var all []Leaf
	part := func(t types.Type, at int64) {
		if n := len(all); w.sizes.Sizeof(t) > 0 {
			if all = appendLeaves(w.sizes, all, t, at, ""); len(all) > MostLeaves {
				all = append(all[:n], Leaf{Offset: uint64(at), Bytes: uint64(w.sizes.Sizeof(t))})
			}
		}
	}
	switch u := core(t).(type) {
	case *types.Struct:
		stored := func(i int) bool {
			return !isKeyed(lit.Elts[0]) || slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
				return e.(*ast.KeyValueExpr).Key.(*ast.Ident).Name == u.Field(i).Name()
			})
		}
		fields := make([]*types.Var, u.NumFields())
		for i := range fields {
			fields[i] = u.Field(i)
			if stored(i) {
				s.Fields = append(s.Fields, i)
			}
		}
		if parametric(t) {
			break
		}
		for i, at := range w.sizes.Offsetsof(fields) {
			if stored(i) {
				part(fields[i].Type(), at)
			}
		}
	case *types.Array:
		if slices.ContainsFunc(lit.Elts, isKeyed) {
			if s.Kind != "" {
				w.left(lit, "initial values of "+s.Object, "the literal has keys", loi.Out, u.Elem(),
					len(lit.Elts))
			}
			return
		}
		s.Items = len(lit.Elts)
		if !parametric(t) {
			part(types.NewArray(u.Elem(), int64(s.Items)), 0)
		}
	}
	if len(all) > 0 || parametric(t) {
		s.Mode, s.Leaves = loi.Out, all
	}
}

func (w *accesses) madeMap(e ast.Expr, kind string, t types.Type) {
	w.pass(e, "NM", w.site(e, kind, 0, typeString(t), nil))
}

// selector is x.f without a record of f itself, or a method.
func (w *accesses) selector(e *ast.SelectorExpr, later bool) {
	s := w.info.Selections[e]
	if s == nil || s.Kind() == types.MethodExpr {
		return
	}
	path, base, pointer := s.Index(), e.X, false
	switch s.Recv().Underlying().(type) {
	case *types.Pointer:
		w.val(base, later)
		pointer = true
	case *types.Interface:
		if _, ok := types.Unalias(s.Recv()).(*types.TypeParam); ok {
			// A method of a type parameter may take the address.
			w.plain(base, later)
		} else {
			w.val(base, later)
		}
		return
	default:
		w.plain(base, later)
	}
	at := pointer || w.where(base) == heap
	// Embedded fields, made explicit up to the last one that is a pointer.
	t, named := s.Recv(), true
	last := 0
	for i := range path[:len(path)-1] {
		f := deref(t).Underlying().(*types.Struct).Field(path[i])
		t = f.Type()
		named = named && (f.Exported() || f.Pkg() == w.pkg.Types)
		if _, ok := t.Underlying().(*types.Pointer); ok && named {
			last = i + 1
		} else if ok {
			w.left(e, "load of an embedded pointer", "it cannot be named here", loi.In, t, 0)
		}
	}
	t = s.Recv()
	names := ""
	for _, i := range path[:last] {
		owner := deref(t)
		f := owner.Underlying().(*types.Struct).Field(i)
		names += "." + f.Name()
		t = f.Type()
		if _, ok := t.Underlying().(*types.Pointer); ok {
			if at && !later {
				w.wrap(base, "&(", names+")")
				w.pass(base, "L", w.site(e, "load", loi.In, typeString(owner)+"."+f.Name(), t))
				w.wrap(base, "(*", ")")
			} else {
				if at {
					w.left(e, "load of "+typeString(owner)+"."+f.Name(), callFirst, loi.In, t, 0)
				}
				w.after(base, names)
			}
			at, names = true, ""
		}
	}
	w.after(base, names)
	if s.Kind() == types.MethodVal {
		w.method(e, s, t, path[last:], at, later)
	}
}

// method is a method of e.X, of type t, or of a field embedded in it. A method that has its receiver
// by value loads it.
func (w *accesses) method(e *ast.SelectorExpr, s *types.Selection, t types.Type, path []int, at,
	later bool) {
	recv := s.Obj().(*types.Func).Signature().Recv().Type()
	if _, byPointer := recv.Underlying().(*types.Pointer); byPointer || !at {
		return
	}
	leave := func(why string) {
		if !w.empty(deref(recv)) {
			w.left(e, "load of "+typeString(recv), why, loi.In, recv, 0)
		}
	}
	if later {
		leave(callFirst)
		return
	}
	names := ""
	for _, i := range path[:len(path)-1] { // the embedded field that has the method
		f := deref(t).Underlying().(*types.Struct).Field(i)
		_, hop := f.Type().Underlying().(*types.Pointer)
		if hop || !f.Exported() && f.Pkg() != w.pkg.Types {
			leave("it cannot be named here")
			return
		}
		t = f.Type()
		names += "." + f.Name()
	}
	p, pointer := types.Unalias(t).(*types.Pointer)
	if pointer {
		t = p.Elem()
	}
	if _, pointer := t.Underlying().(*types.Pointer); pointer {
		leave("it is behind two pointers")
		return
	} else if w.empty(t) {
		return
	}
	name := "L"
	if parametric(t) {
		name = "LX"
	}
	w.after(e.X, names)
	if !pointer {
		w.wrap(e.X, "&(", ")")
	}
	w.pass(e.X, name, w.site(e, "load", loi.In, typeString(t), t))
	w.wrap(e.X, "(*", ")")
}

// index is x[i] without a record of an element on the heap; a map or string is recorded.
func (w *accesses) index(e *ast.IndexExpr, later bool) {
	if w.info.Types[e.Index].IsType() {
		return // an instance of a generic function
	}
	t := w.info.TypeOf(e.X)
	u := core(t)
	after := later || w.calls(e.Index)
	switch u := u.(type) {
	case *types.Map:
		w.mapIndex(e, u, loi.In, later)
		return
	case *types.Basic: // a string
		if u.Info()&types.IsString == 0 || w.steady.silent(e) {
			break
		}
		x := w.raw(e.X)
		if !w.again(e.X) || after && !w.settled(e.X) || later && !w.settled(e.Index) ||
			strings.Contains(x, "\n") {
			w.left(e, "byte of a string", "its operands may change before it is recorded", loi.In,
				types.Typ[types.Byte], 0)
			break
		}
		if i := w.constant(e.Index); i != "" {
			w.replace(e.Index.Pos(), e.Index.End(), i)
		} else {
			w.val(e.Index, later)
		}
		site := w.windowSite(e, "string", loi.In, typeString(t), types.Typ[types.Byte])
		w.out.Sites[len(w.out.Sites)-1].Bytes = 1
		w.val(e.X, after)
		w.before(e.Index, x+", ")
		w.pass(e.Index, "I", site)
		return
	case *types.Array:
		late := later || differ(w.panics(e.X), w.panics(e.Index))
		w.plain(e.X, after)
		w.val(e.Index, late)
		return
	}
	if u == nil {
		w.left(e, "element of "+typeString(t), "it is of several types", loi.In, nil, 0)
	}
	w.seq(later, e.X, e.Index)
}

// constant is a constant index in digits; "" if e is none.
func (r *source) constant(e ast.Expr) string {
	if v := r.info.Types[e].Value; v != nil {
		return constant.ToInt(v).ExactString()
	}
	return ""
}

// mapIndex is m[k], recorded with a mode; later as in val.
func (w *accesses) mapIndex(e *ast.IndexExpr, m *types.Map, mode loi.Mode, later bool) {
	after := later || w.calls(e.Index)
	mark := len(w.made)
	ok := w.key(e.Index, m.Key(), later)
	if !ok || later && !w.settled(e.Index) || after && !w.settled(e.X) {
		why := callFirst
		if !ok {
			why = "the type of its keys cannot be named here"
		}
		w.left(e, "entry of a map", why, mode, nil, 2)
		w.made = w.made[:mark]
		w.seq(later, e.X, e.Index)
		return
	}
	site := w.mapSite(e, "map", mode, w.info.TypeOf(e.X), m)
	w.val(e.X, after)
	w.pass(e.X, "M", site)
	w.pass(e.Index, "K", site)
}

func (w *accesses) mapSite(n ast.Node, kind string, mode loi.Mode, t types.Type, m *types.Map) string {
	return w.site(n, kind, mode, typeString(t), m.Elem())
}

// key is e as a value of type t, which it is assigned to; false if that cannot be written.
func (w *accesses) key(e ast.Expr, t types.Type, later bool) bool {
	tv := w.info.Types[e]
	value := tv.Value
	if value == nil && !tv.IsNil() && types.Identical(tv.Type, t) && !w.untyped(e) {
		w.val(e, later)
		return true
	}
	if _, ok := t.Underlying().(*types.Basic); ok && value != nil &&
		types.Identical(types.Default(constType(value)), t) && w.bare(e) {
		return true
	}
	name, ok := w.typeName(t, e.Pos())
	if ok {
		w.val(e, later)
		w.wrap(e, name+"(", ")")
	}
	return ok
}

// bare reports that e is a single literal, whose default type is that of its kind.
func (r *source) bare(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BasicLit)
	return ok && (b.Kind == token.STRING || b.Kind == token.INT)
}

func constType(v constant.Value) types.Type {
	switch v.Kind() {
	case constant.String:
		return types.Typ[types.UntypedString]
	case constant.Int:
		return types.Typ[types.UntypedInt]
	}
	return types.Typ[types.Invalid]
}

// untyped reports that the type of e follows from where it stands: it is made of constants, or is a
// comparison or a shift of such.
func (r *source) untyped(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		case token.SHL, token.SHR:
			return r.untyped(e.X)
		}
		return r.untyped(e.X) && r.untyped(e.Y)
	case *ast.UnaryExpr:
		return r.untyped(e.X)
	}
	return r.literalValue(e)
}

// literalValue reports that x is a constant or nil.
func (r *source) literalValue(x ast.Expr) bool {
	v := r.info.Types[x]
	return v.Value != nil || v.IsNil()
}

// typeName writes a type as it can be written at a place, false if it cannot.
func (r *source) typeName(t types.Type, at token.Pos) (string, bool) {
	resolves := func(name string, o types.Object) bool {
		s := r.pkg.Types.Scope().Innermost(at)
		if s == nil {
			return false
		}
		_, found := s.LookupParent(name, at)
		return found == o
	}
	switch t := t.(type) {
	case *types.Basic:
		o := types.Universe.Lookup(t.Name())
		return t.Name(), o != nil && resolves(t.Name(), o)
	case *types.Alias:
		if o := t.Obj(); o.Pkg() == nil && t.TypeArgs().Len() == 0 && resolves(o.Name(), o) {
			return o.Name(), true // any
		}
		return r.typeName(types.Unalias(t), at)
	case *types.Interface:
		if o := types.Universe.Lookup("any"); t.Empty() && resolves("any", o) {
			return "any", true
		}
	case *types.TypeParam:
		return t.Obj().Name(), resolves(t.Obj().Name(), t.Obj())
	case *types.Named:
		o := t.Obj()
		if t.TypeArgs().Len() > 0 {
			return "", false
		}
		if o.Pkg() == r.pkg.Types || o.Pkg() == nil {
			return o.Name(), resolves(o.Name(), o)
		}
		if !o.Exported() {
			return "", false
		}
		for s := r.pkg.Types.Scope().Innermost(at); s != nil; s = s.Parent() {
			for _, name := range s.Names() {
				p, ok := s.Lookup(name).(*types.PkgName)
				if ok && p.Imported() == o.Pkg() && resolves(name, p) {
					return name + "." + o.Name(), true
				}
			}
		}
	}
	return "", false
}
