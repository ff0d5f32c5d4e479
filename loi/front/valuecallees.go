package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// callees has the functions that are rewritten with their values, by the position of their names,
// or of the literals, in the files as they stand. Types of a package differ from one variant of it
// to the next, positions do not.
type callees struct {
	rewritten map[token.Position]bool // functions with names
	regions   map[token.Position]int  // numbers; a literal has one when it has been rewritten
}

// calleesOf finds the functions with names that Rewrite will rewrite.
func calleesOf(pkgs []*packages.Package, opt Options) *callees {
	c := &callees{rewritten: map[token.Position]bool{}, regions: map[token.Position]int{}}
	if !opt.Values {
		return c
	}
	for _, p := range pkgs {
		r := &rewriter{source: source{opt: opt, pkg: p, info: p.TypesInfo, sizes: p.TypesSizes}}
		if r.refuses() != "" {
			continue
		}
		for _, f := range p.Syntax {
			if ast.IsGenerated(f) || usesC(f) {
				continue
			}
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && pragma(d.Doc) == "" {
					c.rewritten[p.Fset.PositionFor(d.Name.Pos(), false)] = true
				}
			}
		}
	}
	return c
}

// usesC reports that a file uses cgo.
func usesC(f *ast.File) bool {
	for _, i := range f.Imports {
		if i.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// begins keeps the region of the function at a node.
func (c *callees) begins(r *rewriter, at ast.Node, region int) {
	p := at.Pos()
	if d, ok := at.(*ast.FuncDecl); ok {
		p = d.Name.Pos()
	}
	c.regions[r.pkg.Fset.PositionFor(p, false)] = region
}

// resolve sets the Calls of operations.
func (c *callees) resolve(list []Operation) {
	for i := range list {
		list[i].Calls = c.regions[list[i].calls]
	}
}

// function returns the function or method that a call is of, nil if it is of a value, a literal or
// a method of an interface.
func (r *source) function(e *ast.CallExpr) *types.Func {
	fun := ast.Unparen(e.Fun)
	switch x := fun.(type) { // type arguments
	case *ast.IndexExpr:
		fun = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(x.X)
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	f, ok := r.info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil {
		return nil
	}
	f = f.Origin()
	if recv := f.Signature().Recv(); recv != nil {
		if _, parameter := types.Unalias(recv.Type()).(*types.TypeParam); parameter ||
			types.IsInterface(recv.Type()) {
			return nil
		}
	}
	return f
}

// declared returns where the function that e calls is declared, or stands as a literal; the zero
// position: that is not known before it runs.
func (r *rewriter) declared(e *ast.CallExpr) token.Position {
	if lit, ok := ast.Unparen(e.Fun).(*ast.FuncLit); ok {
		return r.pkg.Fset.PositionFor(lit.Pos(), false)
	}
	if f := r.function(e); f != nil {
		return r.pkg.Fset.PositionFor(f.Pos(), false)
	}
	return token.Position{}
}

// foreign reports that a call is known to be of a function that is not rewritten: another that it
// calls would take its arguments.
func (r *rewriter) foreign(e *ast.CallExpr) bool {
	f := r.function(e)
	return f != nil && !r.callees.rewritten[r.pkg.Fset.PositionFor(f.Pos(), false)]
}

// pure are the packages whose functions have no state, and look at nothing but their arguments.
var pure = map[string]bool{"cmp": true, "errors": true, "math": true, "math/bits": true,
	"math/cmplx": true, "path": true, "strconv": true, "strings": true, "sync": true,
	"sync/atomic": true, "unicode": true, "unicode/utf16": true, "unicode/utf8": true}

// hides reports that what a call does cannot be seen: it is of a function that is not rewritten and
// has state, or looks at data, or of a method of such a package's interface; or it prints.
func (r *rewriter) hides(e *ast.CallExpr) bool {
	if r.info.Types[e.Fun].IsType() {
		return false
	}
	if name := r.builtin(e); name != "" {
		return name == "print" || name == "println"
	}
	f := r.function(e)
	if f == nil {
		s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
		if !ok {
			return false
		}
		m, _ := r.info.Uses[s.Sel].(*types.Func)
		return m != nil && m.Pkg() != nil && !slices.Contains(r.paths, m.Pkg().Path())
	}
	if !r.foreign(e) {
		return false
	}
	path := f.Pkg().Path()
	if path == "sync" && !slices.ContainsFunc([]string{"Map", "Once", "Pool"}, func(name string) bool {
		return strings.HasPrefix(f.FullName(), "(*sync."+name+")")
	}) {
		return false // what they guard is seen
	}
	formats := path == "fmt" && (strings.HasPrefix(f.Name(), "Sprint") || f.Name() == "Errorf")
	if f.Signature().Recv() != nil || !pure[path] && !formats {
		return true
	}
	for _, x := range e.Args {
		if t := r.info.TypeOf(x); t != nil {
			if _, basic := t.Underlying().(*types.Basic); !basic {
				return true
			}
		}
	}
	return false
}

// parameterCount returns how many parameters the function that e calls has, without a receiver.
func (r *rewriter) parameterCount(e *ast.CallExpr) int {
	f, ok := core(r.info.TypeOf(e.Fun)).(*types.Signature)
	if !ok {
		return len(e.Args)
	}
	return f.Params().Len()
}
