package front

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

// A compiled is the program as it is, built before it is rewritten: what the compiler says of it
// decides what is on the heap and what is inlined in the rewritten one too.
type compiled struct {
	binary  string
	remarks []remark
}

// A remark of the compiler is about a line of a package's source. Behind a line directive without a
// column it names none, and the column is 0.
type remark struct {
	in           string // import path of the package
	file         string // absolute, or as a line directive has it
	line, column int
	what, name   string
}

// What remarks are about: a variable that a function declares and that lives on the heap, since a
// closure or a pointer to it may outlive the call; a function whose calls can be inlined; a call
// that is. Of what is inlined the outermost call has the place.
const (
	movedToHeap  = "moved to heap"
	canInline    = "can inline"
	inliningCall = "inlining call to"
)

var remarked = regexp.MustCompile(`(?m)^# (\S+)|^(\S.*?):([0-9]+)(?::([0-9]+))?: ` +
	`(moved to heap|can inline|inlining call to):? (.+)$`)

// plain builds the program as it is, in the folder dir, with remarks about packages. It takes the
// time of a build, once: the build cache keeps what the compiler said.
func (o *BuildOptions) plain(ctx context.Context, packages []string, dir string) (*compiled, error) {
	c := &compiled{binary: filepath.Join(dir, "plain")}
	args := []string{"build"}
	if o.Test {
		args = []string{"test", "-c", "-vet=off"}
	}
	var err error
	c.remarks, err = o.remarks(ctx, append(args, "-o", c.binary), packages, o.Path)
	return c, err
}

// remarks are those about packages when the go command is run with args for targets.
func (o *BuildOptions) remarks(ctx context.Context, args, packages []string, targets ...string) (
	[]remark, error) {
	// where a user's GOFLAGS trim paths they are not: they are matched with those of the sources
	args = slices.Concat(args, []string{"-trimpath=false"}, o.flags())
	var said bytes.Buffer
	p := goCommand(ctx, o.Dir, slices.Concat(args, compilerFlags(packages, "-m"), targets)...)
	p.Stderr = &said
	if err := p.Run(); err != nil {
		if _, plain := command(ctx, o.Dir, append(args, targets...)...); plain != nil {
			return nil, plain // without what else the compiler says
		}
		return nil, fmt.Errorf("go build -gcflags=-m: %w", err)
	}
	return remarksOf(o.Dir, said.Bytes()), nil
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

// remarksOf reads what the compiler says when it is run in dir.
func remarksOf(dir string, said []byte) (all []remark) {
	in := ""
	for _, m := range remarked.FindAllSubmatch(said, -1) {
		if len(m[1]) > 0 {
			in = string(m[1])
			continue
		}
		r := remark{in: in, file: string(m[2]), what: string(m[5]), name: string(m[6])}
		r.line, _ = strconv.Atoi(string(m[3]))
		r.column, _ = strconv.Atoi(string(m[4]))
		if !filepath.IsAbs(r.file) {
			r.file = filepath.Join(dir, r.file)
		}
		r.file = filepath.Clean(r.file)
		all = append(all, r)
	}
	return all
}

// A Declared is a local variable and where it is declared, with line directives taken into account;
// column 0 is one that is not known.
type Declared struct {
	Package, Name string
	At            token.Position
}

// moved returns whether a local variable is on the heap. Of what is inlined the compiler tells the
// place of the call too; the recorder drops a variable that is on the stack after all. Files of
// line directives are known by their package and last element.
func (c *compiled) moved() func(Declared) bool {
	type place struct {
		in, file     string // the package, or "" where file is a path
		line, column int
		name         string
	}
	set := make(map[place]bool)
	for _, r := range c.remarks {
		if r.what == movedToHeap {
			set[place{r.in, filepath.Base(r.file), r.line, r.column, r.name}] = true
			set[place{"", r.file, r.line, r.column, r.name}] = true
		}
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

// cacheFile returns the path of a file with the given text in the user's cache: the same for the
// same text, so that the go command, which knows files that it hands to the compiler by their name,
// builds nothing twice. Where there is no such cache the file is in dir.
func cacheFile(dir, name string, text []byte) (string, error) {
	folder, err := os.UserCacheDir()
	if err == nil {
		folder = filepath.Join(folder, "krdlab", "inlined")
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		folder = dir
	}
	path := filepath.Join(folder, name)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return path, nil
	}
	f, err := os.CreateTemp(folder, name)
	if err != nil {
		path = filepath.Join(dir, name)
		return path, os.WriteFile(path, text, 0o644)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if close := f.Close(); err == nil {
		err = close
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return path, err
}
