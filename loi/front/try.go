package front

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"krdlab/loi"
)

// A Removal removes a dependence between the iterations of a loop, as package krd/analysis/loops has
// it: By is "private", "last value", "copy", "induction" or "reduction".
type Removal struct {
	By, Name string
	Operator string // of a reduction
}

// A Tried is a loop of Options.Tries that was found. Why it is not tried; "": it is.
type Tried struct{ Loop, Why string }

// A tried loop is executed in an order that the agent gives, which is known at entry:
//
//	for i := 1; i < j; i++ { s[i] = i } => { krdO0 := A.Try("main.f:2", 1, j, 1, 0);
//	                                    => for krdO0.Next() { i := krdO0.I; _ = i; { s[i] = i } } }
//	for i = j; i >= 0; i -= 2 { s[i]++ } => { i = j; krdO0 := A.Try("main.f:2", i, 0, 2, 4);
//	                                     => for krdO0.Next() { i = krdO0.I; { s[i]++ } }; i = krdO0.I }
//	for i := range 7 { g(i) } => { krdO0 := A.Try("main.f:2", 0, 7, 1, 0); for krdO0.Next() {
//	                          => i := krdO0.I; _ = i; { g(i) } } }
//	for _, x := range bs { x.ctr++ } => { krdO0V := bs; krdO0 := A.Try("main.f:2", 0, len(krdO0V), 1, 0);
//	                                 => for krdO0.Next() { x := krdO0V[krdO0.I]; _ = x; { x.ctr++ } } }
//
// What removes dependences is carried out by the agent: a variable gets the value that it has at the
// begin of each iteration, where it stands, and after the loop what the plain order leaves. What is
// read after the loop, or was copied, is noted before the statement that writes it (TestTried).
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

// triedOf is the pass over the loops of a function that are executed in another order. It is alone:
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
		w.out.Tried = append(w.out.Tried, Tried{name, why})
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
	before, bounds, each, after, why := t.head()
	if why == "" {
		why = t.carry()
	}
	if why != "" {
		return why
	}
	args := strings.Join(append([]string{fmt.Sprintf("%q", name), bounds}, t.kept...), ", ")
	t.events++
	t.before(whole, "{ "+before+t.name+" := "+t.prefix+"A.Try("+args+"); ")
	t.replace(t.loop.Pos(), t.body.Lbrace+1, "for "+t.newlines(t.loop.Pos(), t.body.Lbrace)+
		t.name+".Next() { "+each+"{")
	t.after(t.body, " }"+after+" }")
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

// text is a value, in digits if it is constant.
func (t *tried) text(e ast.Expr) string {
	if tv := t.info.Types[e]; tv.Value != nil {
		if b, ok := tv.Type.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			return t.constant(e)
		}
	}
	return t.raw(e)
}

const unknown = "its iterations are not known at entry"

// head returns what stands before the loop, the agent's arguments, the begin of an iteration, and what
// is behind the loop; or why it is not tried.
func (t *tried) head() (before, bounds, each, after, why string) {
	switch s := t.loop.(type) {
	case *ast.RangeStmt:
		return t.rangeHead(s)
	case *ast.ForStmt:
		return t.forHead(s)
	}
	return
}

func (t *tried) rangeHead(s *ast.RangeStmt) (before, bounds, each, after, why string) {
	length := ""
	switch u := core(t.info.TypeOf(s.X)).(type) {
	case *types.Basic:
		if u.Info()&types.IsInteger == 0 {
			return "", "", "", "", "it ranges over a string"
		}
		if length = t.text(s.X); t.info.Types[s.X].Value == nil {
			before = t.name + "V := " + length + "; "
			length = t.name + "V"
		}
	case *types.Slice, *types.Array, *types.Pointer:
		before = t.name + "V := " + t.raw(s.X) + "; "
		length = "len(" + t.name + "V)"
	case nil:
		return "", "", "", "", "what it ranges over is of several types"
	default:
		return "", "", "", "", "it ranges over " + typeString(u)
	}
	literal := false
	ast.Inspect(s.X, func(n ast.Node) bool {
		_, lit := n.(*ast.FuncLit)
		literal = literal || lit
		return true
	})
	switch {
	case s.Tok == token.ASSIGN:
		return "", "", "", "", "its head assigns what it ranges over"
	case literal || t.newlines(s.Pos(), s.Body.Lbrace) != "" || parametric(t.info.TypeOf(s.X)):
		return "", "", "", "", "its head is more than a line, or generic"
	}
	for _, e := range []ast.Expr{s.Key, s.Value} {
		if e == nil || isBlank(e) {
			continue
		}
		name, value := e.(*ast.Ident).Name, t.name+".I"
		if e == s.Value {
			value = t.name + "V[" + value + "]"
		}
		t.own = append(t.own, name)
		each += name + " := " + value + "; _ = " + name + "; "
		if why = t.shared(e.(*ast.Ident)); why != "" {
			return
		}
	}
	return before, "0, " + length + ", 1, 0", each, "", ""
}

