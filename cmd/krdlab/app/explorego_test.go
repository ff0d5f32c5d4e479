package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"krdlab/experiments/goprogram"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// TestExploreGo records a program three times, whose workers receive different jobs each time, and shows what
// the first one prints alone.
func TestExploreGo(t *testing.T) {
	dir := corpus.Dir(t)
	var out, errs bytes.Buffer
	a := builtApp(t, dir, &out, &errs)
	line := "krdlab explore go " + corpus.Set("workers") +
		" --llc 1/8 --runs 5 --search 5 --recordings 3 -- workers"
	if code := a.main(strings.Fields(line)); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	for _, want := range []string{"Of 3 recordings, the first with", "recorded, mean", "by function: least"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if code := a.main(strings.Fields("krdlab explore go . --recordings 0")); code != 2 ||
		!strings.Contains(errs.String(), "--recordings 0: expected 1 or more") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// TestExploreControl finds a deadlock, and repeats it by the command that is printed.
func TestExploreControl(t *testing.T) {
	text, err := os.ReadFile("../../../experiments/goprogram/control/testdata/main.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := corpus.Lay(t, "scheduled", map[string][]byte{"go.mod": []byte("module scheduled\n\ngo 1.26\n"), "main.go": text})
	run := func(line string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		a := builtApp(t, dir, &stdout, &stderr)
		a.goBuild = func(_ context.Context, r *goprogram.Request) (func(), error) {
			r.Built = built.Of(t, dir, r.Build)
			return func() {}, nil
		}
		code = a.main(strings.Fields(line))
		return code, stdout.String(), stderr.String()
	}
	code, out, errs := run("krdlab explore go . --control --runs 20 -- locks")
	again := regexp.MustCompile(`(?m)^deadlock +(krdlab .*)$`).FindStringSubmatch(out)
	if code != 1 || again == nil || !strings.Contains(errs, "the program failed under") {
		t.Fatalf("exit code %d: %s\n%s", code, errs, out)
	}
	code, out, errs = run(again[1])
	if code != 1 || !strings.Contains(out, "all goroutines are asleep") || !strings.Contains(errs, "under 1 schedule") {
		t.Errorf("%s: exit code %d: %s\n%s", again[1], code, errs, out)
	}
	code, out, errs = run("krdlab explore go . --control --first --runs 1000 -- locks")
	if code != 1 || strings.Contains(out, "2000 schedules") || !strings.Contains(errs, "under 1 schedule") {
		t.Errorf("--first: exit code %d: %s\n%s", code, errs, out)
	}
	_, out, _ = run("krdlab explore go . --control --json --runs 20 -- locks")
	file := filepath.Join(t.TempDir(), "ends.json")
	if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs = run("krdlab explore go . --control --follow " + file + " -- locks")
	if code != 1 || !strings.Contains(out, "1 schedule drawn by the choices in") ||
		!strings.Contains(out, "--follow "+file) || !strings.Contains(errs, "under 1 schedule") {
		t.Errorf("--follow: exit code %d: %s\n%s", code, errs, out)
	}
	code, _, errs = run("krdlab explore go . --control --follow main.go -- locks")
	if code != 5 || !strings.Contains(errs, "--follow: main.go: invalid character") {
		t.Errorf("--follow: exit code %d: %s", code, errs)
	}
	code, out, errs = run("krdlab explore go . --under walk --recordings 3 --runs 20 --search 20 -- empties")
	if code != 0 || !strings.Contains(out, "Of 3 recordings") {
		t.Errorf("--under: exit code %d: %s\n%s", code, errs, out)
	}
	for line, want := range map[string]string{"--search 5": "--search and --control exclude each other",
		"--sampler uniform":   "with --control there are walk, pct, pos and",
		"--under walk":        "--under and --control exclude each other",
		"--first --enumerate": "--enumerate and --first exclude", "--follow x --runs 5": "--follow and --runs exclude"} {
		if code, _, errs := run("krdlab explore go . --control " + line + " -- locks"); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %s", line, code, errs)
		}
	}
}
