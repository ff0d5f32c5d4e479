package gofront

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestConstructs builds a program that uses what Go has, as it is and rewritten, and compares what
// each of its cases prints and how it ends.
func TestConstructs(t *testing.T) {
	dir, err := filepath.Abs("testdata/constructs")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	r := rewriteDir(t, dir, false, ".")
	if len(r.Files) < 5 || len(r.Sites) < 500 {
		t.Fatalf("only %d files and %d sites", len(r.Files), len(r.Sites))
	}
	as, rewritten := filepath.Join(out, "as-it-is"), filepath.Join(out, "rewritten")
	build(t, dir, "-o", as, ".")
	build(t, dir, "-overlay", overlay(t, out, r), "-o", rewritten, ".")
	list, err := exec.Command(as).Output()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(list))
	if len(names) < 20 {
		t.Fatalf("%d cases", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			if a, b := ending(t, as, name), ending(t, rewritten, name); a != b {
				t.Errorf("as it is:\n%s\nrewritten:\n%s", a, b)
			}
		})
	}
}

// TestEscapes asks the compiler what it puts on the heap, line by line: rewriting moves nothing
// there. Without inlining, since what is inlined is counted where it is called.
func TestEscapes(t *testing.T) {
	dir, err := filepath.Abs("testdata/constructs")
	if err != nil {
		t.Fatal(err)
	}
	r := rewriteDir(t, dir, false, ".")
	as := escapes(t, dir)
	rewritten := escapes(t, dir, "-overlay", overlay(t, t.TempDir(), r))
	if len(as) < 100 {
		t.Fatalf("%d lines with something on the heap", len(as))
	}
	for line, n := range as {
		if rewritten[line] != n {
			t.Errorf("%s: %d as it is, %d rewritten", line, n, rewritten[line])
		}
	}
	for line, n := range rewritten {
		if as[line] == 0 {
			t.Errorf("%s: %d only rewritten", line, n)
		}
	}
}

var escape = regexp.MustCompile(`(?m)^\S*?([a-z]+\.go:[0-9]+):[0-9]+: ` +
	`(moved to heap: .*|.* escapes to heap)`)

// escapes is the set of lines with something that is put on the heap.
func escapes(t *testing.T, dir string, args ...string) map[string]int {
	t.Helper()
	args = append([]string{"build", "-o", filepath.Join(t.TempDir(), "program"), "-gcflags=-m -l"},
		args...)
	c := exec.Command("go", append(args, ".")...)
	c.Dir, c.Env = dir, environment()
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s", text)
	}
	found := map[string]int{}
	for _, m := range escape.FindAllStringSubmatch(string(text), -1) {
		what := "escapes"
		if v, ok := strings.CutPrefix(m[2], "moved to heap: "); ok {
			what = v + " moved"
		}
		found[m[1]+" "+what] = 1
	}
	return found
}

func build(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("go", append([]string{"build"}, args...)...)
	c.Dir, c.Env = dir, environment()
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s", text)
	}
}

var numbers = regexp.MustCompile(`\+?0x[0-9a-f]+|goroutine [0-9]+`)

// ending is what a program prints, without addresses, and its exit code.
func ending(t *testing.T, program, arg string) string {
	t.Helper()
	c := exec.Command(program, arg)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if x := (*exec.ExitError)(nil); err != nil && !errors.As(err, &x) {
		t.Fatal(err)
	}
	// The arguments of functions in a stack are addresses, or ... if they are many.
	text := numbers.ReplaceAllString(errs.String(), "")
	text = regexp.MustCompile(`\([^()\n]*\)\n`).ReplaceAllString(text, "()\n")
	return out.String() + "--- errors\n" + text + "--- exit " + c.ProcessState.String()
}
