package goprogram

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd"
	"krdlab/loi"
)

// Shared libraries that were built so have the accesses of their sources, by their own functions, data and
// lines, whether they are linked at start or loaded later, and another at the place of one that was closed.
func TestNativeLibraries(t *testing.T) {
	const n, rows = 1000, 100
	begins := uint64(rows) // stores of the constructor
	check := func(t *testing.T, d *Document, name string, loads uint64) {
		t.Helper()
		for _, x := range []struct {
			parts    []Part
			name     string
			accesses uint64
			cold     uint64
		}{{d.Functions, name + "_sum", n + 2*rows, 0}, {d.Allocations, name + "_table", begins + rows, (rows*8 + 63) / 64}} {
			p := part(t, x.parts, x.name)
			if p.Accesses != loads*x.accesses || *p.Cold != loads*x.cold {
				t.Errorf("%s: %d accesses, %d cold, expected %d and %d", x.name, p.Accesses, *p.Cold, loads*x.accesses,
					loads*x.cold)
			}
		}
	}
	for _, x := range compilers[long.Or(1, 0):long.Or(3, 4)] {
		t.Run(x.compiler+x.level, func(t *testing.T) {
			if begins = rows; x.compiler == "clang" && x.level == "-O2" {
				begins = rows / 2 // of 16 bytes
			}
			library := func(name string, flags ...string) string {
				return compiled(t, x.compiler, "library.c", append(flags, x.level, "-shared", "-fPIC", "-DTABLE="+name+"_table",
					"-DSUM="+name+"_sum")...)
			}
			first, second := library("first"), library("second", "-fno-plt")
			linked := compiled(t, x.compiler, "loads.c", x.level, "-pthread", "-Wl,--no-as-needed", first)
			d := alike(t, linked, Request{Waits: true})
			check(t, d, "first", 1)
			if p := part(t, d.Allocations, "malloc, made at library.c:19"); p.Accesses != 2*n+2*rows {
				t.Errorf("%+v, expected %d accesses", p, 2*n+2*rows)
			}
			all := n + begins + 4*rows + n + 2*rows // of fill, begin, copies and the sum
			if d.Accesses != all || d.Accounts.Left != 0 || d.Accounts.Unknown != 0 {
				t.Errorf("%d accesses, %+v, expected %d", d.Accesses, d.Accounts, all)
			}

			program := compiled(t, x.compiler, "loads.c", x.level, "-pthread")
			d = alike(t, program, Request{Waits: true}, first, second, first)
			check(t, d, "first", 2)
			check(t, d, "second", 1)
			if _, out, _ := recorded(t, program, Request{}, first, second, first); x.level != "-O0" &&
				!strings.Contains(out, "same place") {
				t.Errorf("no library stands where another stood:\n%s", out)
			}
			trace := filepath.Join(t.TempDir(), "loads.loi")
			r := Request{Trace: trace}
			r.Build.Sync, r.Build.Regions = true, true
			of, _, err := recorded(t, program, r, first, second, first)
			if err != nil {
				t.Fatal(err)
			}
			tr, err := loi.Open(trace)
			if err != nil {
				t.Fatal(err)
			}
			if k, err := krd.Analyze(tr, krd.Options{}); err != nil || k.Accesses != of.Accesses {
				t.Errorf("a trace of %+v, %v, expected %d accesses", k, err, of.Accesses)
			}

			plain := filepath.Join(t.TempDir(), "plain.so")
			if out, err := exec.Command(x.compiler, x.level, "-shared", "-fPIC", "-DTABLE=table", "-DSUM=sum", "-o", plain,
				"testdata/native/library.c").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			d = alike(t, program, Request{Waits: true}, first, plain, second)
			check(t, d, "first", 1)
			check(t, d, "second", 1)
			if all = 2*all + 3; d.Accesses != all || len(d.LeftFiles) > 0 {
				t.Errorf("%d accesses, %q left alone, expected %d and none", d.Accesses, d.LeftFiles, all)
			}

			stripped := filepath.Join(t.TempDir(), "stripped.so")
			if out, err := exec.Command("strip", "-o", stripped, second).CombinedOutput(); err != nil {
				t.Skipf("strip: %v\n%s", err, out)
			}
			d = alike(t, program, Request{}, first, stripped, stripped)
			check(t, d, "first", 1)
			if !slices.ContainsFunc(d.LeftFiles, func(s string) bool {
				return strings.Contains(s, "stripped.so") && strings.Contains(s, "no symbols") && !strings.Contains(s, "\n")
			}) || len(d.LeftFiles) != 1 || d.Accounts.Left < 2*n {
				t.Errorf("%q left alone, %+v", d.LeftFiles, d.Accounts)
			}
		})
	}
}

// The arguments of a program are on the stack, also behind the page in which it began.
func TestNativeArguments(t *testing.T) {
	d := alike(t, compiled(t, "gcc", "arguments.c", "-O1"), Request{}, slices.Repeat([]string{"x"}, 2000)...)
	if d.Accesses != 0 || d.Accounts.Stack < 2000 || d.Accounts.Unknown != 0 {
		t.Errorf("%d accesses, %+v, expected 2000 to the stack alone", d.Accesses, d.Accounts)
	}
}

// A thread's accesses to the data of a library stand before another closes it last.
func TestNativeLibrariesClosed(t *testing.T) {
	long.Only(t, "threads load and close libraries many times")
	const n, rows, threads, times = 200, 100, 4, 40
	library := func(name string) string {
		return compiled(t, "gcc", "library.c", "-O1", "-shared", "-fPIC", "-DTABLE="+name+"_table", "-DSUM="+name+"_sum")
	}
	d := alike(t, compiled(t, "gcc", "closes.c", "-O1", "-pthread"), Request{Waits: true}, library("first"),
		library("second"))
	for _, name := range []string{"first_sum", "second_sum"} {
		if p := part(t, d.Functions, name); p.Accesses != threads/2*times*(n+2*rows) {
			t.Errorf("%s: %d accesses, expected %d", name, p.Accesses, threads/2*times*(n+2*rows))
		}
	}
	if d.Accounts.Unknown != 0 || d.Accounts.Left != 0 || len(d.LeftFiles) > 0 {
		t.Errorf("%+v, %q left alone, expected none", d.Accounts, d.LeftFiles)
	}
}
