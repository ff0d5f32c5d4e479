package front

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"krdlab/loi"
)

// Options of Rewrite. The zero value is the usual choice.
type Options struct {
	// Escapes records that the local variable declared here is on the heap, so that it is observed.
	// Nil: none is.
	Escapes func(Declared) bool
	// Stack records that variables on the stack are observed too which something points to.
	Stack bool
	// Regions records functions and loops as regions too; without it, those only that the source names
	// a kernel, the functions that these stand in, and, if there are some, those that defer.
	Regions bool
	// Iterations records, with Regions, those of loops as regions too.
	Iterations bool
	// Sync records atomic operations, and where channels are made.
	Sync bool
	// EarlyLoads has what is loaded taken before its access is recorded, so that another goroutine may go on
	// between a load and what is stored then: in conditions of if and in assignments that call nothing.
	EarlyLoads bool
	// Values records which operations were done; it needs Iterations and Stack.
	Values bool
	// Sample makes the sources record a sample of the accesses.
	Sample bool
	// Tries are loops, by the names of their regions, and what removes their dependences: they are
	// executed in an order that the agent gives (try.go), and nothing is recorded. Nil: none is.
	Tries map[string][]Removal
	// Texts replace files, by absolute path, as the packages were loaded.
	Texts map[string][]byte
}

// Rewritten is the outcome of Rewrite.
type Rewritten struct {
	Files      map[string][]byte // rewritten sources, by the absolute path of the original
	Sites      []Site            // number n of the sources is Sites[n-1]
	Regions    []Region          // likewise
	Operations []Operation       // likewise
	Left       []Left            // what is not observed, by file and line
	Tried      []Tried           // loops of Options.Tries

	structs map[string]*Struct // by name
	hidden  map[string]bool    // fields that may be accessed unseen: "main.node.next"
}

// Agent is the path under which rewritten sources import the agent.
const Agent = "krdagent"

// Rewrite rewrites the files of packages that were loaded with NeedName, NeedFiles, NeedSyntax,
// NeedTypes, NeedTypesInfo, NeedTypesSizes and NeedModule (the version of the language). A file
// that several packages have (a test variant) is rewritten once.
// Sources that need no change are not in Files. Its error is that of a file that cannot be read;
// packages with errors are left alone.
func Rewrite(pkgs []*packages.Package, opt Options) (*Rewritten, error) {
	out := &Rewritten{Files: map[string][]byte{}, structs: map[string]*Struct{},
		hidden: map[string]bool{}}
	done := map[string]bool{}
	kernel, callees := namesKernels(pkgs), calleesOf(pkgs, opt)
	var paths []string
	for _, p := range pkgs {
		paths = append(paths, p.PkgPath)
	}
	for _, p := range pkgs {
		r := &rewriter{source: source{opt: opt, pkg: p, info: p.TypesInfo, sizes: p.TypesSizes,
			paths: paths}, out: out, kernel: kernel, callees: callees}
		if why := r.refuses(); why != "" {
			at := token.Position{}
			if len(p.GoFiles) > 0 {
				at.Filename = p.GoFiles[0]
			}
			out.Left = append(out.Left, Left{Position: at, What: wholePackage + p.PkgPath, Why: why})
			continue
		}
		r.prefix = unused(p.Syntax)
		for _, f := range p.Syntax {
			path := p.Fset.PositionFor(f.Package, false).Filename
			if done[path] || !slices.Contains(p.GoFiles, path) {
				continue // seen, or made by cgo
			}
			done[path] = true
			src, given := opt.Texts[path]
			if !given {
				var err error
				if src, err = os.ReadFile(path); err != nil {
					return nil, fmt.Errorf("rewrite: %w", err)
				}
			}
			if text := r.file(f, src); text != nil {
				out.Files[path] = text
			}
		}
		for _, path := range p.GoFiles {
			if !done[path] { // cgo's output was compiled in its place
				done[path] = true
				out.Left = append(out.Left, Left{Position: token.Position{Filename: path},
					What: wholeFile, Why: "it uses cgo"})
			}
		}
	}
	callees.resolve(out.Operations)
	for _, s := range out.structs {
		r := &rewriter{source: source{sizes: pkgs[0].TypesSizes, paths: paths}, out: out}
		r.hide(s, s.is, 0, false)
	}
	slices.SortStableFunc(out.Left, func(a, b Left) int {
		return cmp.Or(strings.Compare(a.Position.Filename, b.Position.Filename),
			a.Position.Line-b.Position.Line)
	})
	return out, nil
}

