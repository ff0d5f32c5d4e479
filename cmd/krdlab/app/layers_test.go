package app

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers records what the packages under each folder may import of krdlab, beside packages of the
// folder itself. Analysis (krd) works offline on traces and knows nothing of runtimes; nothing but
// experiments and cmd knows both.
//
// A violation is a mistake in the importing package. Do not add to this table to make the test
// pass.
var layers = map[string][]string{
	"hw":          {},
	"loi":         {"hw"},
	"krd":         {"hw", "loi"},
	"runtimes":    {"hw", "loi"},
	"kernels":     {"hw", "loi", "runtimes"},
	"experiments": {"hw", "loi", "krd", "runtimes", "kernels", "examples"},
	"cmd":         {"hw", "loi", "krd", "runtimes", "kernels", "experiments"},
	"examples":    {"hw"}, // its tests: which shape they have
}

// experimentsOrder is the packages of experiments: each may import only those before it, and what
// is below itself. "" is the root, a whole run.
var experimentsOrder = []string{
	"browser", "request", "result", "dataset", "stats", "replay", "scene", "view", "measure", "show",
	"gotrace", "", "doctor", "sweep", "correlate", "compare", "figures", "survey", "model",
	"report", "steps", "reproduce", "virda", "skadu", "disconpro",
}

const module = "krdlab"

// violations parses every package below root, for every system that krdlab is built for, and
// returns the imports that go the wrong way and what escapes the table. Test files count too.
func violations(root string) (found []string, packages int, err error) {
	err = filepath.WalkDir(root, func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if name := e.Name(); dir != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name,
			"_") || name == "testdata") {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		seen := false
		for _, system := range []string{"linux/amd64", "linux/arm64", "darwin/arm64"} {
			ctx := build.Default
			ctx.GOOS, ctx.GOARCH, _ = strings.Cut(system, "/")
			ctx.CgoEnabled = false
			p, err := ctx.ImportDir(dir, 0)
			if _, none := err.(*build.NoGoError); none {
				continue
			} else if err != nil {
				return err
			}
			seen = true
			for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
				if v := violation(filepath.ToSlash(rel), path); v != "" && !slices.Contains(found,
					v) {
					found = append(found, v)
				}
			}
		}
		if seen {
			packages++
		}
		return nil
	})
	return found, packages, err
}

// violation returns what is wrong with a package in folder dir (relative to the module) importing
// path, "" if nothing is.
func violation(dir, path string) string {
	from, _, _ := strings.Cut(dir, "/")
	allowed, known := layers[from]
	switch {
	case !known:
		return dir + " is in no layer of the table"
	case path == "C":
		return dir + " uses cgo"
	case path == module:
		return dir + " imports " + path
	case !strings.HasPrefix(path, module+"/"):
		return ""
	}
	to, _, _ := strings.Cut(strings.TrimPrefix(path, module+"/"), "/")
	if to != from && !slices.Contains(allowed, to) || from == to && from == "experiments" &&
		upwards(dir, strings.TrimPrefix(path, module+"/")) {
		return dir + " imports " + path
	}
	return ""
}

// upwards reports whether folder dir, below experiments like path, comes before path in their
// order, or one of them is not in it.
func upwards(dir, path string) bool {
	place := func(folder string) int {
		rest := strings.TrimPrefix(strings.TrimPrefix(folder, "experiments"), "/")
		name, _, _ := strings.Cut(rest, "/")
		return slices.Index(experimentsOrder, name)
	}
	from, to := place(dir), place(path)
	return from < 0 || to < 0 || to > from
}

func TestLayers(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	found, packages, err := violations(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
	if packages < len(layers) {
		t.Errorf("only %d packages were seen below %s", packages, root)
	}
}

// The test must be able to fail.
func TestLayersSeesViolations(t *testing.T) {
	root := t.TempDir()
	for name, imports := range map[string]string{
		"krd/a.go":            `"krdlab/runtimes"`,
		"krd/sub/a_test.go":   `"krdlab/kernels/matmul"`,
		"hw/a_linux.go":       `"C"`,
		"hw/a_darwin.go":      `"krdlab/loi"`,
		"loi/a.go":            `"krdlab/hw"`,
		"util/a.go":           `"fmt"`,
		"runtimes/a.go":       `"krdlab/runtimes/deque"`,
		"kernels/a_test.go":   `"krdlab"`,
		"cmd/testdata/bad.go": `"krdlab/nowhere"`,

		"experiments/result/a.go":          `"krdlab/experiments/request"`,
		"experiments/request/a_test.go":    `"krdlab/experiments/result"`,
		"experiments/show/a.go":            `"krdlab/experiments"`,
		"experiments/sweep/a.go":           `"krdlab/experiments"`,
		"experiments/dataset/made/a.go":    `"krdlab/experiments/dataset"`,
		"experiments/dataset/a_test.go":    `"krdlab/experiments/compare"`,
		"experiments/stray/a.go":           `"krdlab/experiments/request"`,
		"experiments/reproduce/sub/sub.go": `"krdlab/experiments/report"`,
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("package p\n\nimport _ "+imports+"\n"),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	found, _, err := violations(root)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	want := []string{
		"experiments/dataset imports krdlab/experiments/compare",
		"experiments/request imports krdlab/experiments/result",
		"experiments/show imports krdlab/experiments",
		"experiments/stray imports krdlab/experiments/request",
		"hw imports krdlab/loi", "kernels imports krdlab", "krd imports krdlab/runtimes",
		"krd/sub imports krdlab/kernels/matmul", "util is in no layer of the table",
	}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}
