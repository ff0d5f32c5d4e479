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

// block is a block with its statements rewritten, from brace to brace.
func (w *fn) block(b *ast.BlockStmt) string {
	return w.splice(b.Pos(), b.End(), w.stmts(b.List)...)
}

func (w *fn) stmts(list []ast.Stmt) []piece {
	defer w.listed()()
	all := make([]piece, len(list))
	for i, s := range list {
		all[i] = piece{s.Pos(), s.End(), w.stmt(s)}
	}
	return all
}

// stmt is a statement of a list; others may be put before and behind it.
func (w *fn) stmt(s ast.Stmt) string {
	mark := len(w.pending)
	text := w.within(s, func() string { return w.statement(s) })
	some := w.since(mark)
	switch s := s.(type) {
	case *ast.CaseClause, *ast.CommClause:
		w.dropped(some)
		return text
	case *ast.LabeledStmt:
		if w.jumps[s.Label.Name] {
			w.dropped(some)
			return text
		}
	}
	return w.counts(some) + text
}

// part is a piece for an optional statement that stands in the head of another.
func (w *fn) part(all []piece, s ast.Stmt) []piece {
	if s == nil {
		return all
	}
	return append(all, piece{s.Pos(), s.End(), w.simple(s, false)})
}

// value is a piece for an optional expression.
func (w *fn) value(all []piece, e ast.Expr) []piece {
	if e == nil {
		return all
	}
	return append(all, piece{e.Pos(), e.End(), w.val(e, false)})
}

// looped rewrites with s as the innermost loop.
func (w *fn) looped(s ast.Stmt, do func()) {
	outer := w.loop
	w.loop = w.line(s)
	do()
	w.loop = outer
}

// statement is stmt without the counts of its own expressions.
func (w *fn) statement(s ast.Stmt) string {
	var all []piece
	mark := len(w.pending)
	switch s := s.(type) {
	case *ast.BlockStmt:
		return w.block(s)
	case *ast.LabeledStmt:
		all = []piece{{s.Stmt.Pos(), s.Stmt.End(), w.statement(s.Stmt)}}
	case *ast.IfStmt:
		all = w.part(all, s.Init)
		cond, end := w.condition(s, w.whole(s.Cond, mark))
		all = append(all, piece{s.Cond.Pos(), s.Cond.End(), cond},
			piece{s.Body.Pos(), s.Body.End(), w.block(s.Body)})
		defer end()
		if s.Else != nil {
			all = append(all, piece{s.Else.Pos(), s.Else.End(), w.statement(s.Else)})
		}
	case *ast.ForStmt:
		return w.forStmt(s)
	case *ast.RangeStmt:
		return w.rangeStmt(s)
	case *ast.SwitchStmt:
		all = w.part(all, s.Init)
		all = w.value(all, s.Tag)
		all = append(all, piece{s.Body.Pos(), s.Body.End(), w.switched(s, s.Body)})
	case *ast.TypeSwitchStmt:
		all = w.part(all, s.Init)
		x := guard(s.Assign)
		all = append(all, piece{x.Pos(), x.End(), w.val(x, false)},
			piece{s.Body.Pos(), s.Body.End(), w.switched(s, s.Body)})
	case *ast.CaseClause:
		for _, e := range s.List {
			all = append(all, piece{e.Pos(), e.End(), w.whole(e, mark)})
		}
		text, end := w.clause(s)
		all = append(append(all, piece{s.Colon + 1, s.Colon + 1, text}), w.stmts(s.Body)...)
		end()
	case *ast.SelectStmt:
		outer := w.held
		w.held = nil
		text := w.splice(s.Pos(), s.End(), piece{s.Body.Pos(), s.Body.End(), w.block(s.Body)})
		w.pending, w.held = append(w.pending, w.held...), outer
		return text
	case *ast.CommClause:
		if s.Comm != nil {
			text, chosen := w.comm(s.Comm)
			op := w.chosen(s.Comm)
			w.held = append(w.held, w.since(mark)...)
			all = append(all, piece{s.Comm.Pos(), s.Comm.End(), text},
				piece{s.Colon + 1, s.Colon + 1, " " + w.counts(chosen) + op})
		}
		all = append(all, w.stmts(s.Body)...)
	default:
		return w.operated(s, w.simple(s, true))
	}
	return w.splice(s.Pos(), s.End(), all...)
}

