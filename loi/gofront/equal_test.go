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
	as := filepath.Join(t.TempDir(), "as-it-is")
	build(t, dir, "-o", as, ".")
	for name, how := range variants {
		t.Run(name, func(t *testing.T) { sameEndings(t, dir, as, how) })
	}
}

func sameEndings(t *testing.T, dir, as string, how Options) {
	out := t.TempDir()
	r := rewriteDir(t, dir, how, false, ".")
	if len(r.Files) < 5 || len(r.Sites) < 500 || how.Regions != (len(r.Regions) > 200) {
		t.Fatalf("only %d files, %d sites, and %d regions", len(r.Files), len(r.Sites), len(r.Regions))
	}
	rewritten := filepath.Join(out, "rewritten")
	build(t, dir, "-overlay", overlay(t, out, how, r), "-o", rewritten, ".")
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

// TestEscapes asks the compiler what it puts on the heap, and what it inlines: rewriting changes
// neither, line by line.
func TestEscapes(t *testing.T) {
	for dir, least := range map[string]int{"testdata/constructs": 100, "../../examples/scimark": 5,
		"../../experiments/gotrace/testdata/cases/stack-objects": 4} {
		dir, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		as := escapes(t, dir, "-gcflags=-m")
		for name, how := range short("accesses", "all") {
			t.Run(name, func(t *testing.T) { sameEscapes(t, dir, how, as, least) })
		}
	}
}

func sameEscapes(t *testing.T, dir string, how Options, as map[string]bool, least int) {
	out := t.TempDir()
	b, err := Build(t.Context(), BuildOptions{Dir: dir, Path: ".", Regions: how.Regions,
		Iterations: how.Iterations, Sync: how.Sync, Stack: how.Stack, Values: how.Values}, out)
	if err != nil {
		t.Fatal(err)
	}
	rewritten := escapes(t, dir, "-overlay", overlayOf(out), "-gcflags="+b.flags+" -m")
	if len(as) < least {
		t.Fatalf("%s: %d lines with something on the heap", dir, len(as))
	}
	expected := func(line string) bool {
		return how.Values && (ofIterators.MatchString(line) || ofStack.MatchString(line))
	}
	for line := range as {
		if !rewritten[line] && !expected(line) && !(how.Regions && overFunctions.MatchString(line)) &&
			!(how.Sync && synchronises.MatchString(line)) {
			t.Errorf("%s: not when rewritten", line)
		}
	}
	for line := range rewritten {
		if !as[line] && !expected(line) {
			t.Errorf("%s: only when rewritten", line)
		}
	}
}

// overFunctions are calls in bodies of loops over functions in other loops, which regions make too
// large for inlining.
var overFunctions = regexp.MustCompile(`(ranges.go:197|waits.go:188) inlining call`)

// ofIterators are lines of loops over functions, whose bodies are not inlined where operations are
// recorded in them.
var ofIterators = regexp.MustCompile(`^(ranges.go:(17|18|19|210)|waits.go:(174|182) )`)

// ofStack are lines where a call through an interface is of a type that the compiler knows, unless
// the variable that holds it is observed on the stack, and what else a closure's variable changes.
var ofStack = regexp.MustCompile(`^(methods.go:(94|126) inl|methods.go:126 a value|values.go:(42|111) ` +
	`|misc.go:126 moved to heap: ctx)`)

// synchronises are calls of package sync, which records and is too large for inlining, and what
// these call.
var synchronises = regexp.MustCompile(`(misc.go:138|waits.go:1[1-5][0-9]) inlining call to ` +
	`atomic\.|inlining call to sync\.\(`)

var escape = regexp.MustCompile(`(?m)^\S*?([a-z]+\.go:[0-9]+)(?::[0-9]+)?: ` +
	`(moved to heap: .*|.* escapes to heap|inlining call to .*)$`)

var allocates = regexp.MustCompile(`^(&.*|new\(.*|make\(.*|append|func literal|\.\.\. argument|` +
	`[^()=<>]*\{\.\.\.\})$`)

// escapes is what is put on the heap or inlined, by line.
func escapes(t *testing.T, dir string, args ...string) map[string]bool {
	t.Helper()
	args = append([]string{"build", "-o", filepath.Join(t.TempDir(), "program")}, args...)
	c := exec.Command("go", append(args, ".")...)
	c.Dir, c.Env = dir, environment()
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s", text)
	}
	found := map[string]bool{}
	for _, m := range escape.FindAllStringSubmatch(string(text), -1) {
		what := m[2]
		if x, ok := strings.CutSuffix(what, " escapes to heap"); ok && !allocates.MatchString(x) {
			what = "a value becomes an interface" // whatever it is called
		}
		if !strings.Contains(what, "krd") && m[2] != "any(~r0) escapes to heap" { // a map's key
			found[m[1]+" "+what] = true
		}
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
