package front

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A userOverlay is what the user's GOFLAGS put in place of files (go help build, -overlay): the go
// command takes one overlay, so that it goes into that of the rewritten sources.
type userOverlay struct {
	replace map[string]string // file by file
	texts   map[string][]byte // of those that replace others, by the path that they stand for
}

// overlaid reads the user's overlay, if there is one. One that removes files is refused.
func (o *BuildOptions) overlaid(ctx context.Context) (u userOverlay, err error) {
	u = userOverlay{map[string]string{}, map[string][]byte{}}
	flags, err := command(ctx, o.Dir, "env", "GOFLAGS")
	if err != nil {
		return u, err
	}
	file := ""
	for f := range strings.FieldsSeq(string(flags)) {
		f = strings.Trim(f, `'"`)
		if at, ok := strings.CutPrefix("-"+strings.TrimLeft(f, "-"), "-overlay="); ok {
			file = o.absolute(at)
		}
	}
	if file == "" {
		return u, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return u, fmt.Errorf("%w: the overlay of GOFLAGS: %w", ErrPackage, err)
	}
	var given struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &given); err != nil {
		return u, fmt.Errorf("%w: the overlay of GOFLAGS: %s: %w", ErrPackage, file, err)
	}
	for from, to := range given.Replace {
		from = o.absolute(from)
		if to == "" {
			return u, fmt.Errorf("%w: the overlay of GOFLAGS, %s, removes %s, expected one that "+
				"only replaces and adds files", ErrPackage, file, from)
		}
		to = o.absolute(to)
		if u.texts[from], err = os.ReadFile(to); err != nil {
			return u, fmt.Errorf("%w: the overlay of GOFLAGS, %s: %w", ErrPackage, file, err)
		}
		u.replace[from] = to
	}
	return u, nil
}

// absolute is a path that the go command is given in o.Dir.
func (o *BuildOptions) absolute(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	return filepath.Clean(path)
}
