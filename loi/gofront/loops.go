package gofront

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// A steady loop makes the same accesses in each iteration, each moved by as much as in the iteration
// before, as a[i] and p.f are in for i := 0; i < n; i++. Two iterations are recorded and then, in
// one event, how often these are repeated; the rest is run as it stands in the source:
//
//	for i := 0; i < n; i++ {    { i := 0; s, c := A.W(B, 1), 2; for ; i < n; i++ {
//	  t += a[i]                     t += *A.L(B, &a[i], 7)
//	}                             ; if c--; c == 0 && A.WE(B, s, 1, A.T(i, n, 1, 0), A.X(a, 7)) { i++; break } }
//	                              for ; i < n; i++ { t += a[i] } }
//
// WE compares the two iterations and checks that the last one stays within the slices, so that
// nothing panics halfway. Where it does not, the first loop goes on. What the source must show for
// that: the loop ends by its condition alone, the body calls nothing, and what its addresses are
// made of changes by as much in each iteration (class).
//
// Accesses whose addresses do not move so, such as x[col[i]], are recorded in the second loop too
// (LL); who reads the events puts the others between them.
//
// The types of variables may be too narrow for the last index of a loop whose steps wrap around:
// only 64 bits are computed with.
type steady struct {
	w        *fn
	body     *ast.BlockStmt
	index    *types.Var
	limit    string // source of what the index is compared with
	step     string // and how much it grows, or shrinks, at a time
	op       int
	assigned map[*types.Var]int      // how often the body assigns a local variable
	defined  map[*types.Var]ast.Expr // in the body, with a value of its own
	moved    map[*types.Var]bool     // by as much in each iteration
	stores   []types.Type            // what is stored to the heap
	maybe    []ast.Node              // what is not evaluated in each iteration
	sites    map[ast.Node]string     // of what is recorded
	twice    bool                    // something has two sites
	loose    map[ast.Node]bool       // what does not move by as much each time
	several  bool                    // an assignment is to several
	second   bool                    // the body is rewritten for the second loop
	loads    bool                    // the step does, or the limit
}

// The comparisons of T, of package krdagent.
const (
	tripLess = iota
	tripLessOrEqual
	tripNotEqual
	tripMore
	tripMoreOrEqual
	tripNotEqualDown
)

// SteadyMost is how many accesses an iteration of a steady loop has at most.
const SteadyMost = 24

// steadyFor returns what is known of a loop that may be steady, nil if it is not.
func (w *fn) steadyFor(s *ast.ForStmt) *steady {
	c, ok := s.Cond.(*ast.BinaryExpr)
	if !ok || s.Post == nil {
		return nil
	}
	l := w.newSteady(s.Body)
	id, ok := ast.Unparen(c.X).(*ast.Ident)
	if l == nil || !ok || !l.counts(id) {
		return nil
	}
	down := false
	switch p := s.Post.(type) {
	case *ast.IncDecStmt:
		l.step, down = "1", p.Tok == token.DEC
		if !l.isIndex(p.X) {
			return nil
		}
	case *ast.AssignStmt:
		if p.Tok != token.ADD_ASSIGN && p.Tok != token.SUB_ASSIGN || !l.isIndex(p.Lhs[0]) ||
			l.class(p.Rhs[0]) != fixed {
			return nil
		}
		l.step, down = w.raw(p.Rhs[0]), p.Tok == token.SUB_ASSIGN
		l.loads = loadsAny(p.Rhs[0])
	default:
		return nil
	}
	switch op := c.Op; {
	case op == token.LSS && !down:
		l.op = tripLess
	case op == token.LEQ && !down:
		l.op = tripLessOrEqual
	case op == token.NEQ && l.step == "1" && !down:
		l.op = tripNotEqual
	case op == token.GTR && down:
		l.op = tripMore
	case op == token.GEQ && down:
		l.op = tripMoreOrEqual
	case op == token.NEQ && l.step == "1":
		l.op = tripNotEqualDown
	default:
		return nil
	}
	if l.limit = w.raw(c.Y); l.class(c.Y) != fixed || !l.same(c) || !l.same(s.Post) {
		return nil
	}
	return l
}

