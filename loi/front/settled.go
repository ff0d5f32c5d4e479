package front

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// shaky finds the local variables of a file that may change while an expression that names them is
// evaluated: those whose address is taken, and those that are assigned and that a function literal
// has from outside.
func shaky(f *ast.File, info *types.Info) map[*types.Var]bool {
	addressed := map[*types.Var]bool{}
	captured, assigned := map[*types.Var]bool{}, map[*types.Var]bool{}
	home := map[*types.Var]*ast.FuncLit{} // where a variable is declared
	var lits []*ast.FuncLit
	var stack []ast.Node
	mark := func(set map[*types.Var]bool, e ast.Expr) {
		if v := rootVar(info, e); v != nil {
			set[v] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			if l, ok := stack[len(stack)-1].(*ast.FuncLit); ok && lits[len(lits)-1] == l {
				lits = lits[:len(lits)-1]
			}
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		var lit *ast.FuncLit
		if len(lits) > 0 {
			lit = lits[len(lits)-1]
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			lits = append(lits, n)
		case *ast.Ident:
			if v, ok := info.Defs[n].(*types.Var); ok {
				home[v] = lit
			} else if v, ok := info.Uses[n].(*types.Var); ok && !v.IsField() && home[v] != lit {
				captured[v] = true
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				mark(addressed, n.X)
			}
		case *ast.SliceExpr:
			if _, ok := info.TypeOf(n.X).Underlying().(*types.Array); ok {
				mark(addressed, n.X)
			}
		case *ast.SelectorExpr: // a method of pointers takes an address
			if s := info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				if _, pointer := s.Recv().Underlying().(*types.Pointer); !pointer && byAddress(s) {
					mark(addressed, n.X)
				}
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					mark(assigned, e)
				}
				break
			}
			for _, e := range n.Lhs {
				if id, ok := e.(*ast.Ident); ok && info.Defs[id] == nil {
					mark(assigned, e)
				}
			}
		case *ast.IncDecStmt:
			mark(assigned, n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				mark(assigned, n.Key)
				if n.Value != nil {
					mark(assigned, n.Value)
				}
			}
		}
		return true
	})
	for v := range captured {
		if assigned[v] {
			addressed[v] = true
		}
	}
	return addressed
}

// byAddress reports that a method may take the address of what it is selected of: one of pointers
// does, and of a type parameter may. One of an interface or of values copies it, and the compiler
// may know what the variable holds then, as long as its address is nowhere taken.
func byAddress(s *types.Selection) bool {
	if _, ok := types.Unalias(s.Recv()).(*types.TypeParam); ok {
		return true
	}
	_, pointer := s.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer)
	return pointer
}

// rootVar is the variable that e is, or is a part of; nil if a pointer is followed on the way.
func rootVar(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			v, _ := info.ObjectOf(x).(*types.Var)
			return v
		case *ast.SelectorExpr:
			s := info.Selections[x]
			if s == nil {
				v, _ := info.Uses[x.Sel].(*types.Var)
				return v
			}
			if s.Indirect() {
				return nil
			}
			e = x.X
		case *ast.IndexExpr:
			if _, ok := info.TypeOf(x.X).Underlying().(*types.Array); !ok {
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}

// quietBuiltins call nothing and change nothing.
var quietBuiltins = map[string]bool{"len": true, "cap": true, "min": true, "max": true,
	"new": true, "make": true, "complex": true, "real": true, "imag": true, "Sizeof": true,
	"Alignof": true, "Offsetof": true, "Add": true, "Slice": true, "SliceData": true, "String": true,
	"StringData": true}

// builtin is the name of the builtin function that is called, or "".
func (r *source) builtin(c *ast.CallExpr) string {
	if !r.info.Types[c.Fun].IsBuiltin() {
		return ""
	}
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// calls reports that evaluating e calls, receives or may change something.
func (r *source) calls(es ...ast.Expr) bool {
	found := false
	for _, e := range es {
		if e == nil {
			continue
		}
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if !r.info.Types[n.Fun].IsType() && !quietBuiltins[r.builtin(n)] {
					found = true
				}
			case *ast.UnaryExpr:
				found = found || n.Op == token.ARROW
			}
			return !found
		})
	}
	return found
}

// again reports that e may be evaluated once more: it calls and makes nothing.
func (r *source) again(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		x, is := n.(ast.Expr)
		if !is || !ok || r.info.Types[x].IsType() {
			return false
		}
		switch n := n.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.ParenExpr,
			*ast.BinaryExpr, *ast.TypeAssertExpr, *ast.SliceExpr:
		case *ast.BasicLit:
			return false
		case *ast.UnaryExpr:
			ok = n.Op != token.ARROW && n.Op != token.AND
		case *ast.CallExpr:
			name := r.builtin(n)
			ok = r.info.Types[n.Fun].IsType() || name == "len" || name == "cap"
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// What panics evaluating an expression may raise: two of the same kind have the same text.
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

// differ says that panics of one expression and of another have different texts.
func differ(a, b int) bool { return a != 0 && b != 0 && a|b != nilPanic }

// loose is what e may panic with where the gc compiler evaluates it behind all calls of its
// statement, those that record included; late says how e has been rewritten (val).
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
	}
	return r.panics(e)
}

// early is what the place x may panic with before the gc compiler evaluates what is stored there:
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

// copied is what expressions may panic with where the gc compiler copies a part of them before it
// evaluates what stands before them: slices, dynamic types, structures that become interfaces.
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

