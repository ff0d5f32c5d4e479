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

// A fn is a function or function literal: the facts that passes share, and their additions to it.
type fn struct {
	*rewriter
	name  string
	at    ast.Node       // its declaration, or the literal
	lit   *ast.FuncLit   // nil: a function with a name
	block *ast.BlockStmt // nil: what declares the variables of a package
	kind  *ast.FuncType
	recv  *ast.FieldList // nil: none
	outer *fn            // that it stands in
	inner int            // so many function literals were met in it

	defers bool   // it has a defer statement
	named  bool   // its results have names
	region bool   // its begin and end are recorded
	late   bool   // it ends by a deferred call
	krd    string // the name of a kernel that it is

	events int
	vars   int
	decls  []string // what is declared at its top
	first  string   // what stands behind that
	self   int      // number of its region
	based  bool     // its depth is needed
	hoists []hoist
	// Text between the statements for the results of a return and the return itself.
	between map[*ast.ReturnStmt]string
}

// accessesOf records the accesses of a function. It is the first pass, and keeps the function, and
// the literals in it, for the others.
func accessesOf(w *fn) {
	w.functions = append(w.functions, w)
	w.between = make(map[*ast.ReturnStmt]string)
	w.named = w.kind.Results != nil && len(w.kind.Results.List) > 0 &&
		len(w.kind.Results.List[0].Names) > 0
	ast.Inspect(w.block, func(n ast.Node) bool {
		_, found := n.(*ast.DeferStmt)
		w.defers = w.defers || found
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
	w.plan()
	a := &accesses{fn: w}
	w.first = a.parameters()
	a.block(w.block)
}

// literal rewrites a function literal of w.
//
//	_ = func() int { return p.ctr }  =>  _ = func() int { B := A.B(); return (*A.L(B, &(p.ctr), 1)) }
func (w *accesses) literal(lit *ast.FuncLit) {
	w.inner++
	in := &fn{rewriter: w.rewriter, at: lit, lit: lit, block: lit.Body, kind: lit.Type, outer: w.fn}
	in.name = w.name + ".func" + strconv.Itoa(w.inner)
	if w.lit != nil {
		in.name = w.name + "." + strconv.Itoa(w.inner)
	}
	w.literals[lit] = in
	accessesOf(in)
}

// finish inserts the text that the passes have prepared, and declares their variables at the top of
// the function.
func (w *fn) finish() {
	w.returns()
	for _, h := range w.hoists {
		w.move(h)
	}
	if w.events == 0 {
		return
	}
	top := fmt.Sprintf(" %sB := %sA.B();", w.prefix, w.prefix)
	if w.region {
		top += w.entered()
	}
	for _, d := range w.decls {
		top += " " + d + ";"
	}
	if w.first != "" {
		top += " " + strings.TrimSuffix(w.first, " ")
	}
	w.braces(w.block, top, "")
}

// A noted is the site of an access: its number, and as the program's sources have it.
type noted struct {
	site  int
	text  string
	twice bool // the node has another, too
	first int  // that one: of a slice whose elements are noted, its own load
}

// site makes a site at n, of a datum of type t if t is not nil; the number of its code.
func (w *accesses) site(n ast.Node, kind string, mode loi.Mode, object string,
	t types.Type) string {
	s := Site{Kind: kind, Mode: mode, Object: object}
	if t != nil && !parametric(t) {
		s.Bytes, s.Leaves = uint64(w.sizes.Sizeof(t)), leaves(w.sizes, t)
	}
	if e, ok := n.(ast.Expr); ok && kind != LeftAlone && t != nil && object == w.object(e) {
		s.Struct = w.structOf(e)
	}
	return w.sited(n, s)
}

// windowSite makes a site of the elements of a slice, an array or a string.
func (w *accesses) windowSite(n ast.Node, kind string, mode loi.Mode, object string,
	element types.Type) string {
	s := Site{Kind: kind, Mode: mode, Object: object}
	if !parametric(element) {
		s.Element, s.Leaves = uint64(w.sizes.Sizeof(element)), leaves(w.sizes, element)
		s.Struct = w.structure(element)
	}
	return w.sited(n, s)
}

func (w *accesses) sited(n ast.Node, s Site) string {
	s.File, s.Function, s.Loop, s.Line = w.path, w.name, w.loop, w.line(n)
	w.events++
	w.out.Sites = append(w.out.Sites, s)
	n = w.original(n)
	if w.steady != nil {
		return w.steady.number(n)
	}
	number := len(w.out.Sites)
	if w.opt.Sample && s.Kind != LeftAlone {
		number |= max(1, len(s.Leaves)) << LeavesShift
	}
	before, twice := w.nodes[n]
	w.nodes[n] = noted{len(w.out.Sites), strconv.Itoa(number), twice, before.site}
	return w.nodes[n].text
}

func (w *fn) line(n ast.Node) int {
	return w.pkg.Fset.PositionFor(n.Pos(), false).Line
}

// call returns a call of the agent with the buffer as its first argument.
func (w *fn) call(name string, args ...string) string {
	return w.prefix + "A." + name + "(" + w.prefix + "B, " + strings.Join(args, ", ") + ")"
}

// pass makes n an argument of a call of the agent, the first behind the buffer; args are the
// others.
func (w *fn) pass(n ast.Node, name string, args ...string) {
	w.wrap(n, w.prefix+"A."+name+"("+w.prefix+"B, ", ", "+strings.Join(args, ", ")+")")
}

// fresh returns a new name; declared at the function's top if decl, its type, is not "".
func (w *fn) fresh(decl string) string {
	w.vars++
	name := w.prefix + strconv.Itoa(w.vars)
	if decl != "" {
		w.decls = append(w.decls, "var "+name+" "+decl)
	}
	return name
}

// newlines returns those of the source from lo to hi, for text that takes its place.
func (w *fn) newlines(lo, hi token.Pos) string {
	return strings.Repeat("\n", strings.Count(w.stretch(lo, hi), "\n"))
}

// onLine returns text that stands at hi, on a later line than lo, as if it stood on that of lo: a
// panic in it names the line of the statement.
func (w *fn) onLine(lo, hi token.Pos, text string) string {
	there, back := w.lines(lo, hi)
	return there + text + back
}

// lines returns directives that put the text at hi on the line of lo, and the rest on that of hi
// again; "" if both are one line.
func (w *fn) lines(lo, hi token.Pos) (there, back string) {
	if w.newlines(lo, hi) == "" {
		return "", ""
	}
	return w.lineOf(lo), w.lineOf(hi)
}

// lineOf returns a directive that puts the following text on the line of p.
func (w *fn) lineOf(p token.Pos) string {
	x := w.pkg.Fset.PositionFor(p, true)
	return fmt.Sprintf("/*line :%d:%d*/", x.Line, max(x.Column, 1))
}
