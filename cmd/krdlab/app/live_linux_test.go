package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/components"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/front/corpus"
)

// told is an analysis that keeps what it is told, of a trace or live, by worker.
type told struct {
	header *loi.Header
	lists  map[int][]string
	lines  map[int]map[uint64]int // numbered as they come: objects are elsewhere in each run
	loops  int
}

type toldOptions struct {
	Iterations bool `flag:"each" help:"look at iterations too"`
}

// tells is the line of it.
var tells = &analysis.Analysis{Name: "told", Summary: "What is told",
	Needs: analysis.Needs{Accesses: true, Regions: true, ByWorker: true},
	New:   func() any { return &toldOptions{} }}

func (*toldOptions) Formats() []string                               { return []string{"svg"} }
func (o *toldOptions) Records() (regions, iterations bool)           { return false, o.Iterations }
func (*toldOptions) Begin(in *analysis.Input) (analysis.Sink, error) { return newTold(in), nil }
func (*toldOptions) Values() string                                  { return "" }
func (*toldOptions) Live(in *analysis.Input) (analysis.Live, error)  { return newTold(in), nil }

func newTold(in *analysis.Input) *told {
	return &told{header: in.Header, lists: map[int][]string{}, lines: map[int]map[uint64]int{}}
}

func (r *told) put(w int, text string) { r.lists[w] = append(r.lists[w], text) }

func (r *told) access(w int, place, bytes uint64, mode loi.Mode) {
	if r.lines[w] == nil {
		r.lines[w] = map[uint64]int{}
	}
	n, ok := r.lines[w][place/64]
	if !ok {
		n = len(r.lines[w])
		r.lines[w][place/64] = n
	}
	r.put(w, fmt.Sprintf("%d.%d: %d, %d", n, place%64, bytes, mode))
}

func (r *told) Accesses(w int, places []uint64, bytes []uint32, modes []loi.Mode) error {
	for i, p := range places {
		r.access(w, p, uint64(bytes[i]), modes[i])
	}
	return nil
}

func (r *told) Loop(w int, times uint64, accesses []analysis.Strided) error {
	r.loops++
	for i := range times {
		for _, a := range accesses {
			r.access(w, a.Place+i*uint64(a.Step), uint64(a.Bytes), a.Mode)
		}
	}
	return nil
}

func (r *told) Enter(w int, region loi.RegionID, _ uint32) error {
	r.put(w, r.header.Registry.Regions[region].Name)
	return nil
}

func (r *told) Leave(w int, _ uint32) error {
	r.put(w, "end")
	return nil
}

func (r *told) Event(e *loi.Event) error {
	switch {
	case e.Type != loi.EventRecord:
		for _, a := range e.Accesses() {
			r.access(e.Worker, a.Block&(1<<56-1), a.Bytes, a.Mode)
		}
	case e.Event == loi.EventRegion:
		return r.Enter(e.Worker, loi.RegionID(e.Args[0]), e.Args[1])
	case e.Event == loi.EventRegionEnd:
		return r.Leave(e.Worker, e.Args[0])
	}
	return nil
}

func (r *told) End() (analysis.Result, error) { return r, nil }

// A toldDocument has the lists of all workers, sorted: goroutines are numbered anew in each run.
type toldDocument struct {
	Lists []string
	Loops int
}

func (r *told) Document() any {
	d := toldDocument{Loops: r.loops}
	for _, l := range r.lists {
		d.Lists = append(d.Lists, strings.Join(l, "\n"))
	}
	slices.Sort(d.Lists)
	return d
}

func (r *told) View() *doc.Doc {
	v := &doc.Doc{}
	v.Say("told of %d workers", len(r.lists))
	return v
}

func (r *told) Tables() []*doc.Table {
	t := &doc.Table{Name: "workers", Columns: []doc.Column{{Key: "worker", Kind: doc.Whole},
		{Key: "acts", Kind: doc.Whole}}}
	for w := range len(r.lists) {
		t.Row(w, len(r.lists[w]))
	}
	return []*doc.Table{t}
}

func (r *told) Draw(w io.Writer, _ string) error {
	_, err := io.WriteString(w, "<svg></svg>")
	return err
}

// tell runs the command of the analysis in a folder, see [builtApp].
func tell(t *testing.T, dir string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	c := builtApp(t, dir, &out, &errs).analysisCommand(tells)
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetErr(&errs)
	err = c.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
}

