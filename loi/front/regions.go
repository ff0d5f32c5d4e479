package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"krdlab/loi"
)

// A Region is a scope of the source whose begin and end are recorded: a function, a loop, or the
// iterations of a loop, which have one together.
//
//	func f() int {                  func f() int { D := A.RF(B, 1);
//	  for c() {                       A.RL(B, D, Loop|2); for c() { A.RL(B, D, Iteration|3);
//	    g()                             g()
//	  }                               }; A.RL(B, D, LoopEnd|2)
//	  return h()                      { t := h(); A.RE(B, D); return t }
//	}                               }
//
// D is how many regions of functions are open: an event with it ends all that are deeper. So what a
// panic, a goto or a jump to an outer loop leaves is ended by the next event of what it comes to. A
// function that defers ends by a deferred call, the last that runs; no other can be recovered in.
// What stands in the head of a loop belongs to the iteration before, or, the first time, to the
// loop. Iterations are recorded with Options.Iterations, but for those of a loop that the source
// names a kernel; without them an event ends the inner loops where a jump leads to the next
// iteration. The iterations of a loop over a function are as functions of their own (see
// scope.base): they are within the region of the function that calls them. A return from one ends
// all between.
type Region struct {
	Kind     loi.RegionKind
	Function string // that it is, or stands in
	File     string // absolute path of the original
	Line     int
	Parent   int    // number of the region that it stands in; 0: none
	Late     bool   // it ends by a deferred call, which does not say its depth
	Kernel   string // the name that the source gives it by [KernelComment]; "": none
}

// KernelComment begins a comment above a function or a loop that names the kernel which it is.
const KernelComment = "//krd:kernel "

// Name is "main.f", "main.f:12" or "main.f:12, iteration".
func (r *Region) Name() string {
	switch r.Kind {
	case loi.Loop:
		return fmt.Sprintf("%s:%d", r.Function, r.Line)
	case loi.Iteration:
		return fmt.Sprintf("%s:%d, iteration", r.Function, r.Line)
	}
	return r.Function
}

// The kinds of events of regions, of package krdagent; those of loops have the number of the region
// below.
const (
	eventLoop = 14 + iota
	eventLoopEnd
	eventIteration
	eventGoto
)

// A scope is a statement that break or continue may name, and that stands around what is rewritten.
type scope struct {
	stmt   ast.Stmt
	label  string
	landed bool   // a jump to the next iteration leaves loops, or a goto leads to its label
	region int    // of a loop; 0: it is none
	each   int    // of its iterations
	base   string // of a loop over a function: the variable for its iterations' depth
}

// directives finds the names of kernels in the comments of a file, by the line that follows.
func (r *rewriter) directives(f *ast.File) map[int]string {
	names := map[int]string{}
	for _, g := range f.Comments {
		for _, c := range slices.Backward(g.List) {
			name, ok := strings.CutPrefix(c.Text+" ", KernelComment)
			if name = strings.TrimSpace(name); !ok {
				continue
			}
			line := r.lineAt(g.End()-1) + 1
			switch {
			case name == "":
				r.leave(c, strings.TrimSpace(KernelComment), "it has no name")
			case names[line] != "":
				r.leave(c, KernelComment+name, "another stands below it")
			default:
				names[line] = name
			}
		}
	}
	return names
}

// namesKernels reports that a comment of some packages names one.
func namesKernels(pkgs []*packages.Package) bool {
	for _, p := range pkgs {
		for _, f := range p.Syntax {
			for _, g := range f.Comments {
				for _, c := range g.List {
					if strings.HasPrefix(c.Text, KernelComment) {
						return true
					}
				}
			}
		}
	}
	return false
}

// lineAt is the line of the source, whatever line directives say.
func (r *rewriter) lineAt(p token.Pos) int { return r.pkg.Fset.PositionFor(p, false).Line }

// unusedDirectives lists those that stand above neither a function nor a loop.
func (r *rewriter) unusedDirectives(f *ast.File) {
	for line, name := range r.kernels {
		at := r.pkg.Fset.File(f.Package).LineStart(line - 1)
		r.leave(&ast.BadStmt{From: at, To: at}, KernelComment+name,
			"it stands above no function and no loop")
	}
}

