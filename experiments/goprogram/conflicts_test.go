package goprogram

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/goroutines"
	"krdlab/loi"
	"krdlab/loi/front/corpus"
)

// Who sees a conflict, as the comments of case conflicts name it.
const (
	allSee  = ""
	goSees  = "of go test -race"
	weSee   = "of explore"
	byLocks = "by locks"
)

// planted returns the conflicting lines of case conflicts, by who sees them, and the functions at lines.
func planted(t *testing.T) (lines map[string][]int, function func(line int) string) {
	t.Helper()
	files, text := token.NewFileSet(), must(os.ReadFile(filepath.Join(corpus.Source(),
		"program/conflicts/main.go")))(t)
	f := must(parser.ParseFile(files, "main.go", text, parser.ParseComments))(t)
	lines = map[string][]int{}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if who, ok := strings.CutPrefix(c.Text, "// races"); ok && g.Pos() > f.Package {
				who = strings.TrimSpace(who)
				lines[who] = append(lines[who], files.Position(c.Pos()).Line)
			}
		}
	}
	for who := range lines {
		if !slices.Contains([]string{allSee, goSees, weSee, byLocks}, who) {
			t.Fatalf("nobody is %q", who)
		}
	}
	return lines, func(line int) string {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && files.Position(d.Pos()).Line <= line &&
				line <= files.Position(d.End()).Line {
				return d.Name.Name
			}
		}
		return ""
	}
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// conflicting returns the lines of the unordered conflicts of case conflicts, and of those that locks
// alone order.
func conflicting(t *testing.T, arg string) (unordered, locks map[int]bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.loi")
	if _, _, err := trace(t, Data, "conflicts", func(r *Request) {
		r.Trace, r.Args, r.Build.Sync = file, []string{arg}, true
		r.Build.Regions, r.Build.Iterations = true, true // it is built so for other tests
	}); err != nil {
		t.Fatal(err)
	}
	tr := must(loi.Open(file))(t)
	defer tr.Close()
	p := must(goroutines.Read(context.Background(), tr, engine.NewAccount(0)))(t)
	found, ok := p.Unordered(engine.NewAccount(0))
	if !ok {
		t.Fatal("not enough memory")
	}
	unordered, locks = map[int]bool{}, map[int]bool{}
	for _, pair := range found.Pairs {
		for _, k := range []loi.KernelID{pair.First, pair.Then} {
			name := tr.Header.Registry.Kernels[k].Name
			at := strings.LastIndexByte(name, ':')
			if !strings.HasPrefix(name, "corpus/conflicts.") || at < 0 {
				t.Fatalf("%s: a conflict at %q", pair.Object, name)
			}
			line := must(strconv.Atoi(name[at+1:]))(t)
			unordered[line] = unordered[line] || pair.Unordered > 0
			locks[line] = locks[line] || pair.ByLocks > 0
		}
	}
	maps.DeleteFunc(unordered, func(_ int, is bool) bool { return !is })
	maps.DeleteFunc(locks, func(_ int, is bool) bool { return !is })
	return unordered, locks
}

func sameLines(t *testing.T, what string, got map[int]bool, want ...int) {
	t.Helper()
	slices.Sort(want)
	if list := slices.Sorted(maps.Keys(got)); !slices.Equal(list, want) {
		t.Errorf("%s: conflicts at lines %v, expected %v", what, list, want)
	}
}

// TestConflicts checks that the conflicts that were planted are found, and no others, and none in mended
// programs; and that the page names the cases in which go test -race finds others.
func TestConflicts(t *testing.T) {
	want, function := planted(t)
	unordered, locks := conflicting(t, "racing")
	sameLines(t, "racing", unordered, slices.Concat(want[allSee], want[weSee])...)
	sameLines(t, "racing, by locks", locks, want[byLocks]...)
	unordered, _ = conflicting(t, "mended")
	sameLines(t, "mended", unordered)

	differ, all := map[string]bool{}, map[string]bool{}
	for who, list := range want {
		for _, line := range list {
			all[function(line)] = true
			if who != allSee {
				differ[function(line)] = true
			}
		}
	}
	page := string(must(os.ReadFile("../../docs/interleavings.md"))(t))
	if text := fmt.Sprintf("Of %d shapes", len(all)); !strings.Contains(page, text) {
		t.Errorf("docs/interleavings.md has no %q", text)
	}
	if text := fmt.Sprintf("in %d of them", len(all)-len(differ)); !strings.Contains(page, text) {
		t.Errorf("docs/interleavings.md has no %q", text)
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(page, -1)
	for name := range all {
		if has := slices.ContainsFunc(rows, func(m []string) bool { return m[1] == name }); has != differ[name] {
			t.Errorf("docs/interleavings.md has a row of %s: %t, expected %t", name, has, differ[name])
		}
	}
}

// TestConflictsRace checks that go test -race finds what the comments say.
func TestConflictsRace(t *testing.T) {
	long.Only(t, "it builds the program and the standard library with the race detector")
	binary := filepath.Join(t.TempDir(), "race")
	build := exec.Command("go", "build", "-race", "-o", binary, corpus.Set("conflicts"))
	build.Dir = corpus.Dir(t)
	if out, err := build.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "-race") { // not supported here, or it needs cgo
			t.Skipf("%s", out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	want, _ := planted(t)
	for arg, want := range map[string][]int{"racing": slices.Concat(want[allSee], want[goSees]), "mended": nil} {
		run := exec.Command(binary, "conflicts", arg)
		run.Env = append(os.Environ(), "GORACE=halt_on_error=0 exitcode=0")
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		got := map[int]bool{}
		block := regexp.MustCompile(`(?i)(?:read|write|previous .*) (?:at|of) .*\n((?:  .+\n)+)`)
		line := regexp.MustCompile(`conflicts/main\.go:(\d+)`)
		for _, b := range block.FindAllStringSubmatch(string(out), -1) {
			if m := line.FindStringSubmatch(b[1]); m != nil { // an atomic operation has no line
				got[must(strconv.Atoi(m[1]))(t)] = true
			}
		}
		sameLines(t, arg, got, want...)
	}
}
