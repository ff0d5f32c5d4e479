package front

import (
	"go/ast"
	"go/token"

	"krdlab/loi"
)

// accesses records the loads, stores and allocations of a function. Its edits stand inside those of
// all other passes.
type accesses struct {
	*fn
	loop    int      // line of the innermost one
	pending []string // sites whose counts are not placed yet (counts.go)
	held    []string // those of a select's channels and values
	still   bool     // nothing is called in the expressions that are rewritten: their loads may be early
	late    *late    // of the assignment whose values are rewritten; nil: nothing is recorded behind it
}

func (w *accesses) block(b *ast.BlockStmt) { w.stmts(b.List) }

func (w *accesses) stmts(list []ast.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

// stmt rewrites a statement of a list; others may be put before and behind it.
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

// part rewrites an optional statement that stands in the head of another.
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

// statement works like stmt, without the counts of the statement's own expressions.
func (w *accesses) statement(s ast.Stmt) {
	mark := len(w.pending)
	switch s := s.(type) {
	case *ast.BlockStmt:
		w.block(s)
	case *ast.LabeledStmt:
		w.statement(s.Stmt)
	case *ast.IfStmt:
		w.part(s.Init)
		w.still = !w.calls(s.Cond)
		w.whole(s.Cond, mark)
		w.still = false
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
	case *ast.AssignStmt:
		w.still = !w.calls(s.Lhs...) && !w.calls(s.Rhs...)
		w.simple(s, true)
		w.still = false
	default:
		w.simple(s, true)
	}
}

// forStmt rewrites a loop with a condition, or without end.
//
//	for ; ; s[i]++ { break }  =>  for ; ; *A.L(B, &(s[i]), 1)++ { break }
//	L: for { p.ctr = 1; continue L }  =>  L: for { p.ctr = 1; A.L(B, &(p.ctr), 1); continue L }
//	for p.s[i] > g() { h() }  =>  for A.P(B, p, 48, 2).s[i] > g() { h() }
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

// guard returns the x of x.(type).
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

// comm rewrites a communication of a select. Its channels and the values sent are evaluated before.
// Its left side is evaluated only if it is chosen, and is left alone.
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

// simple rewrites a statement without statements in it. listed: others may stand behind it.
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