// operand is copied of the x of x.f, x[i] or &x, of which a part is taken.
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

// settled reports that nothing that is called can change the value of e.
func (r *source) settled(e ast.Expr) bool {
	if r.info.Types[e].Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		switch o := r.info.ObjectOf(e).(type) {
		case *types.Var:
			return !global(o) && !r.shaky[o]
		default:
			return true
		}
	case *ast.ParenExpr:
		return r.settled(e.X)
	case *ast.SelectorExpr:
		s := r.info.Selections[e]
		return s != nil && s.Kind() == types.FieldVal && !s.Indirect() && r.settled(e.X)
	case *ast.IndexExpr:
		if t := r.info.TypeOf(e.X); t != nil {
			_, array := t.Underlying().(*types.Array)
			return array && r.settled(e.X) && r.settled(e.Index)
		}
		return false
	case *ast.UnaryExpr:
		return e.Op != token.ARROW && e.Op != token.AND && r.settled(e.X)
	case *ast.BinaryExpr:
		return r.settled(e.X) && r.settled(e.Y)
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			if !r.settled(x) {
				return false
			}
		}
		return true
	case *ast.CallExpr:
		if name := r.builtin(e); r.info.Types[e.Fun].IsType() || name == "len" || name == "cap" {
			return len(e.Args) == 1 && r.settled(e.Args[0]) && !r.bytesOrString(e)
		}
	}
	return false
}

// bytesOrString reports that a conversion reads what its operand points to.
func (r *source) bytesOrString(e *ast.CallExpr) bool {
	_, slice := r.info.TypeOf(e.Args[0]).Underlying().(*types.Slice)
	return slice && r.info.Types[e.Fun].IsType()
}

// escapes reports that a local variable is on the heap, or observed as if it were.
func (r *source) escapes(v *types.Var) bool {
	return r.moved(v) || r.opt.Stack && r.shaky[v]
}

// moved reports that the compiler has moved a local variable to the heap.
func (r *source) moved(v *types.Var) bool {
	return r.opt.Escapes != nil && r.opt.Escapes(Declared{r.pkg.PkgPath, v.Name(),
		r.pkg.Fset.PositionFor(v.Pos(), true)})
}

// jumps finds the labels that a goto names.
func jumps(f *ast.File) map[string]bool {
	all := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			all[b.Label.Name] = true
		}
		return true
	})
	return all
}

func global(v *types.Var) bool {
	return v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// operands collects the types of what evaluating the address of e reads from memory, and the
// variables that it reads otherwise.
func (r *source) operands(e ast.Expr) (loads []types.Type, vars map[*types.Var]bool) {
	vars = map[*types.Var]bool{}
	var walk func(e ast.Expr, address bool)
	walk = func(e ast.Expr, address bool) {
		if tv := r.info.Types[e]; tv.Value != nil || tv.IsType() {
			return
		}
		read := func() {
			if !address {
				loads = append(loads, r.info.TypeOf(e))
			}
		}
		switch x := e.(type) {
		case *ast.ParenExpr:
			walk(x.X, address)
		case *ast.Ident:
			if v, ok := r.info.ObjectOf(x).(*types.Var); ok {
				vars[v] = true
				if global(v) || r.shaky[v] || r.escapes(v) {
					read()
				}
			}
		case *ast.SelectorExpr:
			s := r.info.Selections[x]
			if s == nil {
				read()
				return
			}
			read()
			_, pointer := r.info.TypeOf(x.X).Underlying().(*types.Pointer)
			loads = append(loads, hops(s)...)
			walk(x.X, address && !pointer)
		case *ast.IndexExpr:
			read()
			_, array := r.info.TypeOf(x.X).Underlying().(*types.Array)
			if _, m := r.info.TypeOf(x.X).Underlying().(*types.Map); m {
				loads = append(loads, r.info.TypeOf(e))
			}
			walk(x.X, address && array)
			walk(x.Index, false)
		case *ast.StarExpr:
			read()
			walk(x.X, false)
		case *ast.BinaryExpr:
			walk(x.X, false)
			walk(x.Y, false)
		case *ast.UnaryExpr:
			walk(x.X, false)
		case *ast.TypeAssertExpr:
			walk(x.X, false)
		case *ast.SliceExpr:
			walk(x.X, false)
			for _, i := range []ast.Expr{x.Low, x.High, x.Max} {
				if i != nil {
					walk(i, false)
				}
			}
		case *ast.CallExpr:
			for _, a := range x.Args {
				walk(a, false)
			}
		}
	}
	walk(e, true)
	return loads, vars
}

// hops are the types of the embedded pointers that a selection follows on its way.
func hops(s *types.Selection) (all []types.Type) {
	path, t := s.Index(), s.Recv()
	for _, i := range path[:len(path)-1] {
		f := deref(t).Underlying().(*types.Struct).Field(i)
		t = f.Type()
		if _, ok := t.Underlying().(*types.Pointer); ok {
			all = append(all, t)
		}
	}
	return all
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// holds reports that storing a value of type t may store one of type part.
func holds(t, part types.Type) bool {
	if types.Identical(t, part) || parametric(t) || parametric(part) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if holds(u.Field(i).Type(), part) {
				return true
			}
		}
	case *types.Array:
		return holds(u.Elem(), part)
	}
	// The other way round: a part of what was read is stored.
	switch u := part.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if holds(t, u.Field(i).Type()) {
				return true
			}
		}
	case *types.Array:
		return holds(t, u.Elem())
	}
	return false
}
