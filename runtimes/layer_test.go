package runtimes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A policy decides and does nothing else: the files that declare its type or a method of it import
// nothing, and of the package they mention only what policy.go, scheduler.go and rand.go declare
// for policies, and one another. So they can name neither substrate, clock, queue nor atomic. The
// files are found by the types in the table, so that a new policy is held to it too.
func TestPoliciesOnlyDecide(t *testing.T) {
	for _, fault := range policyFaults(t, parseSources(t, nil)) {
		t.Error(fault)
	}
}

// The test above fails if a policy mentions a substrate, whether by name, through a helper
// elsewhere, in a method in another file or by an import.
func TestPoliciesOnlyDecideCanFail(t *testing.T) {
	for name, c := range map[string]struct{ file, old, new, want string }{
		"stepper": {"workfirst.go", "s.Step++", "s.Step++; var v *stepper; _ = v",
			"mentions stepper"},
		"the run": {"shepherd.go", "s.Step = 0\n", "s.Step = 0; _ = Run\n", "mentions Run"},
		"a worker": {"helpfirst.go", "s.Step++\n", "s.Step++; _ = (*Worker).Computes\n",
			"mentions Worker"},
		"an import": {"serial.go", "package runtimes", "package runtimes; import _ \"sync/atomic\"",
			"imports"},
		"a helper": {"gopolicy.go", "return Rest", "return simulatedMove()",
			"mentions simulatedMove"},
		"elsewhere": {"idle.go", "// found is",
			"func (Serial) extra() bool { return true }\n\n// found is", "imports"},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(c.file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(src), c.old) {
				t.Fatalf("%s has no %q", c.file, c.old)
			}
			faults := policyFaults(t,
				parseSources(t, map[string]string{c.file: strings.Replace(string(src), c.old, c.new,
					1)}))
			if !slices.ContainsFunc(faults, func(f string) bool {
				return strings.Contains(f,
					c.want) && strings.Contains(f, c.file)
			}) {
				t.Errorf("faults %q, want one in %s with %q", faults, c.file, c.want)
			}
		})
	}
}

// parseSources parses the package but its tests; planted replaces the text of files.
func parseSources(t *testing.T, planted map[string]string) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		var src any
		if text, ok := planted[name]; ok {
			src = text
		}
		if files[name], err = parser.ParseFile(token.NewFileSet(), name, src, 0); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// receiver is the type that a method is of, or "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	x := d.Recv.List[0].Type
	if p, ok := x.(*ast.StarExpr); ok {
		x = p.X
	}
	id, _ := x.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}

func policyFaults(t *testing.T, files map[string]*ast.File) (faults []string) {
	t.Helper()
	policies := map[string]bool{}
	for _, s := range Schedulers {
		policies[reflect.Indirect(reflect.ValueOf(s.Policy)).Type().Name()] = true
	}
	ofPolicies := map[string]bool{} // files
	declared := map[string]bool{}
	for name, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && policies[receiver(fn)] {
				ofPolicies[name] = true
			}
		}
		for p := range policies {
			if o := f.Scope.Lookup(p); o != nil && o.Kind == ast.Typ {
				ofPolicies[name], declared[p] = true, true
			}
		}
	}
	for p := range policies {
		if !declared[p] {
			faults = append(faults, "no file declares the policy "+p)
		}
	}
	known := func(name string) bool {
		for file, f := range files {
			if (ofPolicies[file] || file == "policy.go" || file == "scheduler.go" ||
				file == "rand.go") &&
				f.Scope.Lookup(name) != nil {
				return true
			}
		}
		return types.Universe.Lookup(name) != nil
	}
	for file := range ofPolicies {
		f := files[file]
		for _, i := range f.Imports {
			faults = append(faults, file+" imports "+i.Path.Value)
		}
		for _, id := range f.Unresolved {
			if !known(id.Name) {
				faults = append(faults, file+" mentions "+id.Name)
			}
		}
	}
	return faults
}
