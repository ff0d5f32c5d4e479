package goprogram

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd"
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

// task matches the names of tasks' functions, by gcc, by clang and of oneTBB.
var task = regexp.MustCompile("_omp_fn|omp_task_entry|krd4task|krd5piece")

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
	for tries := 0; err == nil && d.LateEvents > 0 && tries < 5; tries++ { // its thread lost the CPU for long
		os.Remove(r.Trace)
		d, out, err = recorded(t, path, r, args...)
	}
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
		if task.MatchString(g.Name(g.Goroutines[i].Name)) && g.Goroutines[i].Ended {
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
	t.Run("gcc", func(t *testing.T) { tasksOf(t, "gcc", "1", "3") })
	t.Run("clang", func(t *testing.T) { tasksOf(t, "clang", "1", "2") })
}

func tasksOf(t *testing.T, compiler string, counts ...string) {
	t.Helper()
	path := compiledOpenMP(t, compiler, "tasks.c", "-O1")
	for _, x := range []struct {
		what, races string // that the only places which conflict unordered match; "": none do
		serial      bool   // on one thread all accesses are on one path
	}{{"chain", "", true}, {"nested", "", true}, {"undeferred", "", true}, {"grouped", "", true}, {"barrier", "", true},
		{"loop", "", false}, {"copied", "", false}, {"dependent", "", false},
		{"fib", "touch and touch", false}, {"siblings", "add and add", false}, {"waited", "add and add", false},
		{"independent", "add", false}, {"local", "local|omp_outlined", false},
		{"reduced", "reduced|omp_outlined|without a name", false}, // not true: tasks of one thread share its copy of the sum
	} {
		for _, threads := range counts {
			run := taskRuns(t, path, threads != "1", x.what, "6", threads)
			if (len(run.races) > 0) != (x.races != "") || run.tasks == 0 {
				t.Errorf("%s, %s threads: unordered %v, expected %q; %d tasks", x.what, threads, run.races, x.races, run.tasks)
			}
			for _, pair := range run.races {
				if !regexp.MustCompile(x.races).MatchString(pair) {
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
	for _, compiler := range []string{"g++", "clang++"} {
		t.Run(compiler, func(t *testing.T) {
			path := compiledOpenMP(t, compiler, "taskcopies.cc", "-O1")
			for _, threads := range []string{"1", "3"} {
				if run := taskRuns(t, path, threads != "1", "8", threads); len(run.races) > 0 || run.tasks != 8 {
					t.Errorf("%s threads: %+v", threads, run)
				}
			}
		})
	}
}

// Teams of clang, and its tasks that it makes otherwise than gcc.
func TestNativeTeams(t *testing.T) {
	path := compiledOpenMP(t, "clang", "teams.c", "-O1", "-fopenmp-version=51")
	for _, x := range []struct {
		what  string
		tasks int
		races bool
	}{{"loops", 0, false}, {"nowait", 0, true}, {"reduce", 0, false}, {"single", 0, false}, {"nested", 0, false},
		{"loop", 108, false}, {"untied", 120, false}, {"depends", 3, false}} {
		if run := taskRuns(t, path, true, x.what, "0", "2"); run.tasks != x.tasks || (len(run.races) > 0) != x.races {
			t.Errorf("%s: %d tasks, unordered %v", x.what, run.tasks, run.races)
		}
	}
}

// Tasks of oneTBB are ordered by what they wait for, and by nothing else.
func TestNativeOneTBB(t *testing.T) {
	for _, x := range []struct{ compiler, level string }{{"g++", "-O0"}, {"clang++", "-O1"}, {"g++", "-O2"},
		{"clang++", "-O0"}}[:long.Or(2, 4)] {
		t.Run(x.compiler+x.level, func(t *testing.T) { oneTBBOf(t, x.compiler, x.level) })
	}
}

func oneTBBOf(t *testing.T, compiler, level string) {
	t.Helper()
	path := oneTBB(t, compiler, level)
	for _, x := range []struct {
		what, n, races string
		tasks          int
	}{{"fib", "8", "", 66}, {"invoked", "6", "", 36}, {"chain", "5", "", 5}, {"many", "500", "", 4000},
		{"thrown", "1", "", 2}, {"loop", "100", "", 250}, {"siblings", "5", "^add and add$", 5},
		{"early", "1", "^early and operator", 1}, {"racing", "4", "^add and add$", 4},
	} {
		for _, threads := range []string{"1", "2"} {
			run := taskRuns(t, path, threads != "1", x.what, x.n, threads)
			if (len(run.races) > 0) != (x.races != "") || run.tasks != x.tasks {
				t.Errorf("%s, %s threads: unordered %v, expected %q; %d tasks", x.what, threads, run.races, x.races, run.tasks)
			}
			for _, pair := range run.races {
				if !regexp.MustCompile(x.races).MatchString(pair) {
					t.Errorf("%s, %s threads: unordered %s, expected %s", x.what, threads, pair, x.races)
				}
			}
			if x.what == "fib" && run.span*2 > run.work || x.what == "chain" && run.span != run.work {
				t.Errorf("%s, %s threads: work %d, span %d", x.what, threads, run.work, run.span)
			}
		}
	}
}

// A program that runs tasks of oneTBB by a part that is not followed prints so.
func TestNativeOneTBBForeign(t *testing.T) {
	path := oneTBB(t, "g++", "-O1")
	for what, told := range map[string]bool{"reduce": true, "fib": false} {
		r := Request{Trace: filepath.Join(t.TempDir(), "tasks.loi"), Unit: Data}
		r.Build.Sync = true
		_, out, err := recorded(t, path, r, what, "5", "2")
		tr := must(loi.Open(r.Trace))(t)
		defer tr.Close()
		if err != nil || (len(krd.Doubts(tr)) > 0) != told ||
			strings.Contains(out, "runs tasks of oneTBB by other ways") != told {
			t.Errorf("%s: %v, %q", what, err, out)
		}
	}
}

// oneTBB is onetbb.cc, compiled; the test is skipped if the compiler has no oneTBB.
func oneTBB(t *testing.T, compiler, level string) string {
	t.Helper()
	c := exec.Command(compiler, "-x", "c++", "-", "-ltbb", "-o", filepath.Join(t.TempDir(), "empty"))
	c.Stdin = strings.NewReader("#include <oneapi/tbb/version.h>\nint main() { return TBB_runtime_version() == 0; }\n")
	if out, err := c.CombinedOutput(); err != nil {
		t.Skipf("%s has no oneTBB: %v\n%s", compiler, err, out)
	}
	return compiled(t, compiler, "onetbb.cc", level, "-ltbb")
}

// compiledOpenMP is compiled with OpenMP; the test is skipped if the compiler has no library for that.
func compiledOpenMP(t *testing.T, compiler, file string, flags ...string) string {
	t.Helper()
	c := exec.Command(compiler, "-fopenmp", "-x", "c", "-", "-o", filepath.Join(t.TempDir(), "empty"))
	c.Stdin = strings.NewReader("#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
	if out, err := c.CombinedOutput(); err != nil {
		t.Skipf("%s has no OpenMP: %v\n%s", compiler, err, out)
	}
	return compiled(t, compiler, file, append(flags, "-fopenmp")...)
}
