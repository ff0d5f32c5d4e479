package front

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// carry makes the agent keep the variables whose dependences are removed, or returns why it cannot.
func (t *tried) carry() (why string) {
	ways := map[string]map[string]bool{}
	var names []string
	least := 0
	for _, r := range t.removals {
		if r.By == "reduction" {
			switch r.Operator {
			case "append":
				return "append " + r.Name + ": the order of elements"
			case "min", "max":
				least++
			}
			if r.Rounds {
				_, of, why := t.target(r.Name)
				t.loose = t.loose || why != "" || !summed(of)
				if why == "" {
					t.kept = append(t.kept, fmt.Sprintf("%sA.Sum(%q, &%s)", t.prefix, r.Name, r.Name))
				}
			}
			continue
		}
		if t.index != nil && r.Name == t.index.Name() ||
			r.By == "induction" && slices.Contains(t.own, r.Name) {
			continue
		}
		if ways[r.Name] == nil {
			ways[r.Name] = map[string]bool{}
			names = append(names, r.Name)
		}
		ways[r.Name][r.By] = true
	}
	if least > 1 {
		return "what is set with a minimum or maximum: of equal ones it is that of the first"
	}
	for _, name := range names {
		if why := t.keep(name, ways[name]); why != "" {
			return why
		}
	}
	return ""
}

// summed reports that a value is of numbers of floating point, or has elements of them.
func summed(of types.Type) bool {
	switch u := of.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) != 0
	case *types.Array:
		return summed(u.Elem())
	case *types.Slice:
		_, nested := u.Elem().Underlying().(*types.Slice)
		return !nested && summed(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if summed(f.Type()) {
				return true
			}
		}
	}
	return false
}

// roots returns the variables from which all data that the loop may write are reached: those that
// the body names, and, if it calls, those of the package and those that functions have captured.
func (t *tried) roots() string {
	scope := t.pkg.Types.Scope().Innermost(t.loop.Pos())
	known := map[*types.Var]bool{}
	of := `""`
	if t.called {
		of = strconv.Quote(t.fileName())
	}
	list := []string{of}
	add := func(v *types.Var, name string) {
		if v.IsField() || known[v] || v.Pos() >= t.loop.Pos() && v.Pos() < t.loop.End() {
			return
		}
		if _, o := scope.LookupParent(name, t.loop.Pos()); o == v || v.Pkg() != t.pkg.Types {
			known[v] = true
			list = append(list, fmt.Sprintf("%sA.At(%q, &%s)", t.prefix, name, name))
		}
	}
	ast.Inspect(t.loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if v, ok := t.info.Uses[n.Sel].(*types.Var); ok && !v.IsField() {
				add(v, types.ExprString(n))
				return false
			}
		case *ast.Ident:
			if v, ok := t.info.Uses[n].(*types.Var); ok {
				add(v, n.Name)
			}
		}
		return true
	})
	if t.called {
		for _, v := range slices.SortedFunc(maps.Keys(t.shaky), func(a, b *types.Var) int {
			return cmp.Compare(a.Pos(), b.Pos())
		}) {
			if !global(v) && v.Pos() < t.loop.Pos() && v.Name() != "_" {
				add(v, v.Name())
			}
		}
	}
	return strings.Join(list, ", ")
}

// fileName returns the name of the present file, with its package.
func (r *rewriter) fileName() string { return r.pkg.PkgPath + "/" + filepath.Base(r.path) }

// globals gives the agent the variables of the package when it is initialised: a function that
// names them would be one that they depend on.
func (r *rewriter) globals() string {
	list := []string{strconv.Quote(r.fileName())}
	scope := r.pkg.Types.Scope()
	test := strings.HasSuffix(r.path, "_test.go")
	for _, name := range scope.Names() {
		v, ok := scope.Lookup(name).(*types.Var)
		if !ok || !test && strings.HasSuffix(r.pkg.Fset.PositionFor(v.Pos(), false).Filename, "_test.go") {
			continue
		}
		list = append(list, fmt.Sprintf("%sA.At(%q, &%s)", r.prefix, name, name))
	}
	if len(list) == 1 {
		return ""
	}
	return "\nfunc init() { " + r.prefix + "A.Globals(" + strings.Join(list, ", ") + ") }\n"
}

