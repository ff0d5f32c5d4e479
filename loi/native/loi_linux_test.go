package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"krdlab/hw/hwtest/long"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// compiled returns the program of files by a compiler, without a warning in the oldest standard that loi.h has.
func compiled(t *testing.T, compiler string, files ...string) string {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skip(err)
	}
	std := "-std=c99"
	if strings.HasSuffix(compiler, "++") {
		std = "-std=c++11"
	}
	path := filepath.Join(t.TempDir(), "program")
	c := exec.Command(compiler, append([]string{std, "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I.", "-pthread",
		"-o", path}, files...)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return path
}

var recorder []byte // the program of record.c

// recordProgram returns the program of record.c, compiled once.
func recordProgram(t *testing.T) string {
	t.Helper()
	if recorder == nil {
		recorder, _ = os.ReadFile(compiled(t, "gcc", "testdata/record.c"))
	}
	path := filepath.Join(t.TempDir(), "record")
	if err := os.WriteFile(path, recorder, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// output runs a program that writes a trace and returns what it prints.
func output(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).Output()
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// records returns the records of a worker in words, without their times.
func records(t *testing.T, tr *loi.Trace, worker int) (list []string) {
	t.Helper()
	c := tr.All(worker)
	for c.Next() {
		switch r := c.Record(); r.Type {
		case loi.EventRecord:
			list = append(list, fmt.Sprint(r.Event, r.Args))
		case loi.AccessesRecord:
			list = append(list, fmt.Sprint(r.Kernel, r.Explicit))
		default:
			list = append(list, fmt.Sprint(r.Kernel, r.Args, (r.End-r.Start)>>32))
		}
	}
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	return list
}

func open(t *testing.T, path string) *loi.Trace {
	t.Helper()
	if _, err := loi.Verify(path); err != nil {
		t.Fatal(err)
	}
	tr, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// Each kind of object, record and event is read as the C program has written it, by each compiler without a
// warning; the header has what was registered.
func TestHeaderEach(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang"} {
		t.Run(compiler, func(t *testing.T) {
			program, path := compiled(t, compiler, "testdata/record.c"), filepath.Join(t.TempDir(), "each.loi")
			output(t, program, "bad", path)
			output(t, program, "each", path)
			tr := open(t, path)
			h := &tr.Header
			b := func(m loi.Mode) loi.Param { return loi.Param{Object: 1, Mode: m} }
			want := fmt.Sprint(loi.Registry{Objects: []loi.Object{
				{Name: "a", Blocks: []loi.SizeRun{{Count: 2, Bytes: 8}, {Count: 1, Bytes: 24}, {Count: 1, Bytes: 8}}},
				{Name: "b", Blocks: []loi.SizeRun{{Count: 16, Bytes: 4096}}}, {Name: "s", Kind: loi.Span},
				{Name: "t", Kind: loi.Keyed}},
				Kernels: []loi.Kernel{{Name: "none"}, {Name: "two", Params: []loi.Param{b(loi.In), b(loi.Out)}}},
				Regions: []loi.Region{{Name: "f", Kind: loi.Function, Parent: loi.NoRegion}, {Name: "l", Kind: loi.Loop}}})
			if got := fmt.Sprint(h.Registry); got != want {
				t.Errorf("registry %s, expected %s", got, want)
			}
			if h.Kernel != "each" || h.Scheduler != "serial" || h.LLCBytes != 1<<20 || h.Nodes != 2 ||
				h.Workers[1].Node != 1 || h.Clock.Hz < 1e6 {
				t.Errorf("header %+v", h)
			}
			list := []string{"1 [3 4] 5", "region [0 1 0]", "region [1 3 0]", "0 [] 0", "region-end [3]",
				fmt.Sprint(0, []loi.Access{{Object: 0, Mode: loi.In, Block: 2, Bytes: 24},
					{Object: 2, Mode: loi.Out, Block: 100, Bytes: 28},
					{Object: 3, Mode: loi.InOut, Block: 1 << 60, Bytes: 1 << 33}}), "region-end [1]",
				"1 [1 0] 0", "task [5 0 0 0 2]"}
			for i, task := range []int{7, 9} {
				list = append(list, fmt.Sprintf("1 [0 %d] 0", i), fmt.Sprintf("task [%d 5 0 %d 2]", task, i), "1 [9 0] 0",
					fmt.Sprintf("child [%d 0 0]", task), "1 [9 1] 0", fmt.Sprintf("child [%d 0 1]", task),
					fmt.Sprintf("phase [%d 0 0]", task))
			}
			list = append(list, "phase [5 0 0]")
			if got := records(t, tr, 0); !slices.Equal(got, list) {
				t.Errorf("records %q, expected %q", got, list)
			}
			g, err := dag.Build(tr, false, nil)
			if err != nil || len(g.Tasks) != 4 || len(g.Tasks[2].Phases[0].Children) != 2 || g.Work() < 5<<32 {
				t.Errorf("task graph %+v: %v", g, err)
			}
		})
	}
}

// The classes of C++, with the implementation in another file.
func TestHeaderScopes(t *testing.T) {
	for _, compiler := range []string{"g++", "clang++"} {
		t.Run(compiler, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "scopes.loi")
			output(t, compiled(t, compiler, "testdata/main.cc", "testdata/scopes.cc"), path)
			want := []string{"region [0 1 0]", "0 [1 2] 0", "region-end [1]", "0 [3 4] 0"}
			if got := records(t, open(t, path), 0); !slices.Equal(got, want) {
				t.Errorf("records %q, expected %q", got, want)
			}
		})
	}
}