// forStmt is a loop with a condition, or without end.
func (w *fn) forStmt(s *ast.ForStmt) string {
	var init, head []piece
	init = w.part(init, s.Init)
	l, body, from := w.steadyFor(s), "", w.mark()
	w.steadily(l, s, func() {
		mark := len(w.pending)
		if s.Cond != nil {
			head = append(head, piece{s.Cond.Pos(), s.Cond.End(), w.whole(s.Cond, mark)})
		}
		head = w.part(head, s.Post)
		w.dropped(w.since(mark))
		body = w.headed(s, func() string { return w.block(s.Body) })
	})
	text := w.iteration(body)
	if text == body {
		if t := l.forStmt(s, init, head, body, from); t != "" {
			return t
		}
	}
	all := append(append(init, head...), piece{s.Body.Pos(), s.Body.End(), text})
	return w.splice(s.Pos(), s.End(), all...)
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
func (w *fn) comm(s ast.Stmt) (text string, chosen []string) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, x := range s.Lhs {
			_, isMap := w.mapEntry(x)
			if s.Tok == token.ASSIGN && !isBlank(x) && (w.where(x) == heap || isMap) {
				chosen = append(chosen, w.counted(x, "store of "+w.object(x),
					"it is in a communication of a select", loi.Out, w.info.TypeOf(x), 0))
			} else if s.Tok == token.DEFINE && !isBlank(x) && w.where(x) == heap {
				chosen = append(chosen, w.counted(x, "store of "+w.object(x),
					"it is in the head of a statement", loi.Out, w.info.TypeOf(x), 0))
			}
		}
		return w.splice(s.Pos(), s.End(), w.seq(false, s.Rhs...)...), chosen
	}
	return w.simple(s, false), nil
}

// simple is a statement without statements in it. listed says that others may stand behind it.
func (w *fn) simple(s ast.Stmt, listed bool) string {
	if listed {
		if text := w.appending(s); text != "" {
			return text
		}
	}
	switch s := s.(type) {
	case *ast.ExprStmt:
		return w.splice(s.Pos(), s.End(), w.seq(false, s.X)...)
	case *ast.SendStmt:
		return w.splice(s.Pos(), s.End(), w.seq(false, s.Chan, s.Value)...)
	case *ast.ReturnStmt:
		if w.self != 0 && !w.late || w.apart(s) {
			return w.returning(s)
		}
		late := (w.defers || w.named) && len(s.Results) > 1 && w.mixed(s.Results...)
		return w.splice(s.Pos(), s.End(), w.seq(late, s.Results...)...)
	case *ast.GoStmt:
		return w.splice(s.Pos(), s.End(),
			piece{s.Call.Pos(), s.Call.End(), w.callExpr(s.Call, false, loi.GoSite)})
	case *ast.DeferStmt:
		return w.splice(s.Pos(), s.End(),
			piece{s.Call.Pos(), s.Call.End(), w.callExpr(s.Call, false, loi.DeferSite)})
	case *ast.DeclStmt:
		d := s.Decl.(*ast.GenDecl)
		if d.Tok != token.VAR {
			return w.raw(s)
		}
		var all []piece
		behind := ""
		for _, spec := range d.Specs {
			spec := spec.(*ast.ValueSpec)
			names := make([]ast.Expr, len(spec.Names))
			for i, x := range spec.Names {
				names[i] = x
			}
			values, loads := w.values(listed, names, spec.Values...)
			all = append(all, values...)
			behind += loads
			for _, x := range spec.Names {
				if len(spec.Values) > 0 {
					behind += w.defined(x, listed)
				} else {
					behind += w.variable(x)
				}
			}
		}
		return w.splice(s.Pos(), s.End(), all...) + behind
	case *ast.IncDecStmt:
		return w.assign(s, listed, "update", []ast.Expr{s.X})
	case *ast.AssignStmt:
		switch s.Tok {
		case token.DEFINE:
			values, loads := w.values(listed, s.Lhs, s.Rhs...)
			text := w.splice(s.Pos(), s.End(), values...) + loads
			for _, x := range s.Lhs {
				text += w.defined(x, listed)
			}
			return text
		case token.ASSIGN:
			return w.assign(s, listed, "store", s.Lhs, s.Rhs...)
		}
		return w.assign(s, listed, "update", s.Lhs, s.Rhs...)
	}
	if b, ok := s.(*ast.BranchStmt); ok {
		return w.jump(b)
	}
	return w.raw(s) // the empty one
}