// shared returns why each iteration cannot have a variable of its own: before Go 1.22 it has none.
func (t *tried) shared(id *ast.Ident) (why string) {
	if m := t.pkg.Module; m == nil || m.GoVersion == "" ||
		version.Compare("go"+m.GoVersion, "go1.22") >= 0 {
		return ""
	}
	ast.Inspect(t.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			why = "its iterations share a variable, as before Go 1.22"
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				why = "its iterations share a variable, as before Go 1.22"
			}
		}
		return why == ""
	})
	return why
}

func (t *tried) forHead(s *ast.ForStmt) (before, bounds, each, after, why string) {
	no := func(why string) (string, string, string, string, string) { return "", "", "", "", why }
	c, ok := s.Cond.(*ast.BinaryExpr)
	if !ok || t.newlines(s.Pos(), s.Body.Lbrace) != "" {
		return no(unknown)
	}
	x, y, op := c.X, c.Y, c.Op
	step, times, ok := t.step(s, x)
	if !ok { // n > i
		x, y = y, x
		op = map[token.Token]token.Token{token.LSS: token.GTR, token.LEQ: token.GEQ, token.GTR: token.LSS,
			token.GEQ: token.LEQ, token.NEQ: token.NEQ}[op]
		if step, times, ok = t.step(s, x); !ok {
			return no(unknown)
		}
	}
	id := ast.Unparen(x).(*ast.Ident)
	v, _ := t.info.ObjectOf(id).(*types.Var)
	number, one := map[token.Token]int{token.LSS: tripLess, token.LEQ: tripLessOrEqual,
		token.GTR: tripMore, token.GEQ: tripMoreOrEqual, token.NEQ: tripNotEqual}[op], step == "1"
	if op == token.NEQ && times < 0 {
		number = tripNotEqualDown
	}
	b, integer := v.Type().Underlying().(*types.Basic)
	switch {
	case !integer || b.Info()&types.IsInteger == 0 || global(v) || op == token.EQL,
		op == token.NEQ && !one || (number >= tripMore) != (times < 0), !t.known(y):
		return no(unknown)
	}
	from := t.name + "F"
	switch init := s.Init.(type) {
	case nil:
		from = id.Name
	case *ast.AssignStmt:
		if len(init.Lhs) != 1 || !sameVar(t.info, init.Lhs[0], v) ||
			init.Tok != token.DEFINE && init.Tok != token.ASSIGN {
			return no("its head has more than one index")
		}
		from = t.raw(init.Rhs[0])
		if init.Tok == token.ASSIGN {
			before, from = id.Name+" = "+from+"; ", id.Name
		} else if why := t.shared(id); why != "" {
			return no(why)
		}
	default:
		return no(unknown)
	}
	bounds = fmt.Sprintf("%s, %s, %s, %d", from, t.text(y), step, number)
	if init, ok := s.Init.(*ast.AssignStmt); ok && init.Tok == token.DEFINE {
		if t.written[v] {
			return no("its body writes its index")
		}
		t.own = []string{id.Name}
		return before, bounds, id.Name + " := " + t.name + ".I; _ = " + id.Name + "; ", "", ""
	}
	if s.Post != nil && t.written[v] || t.shaky[v] {
		return no("its body writes its index")
	}
	t.index = v
	return before, bounds, id.Name + " = " + t.name + ".I; ", "; " + id.Name + " = " + t.name + ".I", ""
}

func sameVar(info *types.Info, e ast.Expr, v *types.Var) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && info.ObjectOf(id) == v
}

// step is by what a loop steps an index, in its head or, as what is removed has it, in its body.
func (t *tried) step(s *ast.ForStmt, x ast.Expr) (step string, times int, ok bool) {
	id, is := ast.Unparen(x).(*ast.Ident)
	if !is {
		return "", 0, false
	}
	v, is := t.info.ObjectOf(id).(*types.Var)
	if !is {
		return "", 0, false
	}
	if s.Post != nil {
		return t.added(s.Post, id)
	}
	if !slices.ContainsFunc(t.removals, func(r Removal) bool {
		return r.By == "induction" && r.Name == id.Name
	}) {
		return "", 0, false
	}
	return t.counted(func(e ast.Expr) bool { return sameVar(t.info, e, v) })
}