// TestLive compares the analysis of a program while it runs with that of its trace.
func TestLive(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("Go programs are traced on linux/amd64")
	}
	work, dir := t.TempDir(), corpus.LayCopy(t, "live", "testdata/live")
	parsed := func(text string, err error) (d toldDocument) {
		if err == nil {
			err = json.Unmarshal([]byte(text), &d)
		}
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		return d
	}
	for _, n := range []string{"1", "7"} {
		// by default iterations of one goroutine, as package goprogram's test has all of these
		for _, each := range long.Or([]bool{n == "1"}, []bool{false, true}) {
			flag := []string{"--regions", "--no-iterations"}
			if each {
				flag = flag[:1]
			}
			name := fmt.Sprintf("%s goroutines, iterations %t", n, each)
			file := filepath.Join(work, name+".loi")
			var errs bytes.Buffer
			argv := slices.Concat([]string{"krdlab", "trace", "go", "--out", file, "--unit", "datum"},
				flag, []string{".", "--", n})
			if code := builtApp(t, dir, io.Discard, &errs).main(argv); code != 0 {
				t.Fatalf("exit code %d: %s", code, &errs)
			}
			if code, _, stderr := krdlab("view", file); code != 2 || !strings.Contains(stderr, "then krdlab report DIR") {
				t.Errorf("view: exit code %d: %s", code, stderr)
			}
			text, _, err := tell(t, dir, file, "--json")
			want := parsed(text, err)
			text, _, err = tell(t, dir, goProgram, fmt.Sprintf("--each=%t", each), "--json", ".", "--", n)
			got := parsed(text, err)
			if (got.Loops == 0) != each || len(want.Lists) < 2 {
				t.Errorf("%s: %d loops come as one, %d workers", name, got.Loops, len(want.Lists))
			}
			if !reflect.DeepEqual(got.Lists, want.Lists) {
				t.Errorf("%s: %d workers\n%.300q\nexpected %d\n%.300q", name, len(got.Lists), got.Lists,
					len(want.Lists), want.Lists)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v %v", left, err)
	}
}

// TestPredictGo runs a merge sort with three sizes, and with the one that is predicted.
func TestPredictGo(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("Go programs are traced on linux/amd64")
	}
	dir, set, runs := corpus.Dir(t), corpus.Set("sized"), filepath.Join(t.TempDir(), "runs")
	ask := func(flags ...string) (code int, stdout, stderr string) {
		var out, errs bytes.Buffer
		argv := slices.Concat([]string{"krdlab", "predict", "go"}, flags)
		code = builtApp(t, dir, &out, &errs).main(argv)
		return code, out.String(), errs.String()
	}
	code, text, errs := ask(set, "--size", "1000,2000,4000", "--at", "16000", "--check", "--json", "--dir", runs,
		"--llc", "64KiB,1MiB", "--", "sized", "mergesort", "{}")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var p components.Prediction
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	if e := p.ErrorPercent.Float(); !(e < 3) || len(p.Parts) < 3 {
		t.Errorf("error %v %%, %d parts", e, len(p.Parts))
	}
	for _, x := range p.Parts {
		if x.By != "function" || !strings.HasSuffix(x.Name, ".merge") {
			continue
		}
		near, far := x.Far[0], x.Far[1]
		if !(near.Share > 0.005 && math.Abs(near.Share-near.Actual.Float()) < 0.005) || far.Share > 0.0005 ||
			far.Actual.Float() > 0.0005 {
			t.Errorf("%+v", x.Far)
		}
		// two slices of 8 n bytes: 64 KiB at 4096
		if len(x.Crossings) == 0 || x.Crossings[0].From > 4096 || x.Crossings[0].From < 2048 {
			t.Errorf("%+v", x.Crossings)
		}
	}
	if left, err := os.ReadDir(runs); err != nil || len(left) != 4 {
		t.Errorf("%v %v", left, err)
	}
	for want, flags := range map[string][]string{
		"expected at least two sizes":     {set, "--size", "1000", "--at", "2000", "--", "sized", "mergesort", "{}"},
		"found no {} in the program's":    {set, "--size", "1,2", "--at", "3", "--", "sized", "mergesort", "7"},
		"--size 1,2,1: expected each":     {set, "--size", "1,2,1", "--at", "3", "--", "sized", "mergesort", "{}"},
		"--size 1,x: expected numbers":    {set, "--size", "1,x", "--at", "3", "--", "sized", "mergesort", "{}"},
		"with size 1: the program failed": {set, "--size", "1,2", "--at", "3", "--dir", runs + "2", "--", "sized", "{}"},
	} {
		if code, _, errs := ask(flags...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%q: exit code %d: %s", flags, code, errs)
		}
	}
}

