package front

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// The panics that evaluating an expression may raise: two of the same kind have the same text.
const (
	nilPanic = 1 << iota
	otherPanic
)

func (r *source) panics(es ...ast.Expr) (bits int) {
	for _, e := range es {
		ast.Inspect(e, func(n ast.Node) bool {
			x, is := n.(ast.Expr)
			if !is || r.info.Types[x].IsType() || r.info.Types[x].Value != nil {
				return false
			}
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.StarExpr:
				bits |= nilPanic
			case *ast.SelectorExpr:
				if s := r.info.Selections[n]; s != nil && (s.Indirect() || s.Kind() !=
					types.FieldVal) {
					bits |= nilPanic
				}
			case *ast.BinaryExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.TypeAssertExpr,
				*ast.CallExpr:
				if !r.harmless(x) {
					bits |= otherPanic
				}
			}
			return true
		})
	}
	return bits
}

// differ reports whether panics of one expression and of another have different texts.
func differ(a, b int) bool { return a != 0 && b != 0 && a|b != nilPanic }

// loose returns the panics of e where the gc compiler evaluates it behind all calls of its
// statement, those that record included; late is the argument later with which e was rewritten
// (val).
func (r *source) loose(e ast.Expr, late bool) (bits int) {
	if tv := r.info.Types[e]; tv.Value != nil || tv.IsType() {
		return 0
	}
	if r.where(e) == heap && !r.empty(r.info.TypeOf(e)) {
		if late {
			bits = r.panics(e)
		}
		return bits
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.loose(e.X, late)
	case *ast.Ident, *ast.FuncLit:
		return 0
	case *ast.CallExpr:
		if !r.info.Types[e.Fun].IsType() && !quietBuiltins[r.builtin(e)] {
			return 0
		}
		if r.builtin(e) == "make" {
			bits = otherPanic
		}
		for _, x := range e.Args {
			bits |= r.loose(x, late)
		}
		return bits
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			return 0
		case token.QUO, token.REM, token.SHL, token.SHR, token.EQL, token.NEQ:
			bits = r.panics(e) & otherPanic
		}
		return bits | r.loose(e.X, late) | r.loose(e.Y, late)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.ARROW:
			return 0
		case token.AND:
			return r.panics(e.X)
		}
		return r.loose(e.X, late)
	case *ast.SliceExpr: // is copied, with its operands
		return 0
	}
	return r.panics(e)
}

// early returns the panics of the place x before the gc compiler evaluates the value stored there:
// it copies all operands that are not loaded through pointers, slices and arrays alone.
func (r *source) early(x ast.Expr) int {
	switch e := x.(type) {
	case *ast.Ident:
		return 0
	case *ast.ParenExpr:
		return r.early(e.X)
	case *ast.StarExpr:
		return r.early(e.X)
	case *ast.SelectorExpr:
		return r.early(e.X)
	case *ast.IndexExpr:
		if _, isMap := r.mapEntry(e); !isMap {
			return r.early(e.X) | r.early(e.Index)
		}
	}
	return r.panics(x)
}

// copiedFirst reports that of the place x something that calls nothing is copied early before another
// part that stands before it, and that this is seen.
//
//	p.s[s[i]/j] = 1  =>  { krd1 := (*A.L(B, &(s[i]), 1))/j; p.s[krd1] = 1;
//	                 =>    A.L(B, &((*A.L(B, &(p.s), 2))[krd1]), 3) }
func (r *source) copiedFirst(x ast.Expr) bool {
	switch e := x.(type) {
	case *ast.ParenExpr:
		return r.copiedFirst(e.X)
	case *ast.StarExpr:
		return r.copiedFirst(e.X)
	case *ast.SelectorExpr:
		return r.copiedFirst(e.X)
	case *ast.IndexExpr:
		if _, isMap := r.mapEntry(e); !isMap {
			return r.copiedFirst(e.X) || r.copiedFirst(e.Index) ||
				!r.calls(e.Index) && differ(r.panics(e.X), r.early(e.Index))
		}
	}
	return false
}

// swappable reports that evaluating an address before values that call nothing is not seen.
func (r *source) swappable(x ast.Expr, values ...ast.Expr) bool {
	if r.calls(values...) {
		return false
	}
	a, b := r.panics(x), r.panics(values...)
	return !differ(a, b)
}

// harmless reports that an operation panics only if its operands do.
func (r *source) harmless(e ast.Expr) bool {
	known := func(e ast.Expr) bool { return r.info.Types[e].Value != nil }
	switch e := e.(type) {
	case *ast.BinaryExpr:
		t := r.info.TypeOf(e.X)
		switch e.Op {
		case token.QUO, token.REM:
			b, ok := t.Underlying().(*types.Basic)
			return known(e.Y) || ok && b.Info()&types.IsInteger == 0
		case token.SHL, token.SHR:
			b, ok := r.info.TypeOf(e.Y).Underlying().(*types.Basic)
			return known(e.Y) || ok && b.Info()&types.IsUnsigned != 0
		case token.EQL, token.NEQ:
			return !dynamic(t) && !dynamic(r.info.TypeOf(e.Y))
		}
		return true
	case *ast.IndexExpr:
		if r.info.Types[e.Index].IsType() {
			return true
		}
		switch t := core(r.info.TypeOf(e.X)).(type) {
		case *types.Map:
			return !dynamic(t.Key())
		case *types.Array:
			return known(e.Index) || r.below(e.Index, t.Len())
		}
	case *ast.CallExpr:
		if r.info.Types[e.Fun].IsType() {
			switch core(r.info.TypeOf(e)).(type) {
			case *types.Array, *types.Pointer, nil: // of a slice
				return false
			}
			return true
		}
		switch r.builtin(e) {
		case "len", "cap", "min", "max":
			return true
		}
	}
	return false
}

