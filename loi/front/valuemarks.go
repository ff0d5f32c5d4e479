package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"krdlab/loi"
)

// marked marks the operand of the last value that is what it writes, x of statement s: as an
// induction variable of the innermost loop, or as a reduction in as many loops as it is one.
func (m *maker) marked(s ast.Stmt, x ast.Expr) {
	var self *loi.Operand
	for i := range m.on.Operands {
		if o := &m.on.Operands[i]; o.From == m.on.To && !o.Control {
			self = o
		}
	}
	if self == nil || len(m.loops) == 0 {
		return
	}
	loops := m.loops
	inner := loops[len(loops)-1]
	if id, ok := ast.Unparen(x).(*ast.Ident); ok && isPost(inner, s) && m.steps(inner, id) {
		self.Mark, self.Levels = loi.Induction, 1
		return
	}
	for i := len(loops) - 1; i >= 0 && m.reduces(loops[i], x); i-- {
		self.Mark, self.Levels = loi.Reduction, self.Levels+1
	}
	if id, ok := ast.Unparen(x).(*ast.Ident); ok && self.Levels == 0 && m.steps(inner, id) {
		self.Mark, self.Levels = loi.Induction, 1
	}
}

func isPost(loop, s ast.Stmt) bool {
	f, ok := loop.(*ast.ForStmt)
	return ok && f.Post == s
}

// steps reports that all that a loop does to a variable is to add what it does not change, once in
// each iteration.
func (r *source) steps(loop ast.Stmt, id *ast.Ident) bool {
	v, _ := r.info.ObjectOf(id).(*types.Var)
	if v == nil || r.where(id) != local {
		return false
	}
	found := 0
	for _, s := range r.writes(loop, v) {
		var y ast.Expr
		switch s := s.(type) {
		case *ast.IncDecStmt:
		case *ast.AssignStmt:
			if s.Tok != token.ADD_ASSIGN && s.Tok != token.SUB_ASSIGN {
				return false
			}
			y = s.Rhs[0]
		default:
			return false
		}
		if y != nil && !r.invariant(loop, y) || !directly(loop, s) {
			return false
		}
		found++
	}
	return found == 1
}

// directly reports that a statement is one of the list of a loop's body, or its post statement.
func directly(loop ast.Stmt, s ast.Node) bool {
	var list []ast.Stmt
	switch l := loop.(type) {
	case *ast.ForStmt:
		if l.Post == s {
			return true
		}
		list = l.Body.List
	case *ast.RangeStmt:
		list = l.Body.List
	}
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// writes returns the statements of a loop that write a variable, but for what a for begins with.
func (r *source) writes(loop ast.Stmt, v *types.Var) []ast.Node {
	return r.stores(loop, v, func(e ast.Expr) bool {
		_, whole := ast.Unparen(e).(*ast.Ident)
		return whole || r.where(e) == local
	})
}

// stores returns those that write places which begin with a variable and for which ok holds.
func (r *source) stores(loop ast.Stmt, v *types.Var, ok func(ast.Expr) bool) (all []ast.Node) {
	is := func(e ast.Expr) bool {
		id, is := base(e).(*ast.Ident)
		return is && r.info.ObjectOf(id) == v && ok(e)
	}
	init := ast.Stmt(nil)
	if f, is := loop.(*ast.ForStmt); is {
		init = f.Init
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		if n != nil && n == ast.Node(init) {
			return false
		}
		switch s := n.(type) {
		case *ast.AssignStmt:
			for _, x := range s.Lhs {
				if is(x) {
					all = append(all, s)
				}
			}
		case *ast.IncDecStmt:
			if is(s.X) {
				all = append(all, s)
			}
		case *ast.RangeStmt:
			if s.Key != nil && is(s.Key) || s.Value != nil && is(s.Value) {
				all = append(all, s)
			}
		}
		return true
	})
	return all
}

// invariant reports that an expression is of constants and of local variables that a loop does not
// change.
func (r *source) invariant(loop ast.Stmt, e ast.Expr) bool {
	return r.madeOf(e, func(v *types.Var) bool { return len(r.writes(loop, v)) == 0 })
}

// madeOf reports that an expression is of constants, operators, lengths and local variables for
// which ok holds.
func (r *source) madeOf(e ast.Expr, ok func(*types.Var) bool) bool {
	if e == nil || r.info.Types[e].Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.madeOf(e.X, ok)
	case *ast.Ident:
		v, is := r.info.ObjectOf(e).(*types.Var)
		return is && r.where(e) == local && ok(v)
	case *ast.BinaryExpr:
		return r.madeOf(e.X, ok) && r.madeOf(e.Y, ok)
	case *ast.UnaryExpr:
		return e.Op != token.ARROW && e.Op != token.AND && r.madeOf(e.X, ok)
	case *ast.CallExpr:
		name := r.builtin(e)
		return (name == "len" || name == "cap") && r.madeOf(e.Args[0], ok) ||
			r.info.Types[e.Fun].IsType() && r.madeOf(e.Args[0], ok)
	}
	return false
}