// steadyRange is steadyFor of a loop over a slice or an integer that defines its variables.
func (w *fn) steadyRange(s *ast.RangeStmt) *steady {
	if s.Tok == token.ASSIGN {
		return nil
	}
	switch u := w.info.TypeOf(s.X).Underlying().(type) {
	case *types.Slice:
		if parametric(u.Elem()) {
			return nil
		}
	case *types.Basic:
		if u.Info()&types.IsInteger == 0 {
			return nil
		}
	default:
		return nil
	}
	l := w.newSteady(s.Body)
	if l == nil {
		return nil
	}
	if id, ok := s.Key.(*ast.Ident); ok && !isBlank(id) && !l.counts(id) {
		return nil
	}
	if s.Value != nil && !isBlank(s.Value) && (w.where(s.Value) != local || !l.same(s.Value)) {
		return nil
	}
	if s.Key != nil && !l.same(s.Key) || l.named("len", s.Pos()) != types.Universe.Lookup("len") {
		return nil
	}
	l.step = "1"
	return l
}

// newSteady looks at the body of a loop; nil if it does something that may not be repeated unseen.
func (w *fn) newSteady(body *ast.BlockStmt) *steady {
	if w.opt.Regions {
		return nil
	}
	l := &steady{w: w, body: body, assigned: map[*types.Var]int{},
		defined: map[*types.Var]ast.Expr{}, moved: map[*types.Var]bool{}}
	if !l.statements(body.List, true) {
		return nil
	}
	for _, s := range body.List {
		l.moves(s)
	}
	return l
}

// counts makes the variable id the index, and reports that it may be one.
func (l *steady) counts(id *ast.Ident) bool {
	v, ok := l.w.info.ObjectOf(id).(*types.Var)
	if !ok || !l.private(v) || l.assigned[v] > 0 {
		return false
	}
	b, ok := v.Type().Underlying().(*types.Basic)
	l.index = v
	return ok && b.Info()&types.IsInteger != 0
}

// same reports that the names in n denote at the end of the body what they do where n stands: the
// body may declare others of these names.
func (l *steady) same(n ast.Node) (ok bool) {
	ok = true
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ok = ok && l.same(n.X)
			return false
		case *ast.Ident:
			ok = ok && (isBlank(n) || l.named(n.Name, l.body.Rbrace) == l.w.info.ObjectOf(n))
		}
		return ok
	})
	return ok
}

// named is what a name denotes at a place in the body or before the loop, nil if nothing.
func (l *steady) named(name string, at token.Pos) types.Object {
	_, o := l.w.info.Scopes[l.body].LookupParent(name, at)
	return o
}

func (l *steady) isIndex(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && l.w.info.ObjectOf(id) == l.index
}

// private reports that nothing but the function's own statements change v.
func (l *steady) private(v *types.Var) bool {
	return !v.IsField() && !global(v) && !l.w.escapes(v) && !l.w.shaky[v]
}

// statements reports that all of a list may be repeated unseen; always, that they are executed in
// each iteration.
func (l *steady) statements(list []ast.Stmt, always bool) bool {
	for _, s := range list {
		if !l.statement(s, always) {
			return false
		}
	}
	return true
}

