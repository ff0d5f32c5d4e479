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
//	func r() int {    => func r() int { B := A.B(); D := A.RF(B, 1);
//	  for g() > 0 {   => A.RL(B, D, 0xe00000000000002); for g() > 0 { A.RL(B, D, 0x1000000000000003);
//	    h()           => h()
//	  }               => }; A.RL(B, D, 0xf00000000000002)
//	  return h()      => { krd1 := h(); A.RE(B, D); return krd1 }
//	}                 => }
//
// The upper byte of an event is its kind (eventLoop and so on), the rest the number of a Region. D
// is how many regions of functions are open: an event with it ends all that are deeper. So regions
// left by a panic, a goto or a jump to an outer loop are ended by the next event where it leads. A
// function that defers ends by a deferred call, the last that runs; no other can recover. The head
// of a loop belongs to the iteration before, or, the first time, to the loop. Iterations are
// recorded with Options.Iterations, but for those of a loop that the source names a kernel; without
// them an event ends the inner loops where a jump leads to the next iteration. The iterations of a
// loop over a function are as functions of their own (see scope.base): they are within the region
// of the function that calls them. A return from one ends all between.
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

// Name returns "main.f", "main.f:12" or "main.f:12, iteration".
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

// A scope is a statement that break or continue may name, and that stands around the code being
// rewritten.
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

// lineAt returns the line of the source, whatever line directives say.
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

// regions records the region of a function, and those of its loops.
type regions struct {
	*fn
	scopes []scope        // around what is visited, the innermost last
	labels map[string]int // how many loops stand around each
}

// plan decides whether the function is a region, and how it ends.
func (w *fn) plan() {
	w.region = w.opt.Regions || w.kernel && w.defers // what recovers ends the kernels that a panic leaves
	for line := range w.kernels {
		w.region = w.region || line >= w.lineAt(w.at.Pos()) && line <= w.lineAt(w.block.End())
	}
	if !w.region {
		return
	}
	w.krd, w.late = w.kernelAt(w.lineAt(w.at.Pos())), w.defers
	ast.Inspect(w.block, func(n ast.Node) bool {
		if s, ok := n.(*ast.ReturnStmt); ok && !w.returnable(s) {
			w.late = true
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
}

// regionsOf records the regions of a function.
func regionsOf(w *fn) {
	r := &regions{fn: w}
	if w.region {
		w.self = r.made(w.at, loi.Function, 0, w.krd)
		w.out.Regions[w.self-1].Late = w.late
		w.callees.begins(w.rewriter, w.at, w.self)
		r.labels = labelled(w.block)
	}
	r.visit(w.block)
	if w.region && !w.late && w.kind.Results.NumFields() == 0 { // others end by returning
		w.based = true
		w.braces(w.block, "", "; "+w.leaving()+" ")
	}
}

// visit goes through a statement and the nodes in it.
func (r *regions) visit(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if in := r.literals[n]; in != nil {
				regionsOf(in)
			}
			return false
		case *ast.BlockStmt:
			r.list(n.List)
			return false
		case *ast.CaseClause:
			for _, e := range n.List {
				r.visit(e)
			}
			r.list(n.Body)
			return false
		case *ast.CommClause:
			if n.Comm != nil {
				r.visit(n.Comm)
			}
			r.list(n.Body)
			return false
		case *ast.BranchStmt:
			r.jump(n)
		}
		return true
	})
}

func (r *regions) list(all []ast.Stmt) {
	for _, s := range all {
		if r.region {
			r.statement(s)
		} else {
			r.visit(s)
		}
	}
}

// made makes a region at n and returns its number.
func (r *regions) made(n ast.Node, kind loi.RegionKind, parent int, kernel string) int {
	r.events++
	r.out.Regions = append(r.out.Regions, Region{Kind: kind, Function: r.name, File: r.path,
		Line: r.lineAt(n.Pos()), Parent: parent, Kernel: kernel})
	return len(r.out.Regions)
}

// entered returns the text at the top of a function that is a region.
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

// base returns the variable with the depth of the rewritten code.
func (r *regions) base(scopes []scope) string {
	for i := range scopes {
		if b := scopes[len(scopes)-1-i].base; b != "" {
			return b
		}
	}
	r.based = true
	return r.prefix + "D"
}

