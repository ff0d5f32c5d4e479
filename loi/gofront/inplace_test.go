package gofront

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
)

// inPlace are packages of the standard library whose own tests are run with the package rewritten
// where it is.
var inPlace = []string{"container/heap", "encoding/csv", "encoding/json", "bufio", "bytes",
	"compress/flate", "container/list", "container/ring", "context", "encoding/base64",
	"encoding/binary", "encoding/gob", "encoding/hex", "encoding/xml", "errors", "fmt",
	"html/template", "io", "iter", "maps", "math/big", "math/rand", "os/exec", "path/filepath",
	"reflect", "regexp", "slices", "sort", "strconv", "strings", "text/tabwriter", "text/template",
	"unicode/utf8", "unique"}

// TestStandardInPlace runs the own tests of packages of the standard library as they are and with
// the package rewritten.
func TestStandardInPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages of the standard library")
	}
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range inPlace[:long.Or(2, len(inPlace))] {
		t.Run(p, func(t *testing.T) {
			plain := filepath.Join(t.TempDir(), filepath.Base(p)+".test")
			build := exec.Command("go", "test", "-c", "-vet=off", "-o", plain, p)
			build.Dir = dir
			if text, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%s", text)
			}
			for name, how := range variants {
				b, err := Build(t.Context(), BuildOptions{Dir: dir, Path: p, Test: true,
					Include: []string{Standard + p}, Regions: how.Regions, Sync: how.Sync}, t.TempDir())
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if len(b.Files) == 0 || len(b.Failed) > 0 || !slices.Equal(b.Packages, []string{p}) {
					t.Errorf("%s: %d files of %v; failed: %v", name, len(b.Files), b.Packages, b.Failed)
				}
				as, rewritten := ownTests(t, plain, b.Folder), ownTests(t, b.Binary, b.Folder)
				if as != rewritten || strings.Count(as, "\n--- PASS") == 0 {
					t.Errorf("%s: as it is, and rewritten:\n%s\n%s", name, as, rewritten)
				}
			}
		})
	}
}

// ownTests are the results of a program of tests in a folder, without times, and how it ended.
func ownTests(t *testing.T, program, folder string) string {
	t.Helper()
	c := exec.Command(program, "-test.v", "-test.short")
	c.Dir = folder
	text, err := c.CombinedOutput()
	if x := (*exec.ExitError)(nil); err != nil && !errors.As(err, &x) {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if word := strings.TrimSpace(line); strings.HasPrefix(word, "--- ") ||
			strings.HasPrefix(word, "panic") {
			lines = append(lines, elapsed.ReplaceAllString(strings.TrimRight(line, "\n"), ""))
		}
	}
	slices.Sort(lines) // tests may run in parallel
	return "\n" + strings.Join(lines, "\n") + "\n" + c.ProcessState.String()
}
