package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strconv"
	"strings"
)

const unknown = "its iterations are not known at entry"

// A tryHead replaces a loop's head: the text before the loop, the agent's arguments on its
// iterations, the text at the begin of an iteration, and the text behind the loop.
type tryHead struct{ before, bounds, each, after string }

func (t *tried) rangeHead(s *ast.RangeStmt) (h tryHead, why string) {
	over := t.name + "V"
	h.before = over + " := " + t.raw(s.X) + "; _ = " + over + "; "
	x := t.info.TypeOf(s.X)
	length := over
	ranged := core(x)
	if p, ok := ranged.(*types.Pointer); ok {
		ranged = core(p.Elem())
	}
	switch u := ranged.(type) {
	case *types.Basic:
		if u.Info()&types.IsInteger == 0 {
			return h, "it ranges over a string"
		}
		if types.Identical(types.Default(x), types.Typ[types.Int]) && t.info.Types[s.X].Value != nil {
			h.before, length = "", t.text(s.X)
		}
	case *types.Slice:
		length = t.prefix + "A.Len(" + over + ")"
	case *types.Array: // it is not evaluated for its indices, unless that calls
		if length = strconv.FormatInt(u.Len(), 10); (s.Value == nil || isBlank(s.Value)) && !t.calls(s.X) {
			h.before = "_ = func() { _ = " + t.raw(s.X) + " }; "
		}
	case nil:
		return h, "what it ranges over is of several types"
	default:
		return h, "it ranges over " + typeString(u)
	}
	literal := false
	ast.Inspect(s.X, func(n ast.Node) bool {
		_, lit := n.(*ast.FuncLit)
		literal = literal || lit
		return true
	})
	switch {
	case s.Tok == token.ASSIGN:
		return h, "its head assigns what it ranges over"
	case literal || parametric(x):
		return h, "its head has a function, or is generic"
	}
	for _, e := range []ast.Expr{s.Key, s.Value} {
		id, ok := e.(*ast.Ident)
		if !ok || isBlank(id) {
			continue
		}
		value := t.name + ".I"
		if e == s.Value {
			value = over + "[" + value + "]"
		}
		t.own = append(t.own, id.Name)
		h.each += id.Name + " := " + value + "; _ = " + id.Name + "; "
		if why = t.shared(); why != "" {
			return h, why
		}
	}
	h.bounds = "0, " + length + ", 1, 0"
	return h, ""
}

// shared returns why each iteration cannot have a variable of its own: before Go 1.22 it has none.
func (t *tried) shared() (why string) {
	if m := t.pkg.Module; m == nil || m.GoVersion == "" ||
		version.Compare(fmt.Sprintf("go%s", m.GoVersion), "go1.22") >= 0 {
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

func (t *tried) forHead(s *ast.ForStmt) (h tryHead, why string) {
	c, ok := s.Cond.(*ast.BinaryExpr)
	if !ok {
		return h, unknown
	}
	x, y, op := c.X, c.Y, c.Op
	step, times, ok := t.step(s, x)
	if !ok { // n > i
		if x, y = y, x; op != token.NEQ {
			op = mirrored[op]
		}
		if step, times, ok = t.step(s, x); !ok {
			return h, unknown
		}
	}
	number, compares := tripOf[op]
	if op == token.NEQ && times < 0 {
		number = tripNotEqualDown
	}
	id := ast.Unparen(x).(*ast.Ident)
	v := t.info.ObjectOf(id).(*types.Var)
	b, basic := v.Type().Underlying().(*types.Basic)
	if !basic || b.Info()&types.IsInteger == 0 || global(v) || !compares || op == token.NEQ && step != "1" ||
		(number >= tripMore) != (times < 0) || !t.known(y) {
		return h, unknown
	}
	from, declared := id.Name, false
	if s.Init != nil {
		init, ok := s.Init.(*ast.AssignStmt)
		if !ok || len(init.Lhs) != 1 || !sameVar(t.info, init.Lhs[0], v) {
			return h, "its head has more than one index"
		}
		if declared = init.Tok == token.DEFINE; declared {
			from = t.raw(init.Rhs[0])
		} else {
			h.before = t.raw(init) + "; "
		}
	}
	h.bounds = fmt.Sprintf("%s, %s, %s, %d", from, t.text(y), step, number)
	if t.written[v] && s.Post != nil || t.shaky[v] && !declared {
		return h, "its body writes its index"
	}
	if declared {
		t.own = []string{id.Name}
		h.each = id.Name + " := " + t.name + ".I; _ = " + id.Name + "; "
		return h, t.shared()
	}
	t.index = v
	h.each = id.Name + " = " + t.name + ".I; "
	h.after = "; " + id.Name + " = " + t.name + ".I"
	return h, ""
}

// tripOf are the comparisons of T.
var tripOf = map[token.Token]int{token.LSS: tripLess, token.LEQ: tripLessOrEqual,
	token.GTR: tripMore, token.GEQ: tripMoreOrEqual, token.NEQ: tripNotEqual}

func sameVar(info *types.Info, e ast.Expr, v *types.Var) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && info.ObjectOf(id) == v
}

// step returns the step of a loop's index, in its head or, for a removed dependence, in its body.
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

// counted returns the step that each write of a variable adds to it, and how many times.
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

// added returns the number that a statement adds to x, and how many times.
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
