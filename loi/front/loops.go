package front

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// A steady loop makes the same accesses in each iteration, each moved by as much as in the iteration
// before, as a[i] and p.f are in for i := 0; i < n; i++. Two iterations are recorded and then, in
// one event, how often these are repeated; the rest is run as it stands in the source:
//
//	for i := 0; i < j; i++ { => { i := 0; krd1, krd2 := A.W(B, 1), 2; for ; i < j; i++ {
//	  s[i] = 1               =>   s[i] = 1; A.L(B, &(s[i]), 1)
//	}                        =>   ; if krd2--; krd2 == 0 && A.WE(B, krd1, 1, A.T(i, j, 1, 0),
//	                         =>     A.X(s, 1)) { i++; break }}; /*line*/for ; i < j; i++ {
//	                         =>   s[i] = 1
//	                         => } }
//
// WE compares the two iterations and checks that the last one stays within the slices, so that
// nothing panics halfway. Where it does not, the first loop goes on. The source must show that the
// loop ends by its condition alone, the body calls nothing, and the operands of its addresses
// change by as much in each iteration (class).
//
// Accesses whose addresses do not move so, such as x[col[i]], are recorded in the second loop too
// (LL); the reader of the events puts the others between them.
//
// The types of variables may be too narrow for the last index of a loop whose steps wrap around:
// only 64 bits are computed with.
type steady struct {
	w        *accesses
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
	left     bool                    // something is left alone
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

// found returns the arguments of WE that bound moving accesses, once the body is rewritten; false
// if the loop is not steady after all.
func (l *steady) found() (within []string, ok bool) {
	if len(l.sites) == 0 || len(l.sites) > SteadyMost || l.twice || l.left {
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

// withStores finds the accesses in statements that store to a place which does not move by as much
// each time. Such a store is recorded behind its statement, with what its address is made of: where
// it panics, a reader would not know which of the other accesses were made.
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

// again returns the body with loose accesses recorded; ok is false if some cannot be.
func (l *steady) again() (text string, ok bool) {
	if len(l.loose) == 0 {
		return l.w.raw(l.body), true
	}
	l.w.steady = l
	from, before := l.w.mark(), len(l.loose)
	text = l.w.draft(l.body, func() { l.w.block(l.body) })
	ok = len(l.w.out.Left) == from.left && len(l.w.out.Sites) == from.sites+before
	l.w.undo(from)
	l.w.steady = nil
	return text, ok
}

// silent reports that what e denotes is not recorded here: in the second loop, what moves.
func (l *steady) silent(e ast.Expr) bool {
	if l == nil {
		return false
	}
	n := l.w.original(e)
	return l.sites[n] != "" && !l.loose[n]
}

// partOf returns the expression that e is a part of, as a field or an element of an array; nil if
// it is none.
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

// loopsOf rewrites the loops of a function that may be steady.
func loopsOf(w *fn) {
	ast.Inspect(w.block, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.FuncLit:
			if in := w.literals[s]; in != nil {
				loopsOf(in)
			}
			return false
		case *ast.ForStmt:
			if l := w.steadyFor(s); l != nil && !w.iterated[s] {
				l.forStmt(s)
			}
		case *ast.RangeStmt:
			if l := w.steadyRange(s); l != nil && !w.iterated[s] && !w.visits[s].counted {
				l.rangeStmt(s)
			}
		}
		return true
	})
}

// forStmt makes two loops of a for, if it is steady.
func (l *steady) forStmt(s *ast.ForStmt) {
	if l.w.edited(s.Post) {
		return
	}
	w, cond := l.w, l.w.changed(s.Cond)
	if strings.Contains(cond, "\n") {
		return
	}
	within, ok := l.found()
	if !ok {
		return
	}
	second, ok := l.again()
	if !ok {
		return
	}
	start, left := w.fresh(""), w.fresh("")
	test, off := l.unless(start, s)
	post, last := w.raw(s.Post), ""
	if cond != w.raw(s.Cond) { // what it accesses when it is false
		post += "; " + left + " = " + repeats
		last = "; if " + left + " == " + repeats + l.orUnseen(start) + " { _ = " + cond + " }"
	}
	open, begin := "{ ", s.Pos()
	if s.Init != nil {
		w.replace(begin, s.Init.Pos(), open+w.newlines(begin, s.Init.Pos()))
		open, begin = "; ", s.Init.End()
	}
	w.replace(begin, s.Cond.Pos(), open+w.newlines(begin, s.Cond.Pos()))
	w.before(s.Cond, l.begin(start, left, l.index.Name())+"for ; "+test)
	w.braces(s.Body, "", l.repeated(start, left, l.index.Name(), post, within))
	w.after(s.Body, "; "+off+l.w.lineOf(s.Cond.Pos())+"for ; "+w.stretch(s.Cond.Pos(), s.Body.Pos())+second+
		last+" }")
}

// rangeStmt works like forStmt, for a loop over a slice or an integer.
func (l *steady) rangeStmt(s *ast.RangeStmt) {
	within, ok := l.found()
	if !ok {
		return
	}
	second, ok := l.again()
	if !ok {
		return
	}
	w, key := l.w, l.w.visits[s].key
	start, left, over, end := w.fresh(""), w.fresh(""), w.fresh(""), w.fresh("")
	switch id, ok := s.Key.(*ast.Ident); {
	case key != "":
	case ok && !isBlank(id):
		key = id.Name
	default:
		key = w.fresh("")
	}
	begin := "{ " + over + " := " + w.newlines(s.Pos(), s.X.Pos()) + w.changed(s.X) + "; "
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
			off = l.w.lineOf(s.Body.Pos()) + "for ; " + start + " == 0 && " + cond + rest +
				w.raw(s.Body)[1:] + "; "
		}
	}
	w.replace(s.Pos(), s.Body.Lbrace+1, begin+l.begin(start, left, key)+
		w.newlines(s.X.End(), s.Body.Pos())+whole)
	w.braces(s.Body, "", l.repeated(start, left, key, key+"++", within))
	w.after(s.Body, "; "+off+l.w.lineOf(s.Body.Pos())+loop+second[1:]+" }")
}

// begin returns the text before the condition of the first loop.
func (l *steady) begin(start, left, index string) string {
	if l.w.opt.Sample {
		return start + ", " + left + " := " + l.sampled(index) + ", 2; "
	}
	return start + ", " + left + " := " + l.w.call("W", strconv.Itoa(len(l.sites))) + ", 2; "
}

// repeated returns the statement that ends an iteration of the first loop, and that loop if the
// rest may be run in the second; post is the loop's.
func (l *steady) repeated(start, left, index, post string, within []string) string {
	args := []string{start, strconv.Itoa(len(l.sites)), fmt.Sprintf("%sA.T(%s, %s, %s, %d)",
		l.w.prefix, index, l.limit, l.step, l.op)}
	return fmt.Sprintf("; if %s--; %[1]s == 0 && %s { %s; break }", left,
		l.w.call("WE", append(args, within...)...), post)
}

// repeats is the count of iterations left to compare that marks that the rest is repeated.
const repeats = "3"
