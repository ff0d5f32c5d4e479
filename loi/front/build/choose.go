package build

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/go/packages"

	"krdlab/loi/front"
)

// A choice holds the program to build and the packages to rewrite.
type choice struct {
	folder, binary string       // of the package; the name that go run or go test gives its program
	names          []string     // import paths of what is rewritten
	left           []front.Left // what patterns name and is not
	in             *imported
}

// choose makes the choice among the packages that a program imports, or tests.
func (r *run) choose() (of choice, err error) {
	if err := r.exists(); err != nil {
		return of, err
	}
	list, err := r.load(packages.NeedName|packages.NeedFiles|packages.NeedImports|
		packages.NeedDeps|packages.NeedModule|packages.NeedForTest, r.Test, r.Path)
	if err != nil {
		_, said, _ := strings.Cut(err.Error(), "stderr: ")
		if said == "" {
			said = err.Error()
		}
		return of, fmt.Errorf("%w: %s: %s", ErrPackage, r.Path, strings.TrimSpace(said))
	}
	// A package comes with its tests: itself, itself with them, those outside, and their program.
	one := map[string]bool{}
	var name string // the package's import path
	var main, program, bad *packages.Package
	for _, p := range list {
		switch path, isTest := strings.CutSuffix(p.ID, ".test"); {
		case p.ForTest != "":
			name = p.ForTest
		case r.Test && isTest && p.Name == "main":
			name, program = path, p
		default:
			name, main = p.PkgPath, p
		}
		one[name] = true
		if p != program && len(p.GoFiles) > 0 {
			of.folder = filepath.Dir(p.GoFiles[0])
		}
		if bad == nil && len(p.Errors) > 0 {
			bad = p
		}
	}
	if main == nil && len(list) > 0 {
		main = list[0] // tests and nothing else
	}
	switch {
	case len(one) != 1:
		return of, fmt.Errorf("%w: %s is %d packages, expected one", ErrPackage, r.Path, len(one))
	case bad != nil && bad.Errors[0].Kind == packages.ListError && len(bad.GoFiles) == 0:
		return of, fmt.Errorf("%w: %s: %s; expected a package's folder, such as ./cmd/server, "+
			"or its import path", ErrPackage, r.Path, bad.Errors[0].Msg)
	case bad != nil:
		return of, goError{bad.Errors[0]}
	case main.Name != "main" && !r.Test:
		return of, fmt.Errorf("%w: %s is package %s, expected package main (or: krdlab trace "+
			"go test %s)", ErrPackage, main.PkgPath, main.Name, r.Path)
	case r.Test && program == nil:
		return of, fmt.Errorf("%w: %s has no tests", ErrPackage, main.PkgPath)
	}
	of.in, of.binary = importedBy(list, program), r.binaryName(name)
	of.names, of.left, err = r.pick(of.in)
	return of, err
}

// exists checks that Path is there if it names a file or a folder.
func (r *run) exists() error {
	file, err := os.Stat(r.absolute(r.Path))
	isFile := filepath.Ext(r.Path) == ".go"
	switch {
	case err == nil && !file.IsDir() && !isFile:
		return fmt.Errorf("%w: %s is neither a package nor a file of Go", ErrPackage, r.Path)
	case err != nil && (strings.HasPrefix(r.Path, ".") || filepath.IsAbs(r.Path) || isFile) &&
		!strings.Contains(r.Path, "..."):
		return fmt.Errorf("%w: %w", ErrPackage, err)
	}
	return nil
}

// majorVersion is the last element of the import path of a module's version 2 or later.
var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

// binaryName returns the name that the go command gives to the program of a package.
func (r *run) binaryName(importPath string) string {
	name := path.Base(importPath)
	if importPath == ofFile {
		name = strings.TrimSuffix(filepath.Base(r.Path), ".go")
	} else if up := path.Dir(importPath); majorVersion.MatchString(name) && up != "." {
		name = path.Base(up)
	}
	if r.Test {
		name += ".test"
	}
	return name
}