// counted is what all writes of a variable add to it.
func (t *tried) counted(is func(ast.Expr) bool) (step string, times int, ok bool) {
	for _, w := range t.writes {
		if !is(w.to) {
			continue
		}
		s, n, adds := t.added(w.by, w.to)
		if !adds || ok && (s != step || n != times) {
			return "", 0, false
		}
		step, times, ok = s, n, true
	}
	return step, times, ok
}

// added is what a statement adds to x, so many times.
func (t *tried) added(s ast.Stmt, x ast.Expr) (step string, times int, ok bool) {
	same := func(e ast.Expr) bool { return t.raw(ast.Unparen(e)) == t.raw(ast.Unparen(x)) }
	var by ast.Expr
	switch s := s.(type) {
	case *ast.IncDecStmt:
		times = 1
		if s.Tok == token.DEC {
			times = -1
		}
		return "1", times, same(s.X)
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || !same(s.Lhs[0]) {
			return "", 0, false
		}
		op := s.Tok
		if by = s.Rhs[0]; op == token.ASSIGN {
			b, is := ast.Unparen(by).(*ast.BinaryExpr)
			switch {
			case !is:
				return "", 0, false
			case same(b.X):
				op, by = map[token.Token]token.Token{token.ADD: token.ADD_ASSIGN,
					token.SUB: token.SUB_ASSIGN}[b.Op], b.Y
			case same(b.Y) && b.Op == token.ADD:
				op, by = token.ADD_ASSIGN, b.X
			}
		}
		switch op {
		case token.ADD_ASSIGN:
			times = 1
		case token.SUB_ASSIGN:
			times = -1
		}
	}
	if times == 0 || !t.known(by) {
		return "", 0, false
	}
	if text := t.text(by); !strings.HasPrefix(text, "-") || t.info.Types[by].Value == nil {
		return text, times, true
	} else {
		return text[1:], -times, true
	}
}

// carry has the agent keep what removes dependences, or returns why it cannot.
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

// keep has the agent keep a variable.
func (t *tried) keep(name string, ways map[string]bool) string {
	what := strings.Join(sortedKeys(ways), ", ") + " " + name + ": "
	root, of, why := t.target(name)
	if why != "" {
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
	if !direct && !elsewhere && !t.passed(root) {
		return what + "it is no variable of the function"
	}
	exact = exact && !(elsewhere && t.called) && !t.aliased(root, name)
	private := !ways["last value"] && !ways["copy"]
	agent := t.prefix + "A."
	u := of.Underlying()
	if p, ok := u.(*types.Pointer); ok && slots {
		u = p.Elem().Underlying()
	}
	array, isArray := u.(*types.Array)
	_, isSlice := u.(*types.Slice)
	_ = array
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
	case isMap(u):
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

func isMap(t types.Type) bool {
	_, ok := t.(*types.Map)
	return ok
}

func sortedKeys(m map[string]bool) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// target finds the variable, or field of one, that a name is at the loop, and its type.
func (t *tried) target(name string) (root *types.Var, of types.Type, why string) {
	const none = "it is no variable of the function"
	e, err := parser.ParseExpr(name)
	if err != nil {
		return nil, nil, none
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
		return nil, nil, none
	}
	scope := t.pkg.Types.Scope().Innermost(t.loop.Pos())
	if scope == nil {
		return nil, nil, none
	}
	_, o := scope.LookupParent(id.Name, t.loop.Pos())
	if root, ok = o.(*types.Var); !ok {
		return nil, nil, none
	}
	of = root.Type()
	for _, field := range slices.Backward(path) {
		o, _, _ := types.LookupFieldOrMethod(of, true, t.pkg.Types, field)
		f, ok := o.(*types.Var)
		if !ok {
			return nil, nil, none
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

// rootOf is the variable that e begins with.
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

// passed reports that the body passes a variable, or what it is a part of, to a function.
func (t *tried) passed(v *types.Var) (found bool) {
	ast.Inspect(t.body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		for _, a := range c.Args {
			if x, slice := ast.Unparen(a).(*ast.SliceExpr); slice {
				a = x.X
			}
			found = found || t.rootOf(a) == v
		}
		return !found
	})
	return found
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
