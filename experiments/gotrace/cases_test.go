package gotrace

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/loi/gofront"
)

// Programs that were once changed, or lost accesses without a word. Each prints what it prints
// without krdlab, and has so many accesses, of all and by some of what is accessed.
var cases = []struct {
	folder, path string
	unit         Unit
	accesses     uint64 // 0: not asked
	objects      map[string]uint64
}{
	{"compiler-positions", "./with", Lines, 15, map[string]uint64{"main.count.total": 13}},
	{"compiler-positions", "./without", Lines, 15, map[string]uint64{"main.count.total": 13}},
	{"compiler-positions", "./with/main.go", Lines, 15, nil},
	{"copy-halves", ".", Data, 0, map[string]uint64{"[]int": 0}},
	{"copy-halves", "./nested", Data, 0, map[string]uint64{"[]int32": 0, "[]int64": 140}},
	{"embed-source", ".", Lines, 29, nil},
	{"line-numbers", ".", Lines, 0, nil},
	{"small-shm", ".", Lines, 60000, nil},
	{"symbolic-link/link", "./inner", Lines, 12, nil},
	{"tuple-panic", ".", Lines, 0, nil},
}

func TestCases(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/cases")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "symbolic-link/link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.folder+" "+c.path, func(t *testing.T) {
			t.Parallel()
			at := filepath.Join(dir, c.folder)
			plain := exec.Command("go", "run", c.path)
			plain.Dir = at
			want, err := plain.Output()
			if err != nil {
				t.Fatal(err)
			}
			d, got := traceAt(t, gofront.BuildOptions{Dir: at, Path: c.path}, c.unit)
			if got != string(want) {
				t.Errorf("printed\n%s\nexpected\n%s", got, want)
			}
			if d.OddEvents > 0 || c.accesses > 0 && d.Accesses != c.accesses {
				t.Errorf("%d accesses and %d events that made no sense, expected %d", d.Accesses,
					d.OddEvents, c.accesses)
			}
			for name, n := range c.objects {
				if n > 0 && part(t, d.Objects, name).Accesses != n {
					t.Errorf("%s: %+v, expected %d", name, d.Objects, n)
				}
				for _, o := range d.Objects {
					if n == 0 && o.Name == name {
						t.Errorf("%+v: half of its accesses", o)
					}
				}
			}
		})
	}
}

// Tests run in the folder of their package, as go test runs them, and what only they import is
// observed; a folder may hold tests and nothing else.
func TestCasesOfTests(t *testing.T) {
	for _, c := range []struct {
		folder, path string
		packages     string
		accesses     uint64
	}{
		{"test-folder", "./pkg", "example.org/x/pkg", 0},
		{"test-imports", "./lib", "example.org/ns/internal/check example.org/ns/lib", 400},
		{"test-imports", "./it", "example.org/ns/lib", 0},
	} {
		d, got := traceAt(t, gofront.BuildOptions{Dir: filepath.Join("testdata/cases", c.folder),
			Path: c.path, Test: true}, Lines)
		if got != "PASS\n" || strings.Join(d.Packages, " ") != c.packages ||
			d.Accesses != c.accesses {
			t.Errorf("%s %s: %d accesses in %v, expected %d in %s\n%s", c.folder, c.path, d.Accesses,
				d.Packages, c.accesses, c.packages, got)
		}
	}
}

// traceAt traces what is there, and returns what it printed too.
func traceAt(t *testing.T, b gofront.BuildOptions, unit Unit) (*Document, string) {
	t.Helper()
	topology, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	d, err := Run(t.Context(), &Request{Build: b, Unit: unit, Out: filepath.Join(t.TempDir(), "run"),
		Stdout: &out, Stderr: &errs}, []string{"krdlab"}, topology)
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return d, out.String()
}
