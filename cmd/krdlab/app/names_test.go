package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"krdlab/kernels"
	"krdlab/krd/plot"
	"krdlab/runtimes"
)

// namesMay lists the places that may name a scheduler or a kernel: the tables themselves, the
// claims of the papers, which are about their schedulers and kernels, data for tests,
// what runs the go command, the classes of loops, one of which is serial, and programs that import
// nothing of krdlab and name what is theirs.
var namesMay = []string{
	"runtimes/table.go", "kernels/", "experiments/papers/kernelreuse/", "experiments/papers/virda/",
	"experiments/papers/skadu/", "experiments/papers/steps/worker.go",
	"experiments/test/datasettest/",
	"loi/front/build/", "krd/analysis/regions/class.go", "examples/",
}

// sources calls do for each Go file below root, tests and generated folders apart, with its path
// from there, its text and its syntax, and returns how many there are.
func sources(root string, do func(path, text string, fset *token.FileSet, f *ast.File)) (files int,
	err error) {
	return files, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := e.Name(); e.IsDir() && path != root && (strings.HasPrefix(name, ".") ||
			name == "testdata" || name == "gen") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, text, 0)
		if err == nil {
			do(filepath.ToSlash(rel), string(text), fset, f)
		}
		return err
	})
}

// named returns the texts in the files below root, tests apart, that are one of names: package
// folder and file, line, name.
func named(root string, names []string) (found []string, files int, err error) {
	files, err = sources(root, func(rel, _ string, fset *token.FileSet, f *ast.File) {
		if slices.ContainsFunc(namesMay, func(p string) bool { return strings.HasPrefix(rel, p) }) {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil && slices.Contains(names, s) {
					found = append(found, rel+":"+strconv.Itoa(fset.Position(l.Pos()).Line)+": "+s)
				}
			}
			return true
		})
	})
	return found, files, err
}

// No code asks for a scheduler or a kernel by its name: what it wants to know is a field of the
// table's line.
func TestNoNames(t *testing.T) {
	var names []string
	for _, s := range runtimes.Schedulers {
		if !slices.Contains(plot.Formats, s.Name) { // pdf is a format of figures, too
			names = append(names, s.Name)
		}
	}
	for _, k := range kernels.Table {
		if k.Name != string(plot.Heat) { // a kind of panel, too
			names = append(names, k.Name)
		}
	}
	found, files, err := named("../../..", names)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Errorf("%s is a name of a table", f)
	}
	if files < 300 {
		t.Errorf("only %d files were seen", files)
	}
	// The test must be able to fail.
	if found, _, err := named(".", []string{"KERNEL-that-is-none",
		"krdlab help: %v"}); err != nil ||
		len(found) != 1 || !strings.HasPrefix(found[0], "app.go:") {
		t.Errorf("found %q, %v, want one of app.go", found, err)
	}
}

// argvMay lists the files that may look at the command which a document was made by: one prints it,
// one hands it on.
var argvMay = []string{
	"experiments/show/report/command.go", "experiments/sweep/run.go",
}

// No code finds out from a command what a run was: that is in fields.
func TestNobodyReadsArgv(t *testing.T) {
	var found []string
	if _, err := sources("../../..", func(rel, _ string, _ *token.FileSet, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Argv" && !slices.Contains(found, rel) {
				found = append(found, rel)
			}
			return true
		})
	}); err != nil {
		t.Fatal(err)
	}
	if slices.Sort(found); !slices.Equal(found, argvMay) {
		t.Errorf("Argv is read in %q, expected %q", found, argvMay)
	}
}