// refuses returns why a package is left alone.
func (r *rewriter) refuses() string {
	p := r.pkg
	switch {
	case len(p.Errors) > 0 || p.IllTyped:
		return "it does not build"
	case p.TypesInfo == nil || p.TypesSizes == nil:
		return "it was loaded without types"
	}
	return ""
}

// unused returns a beginning of names that no identifier of the files has.
func unused(files []*ast.File) string {
	prefix := "krd"
	for again := true; again; {
		again = false
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, prefix) {
					again = true
				}
				return !again
			})
		}
		if again {
			prefix += "_"
		}
	}
	return prefix
}

// A source is a package, and a file of it, as the passes look at it.
type source struct {
	opt   Options
	pkg   *packages.Package
	info  *types.Info
	sizes types.Sizes
	paths []string // of the packages that are rewritten

	shaky  map[*types.Var]bool
	parted map[*types.Var]bool // with Values
	jumps  map[string]bool     // labels that a goto names
	steady *steady             // the loop whose second body is rewritten
}

// A rewriter has what the files of a package share, and the present file.
type rewriter struct {
	source
	out     *Rewritten
	prefix  string
	kernel  bool     // comments of the packages name some
	callees *callees // of what is rewritten (valuecallees.go)

	edits
	path      string
	kernels   map[int]string       // names that comments give, by the line below (regions.go)
	functions []*fn                // in the order of the source
	literals  map[*ast.FuncLit]*fn // those that are rewritten
	visited   map[*ast.CallExpr]loi.OperationKind
	visits    map[*ast.RangeStmt]visit
	iterated  map[ast.Stmt]bool     // loops whose iterations make events of regions
	nodes     map[ast.Node]noted    // sites of accesses, by the node that is accessed
	instead   map[ast.Expr]string   // text of expressions that are in no source (hoist.go)
	origin    map[ast.Node]ast.Node // of an expression that is in no source, what it stands for
}

// file rewrites one file; nil if nothing changes.
func (r *rewriter) file(f *ast.File, src []byte) []byte {
	r.edits, r.functions = edits{src: src, from: int(f.FileStart)}, nil
	r.path = r.pkg.Fset.PositionFor(f.Package, false).Filename
	if ast.IsGenerated(f) {
		r.leave(f.Name, wholeFile, "it is generated")
		r.hideFields(f)
		return nil
	}
	if usesC(f) {
		r.leave(f.Name, wholeFile, "it uses cgo")
		r.hideFields(f)
		return nil
	}
	r.shaky, r.jumps = shaky(f, r.info), jumps(f)
	if r.opt.Values {
		r.parted = parted(f, r.info)
	}
	r.literals, r.visited = make(map[*ast.FuncLit]*fn), make(map[*ast.CallExpr]loi.OperationKind)
	r.instead, r.kernels = make(map[ast.Expr]string), r.directives(f)
	r.nodes, r.visits = make(map[ast.Node]noted), make(map[*ast.RangeStmt]visit)
	r.iterated, r.origin = make(map[ast.Stmt]bool), make(map[ast.Node]ast.Node)
	left := len(r.out.Left)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body == nil {
				continue
			}
			if p := pragma(d.Doc); p != "" {
				r.leave(d, "function "+d.Name.Name, p)
				continue
			}
			accessesOf(&fn{rewriter: r, name: r.nameOf(d), at: d, block: d.Body, kind: d.Type,
				recv: d.Recv})
		case *ast.GenDecl:
			r.variables(d)
		}
	}
	do := passes
	if r.opt.Tries != nil { // of what records only the names of functions are needed
		r.edits, do = edits{src: src, from: int(f.FileStart)}, []func(*fn){triedOf}
		r.out.Sites, r.out.Left = nil, r.out.Left[:left]
		for _, w := range r.functions {
			w.events = 0
		}
	}
	for _, pass := range do {
		for _, w := range r.functions {
			if w.outer == nil || w.outer.block == nil {
				pass(w)
			}
		}
	}
	events := 0
	for _, w := range slices.Backward(r.functions) {
		if r.opt.Tries == nil {
			w.across()
			w.walks()
			w.finish()
		}
		events += w.events
	}
	r.unusedDirectives(f)
	if events == 0 {
		return nil
	}
	r.newer(f)
	r.after(f.Name, "; import "+r.prefix+`A "`+Agent+`"`)
	text := r.render(f.FileStart, f.FileEnd, r.made)
	if r.opt.Tries != nil {
		text += r.globals()
	}
	return []byte(text)
}