func (l *steady) statement(s ast.Stmt, always bool) bool {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return l.statements(s.List, always)
	case *ast.EmptyStmt:
		return true
	case *ast.IncDecStmt:
		return l.assigns(s.X) && l.harmless(s.X)
	case *ast.AssignStmt:
		if s.Tok == token.QUO_ASSIGN || s.Tok == token.REM_ASSIGN || s.Tok == token.SHL_ASSIGN ||
			s.Tok == token.SHR_ASSIGN {
			if !l.divides(s.Lhs[0], s.Rhs[0], s.Tok) {
				return false
			}
		}
		l.several = l.several || len(s.Lhs) > 1
		for i, x := range s.Lhs {
			if !l.assigns(x) || !l.harmless(x) {
				return false
			}
			if v := l.variable(x); v != nil && s.Tok == token.DEFINE && len(s.Lhs) == len(s.Rhs) {
				if l.w.info.Defs[x.(*ast.Ident)] != nil {
					l.defined[v] = s.Rhs[i]
				}
			}
		}
		for _, x := range s.Rhs {
			if !l.harmless(x) {
				return false
			}
		}
		return true
	case *ast.IfStmt:
		if s.Init != nil && !l.statement(s.Init, always) || !l.harmless(s.Cond) {
			return false
		}
		l.maybe = append(l.maybe, s.Body)
		if s.Else != nil {
			l.maybe = append(l.maybe, s.Else)
			if !l.statement(s.Else, false) {
				return false
			}
		}
		return l.statements(s.Body.List, false)
	}
	return false
}

// variable is the local variable that x is, nil if it is none.
func (l *steady) variable(x ast.Expr) *types.Var {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := l.w.info.ObjectOf(id).(*types.Var)
	if !ok || !l.private(v) {
		return nil
	}
	return v
}

// assigns notes that x is assigned to.
func (l *steady) assigns(x ast.Expr) bool {
	if isBlank(x) {
		return true
	}
	t := l.w.info.TypeOf(x)
	if l.w.where(x) != heap {
		if v := rootVar(l.w.info, x); v != nil {
			l.assigned[v]++
		}
		return l.variable(x) != nil
	}
	l.stores = append(l.stores, t)
	_, basic := t.Underlying().(*types.Basic)
	return basic && !parametric(t)
}

// divides reports that x / y, x % y or a shift by y does not panic.
func (l *steady) divides(x, y ast.Expr, op token.Token) bool {
	b, ok := l.w.info.TypeOf(x).Underlying().(*types.Basic)
	switch {
	case !ok:
		return false
	case l.w.info.Types[y].Value != nil:
		return true // neither zero nor negative, or it would not compile
	case op == token.SHL || op == token.SHR || op == token.SHL_ASSIGN || op == token.SHR_ASSIGN:
		by, ok := l.w.info.TypeOf(y).Underlying().(*types.Basic)
		return ok && by.Info()&types.IsUnsigned != 0
	}
	return b.Info()&types.IsInteger == 0
}

// harmless reports that evaluating e calls nothing, waits for nothing and does not panic but for
// what it accesses on the heap.
func (l *steady) harmless(e ast.Expr) (ok bool) {
	ok = true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.Ident, *ast.BasicLit, *ast.ParenExpr, *ast.StarExpr:
		case *ast.SelectorExpr:
			s := l.w.info.Selections[n]
			ok = ok && (s == nil || s.Kind() == types.FieldVal)
		case *ast.IndexExpr:
			switch l.w.info.TypeOf(n.X).Underlying().(type) {
			case *types.Slice, *types.Array, *types.Pointer, *types.Basic:
			default:
				ok = false
			}
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW && n.Op != token.AND
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				l.maybe = append(l.maybe, n.Y)
			}
			for _, x := range []ast.Expr{n.X, n.Y} {
				b, basic := l.w.info.TypeOf(x).Underlying().(*types.Basic)
				ok = ok && basic && b.Info()&types.IsString == 0
			}
			switch n.Op {
			case token.QUO, token.REM, token.SHL, token.SHR:
				ok = ok && l.divides(n.X, n.Y, n.Op)
			}
		case *ast.CallExpr:
			if !l.pure(n) {
				ok = false
			}
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// pure reports that a call is a conversion between numbers, a builtin without effects, or of a
// function of package math.
func (l *steady) pure(c *ast.CallExpr) bool {
	f := l.w.info.Types[c.Fun]
	switch {
	case f.IsType():
		from, _ := l.w.info.TypeOf(c.Args[0]).Underlying().(*types.Basic)
		to, _ := f.Type.Underlying().(*types.Basic)
		return from != nil && to != nil && from.Info()&types.IsNumeric != 0 &&
			to.Info()&types.IsNumeric != 0
	case f.IsBuiltin():
		switch l.w.builtin(c) {
		case "len", "cap":
			_, channel := l.w.info.TypeOf(c.Args[0]).Underlying().(*types.Chan)
			return !channel // others may change it
		case "min", "max", "real", "imag", "complex":
			return true
		}
		return false
	}
	s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	callee, ok := l.w.info.Uses[s.Sel].(*types.Func)
	return ok && callee.Pkg() != nil && (callee.Pkg().Path() == "math" ||
		callee.Pkg().Path() == "math/bits" && !strings.HasPrefix(callee.Name(), "Div") &&
			!strings.HasPrefix(callee.Name(), "Rem"))
}