// kernelAt takes the name of the kernel at a line, if there is one.
func (r *rewriter) kernelAt(line int) string {
	name := r.kernels[line]
	delete(r.kernels, line)
	return name
}

// region makes a region at n and returns its number.
func (w *fn) region(n ast.Node, kind loi.RegionKind, parent int, kernel string) int {
	w.events++
	w.out.Regions = append(w.out.Regions, Region{Kind: kind, Function: w.name, File: w.path,
		Line: w.lineAt(n.Pos()), Parent: parent, Kernel: kernel})
	return len(w.out.Regions)
}

// enter decides whether the function with this body is a region, and makes it one.
func (w *fn) enter(at ast.Node, b *ast.BlockStmt) {
	some := w.opt.Regions || w.kernel && w.defers // what recovers ends the kernels that a panic leaves
	for line := range w.kernels {
		some = some || line >= w.lineAt(at.Pos()) && line <= w.lineAt(b.End())
	}
	if !some {
		return
	}
	w.self = w.region(at, loi.Function, 0, w.kernelAt(w.lineAt(at.Pos())))
	w.callees.begins(w.rewriter, at, w.self)
	w.labels = labelled(b)
	r := &w.out.Regions[w.self-1]
	w.late = w.defers
	ast.Inspect(b, func(n ast.Node) bool {
		if s, ok := n.(*ast.ReturnStmt); ok && !w.returnable(s) {
			w.late = true
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
	r.Late = w.late
}

// entered is what stands at the top of a function that is a region.
func (w *fn) entered() string {
	call := w.call("RF", strconv.Itoa(w.self))
	switch {
	case w.late: // no arguments: the compiler makes no function of its own for it
		if call += "; defer " + w.prefix + "A.RD();"; !w.based {
			return " " + call
		}
		return " " + w.prefix + "D := " + call
	case w.based:
		return " " + w.prefix + "D := " + call + ";"
	}
	return " " + call + ";"
}

func (w *fn) leaving() string { return w.call("RE", w.prefix+"D") }

// ended puts the end of the function's region behind its last statement.
func (w *fn) ended(b *ast.BlockStmt, t *ast.FuncType) {
	switch {
	case w.self == 0 || t.Results != nil && len(t.Results.List) > 0: // it ends by returning
	case w.late:
		w.deferring(b)
	default:
		w.based = true
		w.braces(b, "", "; "+w.leaving()+" ")
	}
}

// base is the variable that has the depth of what is rewritten.
func (w *fn) base(scopes []scope) string {
	for i := range scopes {
		if b := scopes[len(scopes)-1-i].base; b != "" {
			return b
		}
	}
	w.based = true
	return w.prefix + "D"
}

// regionEvent is an event of a region, at the depth of what is rewritten in some scopes.
func (w *fn) regionEvent(kind, region int, scopes []scope) string {
	return w.call("RL", w.base(scopes), fmt.Sprintf("%#x", kind<<56|region))
}

// unlabelled returns a statement without its labels, and the last of these.
func unlabelled(s ast.Stmt) (inner ast.Stmt, label string) {
	for {
		l, ok := s.(*ast.LabeledStmt)
		if !ok {
			return s, label
		}
		s, label = l.Stmt, l.Label.Name
	}
}

func isLoop(n ast.Node) bool {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return true
	}
	return false
}

// within rewrites a statement of a list by do, with its scope and what tells of its region.
func (w *fn) within(s ast.Stmt, do func()) {
	if w.self == 0 {
		do()
		return
	}
	loop, label := unlabelled(s)
	x := scope{stmt: loop, label: label}
	before, after := "", ""
	if isLoop(loop) {
		kernel := w.kernelAt(w.lineAt(s.Pos()))
		if kernel == "" {
			kernel = w.kernelAt(w.lineAt(loop.Pos()))
		}
		if w.opt.Regions || kernel != "" {
			x.region = w.region(loop, loi.Loop, w.inner(), kernel)
			x.each = x.region
			if w.opt.Regions && (w.opt.Iterations || w.overFunction(loop)) {
				x.each = w.region(loop, loi.Iteration, x.region, "")
			}
			before = w.regionEvent(eventLoop, x.region, w.scopes) + "; "
			if !endless(loop, label) {
				after = "; " + w.regionEvent(eventLoopEnd, x.region, w.scopes)
			}
		}
		if w.overFunction(loop) {
			x.base = w.fresh("")
		}
		x.landed = x.region != 0 && w.gotos(s) || leavesLoops(loop, token.CONTINUE, label)
	}
	if x.region == 0 && leavesLoops(loop, token.BREAK, label) {
		after = "; " + w.regionEvent(eventGoto, w.inner(), w.scopes)
	}
	w.scopes = append(w.scopes, x)
	do()
	w.scopes = w.scopes[:len(w.scopes)-1]
	w.wrap(s, before, after)
}

// gotos reports that a goto names a label of a statement.
func (w *fn) gotos(s ast.Stmt) bool {
	l, ok := s.(*ast.LabeledStmt)
	return ok && (w.jumps[l.Label.Name] || w.gotos(l.Stmt))
}

// leavesLoops reports that a break or continue to a label, of s, leaves loops in s.
func leavesLoops(s ast.Stmt, tok token.Token, label string) (found bool) {
	if label == "" {
		return false
	}
	var look func(in ast.Node, loop bool)
	look = func(in ast.Node, loop bool) {
		ast.Inspect(in, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt:
				if n != in {
					look(n, n != s)
					return false
				}
			case *ast.BranchStmt:
				found = found || loop && n.Tok == tok && n.Label != nil && n.Label.Name == label
			}
			return !found
		})
	}
	look(s, false)
	return found
}

