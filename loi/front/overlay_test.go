package front

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// variants are the ways to rewrite a program that are tested, as the flags ask for them: values
// imply the stack and regions.
var variants = map[string]Options{"accesses": {}, "stack": {Stack: true}, "regions": {Regions: true, Iterations: true},
	"no-iterations": {Regions: true},
	"sync":          {Sync: true}, "regions-sync": {Regions: true, Iterations: true, Sync: true},
	"values": {Stack: true, Regions: true, Iterations: true, Values: true},
	"all":    {Stack: true, Regions: true, Iterations: true, Sync: true, Values: true}}

// Variants returns those of some names, all of none.
func Variants(names []string) map[string]Options {
	if len(names) == 0 {
		return variants
	}
	some := map[string]Options{}
	for _, name := range names {
		some[name] = variants[name]
	}
	return some
}

// FlagsOf returns the flags that the rewritten packages of a program were compiled with.
func FlagsOf(b *Built) string { return b.flags }

// OverlayOf returns the path of what go build -overlay took for a program.
func OverlayOf(b *Built) string { return overlayOf(filepath.Dir(filepath.Dir(b.Binary))) }

// rewriteDir rewrites the packages of a module.
func rewriteDir(t testing.TB, dir string, how Options, tests bool, patterns ...string) *Rewritten {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: rewriteMode, Dir: dir, Tests: tests,
		Env: environment(), BuildFlags: []string{"-tags=math_big_pure_go,purego"}}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			t.Fatalf("%s: %v", p.PkgPath, e)
		}
	}
	opt := &BuildOptions{Dir: dir, Tags: "math_big_pure_go,purego"}
	said, err := opt.remarks(t.Context(), []string{"build", "-o", os.DevNull}, patterns, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	how.Escapes = (&compiled{remarks: said}).moved()
	out, err := Rewrite(pkgs, how)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func environment() []string {
	return append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
}

// overlay writes what go build -overlay takes: the agent, the runtime's end of it and rewritten
// files. It returns the path of its JSON file.
func overlay(t testing.TB, dir string, how Options, r *Rewritten) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	replace, err := runtimeOverlay(strings.TrimSpace(string(out)), filepath.Join(dir, "std"),
		how.Sync, how.Sample)
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range r.Files {
		file := filepath.Join(dir, strconv.Itoa(len(replace))+"_"+filepath.Base(path))
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[path] = file
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}