// moves notes a variable that a statement of each iteration moves by as much.
func (l *steady) moves(s ast.Stmt) {
	var x ast.Expr
	switch s := s.(type) {
	case *ast.IncDecStmt:
		x = s.X
	case *ast.AssignStmt:
		if (s.Tok == token.ADD_ASSIGN || s.Tok == token.SUB_ASSIGN) && l.class(s.Rhs[0]) == fixed {
			x = s.Lhs[0]
		}
	}
	if x == nil {
		return
	}
	if v := l.variable(x); v != nil && l.assigned[v] == 1 && wide(v.Type()) {
		l.moved[v] = true
	}
}

// A class is how a value or an address changes from iteration to iteration.
type class int

const (
	fixed class = iota // not at all
	moves              // by as much each time, in 64 bits or the index itself
	loose              // otherwise
)

// wide reports that t is an integer of 64 bits.
func wide(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch b.Kind() {
	case types.Int, types.Int64, types.Uint, types.Uint64, types.Uintptr, types.UntypedInt:
		return true
	}
	return false
}

// class is that of the value of e.
func (l *steady) class(e ast.Expr) class {
	if l.w.info.Types[e].Value != nil {
		return fixed
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.class(e.X)
	case *ast.Ident:
		v, ok := l.w.info.ObjectOf(e).(*types.Var)
		switch {
		case !ok:
			return loose
		case v == l.index:
			return moves
		case !l.private(v):
			return l.loaded(e)
		case l.assigned[v] == 0:
			return fixed
		case l.moved[v]:
			return moves
		case l.defined[v] != nil && l.assigned[v] == 1:
			return l.class(l.defined[v])
		}
		return loose
	case *ast.UnaryExpr:
		c := l.class(e.X)
		if e.Op == token.SUB && wide(l.w.info.TypeOf(e)) || c == fixed && e.Op != token.ARROW {
			return c
		}
	case *ast.BinaryExpr:
		x, y := l.class(e.X), l.class(e.Y)
		switch {
		case x == fixed && y == fixed:
			return fixed
		case x == loose || y == loose || !wide(l.w.info.TypeOf(e)):
			return loose
		case e.Op == token.ADD || e.Op == token.SUB:
			return moves
		case e.Op == token.MUL && (x == fixed || y == fixed):
			return moves
		case e.Op == token.SHL && y == fixed:
			return moves
		}
	case *ast.CallExpr:
		f := l.w.info.Types[e.Fun]
		if f.IsType() {
			c := l.class(e.Args[0])
			if c == moves && !(wide(f.Type) && (wide(l.w.info.TypeOf(e.Args[0])) ||
				l.isIndex(e.Args[0]))) {
				return loose
			}
			return c
		}
		if !l.pure(e) {
			return loose
		}
		for _, x := range e.Args {
			if l.class(x) != fixed {
				return loose
			}
		}
		return fixed
	case *ast.SelectorExpr:
		if l.w.where(e) == local {
			return l.class(e.X)
		}
		return l.loaded(e)
	case *ast.IndexExpr, *ast.StarExpr:
		return l.loaded(e)
	}
	return loose
}

// loaded is the class of what a load from e gives: fixed, if e does not move and nothing that is
// stored may be it.
func (l *steady) loaded(e ast.Expr) class {
	if c, _ := l.address(e); c != fixed || l.w.where(e) != heap {
		return loose
	}
	for _, t := range l.stores {
		if holds(t, l.w.info.TypeOf(e)) {
			return loose
		}
	}
	return fixed
}

