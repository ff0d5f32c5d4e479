package app

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"krdlab/krd/plot"
	"krdlab/loi/front/corpus"
	"krdlab/runtimes"
)

// outside is a program of a module outside krdlab, and the folder that it runs in.
type outside struct {
	t           *testing.T
	dir, binary string
}

// run runs a command in the module's folder and returns what it prints.
func (o *outside) run(name string, args ...string) string {
	o.t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = o.dir, append(os.Environ(), "GOFLAGS=-mod=mod -ldflags=-w", "GOWORK=off",
		"GOPROXY=off")
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		o.t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, stderr.String())
	}
	return string(out)
}

// mine runs the program.
func (o *outside) mine(args ...string) string {
	o.t.Helper()
	return o.run(o.binary, args...)
}

// build builds the program of the module that is in the folder, from a copy in a folder that it has
// each time, which is returned.
func (o *outside) build() (dir string) {
	o.t.Helper()
	in := outside{t: o.t, dir: corpus.LayCopy(o.t, "outside", o.dir)}
	folder := corpus.Work(o.t, in.dir, "", func(folder string) error {
		in.run("go", "build", "-o", filepath.Join(folder, "program"))
		return nil
	})
	o.binary = filepath.Join(folder, "program")
	return in.dir
}

// has reports the words that text lacks.
func (o *outside) has(where, text string, words ...string) {
	o.t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			o.t.Errorf("%s: there is no %q in\n%.2000s", where, w, text)
		}
	}
}

var goBlock = regexp.MustCompile("(?s)`([a-z/]+\\.go)`[^`]*(?:`[^`\n]+`[^`]*)*\n```go\n(.*?)```")

// extract writes the Go files of a page; each is named before its block.
func (o *outside) extract(page, strip string) (files int) {
	o.t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		o.t.Fatal(err)
	}
	for _, m := range goBlock.FindAllStringSubmatch(string(text), -1) {
		path := filepath.Join(o.dir, strings.TrimPrefix(m[1], strip))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			o.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(m[2]), 0o666); err != nil {
			o.t.Fatal(err)
		}
		files++
	}
	return files
}

// TestOutside builds the module of docs/outside.md, a scheduler, a kernel and an analysis that krdlab
// does not know, each one file and a line of a table, and looks for them wherever krdlab's own are.
func TestOutside(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds a program")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	o := outside{t: t, dir: t.TempDir()}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(o.dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if n := o.extract(filepath.Join(root, "docs/outside.md"), ""); n != 2 {
		t.Fatalf("docs/outside.md has %d files, want main.go and a scheduler", n)
	}
	if n := o.extract(filepath.Join(root, "docs/adding-a-kernel.md"), "kernels/"); n != 1 {
		t.Fatalf("docs/adding-a-kernel.md has %d files, want a kernel", n)
	}
	if n := o.extract(filepath.Join(root, "docs/adding-an-analysis.md"), ""); n != 1 {
		t.Fatalf("docs/adding-an-analysis.md has %d files, want an analysis", n)
	}
	o.run("go", "mod", "edit", "-module=example.org/mine", "-require=krdlab@v0.0.0",
		"-replace=krdlab="+root)
	o.build()

	o.has("help", o.mine("run", "--help"), "saxpy", "childlocal")
	o.has("help of the kernel", o.mine("run", "saxpy", "--help"), "--block", "childlocal")
	o.has("list", o.mine("list"), "saxpy", "childlocal", "tries=1", "--block 4096",
		"reach ")
	o.has("completion of kernels", o.mine("__complete", "run", ""), "saxpy")
	o.has("completion of what to analyse", o.mine("__complete", "reach", ""), "go\n")
	o.has("completion of schedulers", o.mine("__complete", "sweep", "saxpy", "--sched", ""),
		"childlocal", "childlocal:tries=")

	o.has("a native run", o.mine("run", "saxpy", "--n", "1000", "--block", "64", "--sched",
		"childlocal", "--cores", "1", "--reps", "1", "--out", "native"), "childlocal")
	machine := []string{"--machine", "westmere-ex-4s", "--reps", "6"}
	o.has("all", o.mine(append(machine, "run", "fib", "--n", "12", "--cores", "12", "--sched",
		"all", "--out", "all")...), "childlocal", "shepherd-socket")

	// on one core it does what workfirst does, at the same prices
	var results []struct {
		Scheduler string
		Summary   struct {
			Time struct{ Median float64 } `json:"time_ns"`
		}
	}
	if err := json.Unmarshal([]byte(o.mine(append(machine, "run", "saxpy", "--n", "100000",
		"--block", "64", "--cores", "1", "--sched", "childlocal,workfirst,helpfirst", "--out",
		"prices", "--json")...)), &results); err != nil {
		t.Fatal(err)
	}
	at := func(i int) float64 { return results[i].Summary.Time.Median }
	if len(results) != 3 || at(0) != at(1) || at(0) == at(2) || at(0) == 0 {
		t.Errorf("one core: %+v, want the first two alike", results)
	}

	o.mine(append(machine, "run", "saxpy", "--n", "20000", "--block",
		"64", "--cores", "3", "--reps", "1", "--trace", "full", "--sched", "childlocal", "--out", "reached")...)
	o.has("the analysis of a run", o.mine("reach", "reached"),
		"Distinct blocks", "worker")
	o.has("the analysis of a trace", o.mine("reach", "reached", "--written", "--json"),
		`"workers": [`, `"schema_version": 1`)
	o.has("help of the analysis", o.mine("reach", "--help"), "--written", "--allow-loss")
	o.mine(append(machine, "sweep", "saxpy", "--n", "20000,60000", "--block", "64", "--cores",
		"1,6,12", "--sched", "childlocal,childlocal:tries=3,workfirst", "--out", "swept")...)
	o.has("correlate", o.mine("correlate", "swept", "--all"), "childlocal", "childlocal:tries=3", "saxpy")
	o.has("plot", o.mine("plot", "swept"), "swept/figures/")
	o.mine("report", "swept")
	o.has("compare", o.mine("compare", "swept", "swept"), "saxpy")
	place := len(runtimes.Schedulers) // of the line after ours
	colour := plot.LookAt(place + place/len(plot.Palette)).Hex()
	for _, file := range []string{"swept/report.html", "swept/figures/saxpy*speedup*.svg"} {
		found, err := filepath.Glob(filepath.Join(o.dir, file))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", file, found, err)
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		o.has(file, strings.ToLower(string(text)), "childlocal", colour, "childlocal:tries=3")
	}
}