// passes come behind accessesOf, in this order: see doc.go.
var passes = []func(*fn){atomicsOf, regionsOf, loopsOf, valuesOf}

// variables rewrites the function literals of a declaration outside functions. Other accesses of
// its expressions are not observed: they run once, before main.
func (r *rewriter) variables(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	w := &accesses{fn: &fn{rewriter: r, name: r.pkgName() + ".init"}}
	ast.Inspect(d, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			w.literal(lit)
		}
		return !ok
	})
}

// pragma returns the directive that forbids rewriting a function.
func pragma(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	for _, c := range doc.List {
		word, _, _ := strings.Cut(c.Text, " ")
		switch word {
		case "//go:nosplit", "//go:noescape", "//go:linkname", "//go:nowritebarrier",
			"//go:nowritebarrierrec", "//go:yeswritebarrierrec", "//go:systemstack", "//go:norace",
			"//go:uintptrescapes", "//go:uintptrkeepalive", "//go:nocheckptr",
			"//go:cgo_unsafe_args", "//go:registerparams":
			return word
		}
	}
	return ""
}

func (r *rewriter) pkgName() string {
	if r.pkg.Name == "main" {
		return "main"
	}
	return r.pkg.Types.Path()
}

func (r *rewriter) nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return r.pkgName() + "." + d.Name.Name
	}
	t, pointer := receiver(d)
	name := r.pkgName() + "." + t
	if pointer {
		name = "*" + name
	}
	return "(" + name + ")." + d.Name.Name
}

// receiver returns the name of the type whose method d is, and whether it is one of pointers.
func receiver(d *ast.FuncDecl) (name string, pointer bool) {
	t := d.Recv.List[0].Type
	star, pointer := ast.Unparen(t).(*ast.StarExpr)
	if pointer {
		t = star.X
	}
	switch x := ast.Unparen(t).(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	return types.ExprString(ast.Unparen(t)), pointer
}

// leave notes a node that is left alone; its accesses are not counted.
func (r *rewriter) leave(n ast.Node, what, why string) {
	at := r.pkg.Fset.PositionFor(n.Pos(), false)
	r.out.Left = append(r.out.Left, Left{Position: at, What: what, Why: why, at: n.Pos()})
	r.hideFields(n)
}

// leftIn reports that something in a node of the present file is left alone.
func (r *rewriter) leftIn(n ast.Node) bool {
	for _, l := range slices.Backward(r.out.Left) {
		if l.at >= n.Pos() && l.at < n.End() {
			return true
		}
		if l.Position.Filename != r.path {
			break
		}
	}
	return false
}

// typeString returns t in words.
func typeString(t types.Type) string {
	return types.TypeString(t, (*types.Package).Name)
}
