package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/failure"
)

// unclassed parses the packages below root and returns their exported errors that have no class:
// types with a method Error and without a method Class, and sentinels that [failure.New] did not
// make. seen counts the exported errors.
func unclassed(root string) (bad []string, seen int, err error) {
	err = filepath.WalkDir(root, func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if name := e.Name(); dir != root && (strings.HasPrefix(name, ".") || name == "testdata") {
			return filepath.SkipDir
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		isError, hasClass := map[string]bool{}, map[string]bool{}
		for _, f := range entries {
			if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, f.Name()), nil, 0)
			if err != nil {
				return err
			}
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if name := receiver(d); ast.IsExported(name) {
						isError[name] = isError[name] || d.Name.Name == "Error"
						hasClass[name] = hasClass[name] || d.Name.Name == "Class"
					}
				case *ast.GenDecl:
					for name, made := range sentinels(d) {
						isError[name], hasClass[name] = true, made == "failure.New"
					}
				}
			}
		}
		for name := range isError {
			if !isError[name] {
				continue
			}
			seen++
			if !hasClass[name] {
				bad = append(bad, filepath.Base(dir)+"."+name)
			}
		}
		return nil
	})
	slices.Sort(bad)
	return bad, seen, err
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

// Every exported error of the tree says what class it is of, so that it gets the right exit code
// from wherever it comes.
func TestErrorsHaveClasses(t *testing.T) {
	bad, seen, err := unclassed("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bad {
		t.Errorf("%s has no class: give it a method Class, or make it by failure.New", b)
	}
	if seen < 60 {
		t.Errorf("only %d exported errors were seen", seen)
	}
}

// The test must be able to fail.
func TestErrorsHaveClassesSees(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(`package a

var ErrGood = failure.New(failure.Data, "good")
var ErrBad, errOwn = errors.New("bad"), errors.New("own")

type GoodError struct{}

func (*GoodError) Error() string { return "" }
func (*GoodError) Class() failure.Class { return failure.Data }

type WorseError struct{}

func (WorseError) Error() string { return "" }
`), 0o666); err != nil {
		t.Fatal(err)
	}
	bad, seen, err := unclassed(dir)
	base := filepath.Base(dir)
	if want := []string{base + ".ErrBad", base + ".WorseError"}; err != nil ||
		!slices.Equal(bad, want) || seen != 4 {
		t.Errorf("found %q of %d (%v), want %q of 4", bad, seen, err, want)
	}
}

// Every class has a code of its own.
func TestCodes(t *testing.T) {
	seen := map[int]failure.Class{}
	for c := failure.Failed; c <= failure.Interrupted; c++ {
		code, ok := codes[c]
		if _, twice := seen[code]; !ok || twice || code == exitOK {
			t.Errorf("class %d has code %d (%v, also of class %d)", c, code, ok, seen[code])
		}
		seen[code] = c
	}
}
