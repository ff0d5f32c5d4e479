package build

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw/failure"
)

func given(t *testing.T, q Request) *run { return &run{ctx: t.Context(), Request: q} }

// A package that is no program is a wrong request, and the error names it.
func TestNoProgram(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module made\n\ngo 1.26\n",
		"README.md": "text\n", "p/p.go": "package p\n", "empty/a.txt": ""} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"./no":           "no such file or directory",
		"no.go":          "no such file or directory",
		"/no":            "no such file or directory",
		"no":             "package no is not in std",
		"./empty":        "no Go files in " + filepath.Join(dir, "empty") + "; expected a package's folder",
		".":              "no Go files in " + dir,
		"./...":          "made/p is package p, expected package main",
		"./no...":        "./no... is 0 packages, expected one",
		"./p":            "made/p is package p, expected package main",
		"README.md":      "README.md is neither a package nor a file of Go",
		"example.com/no": "example.com/no: no required module provides package",
	} {
		_, err := given(t, Request{Dir: dir, Path: path}).choose()
		if !errors.Is(err, ErrPackage) || failure.Of(err) != failure.Request ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", path, err, want)
		}
	}
	if _, err := given(t, Request{Dir: t.TempDir(),
		Path: "."}).choose(); !errors.Is(err, ErrPackage) ||
		!strings.Contains(err.Error(), ": .: go: go.mod file not found") {
		t.Errorf("without a module: %v", err)
	}
}

func TestBinaryName(t *testing.T) {
	for _, x := range []struct {
		importPath, path string
		test             bool
		want             string
	}{
		{"example.org/x", ".", false, "x"}, {"example.org/x/v2", ".", false, "x"},
		{"example.org/x/cmd/server", "./cmd/server", false, "server"}, {"v2", ".", false, "v2"},
		{"example.org/x/v1", ".", false, "v1"}, {"example.org/tree", "./tree", true, "tree.test"},
		{ofFile, "dir/main.go", false, "main"},
	} {
		if got := given(t, Request{Path: x.path, Test: x.test}).binaryName(x.importPath); got != x.want {
			t.Errorf("%+v: %s", x, got)
		}
	}
}
