package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"krdlab/loi"
)

// variables rewrites a declaration of variables.
func (w *accesses) variables(s *ast.DeclStmt, listed bool) {
	d := s.Decl.(*ast.GenDecl)
	if d.Tok != token.VAR {
		return
	}
	behind := ""
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		names := make([]ast.Expr, len(spec.Names))
		for i, x := range spec.Names {
			names[i] = x
		}
		behind += w.values(listed, names, spec.Values...)
		for _, x := range spec.Names {
			if len(spec.Values) > 0 {
				behind += w.defined(x, listed)
			} else {
				behind += w.variable(x)
			}
		}
	}
	w.after(s, behind)
}

// assign rewrites an assignment to lhs.
//
//	p.ctr = 1  =>  p.ctr = 1; A.L(B, &(p.ctr), 1)
//	p.ctr = g()  =>  p.ctr = g(); A.L(B, &(p.ctr), 1)
//	p.ctr += 2  =>  p.ctr += 2; A.L(B, &(p.ctr), 1)
//	s[i] += l[i]  =>  *A.V(B, &(s[i])) += l[i]; A.L(B, &(s[i]), 1)
//	s[i]++  =>  s[i]++; A.L(B, &(s[i]), 1)
//	p.a.a = nil  =>  *A.L(B, &((*A.L(B, &(p.a), 1)).a), 2) = nil
//	p.a.a = bs[i]  =>  { krd1 := (*A.L(B, &(bs[i]), 1)); *A.L(B, &((*A.L(B, &(p.a), 2)).a), 3) =
//	               =>    krd1 }
//	s[g()] = 1  =>  *A.L(B, &(s[g()]), 1) = 1
//	s[g()] = g()  =>  A.C(B, 1); s[g()] = g()
//	i, s[i] = 1, 2  =>  A.C(B, 1); i, s[i] = 1, 2
//	s[i], i = 1, 2  =>  *A.L(B, &(s[i]), 1), i = 1, 2
//	p.b.arr[i]++  =>  p.b.arr[i]++; A.L(B, &((*A.L(B, &(p.b), 1)).arr[i]), 2)
func (w *accesses) assign(s ast.Stmt, listed bool, kind string, lhs []ast.Expr, rhs ...ast.Expr) {
	mode := loi.Out
	if kind == "update" {
		mode = loi.InOut
	}
	behind := ""
	mingled := w.mingled(lhs, rhs)
	first := false // the place may panic before the value
	if len(lhs) == 1 && len(rhs) == 1 {
		if bits := w.early(lhs[0]); kind == "store" {
			first = differ(bits, w.panics(rhs[0]))
		} else {
			first = differ(w.panics(lhs[0]), w.panics(rhs[0]))
		}
	}
	if x := lhs[0]; listed && len(lhs) == 1 && w.where(x) == heap &&
		(first && kind == "store" || w.copiedFirst(x)) && w.indexed(s, kind, x, rhs...) {
		return
	}
	for i, x := range lhs {
		later := mingled || w.calls(lhs[i+1:]...) || w.calls(rhs...) || w.copiedFirst(x) ||
			kind == "store" && differ(w.panics(x), w.panics(rhs...)) || // gc loads its operands at last
			kind == "update" && differ(w.panics(x), w.copied(rhs...))
		switch m, isMap := w.mapEntry(x); {
		case isMap:
			w.mapIndex(ast.Unparen(x).(*ast.IndexExpr), m, mode, later)
		case isBlank(x):
		case w.where(x) != heap || w.empty(w.info.TypeOf(x)):
			w.plain(x, later)
		case listed && w.again(x) && w.unchanged(x, lhs):
			from := w.mark()
			address := w.draft(x, func() { w.plain(x, false) })
			if strings.Contains(address, "\n") {
				w.undo(from)
				w.left(x, kind+" of "+w.object(x), "it is on several lines", mode,
					w.info.TypeOf(x), 0)
				w.plain(x, later)
				break
			}
			if kind == "update" && first && !later && !differ(w.panics(x), w.copied(rhs...)) {
				// V makes gc evaluate the place first
				w.wrap(x, "*"+w.prefix+"A.V("+w.prefix+"B, &(", "))")
				first = false
			}
			behind += "; " + w.record(x, kind, mode, "&("+address+")")
		case w.swappable(x, rhs...) && !later && (i == 0 || w.panics(x) == 0):
			w.plain(x, later)
			w.recorded(x, kind, mode, "*", "")
		case listed && len(lhs) == 1 && len(rhs) == 1 && kind == "store" && !first && w.again(x) &&
			w.definable(rhs[0], w.info.TypeOf(x)) && !strings.Contains(w.raw(x), "\n"):
			// { t := V; *&X = t }
			v, t := rhs[0], w.fresh("")
			w.val(v, false)
			address := w.record(x, kind, mode, "&("+w.draft(x, func() { w.plain(x, false) })+")")
			w.replace(x.Pos(), v.Pos(), "{ "+t+" := "+w.newlines(x.Pos(), v.Pos()))
			w.after(v, "; "+w.onLine(s.Pos(), v.End(), "*"+address+" = "+t)+" }")
			return
		case listed && len(lhs) == 1 && w.indexed(s, kind, x, rhs...):
			return
		default:
			w.left(x, kind+" of "+w.object(x), "its operands may change before it is recorded", mode,
				w.info.TypeOf(x), 0)
			w.plain(x, later)
		}
	}
	if first {
		w.seq(true, rhs...)
		w.after(s, behind)
		return
	}
	w.after(s, w.values(listed, lhs, rhs...)+behind)
}

