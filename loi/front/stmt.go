package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"krdlab/loi"
)

// Accesses records what a function loads, stores and allocates. Its edits stand inside those of all
// other passes.
type accesses struct {
	*fn
	loop    int      // line of the innermost one
	pending []string // sites whose counts are not placed yet (counts.go)
	held    []string // those of a select's channels and values
}

func (w *accesses) block(b *ast.BlockStmt) { w.stmts(b.List) }

func (w *accesses) stmts(list []ast.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

// stmt is a statement of a list; others may be put before and behind it.
func (w *accesses) stmt(s ast.Stmt) {
	mark := len(w.pending)
	w.statement(s)
	some := w.since(mark)
	switch s := s.(type) {
	case *ast.CaseClause, *ast.CommClause:
		w.dropped(some)
		return
	case *ast.LabeledStmt:
		if w.jumps[s.Label.Name] {
			w.dropped(some)
			return
		}
	}
	w.add(wrapped, outer, s.Pos(), s.End(), w.counts(some), "")
}

// part is an optional statement that stands in the head of another.
func (w *accesses) part(s ast.Stmt) {
	if s != nil {
		w.simple(s, false)
	}
}

// looped rewrites with s as the innermost loop.
func (w *accesses) looped(s ast.Stmt, do func()) {
	outer := w.loop
	w.loop = w.line(s)
	do()
	w.loop = outer
}

// statement is stmt without the counts of its own expressions.
func (w *accesses) statement(s ast.Stmt) {
	mark := len(w.pending)
	switch s := s.(type) {
	case *ast.BlockStmt:
		w.block(s)
	case *ast.LabeledStmt:
		w.statement(s.Stmt)
	case *ast.IfStmt:
		w.part(s.Init)
		w.whole(s.Cond, mark)
		w.block(s.Body)
		if s.Else != nil {
			w.statement(s.Else)
		}
	case *ast.ForStmt:
		w.forStmt(s)
	case *ast.RangeStmt:
		w.rangeStmt(s)
	case *ast.SwitchStmt:
		w.part(s.Init)
		if s.Tag != nil {
			w.val(s.Tag, false)
		}
		w.block(s.Body)
	case *ast.TypeSwitchStmt:
		w.part(s.Init)
		w.val(guard(s.Assign), false)
		w.block(s.Body)
	case *ast.CaseClause:
		for _, e := range s.List {
			w.whole(e, mark)
		}
		w.stmts(s.Body)
	case *ast.SelectStmt:
		outer := w.held
		w.held = nil
		w.block(s.Body)
		w.pending, w.held = append(w.pending, w.held...), outer
	case *ast.CommClause:
		if s.Comm != nil {
			chosen := w.comm(s.Comm)
			w.held = append(w.held, w.since(mark)...)
			w.top(s.Colon+1, " "+w.counts(chosen))
		}
		w.stmts(s.Body)
	default:
		w.simple(s, true)
	}
}

// forStmt is a loop with a condition, or without end.
func (w *accesses) forStmt(s *ast.ForStmt) {
	w.part(s.Init)
	w.looped(s, func() {
		mark := len(w.pending)
		if s.Cond != nil {
			w.whole(s.Cond, mark)
		}
		w.part(s.Post)
		w.dropped(w.since(mark))
		w.block(s.Body)
	})
}

// guard is the x of x.(type).
func guard(s ast.Stmt) ast.Expr {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		e = s.X
	case *ast.AssignStmt:
		e = s.Rhs[0]
	}
	return ast.Unparen(e).(*ast.TypeAssertExpr).X
}

// comm is a communication of a select: its channels and what is sent are evaluated before, its
// left side only if it is chosen, and that is left alone.
func (w *accesses) comm(s ast.Stmt) (chosen []string) {
	a, ok := s.(*ast.AssignStmt)
	if !ok {
		w.simple(s, false)
		return nil
	}
	for _, x := range a.Lhs {
		_, isMap := w.mapEntry(x)
		if a.Tok == token.ASSIGN && !isBlank(x) && (w.where(x) == heap || isMap) {
			chosen = append(chosen, w.counted(x, "store of "+w.object(x),
				"it is in a communication of a select", loi.Out, w.info.TypeOf(x), 0))
		} else if a.Tok == token.DEFINE && !isBlank(x) && w.where(x) == heap {
			chosen = append(chosen, w.counted(x, "store of "+w.object(x),
				"it is in the head of a statement", loi.Out, w.info.TypeOf(x), 0))
		}
	}
	w.seq(false, a.Rhs...)
	return chosen
}