// inner is the innermost region that is open.
func (w *fn) inner() int {
	for i := range w.scopes {
		if x := &w.scopes[len(w.scopes)-1-i]; x.region != 0 {
			return x.each
		}
	}
	return w.self
}

// overFunction reports that a loop is over a function, which calls its body.
func (w *fn) overFunction(loop ast.Stmt) bool {
	r, ok := loop.(*ast.RangeStmt)
	if !ok {
		return false
	}
	_, ok = core(w.info.TypeOf(r.X)).(*types.Signature)
	return ok
}

// iterated reports that iteration puts something into the innermost scope's loop.
func (w *fn) iterated() bool {
	if w.self == 0 {
		return false
	}
	x := &w.scopes[len(w.scopes)-1]
	return x.base != "" || x.landed || x.each != x.region
}

// iteration puts what tells of iterations into the body of the innermost scope's loop, if something
// does.
func (w *fn) iteration(b *ast.BlockStmt) bool {
	if !w.iterated() {
		return false
	}
	x := &w.scopes[len(w.scopes)-1]
	switch {
	case x.base != "":
		region := x.each
		if region == 0 {
			region = w.inner()
		}
		w.braces(b, " "+x.base+" := "+w.call("RF", strconv.Itoa(region))+"; ",
			"; "+w.call("RE", x.base)+" ")
	case x.each == x.region:
		w.braces(b, " "+w.regionEvent(eventGoto, w.inner(), w.scopes)+"; ", "")
	default:
		w.braces(b, " "+w.regionEvent(eventIteration, x.each, w.scopes)+"; ", "")
	}
	return true
}

// endless reports that nothing behind a loop is executed: it has no condition and no break.
func endless(loop ast.Stmt, label string) bool {
	f, ok := loop.(*ast.ForStmt)
	if !ok || f.Cond != nil {
		return false
	}
	found := false
	var look func(s ast.Node, direct bool)
	look = func(s ast.Node, direct bool) {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if n != s {
					look(n, false)
					return false
				}
			case *ast.BranchStmt:
				found = found || n.Tok == token.BREAK &&
					(n.Label == nil && direct || n.Label != nil && n.Label.Name == label)
			}
			return !found
		})
	}
	look(f.Body, true)
	return !found
}

// labelled has for each label of a function's body how many loops stand around it.
func labelled(b *ast.BlockStmt) map[string]int {
	depths := map[string]int{}
	var stack []ast.Node
	ast.Inspect(b, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		stack = append(stack, n)
		if l, ok := n.(*ast.LabeledStmt); ok {
			for _, x := range stack {
				if isLoop(x) {
					depths[l.Label.Name]++
				}
			}
		}
		return true
	})
	return depths
}

