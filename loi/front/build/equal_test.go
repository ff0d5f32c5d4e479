package build_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// TestMain makes package corpus link the programs.
func TestMain(m *testing.M) {
	if err := corpus.Linking(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// variants are the ways to rewrite a program that are tested, as the flags ask for them: values
// imply the stack and regions.
var variants = map[string]front.Options{"accesses": {}, "stack": {Stack: true},
	"regions": {Regions: true, Iterations: true}, "no-iterations": {Regions: true},
	"sync": {Sync: true}, "early": {Regions: true, Iterations: true, Sync: true, EarlyLoads: true},
	"values": {Stack: true, Regions: true, Iterations: true, Values: true},
	"all":    {Stack: true, Regions: true, Iterations: true, Sync: true, Values: true}}

// some returns variants: those of some names, or where tests are long all.
func some(names ...string) map[string]front.Options {
	few := maps.Clone(variants)
	maps.DeleteFunc(few, func(name string, _ front.Options) bool {
		return !long.Or(slices.Contains(names, name), true)
	})
	return few
}

// whole returns the program of a folder of package corpus built as a variant. All of it has to be
// rewritten.
func whole(t *testing.T, dir string, how front.Options) *build.Program {
	t.Helper()
	return entire(t, built.Of(t, dir, build.Request{Path: ".", Options: how}))
}

// passing works like whole, for one of many programs: long tests keep none of them.
func passing(t *testing.T, dir string, opt build.Request) *build.Program {
	t.Helper()
	if !long.Or(false, true) {
		return entire(t, built.Of(t, dir, opt))
	}
	opt.Dir = dir
	b, err := build.Run(t.Context(), opt, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return entire(t, b)
}

func entire(t *testing.T, b *build.Program) *build.Program {
	t.Helper()
	if len(b.Failed) > 0 {
		t.Fatalf("%s failed: %s", b.Failed[0].Package, b.Failed[0].Why)
	}
	return b
}

// printed returns what a program of one file prints. It is linked once for all processes.
func printed(t *testing.T, name, text string) string {
	t.Helper()
	dir := corpus.Lay(t, name, map[string][]byte{"main.go": []byte(text),
		"go.mod": []byte("module " + name + "\n\ngo 1.26\n")})
	var out []byte
	corpus.Work(t, dir, "", func(folder string) error {
		c := exec.Command("go", "build", "-o", filepath.Join(folder, name), ".")
		c.Dir = dir
		said, err := c.CombinedOutput()
		if err == nil {
			out, err = exec.Command(filepath.Join(folder, name)).CombinedOutput()
			said = out
		}
		if err != nil {
			return fmt.Errorf("%w: %s", err, said)
		}
		return nil
	})
	return string(out)
}

// TestConstructs runs a program that uses what Go has, as it is and rewritten, and compares what
// each of its cases prints and how it ends.
func TestConstructs(t *testing.T) {
	var as map[string]string // endings, by the cases that one process runs
	for name, how := range variants {
		t.Run(name, func(t *testing.T) {
			b := whole(t, corpus.Front(t), how)
			if as == nil {
				as = endings(t, built.Plain(b))
			}
			sameEndings(t, b, how, as)
		})
	}
}

// endings returns how each process of the case constructs ends.
func endings(t *testing.T, program string) map[string]string {
	t.Helper()
	list, err := exec.Command(program, "constructs", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(string(list))); n < 20 {
		t.Fatalf("%d cases", n)
	}
	as := map[string]string{}
	for names := range strings.Lines(string(list)) {
		as[names] = ending(t, program, names)
		if strings.Contains(names, " ") && !strings.HasSuffix(as[names], "exit status 0") {
			t.Fatalf("not all of %s are run:\n%s", names, as[names])
		}
	}
	return as
}

func sameEndings(t *testing.T, b *build.Program, how front.Options, as map[string]string) {
	files, sites, regions := 0, 0, 0
	for path := range b.Files {
		files += count(filepath.Base(filepath.Dir(path)) == "constructs")
	}
	for i := range b.Sites {
		sites += count(filepath.Base(filepath.Dir(b.Sites[i].File)) == "constructs")
	}
	for i := range b.Regions {
		regions += count(strings.Contains(b.Regions[i].Function, corpus.Module+"/constructs."))
	}
	if files < 5 || sites < 500 || how.Regions != (regions > 200) {
		t.Fatalf("only %d files, %d sites, and %d regions", files, sites, regions)
	}
	for names, a := range as {
		t.Run(strings.Fields(names)[0], func(t *testing.T) {
			if b := ending(t, b.Binary, names); a != b {
				t.Errorf("as it is:\n%s\nrewritten:\n%s", a, b)
			}
		})
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// TestEscapes asks the compiler what it puts on the heap, and what it inlines: rewriting changes
// neither, line by line.
func TestEscapes(t *testing.T) {
	scimark := map[string][]byte{"go.mod": []byte("module scimark\n\ngo 1.26\n")}
	for _, name := range []string{"main.go", "fft.go", "lu.go", "sor.go", "sparse.go"} {
		text, err := os.ReadFile(filepath.Join("../../../examples/scimark", name))
		if err != nil {
			t.Fatal(err)
		}
		scimark[name] = text
	}
	for _, c := range []struct {
		dir, path string
		least     int
	}{
		{corpus.Front(t), "./constructs", 100},
		{corpus.Lay(t, "scimark", scimark), ".", 5},
		{corpus.LayCopy(t, "stack-objects",
			"../../../experiments/goprogram/testdata/cases/stack-objects"), ".", 4},
	} {
		as := escapes(t, c.dir, "-gcflags=-m", c.path)
		if len(as) < c.least {
			t.Fatalf("%s: %d lines with something on the heap", c.dir, len(as))
		}
		for name, how := range some("accesses", "all") {
			t.Run(name, func(t *testing.T) { sameEscapes(t, c.dir, c.path, how, as) })
		}
	}
}

func sameEscapes(t *testing.T, dir, path string, how front.Options, as map[string]bool) {
	b := whole(t, dir, how)
	rewritten := escapes(t, dir, "-overlay", build.OverlayOf(b),
		"-gcflags="+build.FlagsOf(b)+" -m", path)
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
var ofIterators = regexp.MustCompile(`^(ranges.go:(17|18|19|210)|waits.go:(174|182|233|235) )`)

// ofStack are lines where a call through an interface is of a type known to the compiler, unless
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

// escapes returns what go build with some arguments puts on the heap or inlines, by line.
func escapes(t *testing.T, dir string, args ...string) map[string]bool {
	t.Helper()
	c := exec.Command("go", append([]string{"build", "-o", os.DevNull}, args...)...)
	c.Dir = dir
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

var numbers = regexp.MustCompile(`\+?0x[0-9a-f]+|goroutine [0-9]+`)

// ending returns what cases of constructs print, without addresses, and the exit code.
func ending(t *testing.T, program, names string) string {
	t.Helper()
	c := exec.Command(program, append([]string{"constructs"}, strings.Fields(names)...)...)
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