// assign is an assignment to lhs.
func (w *fn) assign(s ast.Stmt, listed bool, kind string, lhs []ast.Expr,
	rhs ...ast.Expr) string {
	mode := loi.Out
	if kind == "update" {
		mode = loi.InOut
	}
	var left []piece
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
		text := ""
		switch m, isMap := w.mapEntry(x); {
		case isMap:
			text = w.mapIndex(ast.Unparen(x).(*ast.IndexExpr), m, mode, later)
		case isBlank(x):
			text = w.raw(x)
		case w.where(x) != heap || w.empty(w.info.TypeOf(x)):
			text = w.plain(x, later)
		case listed && w.again(x) && w.unchanged(x, lhs):
			from := w.mark()
			address := w.plain(x, false)
			if strings.Contains(address, "\n") {
				w.undo(from)
				w.left(x, kind+" of "+w.object(x), "it is on several lines", mode,
					w.info.TypeOf(x), 0)
				text = w.plain(x, later)
				break
			}
			text = w.raw(x)
			if kind == "update" && first && !later && !differ(w.panics(x), w.copied(rhs...)) {
				// V has the place evaluated first
				text, first = "*"+w.call("V", "&("+text+")"), false
			}
			behind += "; " + w.record(x, kind, mode, "&("+address+")")
		case w.swappable(x, rhs...) && !later && (i == 0 || w.panics(x) == 0):
			text = "*" + w.record(x, kind, mode, "&("+w.plain(x, later)+")")
		case listed && len(lhs) == 1 && len(rhs) == 1 && kind == "store" && !first && w.again(x) &&
			w.definable(rhs[0], w.info.TypeOf(x)) && !strings.Contains(w.raw(x), "\n"):
			// { t := V; *&X = t }
			v, t := rhs[0], w.fresh("")
			value := w.val(v, false)
			address := w.record(x, kind, mode, "&("+w.plain(x, false)+")")
			return w.splice(s.Pos(), s.End(),
				piece{x.Pos(), v.Pos(), "{ " + t + " := " + w.newlines(x.Pos(), v.Pos())},
				piece{v.Pos(), v.End(), value + "; " + w.onLine(s.Pos(), v.End(),
					"*"+address+" = "+t) + " }"})
		default:
			w.left(x, kind+" of "+w.object(x), "its operands may change before it is recorded", mode,
				w.info.TypeOf(x), 0)
			text = w.plain(x, later)
		}
		left = append(left, piece{x.Pos(), x.End(), text})
	}
	if first {
		return w.splice(s.Pos(), s.End(), append(left, w.seq(true, rhs...)...)...) + behind
	}
	values, loads := w.values(listed, lhs, rhs...)
	return w.splice(s.Pos(), s.End(), append(left, values...)...) + loads + behind
}

