package front

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"krdlab/hw/failure"
)

// BuildOptions say what is built and what of it is rewritten.
type BuildOptions struct {
	Dir  string // of the module; "" is the current directory
	Path string // a package, as go build takes it
	Test bool   // its tests, as go test -c builds them
	Tags string // build tags, separated by commas
	// Patterns of import paths that may end in ... (see pick): which packages are rewritten; those of
	// the standard library begin with Standard. Include nil: all of the main module.
	Include, Exclude []string
	// Stack records that what is on the stack is observed too, as far as something points to it.
	Stack bool
	// Regions records functions and loops as regions.
	Regions bool
	// Iterations records those of loops as regions too. It implies Regions.
	Iterations bool
	// Sync records what goroutines wait for, and has the standard library do so too.
	Sync bool
	// Values records which operations were done: what depends on what. It implies Stack and Iterations.
	Values bool
	// Plain rewrites no package: what is recorded is what the standard library does (Sync).
	Plain bool

	// Sample has the program record a sample of its accesses (collect.Memory.Sample).
	Sample bool

	overlay userOverlay
	view    moduleView
}

// A Built is a program that was rewritten and built.
type Built struct {
	Binary   string // below the folder that was given
	Folder   string // of the package's sources, which go test runs its tests in
	Packages []string
	Stack    bool // what is on the stack is observed: BuildOptions.Stack, or implied by others
	*Rewritten
	flags   string            // of go build: how the rewritten packages are compiled
	renamed map[string]string // sources that are embedded as they are, by the names for that
	// Failed tells of packages that did not build when rewritten, and so are as they were.
	Failed []Failure
}

// A Failure is a package that could not be built when it was rewritten.
type Failure struct{ Package, Why string }

// ErrBuild is wrapped by the error of a program that does not build.
var ErrBuild = failure.New(failure.Failed, "the program does not build")

// ErrPackage is wrapped by the error of a package that cannot be traced.
var ErrPackage = failure.New(failure.Request, "no program to trace")

// Build rewrites the packages of a program and builds it in the folder dir, which exists. The
// user's files are read only: what takes their place is in an overlay (go help build). It takes
// the time of a build; the first one for a version of Go also builds the standard library anew,
// since its runtime has been patched. Where ctx has ended, the error is its cause.
func Build(ctx context.Context, opt BuildOptions, dir string) (*Built, error) {
	b, err := buildProgram(ctx, opt, dir)
	return b, failure.OfContext(ctx, err) // the go command was killed
}

func buildProgram(ctx context.Context, opt BuildOptions, dir string) (*Built, error) {
	// The tools name files as their working directory does: a symbolic link on the way to it would
	// make two names of one file.
	var err error
	if opt.Dir, err = filepath.Abs(opt.Dir); err != nil {
		return nil, err
	}
	if opt.Dir, err = filepath.EvalSymlinks(opt.Dir); err != nil {
		return nil, err
	}
	if opt.overlay, err = opt.overlaid(ctx); err != nil {
		return nil, err
	}
	opt.Stack, opt.Iterations = opt.Stack || opt.Values, opt.Iterations || opt.Values
	opt.Regions = opt.Regions || opt.Iterations
	what, err := choose(ctx, opt)
	if err != nil {
		return nil, err
	}
	names := what.names
	if opt.Plain {
		names = nil
	}
	goroot, err := command(ctx, opt.Dir, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	replace, err := runtimeOverlay(strings.TrimSpace(string(goroot)), filepath.Join(dir, "std"),
		opt.Sync, opt.Sample)
	if err != nil {
		return nil, err
	}
	plain, err := opt.plain(ctx, names, dir)
	if err != nil {
		return nil, err
	}
	if err := opt.seen(ctx, what.in, names, dir); err != nil {
		return nil, err
	}
	b := &Built{Binary: filepath.Join(dir, "bin", what.binary), Folder: what.folder, Stack: opt.Stack}
	for {
		list, err := b.rewrite(ctx, opt, names, Options{Escapes: plain.moved(), Stack: opt.Stack,
			Regions: opt.Regions, Iterations: opt.Iterations, Sync: opt.Sync, Values: opt.Values,
			Sample: opt.Sample, Texts: opt.overlay.texts})
		if err != nil {
			return nil, err
		}
		b.Left = append(b.Left, what.left...)
		i := slices.IndexFunc(b.Left, func(l Left) bool { return l.Whole() })
		if len(b.Files) == 0 && i >= 0 {
			return nil, fmt.Errorf("%w: nothing of it can be observed: %s", ErrPackage,
				&b.Left[i])
		}
		b.flags, err = plain.inlined(append(sourcesOf(list), b.tests(opt)...), dir)
		if err != nil {
			return nil, err
		}
		bad, err := b.build(ctx, opt, dir, replace, compilerFlags(names, b.flags))
		if err == nil {
			b.Packages = names
			return b, b.took(ctx, opt, dir)
		}
		left := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
			return slices.Contains(bad, n)
		})
		if len(left) == len(names) {
			return nil, err
		}
		for _, n := range bad {
			b.Failed = append(b.Failed, Failure{n, err.Error()})
		}
		names = left
	}
}

func goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = dir
	return c
}

// command runs the go command.
func command(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return commandIn(ctx, dir, nil, args...)
}

// commandIn runs the go command, with more in its environment.
func commandIn(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	c := goCommand(ctx, dir, args...)
	c.Env = append(c.Environ(), env...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		if x := (*exec.ExitError)(nil); errors.As(err, &x) {
			return nil, fmt.Errorf("%w: go %s:\n%s", ErrBuild, args[0],
				strings.TrimSpace(errs.String()))
		}
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out.Bytes(), nil
}

func (o *BuildOptions) flags() []string {
	if o.Tags == "" {
		return o.view.flags
	}
	return append(slices.Clone(o.view.flags), "-tags="+o.Tags)
}

func (o *BuildOptions) load(ctx context.Context, mode packages.LoadMode,
	tests bool, patterns ...string) ([]*packages.Package, error) {
	return packages.Load(&packages.Config{Context: ctx, Dir: o.Dir, Mode: mode,
		Env: append(os.Environ(), o.view.env...), BuildFlags: o.flags(), Tests: tests, Overlay: o.overlay.texts}, patterns...)
}

// A choice is what is built and what of it is to be rewritten.
type choice struct {
	folder, binary string   // of the package; the name that go run or go test gives its program
	names          []string // import paths of what is rewritten
	left           []Left   // what patterns name and is not
	in             *imported
}

// choose makes the choice among the packages that a program imports, or tests.
func choose(ctx context.Context, opt BuildOptions) (of choice, err error) {
	at := opt.Path
	if !filepath.IsAbs(at) {
		at = filepath.Join(opt.Dir, at)
	}
	file, err := os.Stat(at)
	switch {
	case err == nil && !file.IsDir() && filepath.Ext(at) != ".go":
		return of, fmt.Errorf("%w: %s is neither a package nor a file of Go", ErrPackage,
			opt.Path)
	case err != nil && (strings.HasPrefix(opt.Path, ".") || filepath.IsAbs(opt.Path) ||
		filepath.Ext(at) == ".go") && !strings.Contains(opt.Path, "..."):
		return of, fmt.Errorf("%w: %w", ErrPackage, err)
	}
	list, err := opt.load(ctx, packages.NeedName|packages.NeedFiles|packages.NeedImports|
		packages.NeedDeps|packages.NeedModule|packages.NeedForTest, opt.Test, opt.Path)
	if err != nil {
		_, said, _ := strings.Cut(err.Error(), "stderr: ")
		if said == "" {
			said = err.Error()
		}
		return of, fmt.Errorf("%w: %s: %s", ErrPackage, opt.Path, strings.TrimSpace(said))
	}
	// A package comes with its tests: itself, itself with them, those outside, and their program.
	one := map[string]bool{}
	var main, program *packages.Package
	for _, p := range list {
		switch path, isTest := strings.CutSuffix(p.ID, ".test"); {
		case p.ForTest != "":
			one[p.ForTest] = true
		case opt.Test && isTest && p.Name == "main":
			one[path], program = true, p
		default:
			one[p.PkgPath], main = true, p
		}
		if p != program && len(p.GoFiles) > 0 {
			of.folder = filepath.Dir(p.GoFiles[0])
		}
	}
	if len(one) != 1 {
		return of, fmt.Errorf("%w: %s is %d packages, expected one", ErrPackage, opt.Path,
			len(one))
	}
	if main == nil {
		main = list[0] // tests and nothing else
	}
	for _, p := range list {
		if len(p.Errors) > 0 {
			main = p
			break
		}
	}
	if len(main.Errors) > 0 {
		if e := main.Errors[0]; e.Kind == packages.ListError && len(main.GoFiles) == 0 {
			return of, fmt.Errorf("%w: %s: %s; expected a package's folder, such as ./cmd/server, "+
				"or its import path", ErrPackage, opt.Path, e.Msg)
		}
		return of, fmt.Errorf("%w: %w", ErrBuild, main.Errors[0])
	}
	if main.Name != "main" && !opt.Test {
		return of, fmt.Errorf("%w: %s is package %s, expected package main (or: krdlab trace "+
			"go test %s)", ErrPackage, main.PkgPath, main.Name, opt.Path)
	}
	if opt.Test && program == nil {
		return of, fmt.Errorf("%w: %s has no tests", ErrPackage, main.PkgPath)
	}
	of.in = importedBy(list, program)
	of.names, of.left, err = opt.pick(ctx, of.in)
	of.binary = binaryName(slices.Collect(maps.Keys(one))[0], opt)
	return of, err
}

// majorVersion is the last element of the import path of a module's version 2 or later.
var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

// binaryName returns the name that the go command gives to the program of a package.
func binaryName(importPath string, opt BuildOptions) string {
	name := path.Base(importPath)
	if importPath == ofFile {
		name = strings.TrimSuffix(filepath.Base(opt.Path), ".go")
	} else if up := path.Dir(importPath); majorVersion.MatchString(name) && up != "." {
		name = path.Base(up)
	}
	if opt.Test {
		name += ".test"
	}
	return name
}

// rewriteMode is what Rewrite needs of packages.
const rewriteMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
	packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax |
	packages.NeedTypesInfo | packages.NeedModule | packages.NeedEmbedFiles

func (b *Built) rewrite(ctx context.Context, opt BuildOptions, names []string,
	how Options) (list []*packages.Package, err error) {
	for _, group := range opt.groups(names) {
		some, err := opt.load(ctx, rewriteMode, false, group...)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBuild, err)
		}
		list = append(list, some...)
	}
	for _, p := range list {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%w: %w", ErrBuild, p.Errors[0])
		}
	}
	if b.Rewritten, err = Rewrite(list, how); err == nil {
		b.renamed, err = b.embedded(list)
	}
	return list, err
}

