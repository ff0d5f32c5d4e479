package gofront

import (
	"bytes"
	"context"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// moved is what the compiler says of a variable that a function declares and that lives on the
// heap, since a closure or a pointer to it may outlive the call; and the package that it says it of.
// Behind a line directive without a column it names none.
var moved = regexp.MustCompile(
	`(?m)^# (\S+)|^(\S.*?):([0-9]+)(?::([0-9]+))?: moved to heap: (\S+)$`)

// A Declared is a local variable and where it is declared, with line directives taken into account;
// column 0 is one that is not known.
type Declared struct {
	Package, Name string
	At            token.Position
}

// escapes asks the compiler which local variables of packages are on the heap. Of what is inlined
// it tells the place of the call too; the recorder drops a variable that is on the stack after all.
// It takes the time of a build of the packages, once: the build cache keeps what was said.
func (o *BuildOptions) escapes(ctx context.Context, packages []string) (
	func(Declared) bool, error) {
	var said bytes.Buffer
	for _, group := range o.groups(packages) {
		// where a user's GOFLAGS trim paths they are not: they are matched with those of the sources
		args := slices.Concat([]string{"build", "-trimpath=false", "-o", os.DevNull}, o.flags(), group)
		c := goCommand(ctx, o.Dir, slices.Insert(slices.Clone(args), 1, "-gcflags=-m")...)
		c.Stderr = &said
		if err := c.Run(); err != nil {
			if _, plain := command(ctx, o.Dir, args...); plain != nil {
				return nil, plain // without what else the compiler says
			}
			return nil, fmt.Errorf("go build -gcflags=-m: %w", err)
		}
	}
	return movedIn(o.Dir, said.Bytes()), nil
}

// movedIn reads what the compiler says when it is run in dir. It names files as they are below dir,
// but for those of line directives: these are known by their package and last element.
func movedIn(dir string, said []byte) func(Declared) bool {
	type place struct {
		in, file     string // the package, or "" where file is a path
		line, column int
		name         string
	}
	set := make(map[place]bool)
	in := ""
	for _, m := range moved.FindAllSubmatch(said, -1) {
		if len(m[1]) > 0 {
			in = string(m[1])
			continue
		}
		file := string(m[2])
		line, _ := strconv.Atoi(string(m[3]))
		column, _ := strconv.Atoi(string(m[4]))
		p := place{in, filepath.Base(file), line, column, string(m[5])}
		set[p] = true
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		p.in, p.file = "", filepath.Clean(file)
		set[p] = true
	}
	return func(v Declared) bool {
		p := place{"", filepath.Clean(v.At.Filename), v.At.Line, v.At.Column, v.Name}
		if set[p] {
			return true
		}
		p.in, p.file = v.Package, filepath.Base(p.file)
		return set[p]
	}
}