// values rewrites the right side of an assignment or definition; loads records a part of it behind
// the statement.
//
//	i, j = s[i], l[i]  =>  i, j = A.Q(B, s, i, 0, 1)[i], l[i]
//	_, j = s[i], s[j]  =>  _, j = (*A.L(B, &(s[i]), 1)), (*A.L(B, &(s[j]), 2))
//	j = s[i] + max(s[s[i]&3], s[j])  =>  j = A.Q(B, s, i, 0, 1)[i] + max(s[s[i]&3],
//	                                 =>    A.Q(B, s, j, 0, 4)[j]); A.L(B, &(s[(*A.L(B, &(s[i]), 2))&3]), 3)
func (w *accesses) values(listed bool, lhs []ast.Expr, rhs ...ast.Expr) (loads string) {
	if len(rhs) < 2 || !w.mingled(lhs, rhs) {
		if listed && w.steady == nil && !w.calls(rhs...) && !perhaps(rhs) {
			w.late = &late{lhs: lhs}
			defer func() { w.late = nil }()
		}
		w.seq(false, rhs...)
		if w.late != nil {
			return w.late.text
		}
		return ""
	}
	for _, x := range rhs {
		if listed && w.where(x) == heap && !w.empty(w.info.TypeOf(x)) && w.again(x) &&
			w.unchanged(x, lhs) && !strings.Contains(w.raw(x), "\n") {
			address := w.draft(x, func() { w.plain(x, false) })
			loads += "; " + w.record(x, "load", loi.In, "&("+address+")")
		} else {
			w.val(x, true)
		}
	}
	return loads
}

// late records loads of an assignment behind it, if they stand before operands that gc evaluates
// first (min, max), where nothing is called and the assignment changes none of their addresses.
type late struct {
	lhs  []ast.Expr
	text string
}

// behind records a load behind its assignment; false if it cannot.
func (w *accesses) behind(e ast.Expr) bool {
	if w.late == nil || !w.again(e) || !w.unchanged(e, w.late.lhs) ||
		strings.Contains(w.raw(e), "\n") {
		return false
	}
	to := w.late
	w.late = nil // what the address is loaded from is recorded there too
	address := w.draft(e, func() { w.plain(e, false) })
	to.text += "; " + w.record(e, "load", loi.In, "&("+address+")")
	w.late = to
	return true
}

// perhaps reports that some of what expressions are made of may not be evaluated.
func perhaps(list []ast.Expr) (found bool) {
	for _, x := range list {
		ast.Inspect(x, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				found = found || n.Op == token.LAND || n.Op == token.LOR
			case *ast.FuncLit:
				found = true
			}
			return !found
		})
	}
	return found
}

// inside returns the text behind a statement for the beginning of a block.
func inside(behind string) string {
	if behind == "" {
		return ""
	}
	return behind[2:] + "; "
}

// variable returns the text that declares an observed local variable to the agent, behind its
// declaration.
func (w *accesses) variable(x ast.Expr) string {
	id, _ := x.(*ast.Ident)
	v, _ := w.info.Defs[id].(*types.Var)
	if v == nil || isBlank(x) || !w.escapes(v) || w.empty(v.Type()) {
		return ""
	}
	name := "N"
	if parametric(v.Type()) {
		name = "NX"
	}
	return "; " + w.call(name, "&"+id.Name, w.site(x, "variable", 0, w.object(x), v.Type()))
}

// defined returns the text that records the store to a variable on the heap, behind the statement
// that defines it with a value.
func (w *accesses) defined(x ast.Expr, listed bool) string {
	switch {
	case isBlank(x) || w.where(x) != heap || w.empty(w.info.TypeOf(x)):
		return ""
	case !listed:
		w.left(x, "store of "+w.object(x), "it is in the head of a statement", loi.Out,
			w.info.TypeOf(x), 0)
		return ""
	}
	return w.variable(x) + "; " + w.record(x, "store", loi.Out, "&("+w.raw(x)+")")
}

// parameters returns the text that records the stores to a function's parameters on the heap, at
// the beginning of its body; results begin with zeros.
func (w *accesses) parameters() (text string) {
	for _, list := range []*ast.FieldList{w.recv, w.kind.Params, w.kind.Results} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			for _, x := range f.Names {
				if list == w.kind.Results {
					text += inside(w.variable(x))
				} else {
					text += inside(w.defined(x, true))
				}
			}
		}
	}
	return text
}

func (r *source) mapEntry(x ast.Expr) (*types.Map, bool) {
	e, ok := ast.Unparen(x).(*ast.IndexExpr)
	if !ok {
		return nil, false
	}
	m, ok := core(r.info.TypeOf(e.X)).(*types.Map)
	return m, ok
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// unchanged reports that storing to all of lhs changes nothing that the address of x is made of.
func (r *source) unchanged(x ast.Expr, lhs []ast.Expr) bool {
	loads, vars := r.operands(x)
	for _, l := range lhs {
		if isBlank(l) {
			continue
		}
		if v := rootVar(r.info, l); v != nil && vars[v] && r.where(l) != heap {
			return false
		}
		t := r.info.TypeOf(l)
		if _, isMap := r.mapEntry(l); isMap || r.where(l) == heap || len(r.shaky) > 0 {
			for _, load := range loads {
				if holds(t, load) {
					return false
				}
			}
		}
	}
	return true
}

// definable reports that t := v makes a variable that can be assigned to one of type t.
func (r *source) definable(v ast.Expr, t types.Type) bool {
	if r.untyped(v) {
		return false
	}
	return types.AssignableTo(r.info.TypeOf(v), t)
}
