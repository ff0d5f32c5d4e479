package goprogram

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/loi/native"
)

// alike runs a program alone and recorded, and checks that it prints and ends the same.
func alike(t *testing.T, path string, r Request, args ...string) *Document {
	t.Helper()
	plain, err := exec.Command(path, args...).CombinedOutput()
	code, signal := 0, ""
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if code = exit.ExitCode(); code < 0 {
			signal = strings.TrimPrefix(strings.TrimSuffix(exit.String(), " (core dumped)"), "signal: ")
		}
	} else if err != nil {
		t.Fatal(err)
	}
	d, out, _ := recorded(t, path, r, args...)
	if out != string(plain) || d.ExitCode != code || d.Signal != signal {
		t.Errorf("%v: output %q, exit code %d, signal %q; alone %q, %d, %q", args, out, d.ExitCode, d.Signal, plain, code,
			signal)
	}
	if d.OddEvents != 0 {
		t.Errorf("%v: %d odd, %d late", args, d.OddEvents, d.LateEvents)
	}
	return d
}

// What programs do beside calling and returning is recorded up to its end, whatever that is, and only of
// the program itself.
func TestNativeCases(t *testing.T) {
	const n = 100
	path := compiled(t, "gcc", "cases.c", "-O1", "-pthread")
	for what, fills := range map[string]uint64{"fork": 1, "vfork": 1, "exec": 1, "longjmp": 3, "signal": 1,
		"detached": 1, "local": 0, "crash": 1, "kill": 1} {
		for _, sync := range []bool{false, true} {
			r := Request{Waits: sync}
			r.Build.Regions = true
			d := alike(t, path, r, what)
			if d.Replaced != (what == "exec") {
				t.Errorf("%s: replaced is %t", what, d.Replaced)
			}
			if fills > 0 && part(t, d.Functions, "fill").Accesses != fills*n {
				t.Errorf("%s: %+v, expected %d accesses of fill", what, part(t, d.Functions, "fill"), fills*n)
			}
			if what == "local" && part(t, d.Functions, "fill_own").Accesses != 2*n {
				t.Errorf("%s: %+v", what, part(t, d.Functions, "fill_own"))
			}
		}
	}
	for _, how := range []string{"--strip-all", "--strip-debug"} {
		p := filepath.Join(t.TempDir(), "stripped")
		if out, err := exec.Command("objcopy", how, path, p).CombinedOutput(); err != nil {
			t.Skipf("objcopy: %v\n%s", err, out)
		}
		if _, err := native.Open(p); !errors.Is(err, native.ErrProgram) || strings.Contains(err.Error(), "\n") {
			t.Errorf("stripped by %s: %v", how, err)
		}
	}
}

// Programs of C++ and Fortran do what they do alone, and have the functions of their sources.
func TestNativeLanguages(t *testing.T) {
	for _, x := range []struct {
		compiler, file, function string
		accesses                 uint64
	}{{"g++", "thrown.cc", "fails", 3 * 10 * 2}, {"clang++", "thrown.cc", "fails", 3 * 10},
		{"gfortran", "stencil.f90", "grid::step", 4 * 998 * 4}} {
		t.Run(x.compiler, func(t *testing.T) {
			path := compiled(t, x.compiler, x.file, "-O1", "-pthread")
			r := Request{Waits: true}
			d := alike(t, path, r)
			if p := part(t, d.Functions, x.function); p.Accesses != x.accesses {
				t.Errorf("%s: %d accesses, expected %d", x.function, p.Accesses, x.accesses)
			}
		})
	}
}

// Memory that headers of C++ allocate has the line of the program that asks for it, whether they are inlined or not.
func TestNativeContainers(t *testing.T) {
	for _, level := range []string{"-O0", "-O2"} {
		t.Run(level, func(t *testing.T) {
			d := alike(t, compiled(t, "g++", "containers.cc", level), Request{}, "100")
			for _, name := range []string{"new, made at containers.cc:11", "new, made at containers.cc:17",
				"new, made at containers.cc:18", "new[], made at containers.cc:14", "new[], made at containers.cc:15"} {
				if p := part(t, d.Allocations, name); p.Accesses < 100 {
					t.Errorf("%s: %d accesses, expected 100 or more", name, p.Accesses)
				}
			}
			for _, p := range d.Allocations {
				if strings.Contains(p.Name, ".h:") {
					t.Errorf("%s: expected a line of the program", p.Name)
				}
			}
		})
	}
}

// The search of a B-tree makes the accesses that are in its source: in each node the number of keys and those
// keys that are smaller; where one that is not follows, that, twice; whether it is a leaf, unless the key is
// found; and the child, unless the search ends.
func TestNativeBTree(t *testing.T) {
	for _, x := range compilers[long.Or(1, 0):long.Or(3, 4)] {
		t.Run(x.compiler+x.level, func(t *testing.T) {
			path := compiled(t, x.compiler, "btree.c", x.level)
			d := alike(t, path, Request{})
			out, err := exec.Command(path).Output()
			if err != nil {
				t.Fatal(err)
			}
			var searches, found, nodes, smaller, inside uint64
			if _, err := fmt.Sscanf(string(out), "%d searches, %d found, %d nodes, %d smaller, %d inside", &searches, &found,
				&nodes, &smaller, &inside); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			want := nodes + smaller + 2*inside + (nodes - found) + (nodes - searches)
			if x.compiler == "clang" && x.level == "-O2" {
				want -= inside // it holds the key in a register
			}
			if p := part(t, d.Functions, "search"); p.Accesses != want || searches == 0 || found == 0 || found == searches {
				t.Errorf("%s: %d accesses, expected %d", out, p.Accesses, want)
			}
		})
	}
}
