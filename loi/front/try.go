package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"krdlab/loi"
)

// A Removal removes a dependence between the iterations of a loop, as package krd/analysis/loops has
// it: By is "private", "last value", "copy", "induction" or "reduction".
type Removal struct {
	By, Name string
	Operator string // of a reduction
	Rounds   bool   // it is of floating point
}

// A Tried is a loop of Options.Tries that was found. Why it is not tried; "": it is. Loose: the
// variables that its reductions round are not found by a name, and numbers of floating point are
// not compared.
type Tried struct {
	Loop, Why string
	Loose     bool
}

// A tried loop is executed in an order that the agent gives, which is known at entry:
//
//	for i := 1; i < j; i++ { s[i] = i } => { krdO0 := A.Try("main.f:2", 1, j, 1, 0);
//	                                    => for krdO0.Next() { i := krdO0.I; _ = i; { s[i] = i } };
//	                                    => krdO0.Look("", A.At("j", &j), A.At("s", &s)) }
//	for i = j; i >= 0; i -= 2 { s[i]++ } => { i = j; krdO0 := A.Try("main.f:2", i, 0, 2, 4);
//	                                     => for krdO0.Next() { i = krdO0.I; { s[i]++ } }; i = krdO0.I;
//	                                     => krdO0.Look("", A.At("i", &i), A.At("j", &j), A.At("s", &s)) }
//	for i := range 7 { g(i) } => { krdO0 := A.Try("main.f:2", 0, 7, 1, 0); for krdO0.Next() {
//	                          => i := krdO0.I; _ = i; { g(i) } }; krdO0.Look("main/a.go") }
//	for _, x := range bs { x.ctr++ } => { krdO0V := bs; _ = krdO0V; krdO0 := A.Try("main.f:2", 0, A.Len(krdO0V), 1, 0);
//	                                 => for krdO0.Next() { x := krdO0V[krdO0.I]; _ = x; { x.ctr++ } };
//	                                 => krdO0.Look("", A.At("bs", &bs)) }
//
// Look makes the agent note, behind the loop, the values of the variables of its body and of the
// data that they point to; if the body calls, those of the package too. The agent removes
// dependences: a variable gets the value that it has at the begin of each iteration, where it
// stands, and after the loop the value that the plain order leaves. A value that is read after the
// loop, or was copied, is noted before the statement that writes it (TestTried).
type tried struct {
	*fn
	loop     ast.Stmt
	body     *ast.BlockStmt
	name     string // of the agent's variable
	removals []Removal

	writes  []write
	written map[types.Object]bool // variables and fields, by the body
	called  bool                  // the body calls what may write
	index   types.Object          // that lives longer than an iteration
	own     []string              // what the head declares
	loose   bool                  // a reduction rounds that cannot be kept
	kept    []string              // calls of the agent
	marks   []noteBefore
}

// A write is an operand that the body assigns. in is the statement of a list that does it, nil: it is
// in a head.
type write struct {
	to ast.Expr
	by ast.Stmt
	in ast.Stmt
}

// A noteBefore is text before a statement.
type noteBefore struct {
	in   ast.Stmt
	text string
}

// triedOf rewrites the loops of a function that are executed in another order. It is the only pass:
// nothing is recorded.
func triedOf(w *fn) {
	var around ast.Stmt // the outermost label of the statement
	ast.Inspect(w.block, func(n ast.Node) bool {
		s, ok := n.(ast.Stmt)
		if !ok {
			lit, ok := n.(*ast.FuncLit)
			if in := w.literals[lit]; in != nil {
				triedOf(in)
			}
			return !ok
		}
		if _, label := s.(*ast.LabeledStmt); label && around == nil {
			around = s
			return true
		}
		whole := around
		if around = nil; whole == nil {
			whole = s
		}
		if !isLoop(s) {
			return true
		}
		name := (&Region{Kind: loi.Loop, Function: w.name, Line: w.lineAt(s.Pos())}).Name()
		removals, asked := w.opt.Tries[name]
		if !asked {
			return true
		}
		t := &tried{fn: w, loop: s, body: bodyOf(s), removals: removals,
			name: fmt.Sprintf("%sO%d", w.prefix, len(w.out.Tried)), written: map[types.Object]bool{}}
		why := t.rewrite(name, whole)
		w.out.Tried = append(w.out.Tried, Tried{name, why, t.loose})
		return true
	})
}

// rewrite tries a loop, whole with its labels, or returns why not.
func (t *tried) rewrite(name string, whole ast.Stmt) string {
	_, label := unlabelled(whole)
	if t.jumps[label] {
		return "a goto leads to it"
	}
	if why := t.leaves(label); why != "" {
		return why
	}
	t.look()
	if strings.Contains(t.stretch(t.loop.Pos(), t.body.Lbrace), "\n") {
		return "its head is more than a line"
	}
	var h tryHead
	var why string
	switch s := t.loop.(type) {
	case *ast.RangeStmt:
		h, why = t.rangeHead(s)
	case *ast.ForStmt:
		h, why = t.forHead(s)
	}
	if why == "" {
		why = t.carry()
	}
	if why != "" {
		return why
	}
	args := strings.Join(append([]string{fmt.Sprintf("%q", name), h.bounds}, t.kept...), ", ")
	t.events++
	t.before(whole, "{ "+h.before+t.name+" := "+t.prefix+"A.Try("+args+"); ")
	t.replace(t.loop.Pos(), t.body.Lbrace+1, "for "+t.name+".Next() { "+h.each+"{")
	t.after(t.body, " }"+h.after+"; "+t.name+".Look("+t.roots()+") }")
	for _, m := range t.marks {
		t.before(m.in, m.text)
	}
	return ""
}

