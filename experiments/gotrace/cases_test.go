package gotrace

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	goroutines   uint64 // that access something; 0: not asked
	objects      map[string]uint64
	left         string // a place that is left alone
}{
	{"compiler-positions", "./with", Lines, 15, 1, map[string]uint64{"main.count.total": 13}, ""},
	{"compiler-positions", "./with/main.go", Lines, 15, 1, nil, ""},
	{"copy-halves", ".", Data, 0, 1, map[string]uint64{"[]int": 0},
		"main.go:17: copy-to, a call in the statement comes before it"},
	{"copy-halves", "./nested", Data, 0, 1, map[string]uint64{"[]int32": 0, "[]int64": 140},
		"main.go:15: copy-to, a call"},
	{"embed-source", ".", Lines, 29, 1, nil, ""},
	{"line-numbers", ".", Lines, 0, 0, nil, ""},
	{"old-language", ".", Lines, 102, 1, map[string]uint64{"map[any]int": 26}, ""},
	{"small-shm", ".", Lines, 60000, 20001, nil, ""},
	{"stack-map", ".", Lines, 449992, 1, map[string]uint64{"map[int]int": 449991}, ""},
	{"stack-growth", ".", Lines, 0, 0, map[string]uint64{"[]int": 0}, ""},
	{"stack-objects", ".", Data, 0, 1, nil, ""},
	{"symbolic-link/link", "./inner", Lines, 12, 1, nil, ""},
	{"tuple-panic", ".", Lines, 0, 0, nil, "main.go:13: store of []int, its operands may change"},
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
			d, got, want := traceBoth(t, gofront.BuildOptions{Dir: at, Path: c.path}, c.unit)
			if got != want {
				t.Errorf("printed\n%s\nexpected\n%s", got, want)
			}
			if d.OddEvents > 0 || c.accesses > 0 && d.Accesses != c.accesses ||
				c.goroutines > 0 && d.Goroutines != c.goroutines {
				t.Errorf("%d goroutines, %d accesses and %d events that made no sense, expected %d by %d",
					d.Goroutines, d.Accesses, d.OddEvents, c.accesses, c.goroutines)
			}
			left := named(slices.DeleteFunc(slices.Clone(d.Places), func(p Place) bool {
				return p.Account != leftAccount
			}))
			if !strings.Contains(left, c.left) || c.left == "" && left != "" {
				t.Errorf("left alone: %q, expected %q", left, c.left)
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

// The accounts of a program add up, and with the stack observed nothing is on it.
func TestStack(t *testing.T) {
	b := gofront.BuildOptions{Dir: "testdata/cases/stack-map", Path: "."}
	d, _ := traceAt(t, b, Lines)
	// local's and kept's map each have 300 000; of local's the header is on the stack, and the
	// entries up to the ninth, with which they move
	if a := d.Accounts; a.Analysed != 449_992 || a.Stack != 150_009 || a.Unknown+a.Left+a.Lost != 0 {
		t.Errorf("%+v", a)
	}
	if p := d.places(stackAccount); len(p) != 2 || p[0].At != "main.go:9" || len(d.Doubts()) != 1 ||
		!strings.Contains(d.Doubts()[0], "main.go:9: entry of map[int]int (1000") {
		t.Errorf("%+v; %q", p, d.Doubts())
	}
	b.Stack = true
	d, _ = traceAt(t, b, Lines)
	if a := d.Accounts; a.Analysed != 600_001 || a.All() != a.Analysed || len(d.Doubts()) != 0 {
		t.Errorf("%+v; %q", a, d.Doubts())
	}
	for _, made := range []string{"map[int]int, made at main.go:17", "map[int]int, made at main.go:18"} {
		if n := part(t, d.Allocations, made).Accesses; n != 300_000 {
			t.Errorf("%s: %d accesses, expected 300 000", made, n)
		}
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

// traceAt traces what is there, or has been built of it, and returns what it printed too.
func traceAt(t *testing.T, b gofront.BuildOptions, unit Unit, built ...*gofront.Built) (*Document,
	string) {
	t.Helper()
	topology, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	r := &Request{Build: b, Unit: unit, Out: filepath.Join(t.TempDir(), "run"), Stdout: &out,
		Stderr: &errs}
	for _, b := range built {
		r.Built = b
	}
	d, err := Run(t.Context(), r, []string{"krdlab"}, topology)
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return d, out.String()
}

// traceBoth is traceAt, with what the program prints as it is, which Build has built too.
func traceBoth(t *testing.T, b gofront.BuildOptions, unit Unit) (_ *Document, got, want string) {
	t.Helper()
	work := t.TempDir()
	built, err := gofront.Build(t.Context(), b, work)
	if err != nil {
		t.Fatal(err)
	}
	plain := exec.Command(filepath.Join(work, "plain"))
	plain.Dir = b.Dir
	out, err := plain.Output()
	if err != nil {
		t.Fatal(err)
	}
	d, got := traceAt(t, b, unit, built)
	return d, got, string(out)
}