// keep makes the agent keep a variable.
func (t *tried) keep(name string, ways map[string]bool) string {
	what := strings.Join(slices.Sorted(maps.Keys(ways)), ", ") + " " + name + ": "
	private := !ways["last value"] && !ways["copy"] && !ways["induction"]
	root, of, why := t.target(name)
	if why != "" {
		if args := t.arguments(name); private && len(args) > 0 {
			t.kept = append(t.kept, args...)
			return ""
		}
		return what + why
	}
	is := func(e ast.Expr) bool {
		return types.ExprString(ast.Unparen(e)) == name && t.rootOf(e) == root
	}
	direct, whole, slots, exact := false, false, false, true
	var marks []noteBefore
	number := len(t.kept)
	for _, w := range t.writes {
		e := w.to
		text := ""
		switch x := e.(type) {
		case *ast.IndexExpr:
			if !is(x.X) {
				break
			}
			slots = true
			exact = exact && t.again(x.Index) && !t.callsIn(w.by) && t.newlines(x.Pos(), x.End()) == "" &&
				t.outside(x.Index, w.in)
			text = fmt.Sprintf("%sA.Wrote(%s, %d, %s); ", t.prefix, t.name, number, t.text(x.Index))
		}
		if is(e) {
			whole = true
			text = fmt.Sprintf("%sA.Wrote(%s, %d, 0); ", t.prefix, t.name, number)
		}
		if text == "" {
			if t.partOf(e, is) {
				return what + "parts of it are written"
			}
			continue
		}
		direct = true
		if w.in == nil {
			exact = false
			continue
		}
		marks = append(marks, noteBefore{w.in, text})
	}
	elsewhere := global(root) || t.shaky[root] || name != root.Name()
	if args := t.arguments(name); !direct && private && len(args) > 0 {
		t.kept = append(t.kept, args...)
		return ""
	} else if !direct && !elsewhere {
		return what + noVariable
	}
	exact = exact && !(elsewhere && t.called) && !t.aliased(root, name)
	agent := t.prefix + "A."
	u := of.Underlying()
	if p, ok := u.(*types.Pointer); ok && slots {
		u = p.Elem().Underlying()
	}
	_, isArray := u.(*types.Array)
	_, isSlice := u.(*types.Slice)
	_, isMap := u.(*types.Map)
	switch {
	case ways["induction"]:
		step, times, ok := t.counted(is)
		b, basic := u.(*types.Basic)
		if len(ways) > 1 || !ok || elsewhere && t.called || !basic || b.Info()&types.IsInteger == 0 {
			return what + "what it is counted by is not known at entry"
		}
		t.kept = append(t.kept, fmt.Sprintf("%sCounted(&%s, %s, %d)", agent, name, step, times))
		return ""
	case whole && slots:
		return what + "it is written as a whole and by its elements"
	case (isSlice || isArray) && !whole:
		all := name
		if isArray {
			all += "[:]"
		}
		if _, p := of.Underlying().(*types.Pointer); !slots && p {
			return what + "it is a pointer"
		}
		switch {
		case exact && direct:
			t.kept = append(t.kept, agent+"LastSlots("+all+")")
			t.marks = append(t.marks, marks...)
		case private:
			t.kept = append(t.kept, agent+"PrivateSlots("+all+")")
		default:
			return what + "not every write of an element is seen"
		}
		return ""
	case isMap:
		return what + "it is a map"
	case private:
		t.kept = append(t.kept, agent+"Private(&"+name+")")
		return ""
	case !exact || !direct:
		return what + "not every write of it is seen"
	case isSlice:
		return what + "it is a slice that is made anew"
	}
	t.kept = append(t.kept, agent+"Last(&"+name+")")
	t.marks = append(t.marks, marks...)
	return ""
}

const noVariable = "it is no variable of the function"