// values rewrites the right side of an assignment or definition; loads is what records some of it
// behind the statement.
func (w *fn) values(listed bool, lhs []ast.Expr, rhs ...ast.Expr) (all []piece, loads string) {
	if len(rhs) < 2 || !w.mingled(lhs, rhs) {
		return w.seq(false, rhs...), ""
	}
	for _, x := range rhs {
		text := ""
		if listed && w.where(x) == heap && !w.empty(w.info.TypeOf(x)) && w.again(x) &&
			w.unchanged(x, lhs) && !strings.Contains(w.raw(x), "\n") {
			text = w.raw(x)
			loads += "; " + w.record(x, "load", loi.In, "&("+w.plain(x, false)+")")
		} else {
			text = w.val(x, true)
		}
		all = append(all, piece{x.Pos(), x.End(), text})
	}
	return all, loads
}

// newlines are those of the source from lo to hi, for text that takes its place.
func (w *fn) newlines(lo, hi token.Pos) string {
	return strings.Repeat("\n", strings.Count(w.splice(lo, hi), "\n"))
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
func (w *fn) variable(x ast.Expr) string {
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
func (w *fn) defined(x ast.Expr, listed bool) string {
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
func (w *fn) parameters(t *ast.FuncType, recv *ast.FieldList) (text string) {
	for _, list := range []*ast.FieldList{recv, t.Params, t.Results} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			for _, x := range f.Names {
				if list == t.Results {
					text += inside(w.variable(x))
				} else {
					text += inside(w.defined(x, true))
				}
			}
		}
	}
	return text
}

func (w *fn) mapEntry(x ast.Expr) (*types.Map, bool) {
	e, ok := ast.Unparen(x).(*ast.IndexExpr)
	if !ok {
		return nil, false
	}
	m, ok := core(w.info.TypeOf(e.X)).(*types.Map)
	return m, ok
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// unchanged reports that storing to all of lhs changes nothing that the address of x is made of.
func (w *fn) unchanged(x ast.Expr, lhs []ast.Expr) bool {
	loads, vars := w.operands(x)
	for _, l := range lhs {
		if isBlank(l) {
			continue
		}
		if v := rootVar(w.info, l); v != nil && vars[v] && w.where(l) != heap {
			return false
		}
		t := w.info.TypeOf(l)
		if _, isMap := w.mapEntry(l); isMap || w.where(l) == heap || len(w.shaky) > 0 {
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
func (w *fn) definable(v ast.Expr, t types.Type) bool {
	if w.untyped(v) {
		return false
	}
	return types.AssignableTo(w.info.TypeOf(v), t)
}

// rangeStmt is a loop over something.
func (w *fn) rangeStmt(s *ast.RangeStmt) string {
	var head, body string
	pieces := []piece{}
	x := piece{s.X.Pos(), s.X.End(), ""}
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
	key := piece{}
	l, from := w.steadyRange(s), w.mark()
	switch u := core(t).(type) {
	case *types.Slice:
		x.text = w.val(s.X, false)
		if !visits || w.empty(u.Elem()) {
			break
		}
		if name, ok := w.rangeKey(s, &key, "int"); ok {
			base := w.fresh(w.prefix + "A.U")
			if parametric(u.Elem()) {
				bytes := w.fresh(w.prefix + "A.U")
				of := w.fresh(w.prefix + "A.U")
				x.text = w.call("RX", "&"+base, "&"+bytes, "&"+of, x.text)
				w.looped(s, func() {
					site := w.windowSite(s, "range", loi.In, typeString(t), u.Elem())
					body += " " + w.call("EX", base, name, bytes, of, site) + ";"
				})
				break
			}
			x.text, from = w.call("R", "&"+base, x.text), w.mark()
			w.steadily(l, s, func() { body += w.element(s, typeString(t), u.Elem(), base, name) })
		} else {
			alone(u.Elem(), 0)
		}
	case *types.Basic:
		x.text = w.val(s.X, false)
		if u.Info()&types.IsString == 0 || !visits {
			break
		}
		if name, ok := w.rangeKey(s, &key, "int"); ok {
			base := w.fresh(w.prefix + "A.U")
			x.text = w.call("RS", "&"+base, x.text)
			w.looped(s, func() {
				body += w.element(s, typeString(t), types.Typ[types.Byte], base, name)
			})
		} else {
			alone(types.Typ[types.Byte], 0)
		}
	case *types.Array:
		if !visits {
			x.text = w.raw(s.X)
			break
		}
		x.text = w.plain(s.X, false)
		if w.where(s.X) != heap || w.empty(u.Elem()) {
			break
		}
		if parametric(u.Elem()) {
			alone(u.Elem(), 0)
		} else if name, ok := w.rangeKey(s, &key, "int"); ok {
			base := w.fresh(w.prefix + "A.U")
			x.text = "*" + w.call("RP", "&"+base, "&("+x.text+")")
			w.looped(s, func() { body += w.element(s, typeString(t), u.Elem(), base, name) })
		} else {
			alone(u.Elem(), 0)
		}
	case *types.Pointer: // to an array
		if !visits {
			x.text = w.raw(s.X)
			break
		}
		x.text = w.val(s.X, false)
		a, _ := u.Elem().Underlying().(*types.Array)
		if a == nil || w.empty(a.Elem()) {
			break
		}
		if _, plain := types.Unalias(t).(*types.Pointer); !plain || parametric(a.Elem()) {
			alone(a.Elem(), 0)
		} else if name, ok := w.rangeKey(s, &key, "int"); ok {
			base := w.fresh(w.prefix + "A.U")
			x.text = w.call("RP", "&"+base, x.text)
			w.looped(s, func() { body += w.element(s, typeString(u.Elem()), a.Elem(), base, name) })
		} else {
			alone(a.Elem(), 0)
		}
	case *types.Map:
		x.text = w.val(s.X, false)
		if s.Key == nil {
			break
		}
		if name, ok := w.rangeKey(s, &key, ""); ok {
			base := w.fresh(w.prefix + "A.U")
			x.text = w.call("RM", "&"+base, x.text)
			w.looped(s, func() {
				site := w.mapSite(s, "range-map", loi.In, t, u)
				body += " " + w.call("MP", base, site) + "; " + w.call("K", name, site) + ";"
			})
		} else {
			alone(nil, 2)
		}
	default: // integers, channels, functions
		x.text = w.val(s.X, false)
		if _, several := types.Unalias(t).(*types.TypeParam); several && u == nil && visits {
			alone(nil, 0)
		}
	}
	w.steadily(l, s, func() { head = w.headed(s, func() string { return w.block(s.Body) }) })
	inner := "{" + w.counts(each) + body + head[1:]
	text := w.iteration(inner)
	if text == inner && len(each) == 0 {
		if t := l.rangeStmt(s, x.text, key.text, body, head, from); t != "" {
			return t
		}
	}
	if key.pos != 0 {
		pieces = append(pieces, key)
	}
	pieces = append(pieces, x, piece{s.Body.Pos(), s.Body.End(), text})
	return w.splice(s.Pos(), s.End(), pieces...)
}

// element records a visit of element name of what base points to.
func (w *fn) element(s *ast.RangeStmt, object string, t types.Type, base, name string) string {
	site := w.windowSite(s, "range", loi.In, object, t)
	last := &w.out.Sites[len(w.out.Sites)-1]
	last.Bytes = last.Element
	return " " + w.call("E", base, name, strconv.FormatUint(last.Element, 10), site) + ";"
}

// rangeKey is the name of a loop's key, made up where it has none; false if it cannot be had.
func (w *fn) rangeKey(s *ast.RangeStmt, key *piece, t string) (string, bool) {
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
	*key = piece{s.Key.Pos(), s.Key.End(), name}
	return name, true
}