// address is the class of the address of e, and the source of the slice, or the string, that it must
// stay in, if it moves; "" if that cannot be named at the end of the body.
func (l *steady) address(e ast.Expr) (c class, in string) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.address(e.X)
	case *ast.Ident:
		return fixed, ""
	case *ast.StarExpr:
		return l.class(e.X), ""
	case *ast.SelectorExpr:
		s := l.w.info.Selections[e]
		if s == nil {
			return fixed, "" // of another package
		}
		if s.Kind() != types.FieldVal || len(hops(s)) > 1 {
			return loose, ""
		}
		if _, pointer := s.Recv().Underlying().(*types.Pointer); pointer {
			return l.class(e.X), ""
		}
		if s.Indirect() {
			return loose, ""
		}
		return l.address(e.X)
	case *ast.IndexExpr:
		i := l.class(e.Index)
		if i == moves && !wide(l.w.info.TypeOf(e.Index)) && !l.isIndex(e.Index) {
			i = loose
		}
		base, text := fixed, ""
		switch l.w.info.TypeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Basic:
			base, text = l.class(e.X), l.w.raw(e.X)
		case *types.Pointer:
			base, text = l.class(e.X), "("+l.w.raw(e.X)+")[:]"
		case *types.Array:
			base, _ = l.address(e.X)
			text = "(" + l.w.raw(e.X) + ")[:]"
		default:
			return loose, ""
		}
		if base != fixed || i == loose {
			return loose, ""
		}
		if !l.same(e.X) {
			text = ""
		}
		return i, text
	}
	return loose, ""
}

// found is what tells WE where what moves must stay, once the body is rewritten; false if the loop
// is not steady after all.
func (l *steady) found(from mark) (within []string, ok bool) {
	if len(l.sites) == 0 || len(l.sites) > SteadyMost || l.twice || len(l.w.out.Left) > from.left {
		return nil, false
	}
	covered := make(map[ast.Node]bool)
	l.loose = l.withStores()
	for n, site := range l.sites {
		for _, m := range l.maybe {
			if n.Pos() >= m.Pos() && n.Pos() < m.End() {
				return nil, false
			}
		}
		e, expr := n.(ast.Expr)
		if !expr {
			continue // the visit of an element: see rangeStmt
		}
		c, in := l.address(e)
		if parametric(l.w.info.TypeOf(e)) || strings.Contains(in, "\n") {
			return nil, false
		}
		if c == moves && in == "" || l.loose[n] {
			c = loose
		}
		switch c {
		case loose:
			l.loose[n] = true
			within = append(within, fmt.Sprintf("%sA.Y(%s)", l.w.prefix, site))
		case moves:
			name := "X"
			if l.ofString(e) {
				name = "XS"
			}
			within = append(within, fmt.Sprintf("%sA.%s(%s, %s)", l.w.prefix, name, in, site))
		}
		for ; e != nil; e = partOf(l.w.info, e) {
			covered[e] = true
		}
	}
	for _, s := range l.body.List {
		ast.Inspect(s, func(n ast.Node) bool {
			x, index := n.(*ast.IndexExpr)
			if index && !covered[n] && (l.w.info.Types[x.Index].Value == nil || l.w.where(x) != local) {
				within, ok = nil, false
				covered[nil] = true
			}
			return true
		})
	}
	slices.Sort(within)
	return within, !covered[nil] && len(l.loose) < len(l.sites) && !(l.several && len(l.loose) > 0)
}

// withStores finds what is accessed in statements that store to a place which does not move by as much
// each time. Such a store is recorded behind its statement, with what its address is made of: where it
// panics, a reader would not know which of the other accesses were made.
func (l *steady) withStores() map[ast.Node]bool {
	all := make(map[ast.Node]bool)
	in := func(s ast.Stmt, x ast.Expr) {
		x = ast.Unparen(x)
		if c, text := l.address(x); l.sites[x] == "" || c == fixed || c == moves && text != "" {
			return
		}
		for n := range l.sites {
			if _, expr := n.(ast.Expr); expr && n.Pos() >= s.Pos() && n.End() <= s.End() {
				all[n] = true
			}
		}
	}
	ast.Inspect(l.body, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.AssignStmt:
			for _, x := range s.Lhs {
				in(s, x)
			}
		case *ast.IncDecStmt:
			in(s, s.X)
		}
		return true
	})
	return all
}

