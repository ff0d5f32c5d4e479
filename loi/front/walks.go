package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A Walk is from object to object of a type by its own pointers: "x = x.next".
type Walk struct {
	Text string
	Line int // of the first step
}

// walks notes at the sites of a function's objects that they are walked by pointers, in a loop or by a
// call of the function by itself, and the fields whose addresses are taken.
func (w *fn) walks() {
	steps, from := map[*types.Var][]ast.Expr{}, map[*types.Var]bool{}
	step := func(to types.Object, e ast.Expr) {
		e = ast.Unparen(e)
		if v := w.stepFrom(e); v != nil && (to == v || to == nil && from[v]) {
			steps[v] = append(steps[v], e)
		}
	}
	var self types.Object
	if d, ok := w.at.(*ast.FuncDecl); ok {
		self = w.info.Defs[d.Name]
		for _, v := range slices.Concat(fieldsOf(w.recv), fieldsOf(w.kind.Params)) {
			if v, ok := w.info.Defs[v].(*types.Var); ok {
				from[v] = true
			}
		}
	}
	loops := token.NoPos // the end of those around
	ast.Inspect(w.block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt:
			loops = max(loops, n.End())
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				w.hideFields(n.X)
			}
		case *ast.SliceExpr:
			w.hideFields(n.X)
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && n.Pos() < loops {
					step(w.info.Uses[id], n.Rhs[i])
				}
			}
		case *ast.CallExpr:
			w.hideOperands(n)
			var called types.Object
			switch f := ast.Unparen(n.Fun).(type) {
			case *ast.Ident:
				called = w.info.Uses[f]
			case *ast.SelectorExpr:
				if called = w.info.Uses[f.Sel]; same(called, self) {
					step(nil, f.X)
				}
			}
			for _, e := range n.Args {
				if same(called, self) {
					step(nil, e)
				}
			}
		}
		return true
	})
	of := map[*types.Var]*Walk{}
	for v, all := range steps {
		x := &Walk{Line: w.line(all[0])}
		var texts []string
		for _, e := range all {
			if text := types.ExprString(e); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
			w.noted(e, func(s *Site) { s.Walk, s.Step = x, true })
		}
		x.Text = v.Name() + " = " + strings.Join(texts, " or ")
		of[v] = x
	}
	ast.Inspect(w.block, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && of[w.pointerTo(e)] != nil {
			w.noted(e, func(s *Site) { s.Walk = of[w.pointerTo(e)] })
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
}

// same reports that a function, or an instance of it, is called.
func same(called, self types.Object) bool {
	f, ok := called.(*types.Func)
	return ok && f.Origin() == self
}

// fieldsOf returns the names of parameters.
func fieldsOf(list *ast.FieldList) (names []*ast.Ident) {
	if list != nil {
		for _, f := range list.List {
			names = append(names, f.Names...)
		}
	}
	return names
}

// noted calls do with the sites of an access, not with those of the elements of a slice.
func (w *fn) noted(e ast.Expr, do func(*Site)) {
	at := w.nodes[e]
	for _, n := range []int{at.site, at.first} {
		if n > 0 && w.out.Sites[n-1].Object == w.object(e) {
			do(&w.out.Sites[n-1])
		}
	}
}

// stepFrom returns the variable x of x.next, which is of the same type; nil: it is no such pointer.
func (w *fn) stepFrom(e ast.Expr) *types.Var {
	t := w.info.TypeOf(e)
	for {
		v := w.pointerTo(e)
		s, selected := e.(*ast.SelectorExpr)
		switch {
		case v != nil && types.Identical(v.Type(), t):
			return v
		case v != nil || !selected:
			return nil
		}
		e = s.X
	}
}

// pointerTo returns the variable whose pointer leads to the object that e is a part of, nil if there is
// none.
func (w *fn) pointerTo(e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			if _, array := w.info.TypeOf(x.X).Underlying().(*types.Array); !array {
				return nil
			}
			e = x.X
		case *ast.SelectorExpr:
			s := w.info.Selections[x]
			if s == nil || s.Kind() != types.FieldVal || len(hops(s)) > 0 {
				return nil
			}
			if _, pointer := s.Recv().Underlying().(*types.Pointer); pointer {
				if id, ok := ast.Unparen(x.X).(*ast.Ident); ok {
					v, _ := w.info.Uses[id].(*types.Var)
					return v
				}
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}
