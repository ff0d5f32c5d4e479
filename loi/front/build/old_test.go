package build_test

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// beginnings lists first lines of files of an old module, and the version of Go in the build line
// of the rewritten file.
var beginnings = []struct{ text, version string }{
	{"package main", "go1.18"},
	{"\uFEFFpackage main", "go1.18"},
	{"\uFEFF//go:build linux\r\n\r\npackage main\r", "go1.18"},
	{"// Text.\n\n/* more\n//go:build ignore\n*/ package main", "go1.18"},
	{"// +build linux darwin\n// +build !windows\n\n// Text.\npackage main", "go1.18"},
	{"// Text.\n\n//go:build !windows\n// +build !windows\n\npackage main", "go1.18"},
	{"//go:build linux || darwin\n\npackage main", "go1.18"},
	{"//go:build linux || go1.12\n\npackage main", "go1.18"},
	{"//go:build linux && go1.12\n\npackage main", "go1.12"}, // is Go 1.21 too
	{"//line other.y:70:3\n//go:build linux\n\npackage main", "go1.18"},
}

const oldPrints = `numbers [493 32 8 10 -1 3]
interfaces {abab 10}
arrays [1 6 3 4] [6 6]
own names [3008 -2 26 2 18] 3.5
brackets [true false 8]
equal [false true]
loops [9 0 30] [0 0 9] [0 1 2]
panic <nil>
embed 24
order [none seventeen none main]
lines [b0.go:1 b1.go:1 b2.go:3 b3.go:5 b4.go:5 b5.go:6 b6.go:3 b7.go:3 b8.go:3 other.y:72 10]
`

// TestOldModules builds a program of modules from before Go 1.18, with all that the language
// changed up to Go 1.21: rewritten as a whole, it prints what it did.
func TestOldModules(t *testing.T) {
	files, calls := map[string][]byte{}, ""
	for _, pattern := range []string{"*.*", "*/*"} {
		paths, _ := filepath.Glob(filepath.Join("testdata", "old", pattern))
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[strings.TrimPrefix(path, "testdata/old/")] = text
		}
	}
	for i, b := range beginnings {
		files[fmt.Sprintf("b%d.go", i)] = fmt.Appendf(nil, `%s; import "runtime"

func f%d(p *[1]int) string { p[0]++; _, file, line, _ := runtime.Caller(0); return at(file, line-2) }
`, b.text, i)
		calls += fmt.Sprintf("f%d(p), ", i)
	}
	files["lines.go"] = fmt.Appendf(nil, `package main

import ("fmt"; "path")

func at(file string, line int) string { return fmt.Sprintf("%%s:%%d", path.Base(file), line) }

func lines(p *[1]int) []string { return []string{%sfmt.Sprint(p[0])} }
`, calls)
	dir := corpus.Lay(t, "old", files)
	for name, how := range some("accesses", "all") {
		b := entire(t, built.Of(t, dir, build.Request{Path: ".", Include: []string{"..."}, Options: how}))
		for _, program := range []string{built.Plain(b), b.Binary} {
			got, err := exec.Command(program).CombinedOutput()
			if err != nil || string(got) != oldPrints {
				t.Errorf("%s: %s prints\n%s%v, expected\n%s", name, program, got, err, oldPrints)
			}
		}
		for i, x := range beginnings {
			text := b.Files[filepath.Join(dir, fmt.Sprintf("b%d.go", i))]
			f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
			if err != nil || f.GoVersion != x.version {
				t.Errorf("%s: rewritten %q has version %q, expected %q (%v)", name, x.text, f.GoVersion,
					x.version, err)
			}
		}
		if n, all := len(b.Files), len(beginnings)+10; n != all {
			t.Errorf("%s: %d files are rewritten, expected %d", name, n, all)
		}
	}
}

// TestTooNew builds an old module that uses later features: it is refused as go build does it.
func TestTooNew(t *testing.T) {
	lines := []string{"package main; var n, s = 1, []int{1, 2}", "var _ = 0b1", "var _ = 1 << n",
		"type a interface{ f() }; type b interface{ a; f() }; var _ interface{ a; b }",
		"var _ = (*[2]int)(s)", "var _ = [2]int(s)", "var _ any", "type _ interface{ ~int }",
		"type t[T int] []T", "func g() { clear(s) }", "var _ = min(n, 2)", "func main() {}"}
	dir := corpus.Lay(t, "toonew", map[string][]byte{"go.mod": []byte("module toonew\n\ngo 1.11\n"),
		"main.go": []byte(strings.Join(lines, "\n") + "\n")})
	_, err := build.Run(t.Context(), build.Request{Dir: dir, Path: "."}, t.TempDir())
	if !errors.Is(err, build.ErrFailed) {
		t.Fatal(err)
	}
	for i := range lines[2:] {
		if !strings.Contains(err.Error(), fmt.Sprintf("main.go:%d:", i+2)) {
			t.Errorf("line %d, %s, is not refused: %v", i+2, lines[i+1], err)
		}
	}
}
