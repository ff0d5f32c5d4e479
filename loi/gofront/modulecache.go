package gofront

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// The go command takes no overlay of files beneath GOMODCACHE. So where a package of the module
// cache is rewritten, it is told of another cache, a symbolic link to that one, and a go.mod (in a
// workspace, a go.work) beside the user's replaces each module of the program by its folder in the
// true cache. Versions, folders and names of files are as before, so that the build cache holds for
// all packages that are not rewritten. What a program can see of it is runtime/debug.ReadBuildInfo,
// which names the folders.
//
// Rejected: copies of modules (their files have other names, and all that import them are built
// anew), a vendor folder in the overlay (likewise), and -toolexec (what it changes is not in the
// keys of the build cache).

// A moduleView is what the go command is given to see modules that way; the zero value is as the
// user has it.
type moduleView struct {
	flags []string // of go build and go list
	env   []string
}

// seen sets the view of modules, in the folder dir, if a package that is to be rewritten lies in
// the module cache. A module that has no go.mod gets the one that the go command made for it, in
// the user's overlay. It runs the go command three times.
func (o *BuildOptions) seen(ctx context.Context, in *imported, names []string, dir string) error {
	said, err := command(ctx, o.Dir, "env", "GOMODCACHE", "GOMOD", "GOWORK", "GOFLAGS")
	if err != nil {
		return err
	}
	env := append(strings.Split(string(said), "\n"), "", "", "", "")
	cache := filepath.Clean(env[0])
	if !slices.ContainsFunc(names, func(n string) bool {
		p := in.foreign[n]
		return p != nil && within(cache, moduleFolder(p.Module))
	}) {
		return nil
	}
	var edits []string
	done := map[string]bool{}
	for _, p := range in.foreign {
		m := p.Module
		folder := moduleFolder(m)
		if !within(cache, folder) || done[m.Path] {
			continue
		}
		done[m.Path] = true
		edits = append(edits, "-replace="+m.Path+"@"+m.Version+"="+folder)
		if err := o.withGoMod(m, folder); err != nil {
			return err
		}
	}
	slices.Sort(edits)
	view := filepath.Join(dir, "modules")
	if err := os.MkdirAll(view, 0o755); err != nil {
		return err
	}
	link := filepath.Join(view, "cache")
	if err := os.Symlink(cache, link); err != nil {
		return err
	}
	o.view.env = []string{"GOMODCACHE=" + link}
	if work := env[2]; work != "" && work != "off" {
		return o.seenWork(ctx, work, view, edits)
	}
	file := env[1]
	if given := goFlag(env[3], "modfile"); given != "" {
		file = o.absolute(given)
	}
	to := filepath.Join(view, "go.mod")
	if err := copied(file, to); err != nil {
		return err
	}
	sums := strings.TrimSuffix(file, ".mod") + ".sum"
	if err := copied(sums, filepath.Join(view, "go.sum")); err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		return err
	}
	o.view.flags = []string{"-modfile=" + to}
	_, err = command(ctx, o.Dir, slices.Concat([]string{"mod", "edit"}, edits, []string{to})...)
	return err
}

// seenWork is for a workspace, whose file gets another place: its paths become absolute.
func (o *BuildOptions) seenWork(ctx context.Context, work, view string, edits []string) error {
	to := filepath.Join(view, "go.work")
	if err := copied(work, to); err != nil {
		return err
	}
	if err := copied(work+".sum", to+".sum"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	said, err := command(ctx, o.Dir, "work", "edit", "-json", to)
	if err != nil {
		return err
	}
	var given struct {
		Use     []struct{ DiskPath string }
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(said, &given); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPackage, work, err)
	}
	absolute := func(path string) string {
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(work), path)
		}
		return path
	}
	var moved []string
	for _, u := range given.Use {
		if !filepath.IsAbs(u.DiskPath) {
			moved = append(moved, "-dropuse="+u.DiskPath, "-use="+absolute(u.DiskPath))
		}
	}
	for _, r := range given.Replace {
		if r.New.Version == "" && !filepath.IsAbs(r.New.Path) {
			old := r.Old.Path
			if r.Old.Version != "" {
				old += "@" + r.Old.Version
			}
			moved = append(moved, "-replace="+old+"="+absolute(r.New.Path))
		}
	}
	o.view.env = append(o.view.env, "GOWORK="+to)
	_, err = command(ctx, o.Dir, slices.Concat([]string{"work", "edit"}, moved, edits,
		[]string{to})...)
	return err
}

// withGoMod sees to it that the folder of a module has a go.mod.
func (o *BuildOptions) withGoMod(m *packages.Module, folder string) error {
	at := filepath.Join(folder, "go.mod")
	if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m.Replace != nil {
		m = m.Replace
	}
	text, err := os.ReadFile(m.GoMod)
	if err != nil {
		return err
	}
	o.overlay.texts[at], o.overlay.replace[at] = text, m.GoMod
	return nil
}

// moduleFolder is where the files of a module are; "" for none.
func moduleFolder(m *packages.Module) string {
	if m.Replace != nil && m.Replace.Dir != "" {
		return m.Replace.Dir
	}
	return m.Dir
}

// within reports that a path is beneath a folder; both are clean.
func within(folder, path string) bool {
	return strings.HasPrefix(path, folder+string(filepath.Separator))
}

// copied copies a file, which its owner may then write.
func copied(from, to string) error {
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	return err
}