// The example of the documentation records what it computes.
func TestHeaderExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/native.md")
	_, text, found := strings.Cut(string(page), "```c\n")
	text, _, end := strings.Cut(text, "```")
	file := filepath.Join(t.TempDir(), "sum.c")
	if err != nil || !found || !end || os.WriteFile(file, []byte(text), 0o644) != nil {
		t.Fatalf("no example: %v", err)
	}
	program := compiled(t, "gcc", file)
	t.Chdir(t.TempDir())
	output(t, program)
	if got := records(t, open(t, "sum.loi"), 0); len(got) != 65 || got[1] != "0 [0 1] 0" {
		t.Errorf("records %q", got)
	}
}

// checkNumbered fails unless each worker has the executions of each of its threads from number 0 on without a
// gap. It returns how many there are.
func checkNumbered(t *testing.T, tr *loi.Trace) (all int) {
	t.Helper()
	for i := range tr.Header.Workers {
		next := map[uint32]uint32{}
		c := tr.Cursor(i)
		for ; c.Next(); all++ {
			if a := c.Record().Args; a[2] != next[a[0]] || a[1] != a[2]&15 {
				t.Fatalf("worker %d: execution %d of thread %d, expected %d", i, a[2], a[0], next[a[0]])
			}
			next[c.Record().Args[0]]++
		}
		if c.Err() != nil {
			t.Fatal(c.Err())
		}
	}
	return all
}

// Threads that end lose nothing, and others follow them; a limit of the size and a full disk discard records,
// which the file and the program count.
func TestHeaderThreadsAndRoom(t *testing.T) {
	const n = 20_000
	program, disk := recordProgram(t), t.TempDir()
	cases := map[string][]string{"threads": {t.TempDir(), "0"}, "limit": {t.TempDir(), "700000"}}
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Logf("no full disk: mount tmpfs: %v", err)
	} else {
		defer unix.Unmount(disk, 0)
		cases["disk"] = []string{disk, "0"}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(c[0], "x.loi")
			printed := output(t, program, "threads", path, strconv.Itoa(n), c[1])
			tr := open(t, path)
			defer tr.Close()
			discarded, kernels := 0, 0
			for i, d := range tr.Discarded() {
				discarded, kernels = discarded+int(d), kernels+int(tr.DiscardedKernels()[i])
			}
			kept := checkNumbered(t, tr)
			if kept+discarded != 6*n || kernels != discarded || printed != strconv.Itoa(discarded) {
				t.Errorf("%d executions kept, %d discarded, %s printed, expected %d in all", kept, kernels, printed, 6*n)
			}
			s, err := os.Stat(path)
			if limited := name != "threads"; err != nil || (discarded > 0) != limited || limited &&
				(s.Size() > 1<<20 || kept*32 < 400_000) {
				t.Errorf("%d executions kept, %d discarded: %v", kept, discarded, err)
			}
		})
	}
}

