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
// heap, since a closure or a pointer to it may outlive the call.
var moved = regexp.MustCompile(`(?m)^(\S.*\.go):([0-9]+):([0-9]+): moved to heap: `)

// escapes asks the compiler which local variables of packages are on the heap. Of what is inlined
// it tells the place of the call too; the recorder drops a variable that is on the stack after all.
// It takes the time of a build of the packages, once: the build cache keeps what was said.
func (o *BuildOptions) escapes(ctx context.Context, packages []string) (
	func(token.Position) bool, error) {
	args := append(append([]string{"build", "-o", os.DevNull}, o.flags()...), packages...)
	c := goCommand(ctx, o.Dir, slices.Insert(slices.Clone(args), 1, "-gcflags=-m")...)
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Run(); err != nil {
		if _, plain := command(ctx, o.Dir, args...); plain != nil {
			return nil, plain // without what else the compiler says
		}
		return nil, fmt.Errorf("go build -gcflags=-m: %w", err)
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	return movedIn(dir, said.Bytes()), nil
}

// movedIn reads what the compiler says when it is run in dir.
func movedIn(dir string, said []byte) func(token.Position) bool {
	type place struct {
		file         string
		line, column int
	}
	set := make(map[place]bool)
	for _, m := range moved.FindAllSubmatch(said, -1) {
		file := string(m[1])
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		line, _ := strconv.Atoi(string(m[2]))
		column, _ := strconv.Atoi(string(m[3]))
		set[place{file, line, column}] = true
	}
	return func(p token.Position) bool { return set[place{p.Filename, p.Line, p.Column}] }
}
