package goprogram

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"krdlab/hw"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/loi/native"
)

// compiled builds a file of testdata/native as krdlab cc, c++ or fc does, and returns the program's path.
func compiled(t *testing.T, compiler, file string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("no compiler: %v", err)
	}
	l := &native.Languages[map[string]int{".c": 0, ".cc": 1, ".f90": 2}[filepath.Ext(file)]]
	t.Setenv(l.Variable, compiler)
	source, err := filepath.Abs(filepath.Join("testdata/native", file))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() // modules of Fortran go there too
	path := filepath.Join(dir, "program")
	argv, err := l.Command(context.Background(), append(flags, "-o", path, source))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
	return path
}

// recorded runs a program of package native, and returns its document and output.
func recorded(t *testing.T, path string, r Request, args ...string) (*Document, string, error) {
	t.Helper()
	var err error
	if r.Native, err = native.Open(path); err != nil {
		t.Fatal(err)
	}
	topology, err := hw.Synthetic("1x2")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r.Build.Path, r.Args, r.Unit, r.Caches = path, args, cmp.Or(r.Unit, Lines), topology.Machine()
	r.Out, r.Stdout, r.Stderr = filepath.Join(t.TempDir(), "run"), &out, &out
	d, err := Run(context.Background(), &r, []string{"krdlab"}, topology)
	if d == nil {
		t.Fatal(err)
	}
	return d, out.String(), err
}

var compilers = []struct{ compiler, level string }{{"gcc", "-O0"}, {"gcc", "-O2"}, {"clang", "-O0"}, {"clang", "-O2"}}

// The functions of known.c make the accesses that are in their source, by gcc and clang, with and
// without optimisation; the program prints what it prints, and ends as it ends.
func TestNative(t *testing.T) {
	const n, threads, blocks = 1000, 4, 10
	for _, x := range compilers {
		t.Run(x.compiler+x.level, func(t *testing.T) {
			path := compiled(t, x.compiler, "known.c", x.level, "-pthread")
			plain, err := exec.Command(path, "5").CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 5 {
				t.Fatalf("unrecorded: %v\n%s", err, plain)
			}
			d, out, err := recorded(t, path, Request{}, "5")
			if !errors.Is(err, ErrProgram) || d.ExitCode != 5 || out != string(plain) {
				t.Errorf("exit code %d (%v), output %q, expected 5 and %q", d.ExitCode, err, out, plain)
			}
			want := map[string]uint64{"fill": n, "sum": n, "scale": threads * 2 * n, "chain": 2 * n, "walk": 2 * n,
				"churn": blocks, "copy": 2 * ((8*(n-3)+5)/8 + 1)}
			if x.compiler == "clang" {
				want["scale"] /= 2 // it leaves out a read that a write to the same datum follows
			}
			for name, all := range want {
				if p := part(t, d.Functions, name); p.Accesses != all {
					t.Errorf("%s: %d accesses, expected %d", name, p.Accesses, all)
				}
			}
			if d.Goroutines != threads+1 || d.OddEvents != 0 || d.Accounts.Unknown != 0 {
				t.Errorf("%d threads, %d late, %d odd, accounts %+v", d.Goroutines, d.LateEvents, d.OddEvents, d.Accounts)
			}
			trace := filepath.Join(t.TempDir(), "known.loi")
			r := Request{Trace: trace}
			r.Build.Regions = true
			if _, _, err := recorded(t, path, r); err != nil {
				t.Fatal(err)
			}
			tr, err := loi.Open(trace)
			if err != nil {
				t.Fatal(err)
			}
			if k, err := krd.Analyze(tr, krd.Options{}); err != nil || k.Accesses != d.Accesses {
				t.Errorf("a trace of %+v, %v, expected %d accesses", k, err, d.Accesses)
			}
			// each block is other data, though free and malloc give out the same address
			if p := part(t, d.Allocations, "malloc, made at known.c:37"); p.Accesses != blocks || *p.Cold != blocks {
				t.Errorf("%d accesses, %d cold, expected %d and as many", p.Accesses, *p.Cold, blocks)
			}
			if p := part(t, d.Allocations, "table"); *p.Cold != n*8/64 {
				t.Errorf("table: %d cold, expected %d", *p.Cold, n*8/64)
			}
		})
	}
}
