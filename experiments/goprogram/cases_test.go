package goprogram

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/hw/hwtest/long"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// Programs that were once changed, or lost accesses without a word: cases of the corpus, and folders
// of testdata/cases with the package that is named. Each prints what it prints without krdlab, and
// has so many accesses, of all and by some of what is accessed.
var cases = []struct {
	name, path string
	unit       Unit
	accesses   uint64 // 0: not asked
	goroutines uint64 // that access something; 0: not asked
	objects    map[string]uint64
	left       string // a place that is left alone
}{
	{"compiler-positions", "./with", Lines, 15, 1, map[string]uint64{"main.count.total": 13}, ""},
	{"compiler-positions", "./with/main.go", Lines, 15, 1, nil, ""},
	{"halves", "", Data, 0, 1, map[string]uint64{"[]int": 0},
		"main.go:17: copy-to, a call in the statement comes before it"},
	{"nested", "", Data, 0, 1, map[string]uint64{"[]int32": 0, "[]int64": 140},
		"main.go:15: copy-to, a call"},
	{"embedded", "", Lines, 29, 1, nil, ""},
	{"numbers", "", Lines, 0, 0, nil, ""},
	{"old-language", ".", Lines, 102, 1, map[string]uint64{"map[any]int": 26}, ""},
	{"cells", "", Lines, 60000, 20001, nil, ""},
	{"maps", "", Lines, 449992, 1, map[string]uint64{"map[int]int": 449991}, ""},
	{"growth", "", Lines, 0, 0, map[string]uint64{"[]int": 0}, ""},
	{"stack-objects", ".", Data, 0, 1, nil, ""},
	{"symbolic-link", "./inner", Lines, 12, 1, nil, ""},
	{"tuple", "", Lines, 0, 0, nil, "main.go:13: store of []int, its operands may change"},
}

func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name+" "+c.path, func(t *testing.T) {
			t.Parallel()
			b, program := programOf(t, c.name, c.path)
			d, got, want := traceBoth(t, b, program, c.unit, c.name)
			corpus.AsMain(c.name, d)
			if got != want {
				t.Errorf("printed\n%s\nexpected\n%s", got, want)
			}
			if d.OddEvents > 0 || c.accesses > 0 && d.Accesses != c.accesses ||
				c.goroutines > 0 && d.Goroutines != c.goroutines {
				t.Errorf("%d goroutines, %d accesses and %d events that made no sense, expected %d by %d",
					d.Goroutines, d.Accesses, d.OddEvents, c.accesses, c.goroutines)
			}
			left := named(d.places(leftAccount))
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
	d, _, err := trace(t, Lines, "maps", nil)
	if err != nil {
		t.Fatal(err)
	}
	// local's and kept's map each have 300 000; of local's the header is on the stack, and the
	// entries up to the ninth, with which they move
	if a := d.Accounts; a.Analysed != 449_992 || a.Stack != 150_009 || a.Unknown+a.Left+a.Lost != 0 {
		t.Errorf("%+v", a)
	}
	if p := d.places(stackAccount); len(p) != 2 || p[0].At != "main.go:9" || len(d.Warnings) != 1 ||
		!strings.Contains(d.Warnings[0], "main.go:9: entry of map[int]int (1000") {
		t.Errorf("%+v; %q", p, d.Warnings)
	}
	if d, _, err = trace(t, Lines, "maps", func(r *Request) { r.Build.Stack = true }); err != nil {
		t.Fatal(err)
	}
	if a := d.Accounts; a.Analysed != 600_001 || a.All() != a.Analysed || len(d.Warnings) != 0 {
		t.Errorf("%+v; %q", a, d.Warnings)
	}
	for _, made := range []string{"map[int]int, made at main.go:17", "map[int]int, made at main.go:18"} {
		if n := part(t, d.Allocations, made).Accesses; n != 300_000 {
			t.Errorf("%s: %d accesses, expected 300 000", made, n)
		}
	}
}

// Heap allocations of any form of expression are known by the line, whatever stands beside it.
func TestMakes(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(corpus.Source(), "program/ways/main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, flags := range []string{"", "-trimpath"}[:long.Or(1, 2)] {
		t.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" "+flags))
		ways(t, string(source))
	}
}

func ways(t *testing.T, source string) {
	t.Helper()
	d, _, err := trace(t, Data, "ways", nil)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{}
	for _, o := range d.Allocations {
		name, at, _ := strings.Cut(o.Name, ", made ")
		if made[at] = true; at == "where nothing was rewritten" {
			t.Errorf("%s: %d accesses to what was made at no line", name, o.Accesses)
		}
	}
	n := 0
	for i, line := range strings.Split(source, "\n") {
		if at := fmt.Sprintf("at main.go:%d", i+1); strings.HasSuffix(line, "// made") {
			if n++; !made[at] {
				t.Errorf("nothing was made %s: %s", at, line)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d lines", n)
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
		d, got := traceAt(t, build.Request{Dir: filepath.Join("testdata/cases", c.folder),
			Path: c.path, Test: true}, Lines)
		if got != "PASS\n" || strings.Join(d.Packages, " ") != c.packages ||
			d.Accesses != c.accesses {
			t.Errorf("%s %s: %d accesses in %v, expected %d in %s\n%s", c.folder, c.path, d.Accesses,
				d.Packages, c.accesses, c.packages, got)
		}
	}
}

// traceAt traces what is there, or has been built of it, and returns what it printed too.
func traceAt(t *testing.T, b build.Request, unit Unit, built ...*build.Program) (*Document,
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

// programOf builds a case of the corpus, or with a path a package of a folder of testdata/cases; of
// symbolic-link the module is behind a link.
func programOf(t *testing.T, name, path string) (b build.Request, program *build.Program) {
	t.Helper()
	if path == "" {
		b.Dir, b.Path = corpus.Dir(t), corpus.Set(name)
		return b, built.Of(t, b.Dir, b)
	}
	b.Dir, b.Path = corpus.LayCopy(t, name, "testdata/cases/"+name), path
	if name == "symbolic-link" {
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(filepath.Join(b.Dir, "real"), link); err != nil {
			t.Fatal(err)
		}
		b.Dir = link
	}
	return b, built.Of(t, b.Dir, b)
}

// traceBoth traces a program and returns what it prints then and as it is.
func traceBoth(t *testing.T, b build.Request, program *build.Program, unit Unit,
	args ...string) (d *Document, got, want string) {
	t.Helper()
	plain := exec.Command(built.Plain(program), args...)
	plain.Dir = b.Dir
	out, err := plain.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	d, got, err = asked(t, unit, func(r *Request) { r.Build, r.Built, r.Args = b, program, args })
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	return d, got, string(out)
}
