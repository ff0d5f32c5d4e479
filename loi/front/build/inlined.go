package build

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"debug/gosym"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Records make functions too large for the compiler to inline, and their allocations would move
// from the stack of the caller to the heap. So the rewritten packages are compiled with a profile
// (cmd/compile's -pgoprofile) by which exactly those functions are hot that could be inlined
// before, at the calls that were; the budget of hot functions has no limit then. Where a function
// has more than 5000 nodes when rewritten, the compiler ignores the profile.

// hotFlags are the compiler's flags for such a profile.
const hotFlags = "-d=pgoinlinebudget=1000000000,pgoinlinecdfthreshold=100,pgodevirtualize=0 "

// A declared function is one of the source, with the literals in it.
type declaredFunc struct {
	file        string
	start       int // its first line
	first, last int
	literals    []literalFunc
	variables   string           // the package whose variables it begins; "": it is a function
	calls       map[int][]string // that are inlined in it, by line
}

type literalFunc struct{ first, last int }

// Source files of a package, whose path is that of its own files.
type sourceFiles struct {
	path, name string
	set        *token.FileSet
	files      []*ast.File
}

func sourcesOf(list []*packages.Package) (all []sourceFiles) {
	for _, p := range list {
		all = append(all, sourceFiles{p.PkgPath, p.Name, p.Fset, p.Syntax})
	}
	return all
}

// testsOf returns the test files in a folder that are compiled with its package, without those that
// do not parse.
func testsOf(folder string) (all []sourceFiles) {
	files := token.NewFileSet()
	names, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
	for _, name := range names {
		if f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution); err == nil {
			all = append(all, sourceFiles{f.Name.Name, f.Name.Name, files, []*ast.File{f}})
		}
	}
	return all
}

// inlined writes the profile for packages below dir and returns the flags by which they are
// compiled.
func (c *compiled) inlined(list []sourceFiles, dir string) (flags string, err error) {
	f, err := elf.Open(c.binary)
	if err != nil {
		return "", fmt.Errorf("read the program: %w", err)
	}
	defer f.Close()
	functions, err := functionsOf(f)
	if err == nil && f.Type != elf.ET_EXEC {
		err = fmt.Errorf("it is of type %v, expected %v", f.Type, elf.ET_EXEC)
	}
	if err != nil {
		return "", fmt.Errorf("%w: what GOFLAGS, CC or CGO_LDFLAGS have the linker do to the "+
			"program's file: %w", ErrSetting, err)
	}
	text := c.profile(list, functions)
	path, err := cacheFile(dir, fmt.Sprintf("%x.pgo", sha256.Sum256(text)), text)
	quote := "'" // as the go command takes flags apart
	if strings.Contains(path, quote) {
		quote = `"`
	}
	return hotFlags + quote + "-pgoprofile=" + path + quote, err
}

// A compiledFunc is a function of a program's file and where its first instruction comes from.
type compiledFunc struct {
	name, file string
	line       int
}

func functionsOf(f *elf.File) (all []compiledFunc, err error) {
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	table, code := f.Section(".gopclntab"), f.Section(".text")
	if table == nil || code == nil {
		return nil, fmt.Errorf("it has no .gopclntab")
	}
	data, err := table.Data()
	if err != nil {
		return nil, err
	}
	lines := gosym.NewLineTable(data, code.Addr)
	places, err := gosym.NewTable(nil, lines)
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			file, line, _ := places.PCToLine(s.Value)
			all = append(all, compiledFunc{s.Name, filepath.Clean(file), line})
		}
	}
	return all, nil
}

