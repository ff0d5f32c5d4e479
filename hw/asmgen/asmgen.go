// Package asmgen writes the files of generators of assembly and tests that they are up to date. A
// generator is a command gen beside the package whose files it writes, lists them as [File] values,
// and has [Main] as its main and [Stale] as its test. The assembler is avo's
// (github.com/mmcloughlin/avo). Only generators import this package.
package asmgen

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// A File is a file of assembly for amd64 and that of its Go declarations.
type File struct {
	Asm, Stubs string // their names, without a folder
	// Emit adds the functions, the same ones in the same order each time.
	Emit func(*build.Context)
	// Edit returns the assembly as it is to be written; nil: as avo prints it.
	Edit func([]byte) ([]byte, error)
}

// Main runs a generator: it writes the files of package pkg into the working directory. An error
// goes to stderr, and the exit code is 1; nothing is written unless all files can be made.
func Main(pkg string, files ...File) {
	texts, err := Generate(pkg, files)
	for name, text := range texts {
		if err == nil {
			err = os.WriteFile(name, text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// Generate returns the texts of the files of package pkg by their names, the same bytes each time.
// Its errors are those of avo and of Edit, and a name that two files have.
func Generate(pkg string, files []File) (map[string][]byte, error) {
	texts := map[string][]byte{}
	for _, f := range files {
		c := build.NewContext()
		c.Constraint(buildtags.Term("amd64"))
		f.Emit(c)
		out, err := c.Result()
		if err == nil {
			err = pass.Compile.Execute(out)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Asm, err)
		}
		cfg := printer.Config{Argv: strings.Fields("go run ./gen"), Pkg: pkg}
		asm, err := printer.NewGoAsm(cfg).Print(out)
		if err == nil && f.Edit != nil {
			asm, err = f.Edit(asm)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Asm, err)
		}
		stubs, err := printer.NewStubs(cfg).Print(out)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Stubs, err)
		}
		texts[f.Asm], texts[f.Stubs] = asm, stubs
	}
	if len(texts) != 2*len(files) {
		return nil, errors.New("two files have one name")
	}
	return texts, nil
}

// Stale returns an error for each file in folder dir that is missing or is not, byte for byte, what
// [Generate] makes. No files are an error too: a test would compare nothing.
func Stale(dir, pkg string, files ...File) error {
	texts, err := Generate(pkg, files)
	if err == nil && len(texts) == 0 {
		err = errors.New("there are no files to compare")
	}
	stale := []error{err}
	for name, want := range texts {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil && !bytes.Equal(got, want) {
			err = fmt.Errorf("%s is not what the generator writes: run go generate in package %s",
				name, pkg)
		}
		stale = append(stale, err)
	}
	return errors.Join(stale...)
}
