package native

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func cc(t *testing.T, args ...string) ([]string, error) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skipf("no C compiler: %v", err)
	}
	return Languages[0].Command(context.Background(), args)
}

// What a compiler cannot do together with recording is refused in one line; questions reach it unchanged.
func TestRefusedFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "flags")
	if err := os.WriteFile(file, []byte("-O2\n-fsanitize=undefined"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"-fsanitize=address", "-static", "-static-pie", "@" + file} {
		_, err := cc(t, flag, "a.c")
		if !errors.Is(err, ErrFlag) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", flag, err)
		}
	}
	argv, err := cc(t, "-dumpversion")
	if err != nil || len(argv) != 2 {
		t.Errorf("-dumpversion: %q, %v", argv, err)
	}
}

// Sources are compiled with the flags; the runtime's symbols are only exported where a program is linked.
func TestCommand(t *testing.T) {
	for _, x := range []struct {
		args  []string
		links bool
	}{{[]string{"a.c"}, true}, {[]string{"-c", "a.c"}, false}, {[]string{"-o", "a", "a.o"}, true},
		{[]string{"-shared", "-o", "a.so", "a.o"}, false}, {[]string{"-E", "a.c"}, false}} {
		argv, err := cc(t, x.args...)
		if err != nil {
			t.Fatal(err)
		}
		exports := slices.ContainsFunc(argv, func(a string) bool { return strings.HasPrefix(a, "-Wl,--export") })
		if !slices.Contains(argv, "-fsanitize=thread") || !slices.Contains(argv, "-g") || exports != x.links {
			t.Errorf("%q becomes %q", x.args, argv)
		}
		if !slices.Equal(argv[len(argv)-len(x.args):], x.args) {
			t.Errorf("%q becomes %q", x.args, argv)
		}
	}
}

// The wrapper's compiler finds loi.h, and the program still records by it.
func TestHeaderByWrapper(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	argv, err := cc(t, "-O1", "-o", path, "testdata/record.c", "-pthread")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(path, "each", path+".loi").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// A program that records nothing is refused with the command that builds it again.
func TestOpenOther(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{self: "krdlab cc -O2 -o " + filepath.Base(self), text: "no ELF file"} {
		if _, err := Open(path); !errors.Is(err, ErrProgram) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q in it", path, err, want)
		}
	}
	if _, err := Executable("no-such-program"); !errors.Is(err, ErrProgram) {
		t.Error(err)
	}
}

func TestHookOf(t *testing.T) {
	for name, want := range map[string]string{"__tsan_read4": "load 4", "__tsan_unaligned_write16": "store 16",
		"__tsan_volatile_read1": "load 1", "__tsan_atomic64_fetch_add": "update 8", "__tsan_atomic128_load": "load 16",
		"__tsan_read_write2": "update 2"} {
		h := hookOf(name)
		if h == nil {
			t.Errorf("%s: none", name)
			continue
		}
		s := h.sites[0]
		if got := s.Kind + " " + strconv.FormatUint(s.Bytes, 10); got != want {
			t.Errorf("%s: %s, expected %s", name, got, want)
		}
	}
	for _, name := range []string{"main", "__tsan_init", "__tsan_atomic_thread_fence", "__tsan_read_file"} {
		if hookOf(name) != nil {
			t.Errorf("%s: expected none", name)
		}
	}
}

func TestShort(t *testing.T) {
	long := strings.Repeat("x", mostName)
	for name, want := range map[string]string{"f<int>": "f<int>", "s<" + long + ">::at": "s<...>::at",
		"operator<<" + long: "operator<<" + long, long + "<a<b>>": long + "<...>"} {
		if got := short(name); got != want {
			t.Errorf("%s: %s, expected %s", name, got, want)
		}
	}
}