// regionEvent returns an event of a region, at the depth of the code in some scopes.
func (r *regions) regionEvent(kind, region int, scopes []scope) string {
	return r.call("RL", r.base(scopes), fmt.Sprintf("%#x", kind<<56|region))
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

// statement rewrites a statement of a list, with its scope and the events of its region.
func (r *regions) statement(s ast.Stmt) {
	loop, label := unlabelled(s)
	x := scope{stmt: loop, label: label}
	before, after := "", ""
	if isLoop(loop) {
		kernel := r.kernelAt(r.lineAt(s.Pos()))
		if kernel == "" {
			kernel = r.kernelAt(r.lineAt(loop.Pos()))
		}
		if r.opt.Regions || kernel != "" {
			x.region = r.made(loop, loi.Loop, r.innermost(), kernel)
			x.each = x.region
			if r.opt.Regions && (r.opt.Iterations || r.overFunction(loop)) {
				x.each = r.made(loop, loi.Iteration, x.region, "")
			}
			before = r.regionEvent(eventLoop, x.region, r.scopes) + "; "
			if !endless(loop, label) {
				after = "; " + r.regionEvent(eventLoopEnd, x.region, r.scopes)
			}
		}
		if r.overFunction(loop) {
			x.base = r.fresh("")
		}
		x.landed = x.region != 0 && r.gotos(s) || leavesLoops(loop, token.CONTINUE, label)
	}
	if x.region == 0 && leavesLoops(loop, token.BREAK, label) {
		after = "; " + r.regionEvent(eventGoto, r.innermost(), r.scopes)
	}
	r.scopes = append(r.scopes, x)
	r.visit(s)
	if isLoop(loop) {
		r.iteration(loop)
	}
	r.scopes = r.scopes[:len(r.scopes)-1]
	r.wrap(s, before, after)
}

// gotos reports that a goto names a label of a statement.
func (r *regions) gotos(s ast.Stmt) bool {
	l, ok := s.(*ast.LabeledStmt)
	return ok && (r.jumps[l.Label.Name] || r.gotos(l.Stmt))
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

// innermost returns the innermost open region.
func (r *regions) innermost() int {
	for i := range r.scopes {
		if x := &r.scopes[len(r.scopes)-1-i]; x.region != 0 {
			return x.each
		}
	}
	return r.self
}

// overFunction reports that a loop is over a function, which calls its body.
func (r *source) overFunction(loop ast.Stmt) bool {
	s, ok := loop.(*ast.RangeStmt)
	if !ok {
		return false
	}
	_, ok = core(r.info.TypeOf(s.X)).(*types.Signature)
	return ok
}

// iteration puts the events of iterations into the body of the innermost scope's loop.
func (r *regions) iteration(loop ast.Stmt) {
	x := &r.scopes[len(r.scopes)-1]
	top, foot := "", ""
	switch {
	case x.base != "":
		region := x.each
		if region == 0 {
			region = r.innermost()
		}
		top = " " + x.base + " := " + r.call("RF", strconv.Itoa(region)) + "; "
		foot = "; " + r.call("RE", x.base) + " "
	case x.each == x.region && x.landed:
		top = " " + r.regionEvent(eventGoto, r.innermost(), r.scopes) + "; "
	case x.each == x.region: // no region, or one without iterations
		return
	default:
		top = " " + r.regionEvent(eventIteration, x.each, r.scopes) + "; "
	}
	r.iterated[loop] = true
	r.braces(bodyOf(loop), top, foot)
}

// bodyOf returns the body of a loop.
func bodyOf(loop ast.Stmt) *ast.BlockStmt {
	if f, ok := loop.(*ast.ForStmt); ok {
		return f.Body
	}
	return loop.(*ast.RangeStmt).Body
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

// labelled returns for each label of a function's body the number of loops around it.
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

// jump rewrites a break, continue or goto: it first ends the regions left, unless an event where it
// leads does that (see within and iteration).
func (r *regions) jump(s *ast.BranchStmt) {
	if !r.region || s.Tok == token.FALLTHROUGH {
		return
	}
	if s.Tok == token.GOTO {
		var around []scope // those of the label
		region, loops := r.self, 0
		for _, x := range r.scopes {
			if isLoop(x.stmt) {
				if loops++; loops > r.labels[s.Label.Name] {
					break
				}
				if x.region != 0 {
					region = x.each
				}
			}
			around = append(around, x)
		}
		r.wrap(s, "{ "+r.regionEvent(eventGoto, region, around)+"; ", " }")
		return
	}
	base := "" // of the outermost body of a function that it leaves
	for i := len(r.scopes) - 1; i >= 0; i-- {
		x := &r.scopes[i]
		if x.base != "" {
			base = x.base
		}
		if s.Label != nil && s.Label.Name == x.label || s.Label == nil &&
			(isLoop(x.stmt) || s.Tok == token.BREAK && breaks(x.stmt)) {
			break
		}
	}
	if base != "" {
		r.wrap(s, "{ "+r.call("RE", base)+"; ", " }")
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
