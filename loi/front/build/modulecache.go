package build

import (
	"cmp"
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
// cache is rewritten, it gets another cache, a symbolic link to that one, and a go.mod (in a
// workspace, a go.work) beside the user's replaces each module of the program by its folder in the
// true cache. Versions, folders and names of files are as before, so that the build cache holds for
// all packages that are not rewritten. A program can see it only in runtime/debug.ReadBuildInfo,
// which names the folders.
//
// Rejected: copies of modules (their files have other names, and all that import them are built
// anew), a vendor folder in the overlay (likewise), and -toolexec (what it changes is not in the
// keys of the build cache).

// A moduleView is the go command's view of the modules; the zero value is the user's own.
type moduleView struct {
	flags []string // of go build and go list
	env   []string
}

// seen sets the view of modules if a package that is to be rewritten lies in
// the module cache. A module that has no go.mod gets the one that the go command made for it, in
// the overlay. It runs the go command up to two times.
func (r *run) seen(in *imported, names []string) error {
	if !slices.ContainsFunc(names, func(n string) bool {
		p := in.foreign[n]
		return p != nil && within(r.env.GOMODCACHE, moduleFolder(p.Module))
	}) {
		return nil
	}
	var e moduleEdits
	for _, p := range in.foreign {
		folder := moduleFolder(p.Module)
		if within(r.env.GOMODCACHE, folder) && e.replace(p.Module.Path, p.Module.Version, folder) {
			if err := r.withGoMod(p.Module, folder); err != nil {
				return err
			}
		}
	}
	view := filepath.Join(r.dir, "modules")
	link := filepath.Join(view, "cache")
	if err := os.MkdirAll(view, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(r.env.GOMODCACHE, link); err != nil {
		return err
	}
	r.view.env = append(slices.Clone(r.view.env), "GOMODCACHE="+link)
	if work := r.env.GOWORK; work != "" && work != "off" {
		if err := r.moveWork(work, &e); err != nil {
			return err
		}
		to := filepath.Join(view, "go.work")
		r.view.env = append(r.view.env, "GOWORK="+to)
		return r.edited("work", work, to, work+".sum", to+".sum", &e)
	}
	to, mod := filepath.Join(view, "go.mod"), cmp.Or(r.env.modfile, r.env.GOMOD)
	r.view.flags = []string{"-modfile=" + to}
	return r.edited("mod", mod, to, strings.TrimSuffix(mod, ".mod")+".sum",
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
func (r *run) edited(kind, from, to, sums, sumsTo string,
	e *moduleEdits) error {
	if err := copyFile(sumsTo, sums); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := copyFile(to, from); err != nil {
		return err
	}
	args := slices.Concat([]string{kind, "edit"}, e.drop, []string{to})
	if _, _, err := r.command(args...); err != nil {
		return err
	}
	text, err := os.ReadFile(to)
	if err != nil {
		return err
	}
	slices.Sort(e.lines)
	text = append(append(text, '\n'), strings.Join(e.lines, "\n")...)
	return os.WriteFile(to, append(text, '\n'), 0o644)
}

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// moveWork makes absolute what a workspace's file names relative to its folder; paths replaced
// already stay so.
func (r *run) moveWork(work string, e *moduleEdits) error {
	out, _, err := r.command("work", "edit", "-json", work)
	if err != nil {
		return err
	}
	var given struct {
		Use     []struct{ DiskPath string }
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal([]byte(out), &given); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPackage, work, err)
	}
	folder := filepath.Dir(work)
	for _, u := range given.Use {
		if !filepath.IsAbs(u.DiskPath) {
			e.drop = append(e.drop, "-dropuse="+u.DiskPath)
			e.lines = append(e.lines, fmt.Sprintf("use %q", filepath.Join(folder, u.DiskPath)))
		}
	}
	for _, x := range given.Replace {
		if x.New.Version == "" && !filepath.IsAbs(x.New.Path) {
			e.replace(x.Old.Path, x.Old.Version, filepath.Join(folder, x.New.Path))
		}
	}
	return nil
}

// withGoMod sees to it that the folder of a module has a go.mod.
func (r *run) withGoMod(m *packages.Module, folder string) error {
	at := filepath.Join(folder, "go.mod")
	if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m.Replace != nil {
		m = m.Replace
	}
	return r.replaceBy(at, m.GoMod)
}

// moduleFolder returns the folder of a module's files; "" for none.
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