// target finds the variable, or field of one, that a name is at the loop, and its type.
func (t *tried) target(name string) (root *types.Var, of types.Type, why string) {
	e, err := parser.ParseExpr(name)
	if err != nil {
		return nil, nil, noVariable
	}
	var path []string
	for {
		x, ok := e.(*ast.SelectorExpr)
		if !ok {
			break
		}
		path, e = append(path, x.Sel.Name), x.X
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil, nil, noVariable
	}
	scope := t.pkg.Types.Scope().Innermost(t.loop.Pos())
	if scope == nil {
		return nil, nil, noVariable
	}
	_, o := scope.LookupParent(id.Name, t.loop.Pos())
	if root, ok = o.(*types.Var); !ok {
		return nil, nil, noVariable
	}
	of = root.Type()
	for _, field := range slices.Backward(path) {
		o, _, _ := types.LookupFieldOrMethod(of, true, t.pkg.Types, field)
		f, ok := o.(*types.Var)
		if !ok {
			return nil, nil, noVariable
		}
		of = f.Type()
	}
	if len(path) > 0 {
		for _, w := range t.writes {
			if sameVar(t.info, w.to, root) {
				return nil, nil, "what it is a part of changes"
			}
		}
	}
	return root, of, ""
}

// rootOf returns the variable that e begins with.
func (t *tried) rootOf(e ast.Expr) types.Object {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.Ident:
			return t.info.ObjectOf(x)
		default:
			return nil
		}
	}
}

// partOf reports that e is a part of what is, deeper than an element.
func (t *tried) partOf(e ast.Expr, is func(ast.Expr) bool) bool {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		default:
			return false
		}
		if is(e) {
			return true
		}
	}
}

// outside reports that e names nothing that is declared in the head of a statement.
func (t *tried) outside(e ast.Expr, s ast.Stmt) (ok bool) {
	ok = true
	ast.Inspect(e, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is && s != nil {
			o := t.info.ObjectOf(id)
			ok = ok && (o == nil || o.Pos() < s.Pos() || o.Pos() >= s.End())
		}
		return ok
	})
	return ok
}

// callsIn reports that an assignment calls something.
func (t *tried) callsIn(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	return ok && (t.calls(a.Lhs...) || t.calls(a.Rhs...))
}

// arguments returns calls that keep all slices which the body passes as a parameter of that name;
// nil: something else is passed as it.
func (t *tried) arguments(name string) (kept []string) {
	odd := false
	ast.Inspect(t.body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || c.Ellipsis.IsValid() {
			return true
		}
		s, ok := core(t.info.TypeOf(c.Fun)).(*types.Signature)
		for i := 0; ok && i < s.Params().Len() && i < len(c.Args); i++ {
			if s.Params().At(i).Name() != name {
				continue
			}
			_, slice := t.info.TypeOf(c.Args[i]).Underlying().(*types.Slice)
			text := t.prefix + "A.PrivateSlots(" + t.raw(c.Args[i]) + ")"
			if odd = odd || !slice || !t.known(c.Args[i]); !slices.Contains(kept, text) {
				kept = append(kept, text)
			}
		}
		return true
	})
	if odd {
		return nil
	}
	return kept
}

// aliased reports that the body uses what a name denotes other than as an operand: something else may
// write its elements.
func (t *tried) aliased(root *types.Var, name string) bool {
	slot := false // it has elements elsewhere
	uses, fine := 0, 0
	plain := func(e ast.Expr) {
		if types.ExprString(ast.Unparen(e)) == name && t.rootOf(e) == root {
			fine++
		}
	}
	ast.Inspect(t.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case ast.Expr:
			if types.ExprString(n) == name && t.rootOf(n) == root {
				if _, paren := n.(*ast.ParenExpr); !paren {
					uses++
				}
				_, slice := t.info.TypeOf(n).Underlying().(*types.Slice)
				_, pointer := t.info.TypeOf(n).Underlying().(*types.Pointer)
				slot = slot || slice || pointer
			}
			switch x := n.(type) {
			case *ast.IndexExpr:
				plain(x.X)
			case *ast.CallExpr:
				if b := t.builtin(x); b == "len" || b == "cap" {
					plain(x.Args[0])
				}
			}
		case *ast.RangeStmt:
			plain(n.X)
		}
		return true
	})
	return slot && fine < uses
}