// simple is a statement without statements in it. listed says that others may stand behind it.
func (w *accesses) simple(s ast.Stmt, listed bool) {
	if listed && w.appending(s) {
		return
	}
	switch s := s.(type) {
	case *ast.ExprStmt:
		w.seq(false, s.X)
	case *ast.SendStmt:
		w.seq(false, s.Chan, s.Value)
	case *ast.ReturnStmt:
		late := !w.split(s) && (w.defers || w.named) && len(s.Results) > 1 && w.mixed(s.Results...)
		w.seq(late, s.Results...)
	case *ast.GoStmt:
		w.callExpr(s.Call, false, loi.GoSite)
	case *ast.DeferStmt:
		w.callExpr(s.Call, false, loi.DeferSite)
	case *ast.DeclStmt:
		w.variables(s, listed)
	case *ast.IncDecStmt:
		w.assign(s, listed, "update", []ast.Expr{s.X})
	case *ast.AssignStmt:
		switch s.Tok {
		case token.DEFINE:
			behind := w.values(listed, s.Lhs, s.Rhs...)
			for _, x := range s.Lhs {
				behind += w.defined(x, listed)
			}
			w.after(s, behind)
		case token.ASSIGN:
			w.assign(s, listed, "store", s.Lhs, s.Rhs...)
		default:
			w.assign(s, listed, "update", s.Lhs, s.Rhs...)
		}
	}
}

// variables is a declaration of some.
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

