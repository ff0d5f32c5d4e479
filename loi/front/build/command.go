package build

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/tools/go/packages"
)

// command runs the go command and returns what it prints on its two outputs. The error of a command
// that fails is a goError and has the second.
func (r *run) command(args ...string) (out, said string, err error) {
	c := exec.CommandContext(r.ctx, "go", args...)
	c.Dir = r.Dir
	c.Env = append(c.Environ(), r.view.env...)
	// A terminal's Ctrl-C is for this process, which ends the command and what it has started.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	var outs, errs strings.Builder
	c.Stdout, c.Stderr = &outs, &errs
	if err = c.Run(); errors.As(err, new(*exec.ExitError)) {
		err = goError{fmt.Errorf("go %s:\n%s", args[0], strings.TrimSpace(errs.String()))}
	} else if err != nil {
		err = fmt.Errorf("go %s: %w", args[0], err)
	}
	return outs.String(), errs.String(), err
}

// A goError is of a go command or of packages that it lists; blame finds out what it means.
type goError struct{ error }

// blame returns the error of a program that does not build for one of the go command, if go build
// as the user has it does not build it, and else an error that names that.
func (r *run) blame(err error) error {
	if _, ok := errors.AsType[goError](err); !ok || r.ctx.Err() != nil {
		return err
	}
	r.view = r.env.view
	args := append(r.buildTo(filepath.Join(r.dir, "plain")), r.flags()...)
	if _, _, plain := r.command(append(args, r.Path)...); plain != nil {
		return fmt.Errorf("%w: %w", ErrFailed, plain)
	}
	return fmt.Errorf("%w: %w", ErrRewritten, err)
}

// buildTo returns the arguments of the go command that build the program as a file.
func (r *run) buildTo(file string) []string {
	if r.Test { // vet finds no package that only the overlay has
		return []string{"test", "-c", "-vet=off", "-o", file}
	}
	return []string{"build", "-o", file}
}

// flags returns the flags of all commands that build and list.
func (r *run) flags() []string {
	if r.Tags == "" {
		return r.view.flags
	}
	return append(slices.Clone(r.view.flags), "-tags="+r.Tags)
}

// compilerFlags returns arguments of go build: flags for each of the packages.
func compilerFlags(packages []string, flags string) (args []string) {
	for _, p := range packages {
		if p == ofFile { // it has no path, but was named
			args = append(args, "-gcflags="+flags)
		} else {
			args = append(args, "-gcflags="+p+"="+flags)
		}
	}
	return args
}

// ofFile is the import path of the package that a file makes which is named in place of one.
const ofFile = "command-line-arguments"

// groups returns packages as the go command takes them: files and packages do not go together.
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

// loadForRewriting loads packages as front.Rewrite needs them. It fails if one has errors.
func (r *run) loadForRewriting(names []string) (list []*packages.Package, err error) {
	for _, group := range r.groups(names) {
		some, err := r.load(packages.NeedName|packages.NeedFiles|packages.NeedCompiledGoFiles|
			packages.NeedImports|packages.NeedTypes|packages.NeedTypesSizes|packages.NeedSyntax|
			packages.NeedTypesInfo|packages.NeedModule|packages.NeedEmbedFiles, false, group...)
		if err != nil {
			return nil, goError{err}
		}
		list = append(list, some...)
	}
	for _, p := range list {
		if len(p.Errors) > 0 {
			return nil, goError{p.Errors[0]}
		}
	}
	return list, nil
}