// below reports that an index that is no constant cannot be as much as n: by its type, or since it
// is x & c, x % c or x >> c.
func (r *source) below(index ast.Expr, n int64) bool {
	b, ok := r.info.TypeOf(index).Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return false
	}
	bits := 8 * r.sizes.Sizeof(b)
	unsigned := b.Info()&types.IsUnsigned != 0
	if unsigned && bits < 63 && 1<<bits <= n {
		return true
	}
	e, ok := ast.Unparen(index).(*ast.BinaryExpr)
	if !ok || r.info.Types[e.Y].Value == nil {
		return false
	}
	c, ok := constant.Int64Val(constant.ToInt(r.info.Types[e.Y].Value))
	switch {
	case !ok || c < 0:
		return false
	case e.Op == token.AND:
		return c < n
	case e.Op == token.REM:
		return unsigned && c <= n
	case e.Op == token.SHR:
		return unsigned && (c >= bits || bits-c < 63 && 1<<(bits-c) <= n)
	}
	return false
}

// dynamic reports that values of a type have parts that may be of types which cannot be compared.
func dynamic(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Struct:
		for i := range u.NumFields() {
			if dynamic(u.Field(i).Type()) {
				return true
			}
		}
	case *types.Array:
		return dynamic(u.Elem())
	}
	return false
}

// copied returns the panics of expressions where the gc compiler copies a part of them before it
// evaluates the expressions before them: slices, dynamic types, structures that become interfaces.
func (r *source) copied(es ...ast.Expr) (bits int) {
	for _, e := range es {
		if e == nil || r.info.Types[e].Value != nil || r.info.Types[e].IsType() {
			continue
		}
		switch r.info.TypeOf(e).Underlying().(type) {
		case *types.Struct, *types.Array, *types.Interface:
			bits |= r.panics(e)
			continue
		}
		switch e := e.(type) {
		case *ast.ParenExpr:
			bits |= r.copied(e.X)
		case *ast.Ident, *ast.FuncLit:
		case *ast.StarExpr:
			bits |= r.copied(e.X)
		case *ast.SelectorExpr:
			if s := r.info.Selections[e]; s != nil && s.Kind() != types.FieldVal {
				bits |= r.panics(e)
			} else if s != nil {
				bits |= r.operand(e.X)
			}
		case *ast.IndexExpr:
			if _, isMap := core(r.info.TypeOf(e.X)).(*types.Map); isMap {
				bits |= r.panics(e)
			} else {
				bits |= r.operand(e.X) | r.copied(e.Index)
			}
		case *ast.UnaryExpr:
			if e.Op == token.AND {
				bits |= r.operand(e.X)
			} else {
				bits |= r.copied(e.X)
			}
		case *ast.BinaryExpr:
			if e.Op == token.LAND || e.Op == token.LOR {
				bits |= r.panics(e)
			} else {
				bits |= r.copied(e.X, e.Y)
			}
		case *ast.CallExpr:
			if r.numeric(e) {
				bits |= r.copied(e.Args...)
			} else {
				bits |= r.panics(e)
			}
		default:
			bits |= r.panics(e)
		}
	}
	return bits
}

// numeric reports that a call is a conversion of a number to another.
func (r *source) numeric(e *ast.CallExpr) bool {
	number := func(e ast.Expr) bool {
		b, ok := r.info.TypeOf(e).Underlying().(*types.Basic)
		return ok && b.Info()&types.IsNumeric != 0
	}
	return r.info.Types[e.Fun].IsType() && number(e) && number(e.Args[0])
}

// operand works like copied, for the x of x.f, x[i] or &x.
func (r *source) operand(x ast.Expr) int {
	switch e := x.(type) {
	case *ast.ParenExpr:
		return r.operand(e.X)
	case *ast.Ident:
		return 0
	case *ast.SelectorExpr:
		if s := r.info.Selections[e]; s == nil || s.Kind() == types.FieldVal {
			return r.operand(e.X)
		}
	case *ast.IndexExpr:
		if _, isMap := core(r.info.TypeOf(e.X)).(*types.Map); !isMap {
			return r.operand(e.X) | r.copied(e.Index)
		}
	case *ast.StarExpr:
		return r.operand(e.X)
	}
	return r.copied(x)
}

// mixed reports that the order in which expressions are evaluated is seen in which of them panics.
func (r *source) mixed(es ...ast.Expr) bool {
	n, all := 0, 0
	for _, e := range es {
		if bits := r.panics(e); bits != 0 {
			n++
			all |= bits
		}
	}
	return n > 1 && all != nilPanic
}

// mingled reports that the gc compiler may evaluate a part of a tuple assignment before another
// that stands before it, and that this is seen. It evaluates first what a store to a place further
// left may change, then value by value the others, each followed by its store.
func (w *fn) mingled(lhs, rhs []ast.Expr) bool {
	if len(lhs) < 2 || !w.mixed(slices.Concat(lhs, rhs)...) {
		return false
	}
	if w.defers { // its results are seen after a panic
		return true
	}
	for i, x := range lhs[:len(lhs)-1] {
		if isBlank(x) {
			continue
		}
		v := rootVar(w.info, x)
		if v == nil || w.where(x) != local || w.shaky[v] || w.panics(x) != 0 {
			return true
		}
		if w.names(v, slices.Concat(lhs[i+1:], rhs[min(i+1, len(rhs)):])...) {
			return true
		}
	}
	return false
}

// names reports that a variable is named in expressions.
func (r *source) names(v *types.Var, es ...ast.Expr) (found bool) {
	for _, e := range es {
		ast.Inspect(e, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && r.info.Uses[id] == v
			return !found
		})
	}
	return found
}