// regular reports that the condition of a loop is of induction variables and of what the loop does
// not change.
func (r *source) regular(f *ast.ForStmt) bool {
	return r.countable(f, f.Cond)
}

// associative are the operators of reductions; what is subtracted is added.
var associative = map[token.Token]bool{token.ADD: true, token.SUB: true, token.MUL: true,
	token.AND: true, token.OR: true, token.XOR: true, token.LAND: true, token.LOR: true}

// reduces reports that all that a loop does with the place x is to combine it with other values by
// one operator, in any order.
func (r *source) reduces(loop ast.Stmt, x ast.Expr) bool {
	id, ok := base(x).(*ast.Ident)
	if !ok {
		return false
	}
	v, _ := r.info.ObjectOf(id).(*types.Var)
	if v == nil {
		return false
	}
	switch e := ast.Unparen(x).(type) {
	case *ast.Ident:
	case *ast.IndexExpr:
		if !r.invariant(loop, e.Index) {
			return false
		}
	case *ast.SelectorExpr:
		if _, ok := ast.Unparen(e.X).(*ast.Ident); !ok {
			return false
		}
	default:
		return false // which of them is not looked at
	}
	uses, op, where := 0, token.ILLEGAL, types.ExprString(ast.Unparen(x))
	field := r.field(x)
	other := func(e ast.Expr) bool {
		n := r.field(e)
		return n >= 0 && field >= 0 && n != field
	}
	for _, s := range r.stores(loop, v, func(e ast.Expr) bool { return !other(e) }) {
		n, by := r.combines(s, where)
		if n == 0 || op != token.ILLEGAL && op != by {
			return false
		}
		uses, op = uses+n, by
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		e, ok := n.(*ast.SelectorExpr)
		if ok && r.of(e.X, v) && other(e) {
			return false
		}
		if id, ok := n.(*ast.Ident); ok && r.info.ObjectOf(id) == v {
			uses--
		}
		return true
	})
	return op != token.ILLEGAL && uses == 0
}

// of reports that an expression is a variable.
func (r *source) of(e ast.Expr, v *types.Var) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && r.info.ObjectOf(id) == v
}

// field returns the number of the field of a variable that an expression is, or is a part of; -1: it
// is no such part.
func (r *source) field(e ast.Expr) int {
	n := -1
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e, n = x.X, -1
		case *ast.StarExpr:
			e, n = x.X, -1
		case *ast.SelectorExpr:
			e, n = x.X, -1
			if s := r.info.Selections[x]; s != nil && s.Kind() == types.FieldVal {
				n = s.Index()[0]
			}
		default:
			return n
		}
	}
}

// uses yields 1 for each time that a loop names a variable.
func (r *source) uses(loop ast.Stmt, v *types.Var) func(func(int) bool) {
	return func(yield func(int) bool) {
		ast.Inspect(loop, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && r.info.ObjectOf(id) == v {
				return yield(1)
			}
			return true
		})
	}
}

// combines returns how often a statement that combines the place `where` with other values names
// it, and by which operator; 0 if it does something else.
func (r *source) combines(n ast.Node, where string) (int, token.Token) {
	is := func(e ast.Expr) bool { return types.ExprString(ast.Unparen(e)) == where }
	one := func(op token.Token) token.Token {
		if op == token.SUB {
			return token.ADD
		}
		return op
	}
	switch s := n.(type) {
	case *ast.IncDecStmt:
		if is(s.X) {
			return 1, token.ADD
		}
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || !is(s.Lhs[0]) {
			return 0, 0
		}
		if op, ok := updates[s.Tok]; ok {
			if associative[op] && !r.text(s.Lhs[0]) {
				return 1, one(op)
			}
			return 0, 0
		}
		switch y := ast.Unparen(s.Rhs[0]).(type) {
		case *ast.BinaryExpr:
			if associative[y.Op] && !r.text(s.Lhs[0]) && (is(y.X) || is(y.Y) && y.Op != token.SUB) {
				return 2, one(y.Op)
			}
		case *ast.CallExpr:
			name := r.builtin(y)
			if name != "min" && name != "max" {
				return 0, 0
			}
			for _, a := range y.Args {
				if is(a) {
					if name == "min" {
						return 2, token.LSS
					}
					return 2, token.GTR
				}
			}
		}
	}
	return 0, 0
}

// text reports that e is a string, which is put together in one order only.
func (r *source) text(e ast.Expr) bool {
	b, ok := core(r.info.TypeOf(e)).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}
