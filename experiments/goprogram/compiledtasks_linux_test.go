package goprogram

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/goroutines"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// taskRun is what the trace of a run has: tasks, accesses of all and of the longest path, and whether
// nothing orders some that conflict.
type taskRun struct {
	tasks      int
	work, span uint64
	races      []string
}

// taskRuns returns that of a case of tasks.c, whose result is the same as when it is not recorded, and whose
// tasks are as many as it has counted. With stack the stacks are observed too.
func taskRuns(t *testing.T, path string, stack bool, args ...string) (run taskRun) {
	t.Helper()
	plain, err := exec.Command(path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("unrecorded: %v\n%s", err, plain)
	}
	r := Request{Trace: filepath.Join(t.TempDir(), "tasks.loi"), Unit: Data}
	r.Build.Sync, r.Build.Stack = true, stack
	d, out, err := recorded(t, path, r, args...)
	if err != nil || d.OddEvents != 0 || d.LateEvents != 0 || out != string(plain) {
		t.Fatalf("%v: %v, %d odd, %d late, %q, alone %q", args, err, d.OddEvents, d.LateEvents, out, plain)
	}
	tr := must(loi.Open(r.Trace))(t)
	defer tr.Close()
	b := dag.NewGoroutines(&tr.Header)
	for e, err := range tr.Ordered(loi.Order{Events: true}) {
		if err == nil {
			err = b.Event(e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	g := b.End()
	for i := range g.Goroutines {
		if strings.Contains(g.Name(g.Goroutines[i].Name), "_omp_fn") && g.Goroutines[i].Ended {
			run.tasks++
		}
	}
	var result int64
	var made int
	if _, err := fmt.Sscan(out, &result, &made); err != nil || made > 0 && made != run.tasks {
		t.Errorf("%v: %d tasks, expected %d (%v)", args, run.tasks, made, err)
	}
	if g.Orphans+g.Unstarted+g.Twice+g.Dropped != 0 || len(g.Missing) > 0 {
		t.Errorf("%v: %d orphans, %d unstarted, %d twice, %d dropped, missing %v", args, g.Orphans, g.Unstarted, g.Twice,
			g.Dropped, g.Missing)
	}
	run.span = g.Longest(func(o *dag.Op) uint64 { run.work += o.Kernels; return o.Kernels }).Span
	on, from, to := uint64(0), g.Ops[0].Begin, g.Ops[0].End
	for i := range g.Ops {
		on, from, to = on+g.Ops[i].Ticks, min(from, g.Ops[i].Begin), max(to, g.Ops[i].End)
	}
	if args[len(args)-1] == "1" && on > uint64(to-from) {
		t.Errorf("%v: one thread worked for %d ticks of %d", args, on, to-from)
	}
	p := must(goroutines.Read(context.Background(), tr, engine.NewAccount(0)))(t)
	found, ok := p.Unordered(engine.NewAccount(0))
	if !ok {
		t.Fatal("not enough memory")
	}
	for _, x := range found.Pairs {
		if x.Unordered > 0 {
			first, _, _ := strings.Cut(tr.Header.Registry.Kernels[x.First].Name, ",")
			then, _, _ := strings.Cut(tr.Header.Registry.Kernels[x.Then].Name, ",")
			run.races = append(run.races, first+" and "+then)
		}
	}
	return run
}

// Tasks of OpenMP are ordered by what they wait for, and by nothing else, on any number of threads.
func TestNativeTasks(t *testing.T) {
	path := compiled(t, "gcc", "tasks.c", "-O1", "-fopenmp")
	for _, x := range []struct {
		what, races string // the only places that conflict unordered; "": none do
		serial      bool   // on one thread all accesses are on one path
	}{{"chain", "", true}, {"nested", "", true}, {"undeferred", "", true}, {"grouped", "", true}, {"barrier", "", true},
		{"loop", "", false}, {"copied", "", false}, {"dependent", "", false},
		{"fib", "touch and touch", false}, {"siblings", "add and add", false}, {"waited", "add and add", false},
		{"independent", "add", false}, {"local", "local", false},
		{"reduced", "reduced", false}, // not true: tasks of one thread share its copy of the sum
	} {
		for _, threads := range []string{"1", "3"} {
			run := taskRuns(t, path, threads != "1", x.what, "6", threads)
			if (len(run.races) > 0) != (x.races != "") || run.tasks == 0 {
				t.Errorf("%s, %s threads: unordered %v, expected %q; %d tasks", x.what, threads, run.races, x.races, run.tasks)
			}
			for _, pair := range run.races {
				if !strings.Contains(pair, x.races) {
					t.Errorf("%s, %s threads: unordered %s, expected %s", x.what, threads, pair, x.races)
				}
			}
			if x.serial != (run.span == run.work) && threads == "1" {
				t.Errorf("%s: work %d, span %d", x.what, run.work, run.span)
			}
		}
	}
	fib := func(n string) taskRun { return taskRuns(t, path, false, "fib", n, "1") }
	four, eight, twelve := fib("4"), fib("8"), fib("12")
	if by := eight.span - four.span; twelve.span-eight.span != by || twelve.tasks != 2*232 || twelve.work < 5*eight.work {
		t.Errorf("fib of 4, 8 and 12: %+v, %+v, %+v", four, eight, twelve)
	}
}

// Objects of C++ are copied once for each task, by their constructors.
func TestNativeTaskCopies(t *testing.T) {
	path := compiled(t, "g++", "taskcopies.cc", "-O1", "-fopenmp")
	for _, threads := range []string{"1", "3"} {
		if run := taskRuns(t, path, threads != "1", "8", threads); len(run.races) > 0 || run.tasks != 8 {
			t.Errorf("%s threads: %+v", threads, run)
		}
	}
}