// tests are the test files of the package, which are compiled with it: none that does not parse.
func (b *Built) tests(opt BuildOptions) (all []sourceFiles) {
	if !opt.Test {
		return nil
	}
	files := token.NewFileSet()
	names, _ := filepath.Glob(filepath.Join(b.Folder, "*_test.go"))
	for _, name := range names {
		if f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution); err == nil {
			all = append(all, sourceFiles{f.Name.Name, f.Name.Name, files, []*ast.File{f}})
		}
	}
	return all
}

// build builds the program with flags. If that fails, bad is the packages that the compiler
// complains about.
func (b *Built) build(ctx context.Context, opt BuildOptions, dir string,
	std map[string]string, flags []string) (bad []string, err error) {
	replace := make(map[string]string)
	maps.Copy(replace, opt.overlay.replace)
	maps.Copy(replace, std)
	maps.Copy(replace, b.renamed)
	folder := filepath.Join(dir, "src")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	n := 0
	for _, original := range slices.Sorted(maps.Keys(b.Files)) {
		text := b.Files[original]
		n++
		path := filepath.Join(folder, fmt.Sprintf("%d_%s", n, filepath.Base(original)))
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return nil, err
		}
		replace[original] = path
	}
	overlay := overlayOf(dir)
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		return nil, err
	}
	args := []string{"build"}
	if opt.Test {
		args = []string{"test", "-c", "-vet=off"} // vet finds no package that only the overlay has
	}
	args = append(args, opt.flags()...)
	args = append(append(args, flags...), "-overlay", overlay, "-o", b.Binary, opt.Path)
	_, err = commandIn(ctx, opt.Dir, opt.view.env, args...)
	if err == nil {
		return nil, nil
	}
	for line := range strings.Lines(err.Error()) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "# "); ok {
			name, _, _ = strings.Cut(name, " ")
			bad = append(bad, name)
		}
	}
	return bad, err
}

// ofFile is the import path of the package that a file makes which is named in place of one.
const ofFile = "command-line-arguments"

// groups are packages as the go command takes them: files and packages do not go together.
func (o *BuildOptions) groups(names []string) (all [][]string) {
	rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == ofFile })
	if len(rest) < len(names) {
		all = append(all, []string{o.Path})
	}
	if len(rest) > 0 {
		all = append(all, rest)
	}
	return all
}

func overlayOf(dir string) string { return filepath.Join(dir, "overlay.json") }

// took checks that the build has read what was rewritten: each package of it imports the agent.
func (b *Built) took(ctx context.Context, opt BuildOptions, dir string) error {
	args := append([]string{"list", "-overlay", overlayOf(dir)}, opt.flags()...)
	args = append(args, "-f", `{{range .Imports}}{{if eq . "`+Agent+`"}}{{$.Dir}}{{end}}{{end}}`)
	var folders []string
	for _, group := range opt.groups(b.Packages) {
		said, err := commandIn(ctx, opt.Dir, opt.view.env, slices.Concat(args, group)...)
		if err != nil {
			return err
		}
		folders = append(folders, strings.Split(string(said), "\n")...)
	}
	for path, text := range b.Files {
		if bytes.Contains(text, []byte(`"`+Agent+`"`)) &&
			!slices.Contains(folders, filepath.Dir(path)) {
			return fmt.Errorf("%w: go build did not take the rewritten %s", ErrBuild, path)
		}
	}
	return nil
}
