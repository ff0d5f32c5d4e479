package front

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// rewriteText rewrites one file of package main.
func rewriteText(t *testing.T, text string, how Options) string {
	t.Helper()
	out, path := rewriteFile(t, text, how)
	if rewritten, ok := out.Files[path]; ok {
		return string(rewritten)
	}
	return text
}

// TestKernelComments reads comments that name no kernel, in the order of their lines.
func TestKernelComments(t *testing.T) {
	out, _ := rewriteFile(t, `package main

//krd:kernel first
//krd:kernel second
func f(s []int) {
	//krd:kernel
	for i := range s {
		s[i]++
	}
	//krd:kernel nothing
	switch {
	}
}

//krd:kernels of no kind
func main() { f(nil) }

//krd:kernel end
`, Options{})
	var got []string
	for _, l := range out.Left {
		got = append(got, fmt.Sprintf("%d %s: %s", l.Position.Line, l.What, l.Why))
	}
	expected := []string{"3 //krd:kernel first: another stands below it",
		"6 //krd:kernel: it has no name",
		"10 //krd:kernel nothing: it stands above no function and no loop",
		"18 //krd:kernel end: it stands above no function and no loop"}
	if !slices.Equal(got, expected) {
		t.Errorf("left %q, expected %q", got, expected)
	}
	if len(out.Regions) != 1 || out.Regions[0].Kernel != "second" {
		t.Errorf("regions %v", out.Regions)
	}
}

// rewriteFile rewrites one file of package main, and is its path.
func rewriteFile(t *testing.T, text string, how Options) (*Rewritten, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &packages.Package{Name: "main", PkgPath: "main", Fset: token.NewFileSet(),
		GoFiles: []string{path}, TypesSizes: types.SizesFor("gc", "amd64"),
		Module: &packages.Module{GoVersion: "1.26"}}
	f, err := parser.ParseFile(p.Fset, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	p.Syntax = []*ast.File{f}
	p.TypesInfo = &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Implicits:  map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}}
	p.Types, err = (&types.Config{Importer: importer.Default()}).Check("main", p.Fset, p.Syntax,
		p.TypesInfo)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Rewrite([]*packages.Package{p}, how)
	if err != nil {
		t.Fatal(err)
	}
	return out, path
}

// rewriteModule rewrites the packages of a module. No variable that is declared is on the heap.
func rewriteModule(t *testing.T, dir string, how Options) *Rewritten {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.LoadSyntax |
		packages.NeedModule}, "./...")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatal(err)
	}
	out, err := Rewrite(pkgs, how)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
