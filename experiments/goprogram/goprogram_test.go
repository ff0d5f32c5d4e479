package goprogram

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/krd"
	"krdlab/krd/causes"
	"krdlab/loi"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// trace traces a case of the corpus, whose names in the document are as if it were package main.
func trace(t *testing.T, unit Unit, name string, change func(*Request)) (*Document, string, error) {
	t.Helper()
	d, out, err := asked(t, unit, func(r *Request) {
		if change != nil {
			change(r)
		}
		r.Args = append([]string{name}, r.Args...)
		r.Build.Dir, r.Build.Path = corpus.Dir(t), corpus.Set(name)
		r.Built = built.Of(t, r.Build.Dir, r.Build)
	})
	corpus.AsMain(name, d)
	return d, out, err
}

// asked runs a request for the package of Build.Dir.
func asked(t *testing.T, unit Unit, change func(*Request)) (*Document, string, error) {
	t.Helper()
	topology, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r := &Request{Build: build.Request{Path: "."}, Unit: unit,
		Out: filepath.Join(t.TempDir(), "run"), Stdout: &out, Stderr: &out}
	change(r)
	d, err := Run(t.Context(), r, []string{"krdlab", "trace", "go", "."}, topology)
	return d, out.String(), err
}

// module is a module of one file, in a folder that the same text has each time.
func module(t *testing.T, text string) (dir string) {
	t.Helper()
	return corpus.Lay(t, "p", map[string][]byte{"go.mod": []byte("module example.org/p\n\ngo 1.26\n"),
		"main.go": []byte(text)})
}