// leaves returns why the body, of a loop with a label, may be left other than at its end.
func (t *tried) leaves(label string) (why string) {
	inside := labelled(t.body)
	var look func(in ast.Node, breaks, literal bool)
	look = func(in ast.Node, breaks, literal bool) {
		ast.Inspect(in, func(n ast.Node) bool {
			if n == in || why != "" {
				return why == ""
			}
			switch n := n.(type) {
			case *ast.FuncLit:
				look(n.Body, true, true)
				return false
			case *ast.ForStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
				look(n, true, literal)
				return false
			case *ast.RangeStmt:
				if _, channel := core(t.info.TypeOf(n.X)).(*types.Chan); channel {
					why = "its body receives"
				}
				look(n, true, literal)
				return false
			case *ast.ReturnStmt:
				if !literal {
					why = "its body returns"
				}
			case *ast.DeferStmt:
				if !literal {
					why = "its body defers"
				}
			case *ast.SelectStmt, *ast.SendStmt:
				why = "its body has channel operations"
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					why = "its body has channel operations"
				}
			case *ast.BranchStmt:
				_, within := inside[labelOf(n)]
				switch {
				case literal || n.Label != nil && within && n.Tok != token.GOTO || n.Tok == token.FALLTHROUGH:
				case n.Tok == token.GOTO:
					why = "its body has a goto"
				case n.Label == nil && n.Tok == token.BREAK && !breaks,
					n.Label != nil && (n.Tok == token.BREAK || n.Label.Name != label):
					why = fmt.Sprintf("its body ends it by a %v", n.Tok)
				}
			}
			return why == ""
		})
	}
	look(t.body, false, false)
	return why
}

func labelOf(n *ast.BranchStmt) string {
	if n.Label == nil {
		return ""
	}
	return n.Label.Name
}

// look finds what the body writes.
func (t *tried) look() {
	in := map[ast.Stmt]ast.Stmt{} // the statement of a list that one, or its beginning, is
	list := func(all []ast.Stmt) {
		for _, s := range all {
			s, _ = unlabelled(s)
			in[s] = s
			switch x := s.(type) {
			case *ast.ForStmt:
				in[x.Init] = s
			case *ast.IfStmt:
				in[x.Init] = s
			case *ast.SwitchStmt:
				in[x.Init] = s
			}
		}
	}
	add := func(s ast.Stmt, to ...ast.Expr) {
		for _, e := range to {
			if e = ast.Unparen(e); e == nil || isBlank(e) {
				continue
			}
			if id, ok := e.(*ast.Ident); ok && t.info.Defs[id] != nil {
				continue
			}
			t.writes = append(t.writes, write{e, s, in[s]})
			t.changes(e)
		}
	}
	ast.Inspect(t.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			list(n.List)
		case *ast.CaseClause:
			list(n.Body)
		case *ast.AssignStmt:
			add(n, n.Lhs...)
		case *ast.IncDecStmt:
			add(n, n.X)
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil {
					add(n, e)
					in[n] = nil
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				t.changes(n.X)
			}
		case *ast.CallExpr:
			t.called = t.called || t.calls(n)
			switch name := t.builtin(n); name {
			case "copy", "clear", "delete", "append":
				t.changes(n.Args[0])
				t.called = true
			}
		}
		return true
	})
}

// changes notes that a variable or field is written.
func (t *tried) changes(e ast.Expr) {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		t.written[t.info.ObjectOf(x)] = true
	case *ast.SelectorExpr:
		t.written[t.info.ObjectOf(x.Sel)] = true
		if v := rootVar(t.info, x); v != nil {
			t.written[v] = true
		}
	case *ast.IndexExpr:
		if v := rootVar(t.info, x); v != nil {
			t.written[v] = true
		}
	}
}

// known reports that e is known at the loop's entry: it calls nothing and names nothing that the body
// writes; that no iteration writes it otherwise follows from the loop's class.
func (t *tried) known(e ast.Expr) bool {
	ok := t.again(e) && t.newlines(e.Pos(), e.End()) == ""
	ast.Inspect(e, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is {
			o := t.info.ObjectOf(id)
			ok = ok && !t.written[o] && o != t.index &&
				(o == nil || o.Pos() < t.loop.Pos() || o.Pos() >= t.loop.End())
		}
		return ok
	})
	return ok
}

// text returns a value, in digits if it is constant.
func (t *tried) text(e ast.Expr) string {
	if tv := t.info.Types[e]; tv.Value != nil {
		if b, ok := tv.Type.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			return t.constant(e)
		}
	}
	return t.raw(e)
}
