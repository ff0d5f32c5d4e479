package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// unclassed returns the exported errors that have no class: types with a method Error and without a
// method Class, and sentinels that [failure.New] did not make. seen counts the exported errors.
func unclassed(files []*source) (bad []string, seen int) {
	isError, hasClass := map[string]bool{}, map[string]bool{} // by folder and name
	for _, s := range files {
		if s.syntax == nil || s.test {
			continue
		}
		of := path.Dir(s.name) + "."
		for _, d := range s.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if name := receiver(d); ast.IsExported(name) {
					isError[of+name] = isError[of+name] || d.Name.Name == "Error"
					hasClass[of+name] = hasClass[of+name] || d.Name.Name == "Class"
				}
			case *ast.GenDecl:
				for name, made := range sentinels(d) {
					isError[of+name], hasClass[of+name] = true, made == "failure.New"
				}
			}
		}
	}
	for name, is := range isError {
		if is {
			seen++
		}
		if is && !hasClass[name] {
			bad = append(bad, path.Base(name))
		}
	}
	slices.Sort(bad)
	return bad, seen
}

// receiver is the name of the type that a method belongs to, "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// sentinels returns the variables ErrX of a declaration, with the function that makes each.
func sentinels(d *ast.GenDecl) map[string]string {
	made := map[string]string{}
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || d.Tok != token.VAR {
			continue
		}
		for i, n := range v.Names {
			if !strings.HasPrefix(n.Name, "Err") || i >= len(v.Values) {
				continue
			}
			made[n.Name] = "?"
			if call, ok := v.Values[i].(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok {
					if p, ok := f.X.(*ast.Ident); ok {
						made[n.Name] = p.Name + "." + f.Sel.Name
					}
				}
			}
		}
	}
	return made
}

// Every exported error of the tree has a class, so that it gets the right exit code from wherever
// it comes.
func TestErrorsHaveClasses(t *testing.T) {
	bad, seen := unclassed(tree(t))
	for _, b := range bad {
		t.Errorf("%s has no class: give it a method Class, or make it by failure.New", b)
	}
	if seen < 60 {
		t.Errorf("only %d exported errors were seen", seen)
	}
}

// The test must be able to fail.
func TestErrorsHaveClassesSees(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "a.go", `package a

var ErrGood = failure.New(failure.Data, "good")
var ErrBad, errOwn = errors.New("bad"), errors.New("own")

type GoodError struct{}

func (*GoodError) Error() string { return "" }
func (*GoodError) Class() failure.Class { return failure.Data }

type WorseError struct{}

func (WorseError) Error() string { return "" }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	bad, seen := unclassed([]*source{{name: "a/a.go", syntax: f}})
	if want := []string{"a.ErrBad", "a.WorseError"}; !slices.Equal(bad, want) || seen != 4 {
		t.Errorf("found %q of %d, want %q of 4", bad, seen, want)
	}
}
