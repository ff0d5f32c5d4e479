package build

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"krdlab/hw/scratch"
	"krdlab/loi/front"
)

// A compiled is the program as it is, built before it is rewritten. The compiler's remarks on it
// decide which variables are on the heap and which calls are inlined in the rewritten one too.
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

// Subjects of remarks: a variable that a function declares and that lives on the heap, since a
// closure or a pointer to it may outlive the call; a function whose calls can be inlined; a call
// that is. For inlined code, the place is that of the outermost call.
const (
	movedToHeap  = "moved to heap"
	canInline    = "can inline"
	inliningCall = "inlining call to"
)

var remarked = regexp.MustCompile(`(?m)^# (\S+)|^(\S.*?):([0-9]+)(?::([0-9]+))?: ` +
	`(moved to heap|can inline|inlining call to):? (.+)$`)

// plain builds the program as it is, with remarks about packages. It takes the time of a build,
// once: the build cache keeps what the compiler said. The go command repeats that only where it
// links, so no earlier binary may stand there.
func (r *run) plain(packages []string) (*compiled, error) {
	c := &compiled{binary: filepath.Join(r.dir, "plain")}
	if err := os.Remove(c.binary); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	// where a user's GOFLAGS trim paths they are not: they are matched with those of the sources
	args := slices.Concat(r.buildTo(c.binary), []string{"-trimpath=false"}, r.flags())
	_, said, err := r.command(slices.Concat(args, compilerFlags(packages, "-m"), []string{r.Path})...)
	if err != nil {
		return nil, err
	}
	c.remarks = remarksOf(r.Dir, said)
	return c, nil
}

// remarksOf reads the compiler's output when it is run in dir.
func remarksOf(dir string, said string) (all []remark) {
	in := ""
	for _, m := range remarked.FindAllStringSubmatch(said, -1) {
		if m[1] != "" {
			in = m[1]
			continue
		}
		r := remark{in: in, file: m[2], what: m[5], name: m[6]}
		r.line, _ = strconv.Atoi(m[3])
		r.column, _ = strconv.Atoi(m[4])
		if !filepath.IsAbs(r.file) {
			r.file = filepath.Join(dir, r.file)
		}
		r.file = filepath.Clean(r.file)
		all = append(all, r)
	}
	return all
}

// moved returns a function that reports whether a local variable is on the heap. For inlined code
// the compiler reports the place of the call too; the recorder drops a variable that is on the
// stack after all. Files of line directives are known by their package and last element.
func (c *compiled) moved() func(front.Declared) bool {
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
	return func(v front.Declared) bool {
		p := place{"", filepath.Clean(v.At.Filename), v.At.Line, v.At.Column, v.Name}
		if set[p] {
			return true
		}
		p.in, p.file = v.Package, filepath.Base(p.file)
		return set[p]
	}
}

// cacheFile returns the path of a file with the given text in the user's cache: the same for the
// same text, so that the go command, which identifies files for the compiler by their names, builds
// nothing twice. Where there is no such cache the file is in dir.
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
	work, err := scratch.Make(folder, "new-")
	if err != nil {
		path = filepath.Join(dir, name)
		return path, os.WriteFile(path, text, 0o644)
	}
	defer work.Remove()
	half := filepath.Join(work.Path, name)
	if err := os.WriteFile(half, text, 0o644); err != nil {
		return "", err
	}
	return path, os.Rename(half, path)
}
