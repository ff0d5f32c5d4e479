package build

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An overlay is what go build -overlay reads.
type overlay struct{ Replace map[string]string }

func overlayIn(dir string) string { return filepath.Join(dir, "overlay.json") }

// overlayOfUser reads the overlay of the user's GOFLAGS, if there is one: the go command takes one,
// so it goes into that of the rewritten sources. One that removes files is refused.
func (r *run) overlayOfUser() error {
	r.Texts = map[string][]byte{}
	file := ""
	for f := range strings.FieldsSeq(r.env.flags) {
		f = strings.Trim(f, `'"`)
		if at, ok := strings.CutPrefix("-"+strings.TrimLeft(f, "-"), "-overlay="); ok {
			file = r.absolute(at)
		}
	}
	if file == "" {
		return nil
	}
	var given overlay
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%w: the overlay of GOFLAGS: %w", ErrPackage, err)
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return fmt.Errorf("%w: the overlay of GOFLAGS: %s: %w", ErrPackage, file, err)
	}
	for from, to := range given.Replace {
		from = r.absolute(from)
		if to == "" {
			return fmt.Errorf("%w: the overlay of GOFLAGS, %s, removes %s, expected one that "+
				"only replaces and adds files", ErrPackage, file, from)
		}
		if err := r.replaceBy(from, r.absolute(to)); err != nil {
			return fmt.Errorf("%w: the overlay of GOFLAGS, %s: %w", ErrPackage, file, err)
		}
	}
	return nil
}

// replaceBy has another file stand for one, for the go command and for the rewriting.
func (r *run) replaceBy(file, other string) (err error) {
	r.Texts[file], err = os.ReadFile(other)
	r.replace[file] = other
	return err
}

// absolute is a path that the go command is given in r.Dir.
func (r *run) absolute(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	return filepath.Clean(path)
}