// written returns the reuse distances of the trace that is written of a program.
func written(t *testing.T, unit Unit, name string, in *krd.CauseOptions) *krd.Report {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.loi")
	d, _, err := trace(t, unit, name, func(r *Request) { r.Trace = file })
	if err != nil || d.Trace == nil {
		t.Fatal(err)
	}
	tr, err := loi.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	report, err := krd.Analyze(tr, krd.Options{Causes: in})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// part returns the part with a name.
func part(t *testing.T, parts []Part, name string) Part {
	t.Helper()
	for _, p := range parts {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no %q in %+v", name, parts)
	return Part{}
}

// The case basket is the example of virda's figure 3: fields of 8, 4 and 4 bytes, which the literal
// begins with, have the distances INF INF INF 0 8 12 4 8 12.
func TestFigure3OfVirda(t *testing.T) {
	d, _, err := trace(t, Data, "basket", nil)
	if err != nil {
		t.Fatal(err)
	}
	f := part(t, d.Functions, "main.fill")
	want := []krd.Bin{{FromBytes: 0, ToBytes: 1, Count: 1}, {FromBytes: 4, ToBytes: 8, Count: 1},
		{FromBytes: 8, ToBytes: 16, Count: 4}}
	if f.Accesses != 9 || f.First() != 3 || !reflect.DeepEqual(f.Bins, want) {
		t.Errorf("fill: %+v, expected 9 accesses, 3 cold, bins %v", f, want)
	}
	for field, bytes := range map[string]uint64{"ctr": 8, "a": 4, "p": 4} { // the literal's is cold
		p := part(t, d.Objects, "main.Basket."+field)
		if p.Accesses != 3 || p.Bytes != 3*bytes || p.First() != 1 {
			t.Errorf("%s: %+v", field, p)
		}
	}
	if d.Accounts.Unknown != 0 || d.OddEvents != 0 {
		t.Errorf("%d unknown, %d odd", d.Accounts.Unknown, d.OddEvents)
	}
	// by lines, all is one datum
	if d, _, err = trace(t, Lines, "basket", nil); err != nil {
		t.Fatal(err)
	}
	f = part(t, d.Functions, "main.fill")
	if f.First() != 1 || f.From(1) != 0 {
		t.Errorf("by lines: %+v, expected one cold access, and distance 0", f)
	}
}

// virda's table 1: a b c a b b a c has INF INF INF 2 2 0 1 2. And a trace that is written has the
// same distances as the analysis that runs beside the program.
func TestTable1OfVirdaAndTrace(t *testing.T) {
	d, _, err := trace(t, Data, "letters", nil)
	if err != nil {
		t.Fatal(err)
	}
	f := part(t, d.Functions, "main.read")
	// of the 3 bytes, and the 24 of abc itself that are read before each
	if f.Accesses != 8 || f.First() != 3 {
		t.Errorf("read: %+v, expected 8 accesses, 3 cold", f)
	}
	in := &krd.CauseOptions{FromBytes: 2, ToBytes: 16}
	report := written(t, Data, "letters", in)
	if !reflect.DeepEqual(report.Bins, d.KRD.Bins) || report.Cold != d.KRD.Cold ||
		report.Accesses != d.Accesses || d.Accesses == 0 {
		t.Errorf("the trace has %d accesses, %d cold, %v; the run %d, %d, %v", report.Accesses,
			report.Cold, report.Bins, d.Accesses, d.KRD.Cold, d.KRD.Bins)
	}
	// so are the causes of a range, those that a trace has
	for _, by := range krd.ProgramRankings {
		if err := d.KRD.Rank(&d.Parts, by, in); err != nil {
			t.Fatal(err)
		}
		own := d.KRD.Causes
		if own.By != by || own.Accesses == 0 || len(own.Groups) == 0 {
			t.Errorf("by %s: %+v", by, own)
		}
		var sum uint64
		for _, g := range own.Groups {
			sum += g.Accesses
		}
		if sum != own.Accesses && by != krd.ByLoop { // not all is in a loop
			t.Errorf("by %s: the groups sum to %d of %d", by, sum, own.Accesses)
		}
		err := report.Program(by)
		corpus.AsMain("letters", report)
		corpus.AsMain("letters", own)
		if by == krd.ByLoop || by == krd.ByField {
			if !errors.Is(err, krd.ErrOption) || !strings.Contains(err.Error(), "krdlab trace go") {
				t.Errorf("a trace by %s: %v", by, err)
			}
			continue
		}
		if err != nil || report.Causes.Accesses != own.Accesses ||
			!reflect.DeepEqual(groups(report.Causes), groups(own)) {
			t.Errorf("by %s: %v, the trace has %+v, the run %+v", by, err, report.Causes.Groups,
				own.Groups)
		}
	}
	if err := d.KRD.Rank(&d.Parts, krd.ByFunction, &krd.CauseOptions{FromBytes: 3, ToBytes: 8}); !errors.Is(err,
		krd.ErrRange) {
		t.Errorf("a range that divides a bin: %v", err)
	}
}

// groups are the rows of a ranking by name.
func groups(r *causes.Result) map[string]causes.GroupRow {
	all := map[string]causes.GroupRow{}
	for _, g := range r.Groups {
		all[g.Name] = g
	}
	return all
}

// TestSharing: four goroutines read what main has written, one after the other. On one core, since
// what a goroutine does before it wakes another may have a later stamp than what that one does.
func TestSharing(t *testing.T) {
	for _, unit := range []Unit{Data, Lines} {
		d, _, err := trace(t, unit, "sharing", nil)
		if err != nil {
			t.Fatal(err)
		}
		report := written(t, unit, "sharing", nil)
		if !reflect.DeepEqual(report, d.KRD) {
			t.Errorf("by %s: of the trace\n%+v\nof the run\n%+v", unit, report, d.KRD)
		}
		// each goroutine's first access to each datum: the elements, and data itself
		want := uint64(4 * (1000 + 1))
		if unit == Lines {
			want = 4 * (125 + 1)
		}
		if *d.KRD.Shared != want || d.Goroutines != 5 {
			t.Errorf("by %s: %d shared by %d goroutines, expected %d by 5", unit, *d.KRD.Shared,
				d.Goroutines, want)
		}
	}
}

func TestGoroutinesAllocateForEachOther(t *testing.T) {
	d, out, err := trace(t, Data, "handed", nil)
	if err != nil || out != "200000\n" {
		t.Fatalf("%v, output %q", err, out)
	}
	// each node is stored to for the first time, whatever stood at its address before, and is known
	// when the other goroutine reads it
	for _, field := range []string{"v", "next"} {
		if p := part(t, d.Objects, "main.node."+field); p.Accesses != 400000 || p.First() != 200000 {
			t.Errorf("%s: %d accesses, %d of them cold, expected an initial value and a read for each "+
				"of 200000 nodes", field, p.Accesses, p.First())
		}
	}
	f := part(t, d.Functions, "main.main.func1")
	if f.Accesses != 600000 { // with the updates of sum
		t.Errorf("%d accesses, expected three for each of 200000 nodes", f.Accesses)
	}
	if f.First() > d.LateEvents {
		t.Errorf("%d of %d accesses were to data never seen before, and %d events came late",
			f.First(), f.Accesses, d.LateEvents)
	}
	if d.Accounts.Unknown != 0 || d.OddEvents != 0 {
		t.Errorf("%d unknown, %d odd", d.Accounts.Unknown, d.OddEvents)
	}
}

func TestEnds(t *testing.T) {
	for _, x := range []struct {
		name   string
		code   int
		signal string
		out    string
	}{
		{"exit", 7, "", ""},
		{"killed beside others", -1, "killed", ""},
		{"panic", 2, "", "panic: on purpose"},
		{"killed", -1, "killed", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			d, out, err := trace(t, Data, "ends", func(r *Request) { r.Args = []string{x.name} })
			if !errors.Is(err, ErrProgram) {
				t.Fatalf("error %v", err)
			}
			if d.ExitCode != x.code || d.Signal != x.signal || !strings.Contains(out, x.out) {
				t.Errorf("exit code %d, signal %q, output %q", d.ExitCode, d.Signal, out)
			}
			if n := part(t, d.Functions, "main.main").Accesses; n < 1000 {
				t.Errorf("%d accesses, expected 1000 at least", n)
			}
			if _, err := os.Stat(filepath.Join(d.Dir, KRDFile)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatCannotBeTraced(t *testing.T) {
	for _, x := range []struct {
		name, text string
		want       []string
		is         error
		class      failure.Class
	}{
		{"does not build", "package main\n\nfunc main() { x }\n\nvar s string = 5\n",
			[]string{"main.go:3:15: undefined: x", "main.go:5:16: cannot use 5"}, build.ErrFailed,
			failure.Failed},
		{"does not parse", "package main\n\nfunc main( {}\n", []string{"main.go:3:12: syntax error"},
			build.ErrFailed, failure.Failed},
		{"no main", "package p\n\nfunc F() {}\n", []string{"is package p, expected package main"},
			build.ErrPackage, failure.Request},
		{"cgo only", "package main\n\nimport \"C\"\n\nvar p = new(int)\n\nfunc main() { *p = 1 }\n",
			[]string{"file main.go: it uses cgo"}, build.ErrPackage, failure.Request},
	} {
		t.Run(x.name, func(t *testing.T) {
			if x.name == "cgo only" {
				if _, err := exec.LookPath("gcc"); err != nil {
					t.Skip(err)
				}
			}
			_, _, err := asked(t, Data, func(r *Request) { r.Build.Dir = module(t, x.text) })
			if !errors.Is(err, x.is) || failure.Of(err) != x.class {
				t.Fatalf("error %v of class %v, expected %v", err, failure.Of(err), x.is)
			}
			for _, want := range x.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, expected %q", err, want)
				}
			}
		})
	}
}

// The results kept of a program that failed: the trace up to there, and how it ended.
func TestEndsInTrace(t *testing.T) {
	for _, x := range []struct {
		name, code, signal string
	}{{"divided", "2", ""}, {"out of memory", "2", ""}, {"exit", "7", ""}, {"killed", "-1", "killed"}} {
		t.Run(x.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "p.loi")
			_, _, err := trace(t, Data, "ends", func(r *Request) {
				r.Trace, r.Args = file, []string{x.name}
			})
			if !errors.Is(err, ErrProgram) {
				t.Fatalf("error %v", err)
			}
			tr, err := loi.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer tr.Close()
			meta := map[string]string{}
			for _, kv := range tr.Header.Meta {
				meta[kv.Key] = kv.Value
			}
			if meta["exit_code"] != x.code || meta["signal"] != x.signal {
				t.Errorf("the trace says %v", meta)
			}
			report, err := krd.Analyze(tr, krd.Options{})
			if err != nil || report.Accesses < 2000 { // p itself, too
				t.Errorf("%v, %d accesses", err, report.Accesses)
			}
			if n := len(tr.Header.Registry.Objects); n > 10 {
				t.Errorf("%d objects, of which few were accessed", n)
			}
		})
	}
}

// A trace that may not grow: the program runs to its end, and what found no room is counted.
func TestTraceLimit(t *testing.T) {
	var all uint64
	for _, limit := range []uint64{1 << 30, 32 << 10} {
		file, total := filepath.Join(t.TempDir(), "p.loi"), uint64(0)
		d, _, err := trace(t, Data, "ends", func(r *Request) {
			r.Trace, r.Args, r.TraceLimit = file, []string{"exit"}, limit
			r.TraceProgress = func(done, of uint64) { total = of }
		})
		if !errors.Is(err, ErrProgram) {
			t.Fatal(err)
		}
		tr, err := loi.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		lost := uint64(0)
		for _, n := range tr.Discarded() {
			lost += n
		}
		all = max(all, d.TraceRecords)
		said := strings.Contains(strings.Join(d.Warnings, "\n"), fmt.Sprintf("p.loi lost %d of its %d "+
			"records: size limit of the trace reached", lost, all))
		if small := limit < 1<<20; lost > 0 != small || said != small || d.TraceDiscarded != lost ||
			d.TraceRecords+lost != all || d.TraceRecords < 100 || total != limit {
			t.Errorf("limit %d: %d of %d lost, %d in the document, progress up to %d\n%q", limit, lost, all,
				d.TraceDiscarded, total, d.Warnings)
		}
	}
}

// A child of the program is not traced, and one that it leaves behind holds nothing up.
func TestChildren(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip(err)
	}
	d, out, err := trace(t, Data, "children", nil)
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(out, "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(rest))
	if err != nil || first != "child" {
		t.Fatalf("output %q", out)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the child that was left behind: %v", err)
	}
	if f := part(t, d.Functions, "main.work"); f.Accesses != 20 { // v, and its first element
		t.Errorf("work: %d accesses, expected 20", f.Accesses)
	}
}