// again is the body with what is loose recorded; ok is false if some of it cannot be.
func (l *steady) again(s ast.Stmt) (text string, ok bool) {
	if len(l.loose) == 0 {
		return l.w.raw(l.body), true
	}
	l.second = true
	from, before := l.w.mark(), len(l.loose)
	l.w.steadily(l, s, func() { text = l.w.block(l.body) })
	ok = len(l.w.out.Left) == from.left && len(l.w.out.Sites) == from.sites+before
	l.w.undo(from)
	return text, ok
}

// silent reports that what e denotes is not recorded here: in the second loop, what moves.
func (l *steady) silent(e ast.Expr) bool {
	return l != nil && l.second && l.sites[e] != "" && !l.loose[e]
}

// partOf is what e is a part of, as a field or an element of an array; nil if it is none.
func partOf(info *types.Info, e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return e.X
	case *ast.SelectorExpr:
		if s := info.Selections[e]; s != nil && !s.Indirect() {
			return e.X
		}
	case *ast.IndexExpr:
		if _, array := info.TypeOf(e.X).Underlying().(*types.Array); array {
			return e.X
		}
	}
	return nil
}

// ofString reports that e is a byte of a string.
func (l *steady) ofString(e ast.Expr) bool {
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok {
		return false
	}
	b, ok := l.w.info.TypeOf(x.X).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// site notes the site of n, if it is in a loop that may be steady.
func (l *steady) site(n ast.Node, number string) string {
	if l == nil {
		return number
	}
	if e, ok := n.(ast.Expr); ok {
		n = ast.Unparen(e)
	}
	if l.second {
		return l.sites[n]
	}
	if l.sites == nil {
		l.sites = make(map[ast.Node]string)
	}
	l.twice = l.twice || l.sites[n] != ""
	l.sites[n] = number
	return number
}

// steadily rewrites what is in the loop s; l is nil if it is not steady.
func (w *fn) steadily(l *steady, s ast.Stmt, do func()) {
	outer := w.steady
	w.steady = l
	w.looped(s, do)
	w.steady = outer
}

// forStmt is the text of a steady loop: head is its condition and what stands behind it, first its
// body, rewritten. It is "" if the loop is not steady after all, as what was left alone since from
// may show.
func (l *steady) forStmt(s *ast.ForStmt, init, head []piece, first string, from mark) string {
	if l == nil || head[1].text != l.w.raw(s.Post) || strings.Contains(head[0].text, "\n") {
		return ""
	}
	cond, last := head[0].text, ""
	if cond != l.w.raw(s.Cond) {
		last = cond // what it accesses when it is false
	}
	within, ok := l.found(from)
	if !ok {
		return ""
	}
	second, ok := l.again(s)
	if !ok {
		return ""
	}
	w, begin := l.w, s.Cond.Pos()
	if s.Init != nil {
		begin = s.Init.Pos()
	}
	all := append([]piece{{s.Pos(), begin, "{ " + w.newlines(s.Pos(), begin)}}, init...)
	if s.Init != nil {
		all = append(all, piece{s.Init.End(), s.Cond.Pos(), "; " + w.newlines(s.Init.End(), s.Cond.Pos())})
	}
	start, left := w.fresh(""), w.fresh("")
	test, off := l.unless(start, s)
	post := w.raw(s.Post)
	if last != "" {
		post += "; " + left + " = " + repeats
		last = "; if " + left + " == " + repeats + l.orUnseen(start) + " { _ = " + last + " }"
	}
	all = append(all, piece{s.Cond.Pos(), s.Cond.End(), l.begin(start, left, l.index.Name()) +
		"for ; " + test + cond},
		piece{s.Body.Pos(), s.Body.End(), first[:len(first)-1] +
			l.repeated(start, left, l.index.Name(), post, within) + "}; " + off +
			l.line(s.Cond.Pos()) + "for ; " + w.splice(s.Cond.Pos(), s.Body.Pos()) + second + last + " }"})
	return w.splice(s.Pos(), s.End(), all...)
}

// rangeStmt is forStmt of a loop over a slice or an integer, x. Its body, first, begins with what
// visits an element; key is the name made up for an index that has none.
func (l *steady) rangeStmt(s *ast.RangeStmt, x, key, visit, first string, from mark) string {
	if l == nil {
		return ""
	}
	within, ok := l.found(from)
	if !ok {
		return ""
	}
	second, ok := l.again(s)
	if !ok {
		return ""
	}
	w := l.w
	start, left, over, end := w.fresh(""), w.fresh(""), w.fresh(""), w.fresh("")
	switch id, ok := s.Key.(*ast.Ident); {
	case key != "":
	case ok && !isBlank(id):
		key = id.Name
	default:
		key = w.fresh("")
	}
	begin := "{ " + over + " := " + w.newlines(s.Pos(), s.X.Pos()) + x + "; "
	element := ""
	if _, slice := w.info.TypeOf(s.X).Underlying().(*types.Slice); slice {
		begin += key + ", " + end + " := 0, len(" + over + "); "
		if s.Value != nil && !isBlank(s.Value) {
			element = " " + s.Value.(*ast.Ident).Name + " := " + over + "[" + key + "];"
		}
	} else {
		begin += end + " := " + over + "; " + key + " := " + end + " - " + end + "; "
	}
	if site := l.sites[s]; site != "" {
		within = append(within, fmt.Sprintf("%sA.X(%s, %s)", w.prefix, over, site))
	}
	l.limit = end
	cond, rest := key+" < "+end, "; "+key+"++ {"+element
	loop, off := "for ; "+cond+rest, ""
	whole := loop
	if w.opt.Sample {
		whole = "for ; " + start + " != 0 && " + cond + rest
		if len(l.loose) > 0 {
			off = l.line(s.Body.Pos()) + "for ; " + start + " == 0 && " + cond + rest +
				w.raw(s.Body)[1:] + "; "
		}
	}
	return w.splice(s.Pos(), s.End(),
		piece{s.Pos(), s.X.Pos(), ""}, piece{s.X.Pos(), s.Body.Pos(), begin + l.begin(start, left, key) +
			w.newlines(s.X.End(), s.Body.Pos())},
		piece{s.Body.Pos(), s.Body.End(), whole + visit + first[1:len(first)-1] +
			l.repeated(start, left, key, key+"++", within) + "}; " + off + l.line(s.Body.Pos()) +
			loop + second[1:] + " }"})
}

// begin is what stands before the condition of the first loop.
func (l *steady) begin(start, left, index string) string {
	if l.w.opt.Sample {
		return start + ", " + left + " := " + l.sampled(index) + ", 2; "
	}
	return start + ", " + left + " := " + l.w.call("W", strconv.Itoa(len(l.sites))) + ", 2; "
}

// repeated is the statement that ends an iteration of the first loop, and that loop if the rest may
// be run in the second; post is the loop's.
func (l *steady) repeated(start, left, index, post string, within []string) string {
	args := []string{start, strconv.Itoa(len(l.sites)), fmt.Sprintf("%sA.T(%s, %s, %s, %d)",
		l.w.prefix, index, l.limit, l.step, l.op)}
	return fmt.Sprintf("; if %s--; %[1]s == 0 && %s { %s; break }", left,
		l.w.call("WE", append(args, within...)...), post)
}

// repeats is what the iterations that are left to be compared come to when the rest is repeated.
const repeats = "3"

// line is what makes the text that follows stand on the line of p.
func (l *steady) line(p token.Pos) string {
	x := l.w.pkg.Fset.PositionFor(p, true)
	return fmt.Sprintf("/*line :%d:%d*/", x.Line, max(x.Column, 1))
}