// jump is a break, continue or goto with what it leaves ended first, as far as no event of where it
// leads does that (see within and iteration).
func (w *fn) jump(s *ast.BranchStmt) {
	if w.self == 0 || s.Tok == token.FALLTHROUGH {
		return
	}
	if s.Tok == token.GOTO {
		var around []scope // those of the label
		region, loops := w.self, 0
		for _, x := range w.scopes {
			if isLoop(x.stmt) {
				if loops++; loops > w.labels[s.Label.Name] {
					break
				}
				if x.region != 0 {
					region = x.each
				}
			}
			around = append(around, x)
		}
		w.wrap(s, "{ "+w.regionEvent(eventGoto, region, around)+"; ", " }")
		return
	}
	base := "" // of the outermost body of a function that it leaves
	for i := len(w.scopes) - 1; i >= 0; i-- {
		x := &w.scopes[i]
		if x.base != "" {
			base = x.base
		}
		if s.Label != nil && s.Label.Name == x.label || s.Label == nil &&
			(isLoop(x.stmt) || s.Tok == token.BREAK && breaks(x.stmt)) {
			break
		}
	}
	if base != "" {
		w.wrap(s, "{ "+w.call("RE", base)+"; ", " }")
	}
}

// breaks reports that a break without a label may be of s, which is no loop.
func breaks(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// returnable reports that what s returns can be kept in variables until the region has ended, or
// need not be.
func (w *fn) returnable(s *ast.ReturnStmt) bool {
	if w.named && len(s.Results) > 1 && w.mixed(s.Results...) {
		return false // gc evaluates it in another order than a definition
	}
	for _, x := range s.Results {
		if w.literalValue(x) || !w.untyped(x) || w.boolean(x) || w.still(x) {
			continue
		}
		if _, ok := w.typeName(w.info.TypeOf(x), x.Pos()); !ok {
			return false // it would have another type as a variable
		}
	}
	return true
}

// still reports that nothing is recorded of an expression, and that it changes nothing: it is of
// local variables and constants.
func (w *fn) still(x ast.Expr) bool {
	found := true
	ast.Inspect(x, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && w.literalValue(e) {
			return false
		}
		switch n := n.(type) {
		case nil, *ast.ParenExpr:
		case *ast.Ident:
			found = found && w.where(n) == local
		case *ast.BinaryExpr:
			found = found && w.panics(n) == 0
		case *ast.UnaryExpr:
			found = found && n.Op != token.ARROW && n.Op != token.AND
		default:
			found = false
		}
		return found
	})
	return found
}

// returning is a return from a function that is a region, or of which apart holds.
func (w *fn) returning(s *ast.ReturnStmt) {
	leave := ""
	if !w.late {
		w.based = true
		leave = w.leaving() + "; "
	}
	if !slices.ContainsFunc(s.Results, func(x ast.Expr) bool { return !w.still(x) }) {
		w.wrap(s, "{ "+w.returned(s)+leave, " }")
		return
	}
	mark := len(w.made)
	w.seq(false, s.Results...)
	end := w.returned(s) + leave
	var names, values, results []string
	at, lines := s.Pos(), ""
	for _, x := range s.Results {
		lines += w.newlines(at, x.Pos())
		at = x.End()
		value := w.changed(x, mark)
		if w.literalValue(x) {
			results = append(results, value)
			continue
		}
		if w.untyped(x) && !w.boolean(x) {
			name, ok := w.typeName(w.info.TypeOf(x), x.Pos())
			if !ok { // nothing changes it
				results = append(results, value)
				continue
			}
			value = name + "(" + value + ")"
		}
		values = append(values, lines+value)
		lines = ""
		count := 1
		if t, ok := w.info.TypeOf(x).(*types.Tuple); ok {
			count = t.Len()
		}
		for range count {
			names = append(names, w.fresh(""))
		}
		results = append(results, names[len(names)-count:]...)
	}
	w.replace(s.Pos(), s.End(), "{ "+strings.Join(names, ", ")+" := "+strings.Join(values, ", ")+"; "+
		lines+end+"return "+strings.Join(results, ", ")+" }")
}