// profile returns the profile of the inlined calls, as cmd/compile reads it (cmd/internal/pgo: a
// caller, a function that it calls, by how many lines below the caller's first the call is, and a
// weight). A call in an inlined function has its place in the source.
func (c *compiled) profile(list []sourceFiles, functions []compiledFunc) []byte {
	byFile := make(map[string][]*declaredFunc) // by the last element of its name
	byName := make(map[string][]*declaredFunc) // as remarks have it, without type arguments
	paths := make(map[string][]string)         // by name of the package
	of := make(map[string]string)              // names, by path
	for _, p := range list {
		of[p.path] = p.name
		path := linkPath(p.path)
		if p.name == "main" {
			path = "main"
		}
		if !slices.Contains(paths[p.name], path) {
			paths[p.name] = append(paths[p.name], path)
		}
		for _, f := range p.files {
			for _, d := range f.Decls {
				fn := declared(p.set, path, d)
				for _, x := range fn {
					byFile[filepath.Base(x.file)] = append(byFile[filepath.Base(x.file)], x)
				}
				if d, ok := d.(*ast.FuncDecl); ok {
					name := remarkName(d)
					byName[name] = append(byName[name], fn...)
					byName[p.name+"."+name] = append(byName[p.name+"."+name], fn...)
				}
			}
		}
	}
	hot := make(map[string]bool)
	for _, r := range c.remarks {
		switch r.what {
		case inliningCall:
			for _, d := range byFile[filepath.Base(r.file)] {
				if d.first <= r.line && r.line <= d.last {
					d.calls[r.line] = append(d.calls[r.line], withoutArguments(r.name))
				}
			}
		case canInline:
			names := []string{linkPath(r.in) + "." + r.name}
			if of[r.in] == "main" || r.in == ofFile {
				names = append(names, "main."+r.name)
			}
			for q, all := range paths { // of another package, for a type argument
				for _, path := range all {
					before, x, ok := strings.Cut(r.name, q+".")
					if ok && strings.Trim(before, "(*") == "" {
						names = append(names, path+"."+before+x)
					}
				}
			}
			for _, name := range names { // what is inlined wherever it is called is not in the file
				hot[name] = true
				functions = append(functions, compiledFunc{name, r.file, r.line})
			}
		}
	}
	lines := make(map[string]bool) // a caller, a function and the distance of their lines
	for _, f := range functions {
		for _, d := range byFile[filepath.Base(f.file)] {
			if d.file == f.file && d.first <= f.line && f.line <= d.last && d.variables == "" {
				d.edges(f, byName, lines)
			}
		}
		if path, ok := strings.CutSuffix(f.name, ".init"); ok {
			for _, all := range byFile {
				for _, d := range all {
					if d.variables == path {
						d.start = f.line
						d.edges(f, byName, lines)
					}
				}
			}
		}
	}
	var b bytes.Buffer
	b.WriteString("GO PREPROFILE V1\n")
	for _, name := range slices.Sorted(maps.Keys(hot)) {
		fmt.Fprintf(&b, "krdlab.all\n%s\n0 1\n", name)
	}
	for _, edge := range slices.Sorted(maps.Keys(lines)) {
		b.WriteString(edge)
	}
	return b.Bytes()
}

// edges adds the lines of all calls that are inlined in a function of d, those in inlined functions
// too.
func (d *declaredFunc) edges(f compiledFunc, byName map[string][]*declaredFunc,
	lines map[string]bool) {
	starts := []int{d.start}
	for _, l := range d.literals {
		if l.first <= f.line && f.line <= l.last {
			starts = append(starts, l.first)
		}
	}
	seen := make(map[*declaredFunc]bool)
	var add func(x *declaredFunc)
	add = func(x *declaredFunc) {
		if seen[x] {
			return
		}
		seen[x] = true
		for line, calls := range x.calls {
			for _, start := range starts {
				lines[fmt.Sprintf("%s\nkrdlab.inlined\n%d 1\n", f.name, line-start)] = true
			}
			for _, name := range calls {
				_, short, _ := strings.Cut(name, ".")
				for _, y := range append(slices.Clone(byName[name]), byName[short]...) {
					add(y)
				}
			}
		}
	}
	add(d)
}

// declared returns the functions of a declaration in the package with a path: itself, or the
// literals in a declaration of variables, and the beginnings of their names.
func declared(files *token.FileSet, path string, d ast.Decl) (all []*declaredFunc) {
	at := func(p token.Pos) token.Position { return files.PositionFor(p, true) }
	literals := func(n ast.Node) (some []literalFunc) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt: // of calls the compiler makes functions
				some = append(some, literalFunc{at(n.Pos()).Line, at(n.End()).Line})
			}
			return true
		})
		return some
	}
	add := func(n ast.Node) {
		p := at(n.Pos())
		all = append(all, &declaredFunc{file: filepath.Clean(p.Filename), start: p.Line,
			first: p.Line, last: at(n.End()).Line, literals: literals(n), calls: map[int][]string{}})
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		add(d)
	case *ast.GenDecl:
		add(d)
		all[0].variables = path
		ast.Inspect(d, func(n ast.Node) bool {
			l, ok := n.(*ast.FuncLit)
			if ok {
				add(l)
			}
			return !ok
		})
	}
	return all
}

var typeArguments = regexp.MustCompile(`\[.*\]`)

// withoutArguments takes the type arguments out of a function's name.
func withoutArguments(name string) string { return typeArguments.ReplaceAllString(name, "") }

// remarkName returns the compiler's name of a function in its package: f, T.m, (*T).m.
func remarkName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := types.ExprString(d.Recv.List[0].Type)
	name := strings.Trim(withoutArguments(t), "(*)")
	if strings.Contains(t[:strings.Index(t+"[", "[")], "*") {
		name = "(*" + name + ")"
	}
	return name + "." + d.Name.Name
}

// linkPath returns an import path as the names of symbols begin with it (cmd/internal/objabi).
func linkPath(path string) string {
	slash := strings.LastIndex(path, "/")
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c >= 0x7f || c == '%' || c == '"' || c == '.' && i > slash {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
