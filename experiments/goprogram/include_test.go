package goprogram

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"krdlab/hw/failure"
	"krdlab/hw/hwtest/long"
	"krdlab/loi/front/build"
)

// modules lays out testdata/include.txtar: a module proxy that the environment names, with a module
// cache of its own, and what lies beside it, which is in the folder that is returned.
func modules(t *testing.T) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a, err := txtar.ParseFile("testdata/include.txtar")
	if err != nil {
		t.Fatal(err)
	}
	zips := map[string]*zip.Writer{}
	for _, f := range a.Files {
		name, ok := strings.CutPrefix(f.Name, "proxy/")
		if !ok {
			put(t, filepath.Join(dir, f.Name), f.Data)
			continue
		}
		path, rest, _ := strings.Cut(name, "@")
		version, file, _ := strings.Cut(rest, "/")
		at := filepath.Join(dir, "proxy", path, "@v", version)
		w := zips[at]
		if w == nil {
			put(t, at+".info", []byte(`{"Version":"`+version+`"}`))
			put(t, at+".mod", []byte("module "+path+"\n"))
			put(t, at+".zip", nil)
			out, err := os.Create(at + ".zip")
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			w = zip.NewWriter(out)
			zips[at] = w
		}
		if file == "go.mod" {
			put(t, at+".mod", f.Data)
		}
		in, err := w.Create(name)
		if err == nil {
			_, err = in.Write(f.Data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range zips {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"GOPROXY": "file://" + filepath.Join(dir, "proxy"),
		"GOMODCACHE": filepath.Join(dir, "cache"), "GOSUMDB": "off", "GOFLAGS": "-modcacherw",
		"GOWORK": "", "GOTOOLCHAIN": "local"} {
		t.Setenv(name, value)
	}
	run(t, filepath.Join(dir, "others/prog"), "go", "get", "example.org/dep@v1.2.0") // makes go.sum
	run(t, filepath.Join(dir, "others/prog"), "go", "list", "-mod=mod", "-deps", ".")
	return dir
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Dir = dir
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, errs.String())
	}
	return string(out)
}

// files returns the files in a folder and below, by path.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Packages of other modules and of the standard library are rewritten wherever they come from, the
// program prints what it did, with the same files and lines, and the user's files stay.
func TestInclude(t *testing.T) {
	long.Only(t, "builds programs of a module cache of their own")
	dir := modules(t)
	prog := filepath.Join(dir, "others/prog")
	vendored, work := filepath.Join(dir, "vendored/prog"), filepath.Join(dir, "workspace/prog")
	for _, to := range []string{vendored, work} {
		if err := os.CopyFS(filepath.Dir(to), os.DirFS(filepath.Dir(prog))); err != nil {
			t.Fatal(err)
		}
	}
	run(t, vendored, "go", "mod", "vendor")
	put(t, filepath.Join(work, "../go.work"), []byte("go 1.26\n\nuse (\n\t./prog\n\t./local\n)\n\n"+
		"replace example.org/alias => ./alias\n"))
	alias := filepath.Join(work, "../alias")
	put(t, filepath.Join(alias, "go.mod"), []byte("module example.org/alias\n\ngo 1.22\n"))
	put(t, filepath.Join(alias, "alias.go"), []byte("package alias\n\n"+
		"func Last(l []int) int { return 10 * l[1] }\n"))
	cases := []struct {
		name, dir, flags string
		own              string // what is of the main modules
	}{
		{"module cache", prog, "-modcacherw", "example.org/prog"},
		{"vendored", vendored, "-modcacherw", "example.org/prog"},
		{"workspace", work, "-modcacherw", "example.org/local example.org/prog"},
		{"go.mod may change", prog, "-modcacherw -mod=mod", "example.org/prog"},
		{"trimpath", prog, "-modcacherw -trimpath", "example.org/prog"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("GOFLAGS", c.flags)
			before := files(t, dir)
			b := build.Request{Dir: c.dir, Path: ".", Include: []string{"example.org/dep/...",
				"example.org/alias", "example.org/bare", "std:encoding/json", "std:internal/..."}}
			program, err := build.Run(t.Context(), b, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			d, got, want := traceBoth(t, b, program, Lines)
			if strings.Contains(c.flags, "-trimpath") { // Build names files in full
				want = run(t, c.dir, "go", "run", ".")
			}
			if got != want {
				t.Errorf("printed\n%s\nexpected\n%s", got, want)
			}
			after := files(t, dir)
			for path, text := range after {
				if before[path] != text && !strings.HasPrefix(path, filepath.Join(dir, "cache/cache")) {
					t.Errorf("%s: changed or new", path)
				}
			}
			if len(after) < len(before) {
				t.Errorf("%d files, %d before", len(after), len(before))
			}
			packages := "encoding/json example.org/alias example.org/bare example.org/dep " +
				"example.org/dep/internal/inner example.org/dep/native " + c.own
			if got := slices.Sorted(slices.Values(strings.Fields(packages))); !slices.Equal(d.Packages,
				got) || len(d.Failed) > 0 || d.OddEvents > 0 {
				t.Errorf("rewritten: %v, expected %s; failed: %v; %d odd", d.Packages, packages, d.Failed,
					d.OddEvents)
			}
			for name, n := range map[string]uint64{"example.org/dep.Sum": 200,
				"example.org/dep/internal/inner.Doubled": 0, "example.org/alias.Last": 0,
				"(*encoding/json.scanner).pushParseState": 1} {
				if n > 0 && part(t, d.Functions, name).Accesses < n {
					t.Errorf("%s: fewer than %d accesses", name, n)
				}
			}
			left := strings.Join(d.LeftFiles, "\n")
			wants := []string{"file generated.go: it is generated", "packages internal/", ": it is internal to the"}
			if run(t, dir, "go", "env", "CGO_ENABLED") == "1\n" {
				wants = append(wants, "file cgo.go: it uses cgo")
			}
			for _, want := range wants {
				if !strings.Contains(left, want) {
					t.Errorf("left alone:\n%s\nexpected %q", left, want)
				}
			}
		})
	}
}

// A pattern that names nothing, or what cannot be rewritten, is a wrong request.
func TestIncludeNothing(t *testing.T) {
	dir := filepath.Join(modules(t), "others/prog")
	for pattern, want := range map[string]string{
		"example.org/no/...": `"example.org/no/..." matches no package of this or another module ` +
			"that the program imports: there are example.org/alias, example.org/bare",
		"example.org/unused":  "matches no package",
		"example.org/de":      "there are example.org/dep, example.org/dep/internal/inner",
		"":                    "matches no package",
		"std:encoding/xml":    "there are std:encoding/base64, std:encoding/json, std:encoding,",
		"std:":                "matches no package",
		"encoding/json":       "matches no package",
		"std:example.org/dep": "matches no package of the standard library that the program imports",
		"std:runtime":         "std:runtime cannot be observed: the runtime and the recording are",
		"std:sync/atomic":     "std:sync/atomic cannot be observed: the runtime and the recording are",
		"std:unsafe":          "std:unsafe",
		"std:sync":            "the garbage collector calls it",
		"std:syscall":         "between fork and exec",
		"std:time":            "for timers",
		"std:runtime/debug":   "it belongs to the runtime",
		"std:internal/poll":   "it is internal",
	} {
		_, err := build.Run(t.Context(), build.Request{Dir: dir, Path: ".",
			Include: []string{"example.org/dep", pattern}}, t.TempDir())
		if !errors.Is(err, build.ErrPackage) || failure.Of(err) != failure.Request ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", pattern, err, want)
		}
	}
}