// assign is an assignment to lhs.
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
	for i, x := range lhs {
		later := mingled || w.calls(lhs[i+1:]...) || w.calls(rhs...) ||
			kind == "store" && differ(w.panics(x), w.panics(rhs...)) // gc loads its operands at last
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
				// V has the place evaluated first
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

// values rewrites the right side of an assignment or definition; loads is what records some of it
// behind the statement.
func (w *accesses) values(listed bool, lhs []ast.Expr, rhs ...ast.Expr) (loads string) {
	if len(rhs) < 2 || !w.mingled(lhs, rhs) {
		w.seq(false, rhs...)
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

// newlines are those of the source from lo to hi, for text that takes its place.
func (w *fn) newlines(lo, hi token.Pos) string {
	return strings.Repeat("\n", strings.Count(w.stretch(lo, hi), "\n"))
}

// onLine is text that stands at hi, on a later line than lo, as if it stood on that of lo: a panic
// in it names the line of the statement.
func (w *fn) onLine(lo, hi token.Pos, text string) string {
	there, back := w.lines(lo, hi)
	return there + text + back
}

// lines are what makes text at hi stand on the line of lo, and at hi again; "" if that is one.
func (w *fn) lines(lo, hi token.Pos) (there, back string) {
	if w.newlines(lo, hi) == "" {
		return "", ""
	}
	at := func(p token.Pos) string {
		x := w.pkg.Fset.PositionFor(p, true)
		return fmt.Sprintf("/*line :%d:%d*/", x.Line, max(x.Column, 1))
	}
	return at(lo), at(hi)
}

// inside is what stands behind a statement, at the beginning of a block.
func inside(behind string) string {
	if behind == "" {
		return ""
	}
	return behind[2:] + "; "
}

// variable is what tells of a local variable that is observed, behind its declaration.
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

// defined is what records the store to a variable on the heap, behind the statement that defines it
// with a value.
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

// parameters is what records the stores to a function's parameters on the heap, at the beginning of
// its body; results begin with zeros.
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

// rangeStmt is a loop over something.
func (w *accesses) rangeStmt(s *ast.RangeStmt) {
	var body string
	t := w.info.TypeOf(s.X)
	visits := s.Value != nil && !isBlank(s.Value)
	each := []string{} // counts of every iteration
	for _, e := range []ast.Expr{s.Key, s.Value} {
		if e == nil || isBlank(e) {
			continue
		}
		if _, isMap := w.mapEntry(e); s.Tok == token.ASSIGN && (w.where(e) == heap || isMap) {
			each = append(each, w.counted(e, "store of "+w.object(e), "it is the variable of a loop",
				loi.Out, w.info.TypeOf(e), 0))
		} else if s.Tok == token.DEFINE {
			w.looped(s, func() { body += inside(w.defined(e, true)) })
		}
	}
	alone := func(t types.Type, items int) {
		each = append(each, w.counted(s, "elements of a loop", "its key or their size is not known",
			loi.In, t, items))
	}
	key := "" // a name that is made up
	switch u := core(t).(type) {
	case *types.Slice:
		w.val(s.X, false)
		if !visits || w.empty(u.Elem()) {
			break
		}
		if name, ok := w.rangeKey(s, &key, "int"); ok {
			base := w.fresh(w.prefix + "A.U")
			if parametric(u.Elem()) {
				bytes := w.fresh(w.prefix + "A.U")
				of := w.fresh(w.prefix + "A.U")
				w.pointing(s.X, "RX", base, bytes, of)
				w.looped(s, func() {
					site := w.windowSite(s, "range", loi.In, typeString(t), u.Elem())
					body += " " + w.call("EX", base, name, bytes, of, site) + ";"
				})
				break
			}
			w.pointing(s.X, "R", base)
			w.looped(s, func() { body += w.element(s, typeString(t), u.Elem(), base, name) })
		} else {
			alone(u.Elem(), 0)
		}
	case *types.Basic:
		w.val(s.X, false)
		if u.Info()&types.IsString == 0 || !visits {
			break
		}
		if name, ok := w.rangeKey(s, &key, "int"); ok {
			base := w.fresh(w.prefix + "A.U")
			w.pointing(s.X, "RS", base)
			w.looped(s, func() {
				body += w.element(s, typeString(t), types.Typ[types.Byte], base, name)
			})
		} else {
			alone(types.Typ[types.Byte], 0)
		}
	case *types.Array:
		if !visits {
			break
		}
		w.plain(s.X, false)
		if w.where(s.X) != heap || w.empty(u.Elem()) {
			break
		}
		if parametric(u.Elem()) {
			alone(u.Elem(), 0)
		} else if name, ok := w.rangeKey(s, &key, "int"); ok {
			base := w.fresh(w.prefix + "A.U")
			w.wrap(s.X, "&(", ")")
			w.pointing(s.X, "RP", base)
			w.before(s.X, "*")
			w.looped(s, func() { body += w.element(s, typeString(t), u.Elem(), base, name) })
		} else {
			alone(u.Elem(), 0)
		}
	case *types.Pointer: // to an array
		if !visits {
			break
		}
		w.val(s.X, false)
		a, _ := u.Elem().Underlying().(*types.Array)
		if a == nil || w.empty(a.Elem()) {
			break
		}
		if _, plain := types.Unalias(t).(*types.Pointer); !plain || parametric(a.Elem()) {
			alone(a.Elem(), 0)
		} else if name, ok := w.rangeKey(s, &key, "int"); ok {
			base := w.fresh(w.prefix + "A.U")
			w.pointing(s.X, "RP", base)
			w.looped(s, func() { body += w.element(s, typeString(u.Elem()), a.Elem(), base, name) })
		} else {
			alone(a.Elem(), 0)
		}
	case *types.Map:
		w.val(s.X, false)
		if s.Key == nil {
			break
		}
		if name, ok := w.rangeKey(s, &key, ""); ok {
			base := w.fresh(w.prefix + "A.U")
			w.pointing(s.X, "RM", base)
			w.looped(s, func() {
				site := w.mapSite(s, "range-map", loi.In, t, u)
				body += " " + w.call("MP", base, site) + "; " + w.call("K", name, site) + ";"
			})
		} else {
			alone(nil, 2)
		}
	default: // integers, channels, functions
		w.val(s.X, false)
		if _, several := types.Unalias(t).(*types.TypeParam); several && u == nil && visits {
			alone(nil, 0)
		}
	}
	w.looped(s, func() { w.block(s.Body) })
	if key != "" {
		w.replace(s.Key.Pos(), s.Key.End(), key)
	}
	w.braces(s.Body, w.counts(each)+body, "")
	w.visits[s] = visit{key, body, len(each) > 0}
}

// pointing has n be the last argument of a call of the agent, behind the buffer and pointers to
// variables.
func (w *fn) pointing(n ast.Node, name string, variables ...string) {
	w.wrap(n, w.prefix+"A."+name+"("+w.prefix+"B, &"+strings.Join(variables, ", &")+", ", ")")
}

// A visit is what a loop over something does in each iteration: the name made up for its key, what
// records the element, and whether something is counted.
type visit struct {
	key, element string
	counted      bool
}

// element records a visit of element name of what base points to.
func (w *accesses) element(s *ast.RangeStmt, object string, t types.Type, base, name string) string {
	site := w.windowSite(s, "range", loi.In, object, t)
	last := &w.out.Sites[len(w.out.Sites)-1]
	last.Bytes = last.Element
	return " " + w.call("E", base, name, strconv.FormatUint(last.Element, 10), site) + ";"
}

// rangeKey is the name of a loop's key, made up where it has none; false if it cannot be had.
func (w *accesses) rangeKey(s *ast.RangeStmt, key *string, t string) (string, bool) {
	if !isBlank(s.Key) {
		if s.Tok == token.DEFINE {
			return s.Key.(*ast.Ident).Name, true
		}
		id, ok := ast.Unparen(s.Key).(*ast.Ident)
		if ok && w.where(id) == local && t != "" &&
			types.Identical(w.info.TypeOf(id), types.Typ[types.Int]) {
			return id.Name, true
		}
		return "", false
	}
	if s.Tok == token.DEFINE {
		t = ""
	} else if t == "" {
		return "", false
	}
	name := w.fresh(t)
	*key = name
	return name, true
}