// The child of a fork leaves its parent's file alone, and may have its own.
func TestHeaderFork(t *testing.T) {
	program, path := recordProgram(t), filepath.Join(t.TempDir(), "x.loi")
	output(t, program, "fork", path, "1000")
	if got := records(t, open(t, path), 0); len(got) != 2000 || got[1000] != "0 [0 0 0] 0" {
		t.Errorf("%d records of the parent, expected 2000", len(got))
	}
	if got := records(t, open(t, path+".child"), 0); len(got) != 1 {
		t.Errorf("records of the child %q", got)
	}
}

// A process that is killed loses at most one record of each thread, also while it discards.
func TestHeaderKill(t *testing.T) {
	program := recordProgram(t)
	for k := range long.Or(6, 40) {
		dir := t.TempDir()
		path, file := filepath.Join(dir, "x.loi"), filepath.Join(dir, "counts")
		if err := os.WriteFile(file, make([]byte, 4096), 0o644); err != nil {
			t.Fatal(err)
		}
		limit := []string{"200000000", "200000"}[k%2]
		c := exec.Command(program, "kill", path, "4000000000", limit, file)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		counts := make([]byte, 4096)
		for n := 0; binary.LittleEndian.Uint64(counts) == 0 && n < 10_000; n++ {
			time.Sleep(time.Millisecond)
			counts, _ = os.ReadFile(file)
		}
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		c.Process.Kill()
		c.Wait()
		counts, _ = os.ReadFile(file)
		if _, err := loi.Open(path); !errors.Is(err, loi.ErrUnclean) {
			t.Errorf("the file of a killed process: %v", err)
		}
		tr, rep, err := loi.OpenUnclean(path)
		if err != nil || rep.Clean || rep.Damaged() {
			t.Fatalf("kill %d: %+v, %v", k, rep, err)
		}
		checkNumbered(t, tr)
		for i := range tr.Header.Workers {
			counted := binary.LittleEndian.Uint64(counts[64*i:])
			if got := rep.Records[i] + rep.Discarded[i]; got != counted && got != counted+1 {
				t.Errorf("kill %d: thread %d counted %d records, %d are recovered and %d discarded", k, i, counted,
					rep.Records[i], rep.Discarded[i])
			}
		}
		t.Logf("kill %d: %d recovered, %d discarded", k, rep.Records, rep.Discarded)
		tr.Close()
	}
}

// BenchmarkHeader is the cost of an execution with two stamps and three blocks, written by C into a chunk that
// is there: see BenchmarkRecord of package loi.
func BenchmarkHeader(b *testing.B) {
	path := filepath.Join(b.TempDir(), "program")
	build := exec.Command("cc", "-O2", "-I.", "-pthread", "-o", path, "testdata/record.c")
	if out, err := build.CombinedOutput(); err != nil {
		b.Skipf("cc: %v\n%s", err, out)
	}
	for b.Loop() {
		file := filepath.Join(b.TempDir(), "x.loi")
		out, err := exec.Command(path, "bench", file, "2000000").Output()
		ns, _ := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil || ns == 0 {
			b.Fatalf("%s: %v", out, err)
		}
		b.ReportMetric(ns, "ns/record")
		os.Remove(file)
	}
}
