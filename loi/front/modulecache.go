package front

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
// the user's overlay. It runs the go command up to three times.
func (o *BuildOptions) seen(ctx context.Context, in *imported, names []string, dir string) error {
	if !slices.ContainsFunc(names, func(n string) bool { return in.foreign[n] != nil }) {
		return nil
	}
	said, err := command(ctx, o.Dir, "env", "GOMODCACHE", "GOMOD", "GOWORK")
	if err != nil {
		return err
	}
	env := append(strings.Split(string(said), "\n"), "", "", "")
	cache, mod, work := filepath.Clean(env[0]), env[1], env[2]
	if !slices.ContainsFunc(names, func(n string) bool {
		p := in.foreign[n]
		return p != nil && within(cache, moduleFolder(p.Module))
	}) {
		return nil
	}
	var e moduleEdits
	for _, p := range in.foreign {
		folder := moduleFolder(p.Module)
		if within(cache, folder) && e.replace(p.Module.Path, p.Module.Version, folder) {
			if err := o.withGoMod(p.Module, folder); err != nil {
				return err
			}
		}
	}
	view := filepath.Join(dir, "modules")
	link := filepath.Join(view, "cache")
	if err := os.MkdirAll(view, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(cache, link); err != nil {
		return err
	}
	o.view.env = []string{"GOMODCACHE=" + link}
	if work != "" && work != "off" {
		if err := o.moveWork(ctx, work, &e); err != nil {
			return err
		}
		to := filepath.Join(view, "go.work")
		o.view.env = append(o.view.env, "GOWORK="+to)
		return o.edited(ctx, "work", work, to, work+".sum", to+".sum", &e)
	}
	to := filepath.Join(view, "go.mod")
	o.view.flags = []string{"-modfile=" + to}
	return o.edited(ctx, "mod", mod, to, strings.TrimSuffix(mod, ".mod")+".sum",
		filepath.Join(view, "go.sum"), &e)
}

// moduleEdits change a go.mod or go.work. Lines are added as text: go work edit takes no folder
// with an @ in its name, as those of the module cache have.
type moduleEdits struct {
	drop  []string // flags of go mod edit and go work edit
	lines []string
	done  map[string]bool // modules with versions that are replaced
}

// replace replaces a version of a module, or with version "" all, by a folder; false if that is
// done.
func (e *moduleEdits) replace(module, version, folder string) bool {
	at := module
	if version != "" {
		at += "@" + version
	}
	if e.done[at] {
		return false
	}
	if e.done == nil {
		e.done = map[string]bool{}
	}
	e.done[at] = true
	e.drop = append(e.drop, "-dropreplace="+at)
	e.lines = append(e.lines, strings.TrimSpace(fmt.Sprintf("replace %q %s", module, version))+
		fmt.Sprintf(" => %q", folder))
	return true
}

// edited copies a go.mod or go.work (kind: mod, work) with its sums, which it may lack, and makes
// the edits of the copy.
func (o *BuildOptions) edited(ctx context.Context, kind, from, to, sums, sumsTo string,
	e *moduleEdits) error {
	text, err := os.ReadFile(sums)
	if err == nil {
		err = os.WriteFile(sumsTo, text, 0o644)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if text, err = os.ReadFile(from); err != nil {
		return err
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		return err
	}
	args := slices.Concat([]string{kind, "edit"}, e.drop, []string{to})
	if _, err := command(ctx, o.Dir, args...); err != nil {
		return err
	}
	if text, err = os.ReadFile(to); err != nil {
		return err
	}
	slices.Sort(e.lines)
	text = append(append(text, '\n'), strings.Join(e.lines, "\n")...)
	return os.WriteFile(to, append(text, '\n'), 0o644)
}

// moveWork makes absolute what a workspace's file names relative to its folder; what is replaced
// already stays so.
func (o *BuildOptions) moveWork(ctx context.Context, work string, e *moduleEdits) error {
	said, err := command(ctx, o.Dir, "work", "edit", "-json", work)
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
	folder := filepath.Dir(work)
	for _, u := range given.Use {
		if !filepath.IsAbs(u.DiskPath) {
			e.drop = append(e.drop, "-dropuse="+u.DiskPath)
			e.lines = append(e.lines, fmt.Sprintf("use %q", filepath.Join(folder, u.DiskPath)))
		}
	}
	for _, r := range given.Replace {
		if r.New.Version == "" && !filepath.IsAbs(r.New.Path) {
			e.replace(r.Old.Path, r.Old.Version, filepath.Join(folder, r.New.Path))
		}
	}
	return nil
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
