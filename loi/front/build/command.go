package build

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// command runs the go command and returns what it prints on its two outputs. The error of a command
// that fails wraps ErrFailed and has the second.
func (r *run) command(args ...string) (out, said string, err error) {
	c := exec.CommandContext(r.ctx, "go", args...)
	c.Dir = r.Dir
	c.Env = append(c.Environ(), r.view.env...)
	var outs, errs strings.Builder
	c.Stdout, c.Stderr = &outs, &errs
	if err = c.Run(); errors.As(err, new(*exec.ExitError)) {
		err = fmt.Errorf("%w: go %s:\n%s", ErrFailed, args[0], strings.TrimSpace(errs.String()))
	} else if err != nil {
		err = fmt.Errorf("go %s: %w", args[0], err)
	}
	return outs.String(), errs.String(), err
}

// An environment is what go env prints of some variables.
type environment struct{ root, cache, mod, work, flags string }

func (r *run) environment() (e environment, err error) {
	out, _, err := r.command("env", "GOROOT", "GOMODCACHE", "GOMOD", "GOWORK", "GOFLAGS")
	if err != nil {
		return e, err
	}
	lines := append(strings.SplitN(out, "\n", 5), make([]string, 5)...)
	return environment{lines[0], filepath.Clean(lines[1]), lines[2], lines[3], lines[4]}, nil
}

// buildTo are the arguments of the go command that build the program as a file.
func (r *run) buildTo(file string) []string {
	if r.Test { // vet finds no package that only the overlay has
		return []string{"test", "-c", "-vet=off", "-o", file}
	}
	return []string{"build", "-o", file}
}

// flags are those of all commands that build and list.
func (r *run) flags() []string {
	if r.Tags == "" {
		return r.view.flags
	}
	return append(slices.Clone(r.view.flags), "-tags="+r.Tags)
}

// compilerFlags are arguments of go build: flags for each of the packages.
func compilerFlags(packages []string, flags string) (args []string) {
	for _, p := range packages {
		if p == ofFile { // it has no path, but is what is named
			args = append(args, "-gcflags="+flags)
		} else {
			args = append(args, "-gcflags="+p+"="+flags)
		}
	}
	return args
}

// ofFile is the import path of the package that a file makes which is named in place of one.
const ofFile = "command-line-arguments"

// groups are packages as the go command takes them: files and packages do not go together.
func (r *run) groups(names []string) (all [][]string) {
	rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == ofFile })
	if len(rest) < len(names) {
		all = append(all, []string{r.Path})
	}
	if len(rest) > 0 {
		all = append(all, rest)
	}
	return all
}

func (r *run) load(mode packages.LoadMode, tests bool, patterns ...string) ([]*packages.Package,
	error) {
	return packages.Load(&packages.Config{Context: r.ctx, Dir: r.Dir, Mode: mode, Tests: tests,
		Env: append(os.Environ(), r.view.env...), BuildFlags: r.flags(), Overlay: r.Texts}, patterns...)
}

// loadForRewriting loads what front.Rewrite needs of packages, none of which has errors.
func (r *run) loadForRewriting(names []string) (list []*packages.Package, err error) {
	for _, group := range r.groups(names) {
		some, err := r.load(packages.NeedName|packages.NeedFiles|packages.NeedCompiledGoFiles|
			packages.NeedImports|packages.NeedTypes|packages.NeedTypesSizes|packages.NeedSyntax|
			packages.NeedTypesInfo|packages.NeedModule|packages.NeedEmbedFiles, false, group...)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFailed, err)
		}
		list = append(list, some...)
	}
	for _, p := range list {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%w: %w", ErrFailed, p.Errors[0])
		}
	}
	return list, nil
}
