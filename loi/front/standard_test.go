package front

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
)

// What TestStandard copies. Of what these import, packages that others may not import are copied
// too or replaced.
var (
	standardPackages = []string{"container/heap", "text/tabwriter",
		"encoding/csv", "sort", "regexp/syntax", "container/list", "encoding/json",
		"text/template", "text/template/parse", "go/scanner", "go/token",
		"go/parser", "bufio", "regexp", "compress/flate"}
	standardHelpers = []string{"internal/fmtsort", "go/internal/scannerhooks", "go/ast"}
	standardStubs   = map[string]string{
		"internal/asan": `package asan
import "unsafe"
const Enabled = false
func Read(unsafe.Pointer, uintptr) {}
func Write(unsafe.Pointer, uintptr) {}
`,
		"internal/reflectlite": `package reflectlite
import "reflect"
var ValueOf, Swapper = reflect.ValueOf, reflect.Swapper
`,
		"internal/testenv": `package testenv
import "testing"
func Builder() string { return "" }
func OptimizationOff() bool { return false }
func SkipIfOptimizationOff(testing.TB) {}
func MustHaveGoBuild(t testing.TB) { t.Skip() }
func CPUIsSlow() bool { return true }
func GoToolPath(t testing.TB) string { t.Skip(); return "" }
`}
)

// TestStandard runs the own tests of packages of the standard library, copied into a module, as
// they are and rewritten.
func TestStandard(t *testing.T) {
	long.Only(t, "builds packages of the standard library, and links their tests")
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	all := slices.Concat(standardPackages, standardHelpers)
	for _, p := range all {
		copyStandard(t, root, dir, p, all)
	}
	for p, text := range standardStubs {
		write(t, filepath.Join(dir, p, "stub.go"), text)
	}
	write(t, filepath.Join(dir, "go.mod"), "module copied\n\ngo 1.26\n")
	sameTests(t, dir, standardPackages, 1000)
}

// TestOwn does so with a package of this module.
func TestOwn(t *testing.T) {
	long.Only(t, "runs the tests of krd/stack twice")
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sameTests(t, dir, []string{"krd/stack"}, 10)
}

func sameTests(t *testing.T, dir string, paths []string, least int) {
	patterns := make([]string, len(paths))
	for i, p := range paths {
		patterns[i] = "./" + p
	}
	as := results(t, dir, patterns)
	if len(as) < least {
		t.Fatalf("only %d results", len(as))
	}
	for name, how := range variants {
		t.Run(name, func(t *testing.T) { sameResults(t, dir, paths, patterns, how, as) })
	}
}

func sameResults(t *testing.T, dir string, paths, patterns []string, how Options, as []string) {
	r := rewriteDir(t, dir, how, true, patterns...)
	for _, p := range paths {
		if !slices.ContainsFunc(r.Sites, func(s Site) bool {
			return strings.HasPrefix(s.File, filepath.Join(dir, p)+string(filepath.Separator))
		}) {
			t.Errorf("%s: nothing was rewritten", p)
		}
	}
	rewritten := results(t, dir, patterns, "-overlay", overlay(t, t.TempDir(), how, r))
	t.Logf("%d results, %d files, %d sites, %d left", len(as), len(r.Files), len(r.Sites),
		len(r.Left))
	for i := range as {
		if i >= len(rewritten) || as[i] != rewritten[i] {
			t.Fatalf("as it is, and rewritten:\n%s\n%s", strings.Join(as[i:min(i+5, len(as))], "\n"),
				strings.Join(rewritten[min(i, len(rewritten)):min(i+20, len(rewritten))], "\n"))
		}
	}
	if len(rewritten) != len(as) {
		t.Fatalf("%d results as it is, %d rewritten", len(as), len(rewritten))
	}
}

// Elapsed is the time that a test took, in what it prints.
var Elapsed = regexp.MustCompile(`\(?[0-9.]+s\)?`)

// results are the lines of go test that tell of tests, without times.
func results(t *testing.T, dir string, patterns []string, args ...string) (lines []string) {
	t.Helper()
	// -trimpath: the compiler's output does not depend on the folder, and comes from go's cache
	args = append([]string{"test", "-trimpath", "-v", "-short", "-vet=off", "-count=1", "-p=2"}, args...)
	c := exec.Command("go", append(args, patterns...)...)
	c.Dir, c.Env = dir, environment()
	text, err := c.CombinedOutput()
	if x := (*exec.ExitError)(nil); err != nil && !errors.As(err, &x) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		word := strings.TrimSpace(line)
		if strings.HasPrefix(word, "--- ") || strings.HasPrefix(word, "ok ") ||
			strings.HasPrefix(word, "FAIL") || strings.HasPrefix(word, "panic") {
			lines = append(lines, Elapsed.ReplaceAllString(strings.TrimSpace(line), ""))
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%s", text)
	}
	slices.Sort(lines) // tests may run in parallel
	return lines
}

var imports = regexp.MustCompile(`(?ms)^import \(.*?^\)|^import [^(\n]*$`)

// copyStandard copies a package into the module copied and makes it import what was copied.
func copyStandard(t *testing.T, root, dir, p string, all []string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(root, p))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		from, to := filepath.Join(root, p, f.Name()), filepath.Join(dir, p, f.Name())
		if f.Name() == "testdata" {
			if err := os.CopyFS(to, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
		}
		if f.IsDir() || !strings.HasSuffix(f.Name(), ".go") ||
			p == "go/ast" && strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		if strings.Contains(text, `"internal/zstd"`) {
			continue // benchmarks that read what was compressed
		}
		write(t, to, imports.ReplaceAllStringFunc(text, func(s string) string {
			for _, p := range all {
				s = strings.ReplaceAll(s, `"`+p+`"`, `"copied/`+p+`"`)
			}
			for p := range standardStubs {
				s = strings.ReplaceAll(s, `"`+p+`"`, `"copied/`+p+`"`)
			}
			return s
		}))
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