// TestGoTests runs the tests of a module: of a package whose test fails, of one with nothing to rewrite, and of
// one that walks across the rows of a matrix.
func TestGoTests(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("Go programs are traced on linux/amd64")
	}
	dir := corpus.Lay(t, "tested", map[string][]byte{"go.mod": []byte("module tested\n\ngo 1.26\n"),
		"across/a.go": []byte("package across\n\nfunc Sum(x [][]int) (s int) {\n\tfor j := range 1200 {\n" +
			"\t\tfor i := range x {\n\t\t\ts += x[i][j]\n\t\t}\n\t}\n\treturn s\n}\n"),
		"across/a_test.go": []byte("package across\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n" +
			"\tx := make([][]int, 1200)\n\tfor i := range x {\n\t\tx[i] = make([]int, 1200)\n\t}\n" +
			"\tif Sum(x) != 0 {\n\t\tt.Fail()\n\t}\n}\n"),
		"fails/f.go":      []byte("package fails\n\nfunc F() int { return 1 }\n"),
		"fails/f_test.go": []byte("package fails\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { t.Fatal(F()) }\n"),
		"none/n_test.go":  []byte("package none\n\nimport \"testing\"\n\nfunc TestN(*testing.T) {}\n")})
	runs := filepath.Join(t.TempDir(), "runs")
	var out, errs bytes.Buffer
	t.Chdir(dir)
	code := newApp(&out, &errs).main([]string{"krdlab", "go", "test", "./...", "--dir", runs})
	if code != 1 || !strings.Contains(errs.String(), "tested/none is left out") {
		t.Errorf("exit code %d: %s", code, &errs)
	}
	for _, want := range []string{"tested/across: tested/across.Sum (a.go:", "\ntested/across     0", "\ntested/fails      1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, &out)
		}
	}
	if left, err := os.ReadDir(runs); err != nil || len(left) != 2 {
		t.Errorf("%v %v", left, err)
	}
}

// TestReportOfGo has a page made of the folder of a Go program.
func TestReportOfGo(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("Go programs are traced on linux/amd64")
	}
	dir := corpus.LayCopy(t, "live", "testdata/live")
	folder := filepath.Join(t.TempDir(), "run")
	var errs bytes.Buffer
	argv := []string{"krdlab", "go", ".", "--show", "reuse,waits,footprint,dependences", "--dir", folder, "--", "3"}
	if code := builtApp(t, dir, io.Discard, &errs).main(argv); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	code, out, stderr := krdlab("report", folder)
	page, err := os.ReadFile(strings.TrimSpace(out))
	if code != 0 || err != nil {
		t.Fatalf("exit code %d, %s, %v", code, stderr, err)
	}
	for _, want := range []string{"<h1>go . 3</h1>", "What was found", "Accesses by function", "Who waited for whom",
		"Work and footprint of regions", "What the iterations of loops depend on each other by",
		"krdlab go . --show reuse,waits,footprint,dependences -- 3"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestLiveOutput has the result printed and drawn as that of a trace is, also of a program that
// failed.
func TestLiveOutput(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("Go programs are traced on linux/amd64")
	}
	work, dir := t.TempDir(), corpus.LayCopy(t, "live", "testdata/live")
	plot, page := filepath.Join(work, "p.svg"), filepath.Join(work, "p.html")
	out, _, err := tell(t, dir, goProgram, "--csv", "--plot", plot, "--html", page, ".", "--", "1")
	if err != nil || !strings.HasPrefix(out, "worker,acts\n0,") {
		t.Errorf("%v: %s", err, out)
	}
	for _, file := range []string{plot, page} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "<svg") {
			t.Errorf("%s: %v, %s", file, err, text)
		}
	}
	out, errs, err := tell(t, dir, goProgram, ".", "--", "0")
	if exitCode(err) != exitFailed || !strings.Contains(fmt.Sprint(err), "exit code 3") ||
		!strings.Contains(out, "told of 1 workers") ||
		!strings.Contains(errs, "% of the accesses were to the stack") {
		t.Errorf("%v: %s%s", err, out, errs)
	}
	if _, _, err = tell(t, dir, goProgram, "--unit", "line", ".", "--", "1"); err == nil ||
		!strings.Contains(err.Error(), "there is no flag --unit") {
		t.Error(err)
	}
	for flags, want := range map[string]string{"--no-iterations": "add --regions",
		"--regions --no-iterations --values --out x.loi": "--values needs iterations"} {
		var errs bytes.Buffer
		argv := append([]string{"krdlab", "trace", "go", "."}, strings.Fields(flags)...)
		if code := newApp(io.Discard, &errs).main(argv); code != exitUsage ||
			!strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d: %s", flags, code, &errs)
		}
	}
}
