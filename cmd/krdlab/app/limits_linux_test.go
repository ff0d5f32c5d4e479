package app

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"krdlab/hw"
)

// under runs a command in a folder of its own after what a shell is told first, such as a limit of
// itself.
func under(t *testing.T, first string, argv ...string) (code int, stdout, stderr string) {
	t.Helper()
	return underIn(t, t.TempDir(), first, argv...)
}

func underIn(t *testing.T, dir, first string, argv ...string) (code int, stdout, stderr string) {
	t.Helper()
	c := exec.Command("sh", append([]string{"-c", first + "\nexec \"$@\"", "sh"}, argv...)...)
	c.Dir = dir
	var out, err bytes.Buffer
	c.Stdout, c.Stderr = &out, &err
	code = codeOf(c)
	return code, out.String(), err.String()
}

// A fatal error of the Go runtime does not exit with the code of wrong flags.
func TestFatalExit(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("SIGABRT has no handler of ours on", runtime.GOARCH)
	}
	for panics, want := range map[string]string{"goroutine": "panic: fuse 41 is lit",
		"memory": "fatal error: out of memory"} {
		code, stdout, stderr := under(t, "", "krdlab-boom", "run", "boom", "--panics", panics,
			"--cores", "1", "--counters", "off")
		if code != exitFailed || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", panics, code, exitFailed, want,
				stdout, stderr)
		}
	}
}

// addressSpace leaves 2 GB of it. Threads take little, however many processors there are.
func addressSpace(t *testing.T) (first, reason string) {
	if free, err := hw.FreeMemory(); err != nil || free.FreeBytes < 2<<30 {
		return "", fmt.Sprintf("%d bytes are free (%v): less would be refused before",
			free.FreeBytes, err)
	}
	first = "export MALLOC_ARENA_MAX=1 GOMAXPROCS=2; ulimit -v 2000000"
	if code, _, stderr := under(t, first, "krdlab", "version"); code != 0 {
		reason = fmt.Sprintf("%s: the program does not begin: exit code %d: %.200s", first, code,
			stderr)
	}
	return first, reason
}

// Where kernels cannot have their memory, the error has the size that there is, and the limit.
func TestAddressSpaceLimit(t *testing.T) {
	limit, reason := addressSpace(t)
	if reason != "" {
		t.Skip(reason)
	}
	for _, kernel := range []string{"matmul --n 9000", "fmm --bodies 5000000"} {
		argv := append([]string{"krdlab", "run"}, strings.Fields(kernel)...)
		code, _, stderr := under(t, limit, append(argv, "--cores", "1")...)
		if code != exitUsage || !strings.Contains(stderr, "B is free under the limit in "+
			"/proc/self/limits, Max address space") {
			t.Errorf("%s: exit code %d, want %d and the limit\n%s", kernel, code, exitUsage, stderr)
		}
	}
}

// The requests of an edited plan are bounded as flags are.
func TestEditedPlan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "exp")
	for i, argv := range [][]string{
		{"sweep", "fib", "--n", "5", "--cores", "1", "--reps", "7", "--machine", "westmere-ex-4s",
			"--plan-only", "--out", dir},
		{"sweep", "status", dir},
		{"sweep", "resume", dir},
	} {
		code, stdout, stderr := krdlab(argv...)
		if want := []int{exitOK, exitOK, exitUsage}[i]; code != want {
			t.Errorf("%q: exit code %d, want %d\n%s%s", argv, code, want, stdout, stderr)
		}
		if i == 2 && !strings.Contains(stderr, "--reps 4000000000000: at most 1000000") {
			t.Errorf("%q: %s", argv, stderr)
		}
		plan := filepath.Join(dir, "plan.jsonl")
		b, err := os.ReadFile(plan)
		if err != nil {
			t.Fatal(err)
		}
		b = bytes.Replace(b, []byte(`"reps":7,`), []byte(`"reps":4000000000000,`), 1)
		if err := os.WriteFile(plan, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// limited are the command lines that every limit of TestLimits is tried with; TRACE is a trace of 1
// MiB.
var limited = []string{
	"run matmul --n 512 --leaf 16x16x16 --cores 1 --reps 1 --warmup 0 --trace full --out run",
	"run matmul --n 256 --leaf 16x16x16 --machine westmere-ex-4s --cores 6 --reps 2 --trace krd",
	"sweep matmul --n 256,512 --leaf 16x16x16 --cores 1 --reps 1 --warmup 0 --trace full --out exp",
	"trace verify TRACE",
	"trace export TRACE --format csv --out out.csv",
	"trace recover TRACE --out out.loi",
	"krd TRACE",
}

const hugeSweep = "sweep matmul --n 64,9000 --cores 1 --reps 1 --warmup 0 --trace off --out huge"

// limits are set by what a shell does first, or, for a reason, cannot be set here.
var limits = []struct {
	name  string
	first func(t *testing.T) (first, reason string)
	codes string         // of limited; ? is any that is documented
	more  map[string]int // commands of this limit, with their codes
}{
	{"address space", addressSpace, "0000000", map[string]int{
		hugeSweep: exitUsage, "trace verify HUGE": exitFailed, "krd HUGE": exitFailed}},
	{"file size", shell("ulimit -f 64"), "0?10110", nil}, // blocks of 512 bytes, or of 1024
	{"files", fewFiles, "???????", nil},
	{"standard output", shell("exec >/dev/full"), "11?1??1", map[string]int{"list": exitFailed}},
	{"disk", fullDisk, "2?20110", nil},
	{"memory", littleMemory, "0000000", map[string]int{
		hugeSweep: exitUsage, "run matmul --n 9000 --cores 1": exitUsage,
		"run fmm --bodies 1000000 --cores 1":                              exitUsage,
		"run fib --n 5 --cores 24 --machine westmere-ex-4s --reps 100000": exitUsage,
		"trace verify HUGE": exitData}},
}

func shell(first string) func(*testing.T) (string, string) {
	return func(*testing.T) (string, string) { return first, "" }
}

// fewFiles leaves one file more than the program needs to begin.
func fewFiles(t *testing.T) (first, reason string) {
	for n := 6; n < 100; n++ {
		if code, _, _ := under(t, fmt.Sprint("ulimit -n ", n), "krdlab", "version"); code == 0 {
			return fmt.Sprint("ulimit -n ", n+1), ""
		}
	}
	return "", "the program does not begin with 100 files"
}

// fullDisk makes the folder that a command runs in a file system of 1 MiB, which nobody else sees
// and which goes with the command.
func fullDisk(t *testing.T) (first, reason string) {
	const mount = "mount -t tmpfs -o size=1m none . && cd \"$PWD\""
	for _, unshare := range []string{"unshare -m", "unshare -rm"} {
		enter := unshare + " sh -c '" + mount + " && exec \"$@\"' sh"
		code, _, stderr := under(t, "set -- "+enter+" \"$@\"", "true")
		if code == 0 {
			return "set -- " + enter + " \"$@\"", ""
		}
		reason += fmt.Sprintf("%s: %s; ", unshare, strings.TrimSpace(stderr))
	}
	return "", reason
}

// littleMemory makes a cgroup with 256 MiB below that of the process, or the root.
func littleMemory(t *testing.T) (first, reason string) {
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err.Error()
	}
	below, file := "/sys/fs/cgroup", "memory.max"
	for line := range strings.Lines(string(groups)) {
		if f := strings.SplitN(strings.TrimSpace(line), ":", 3); len(f) == 3 && f[1] == "memory" {
			below, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
			if _, err := os.Stat(filepath.Join(below, f[2])); err == nil {
				below = filepath.Join(below, f[2])
			}
		}
	}
	dir, err := os.MkdirTemp(below, "krdlab-test-")
	if err != nil {
		return "", err.Error()
	}
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(dir, file), []byte("268435456"), 0); err != nil {
		return "", err.Error()
	}
	enter := "echo $$ >" + dir + "/cgroup.procs"
	if code, _, stderr := under(t, enter+" || exit", "true"); code != 0 {
		return "", stderr
	}
	return enter, ""
}

// A command that lacks a resource ends with a code of the table of exit codes, and prints the
// reason.
func TestLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if code, _, stderr := underIn(t, dir, "", append([]string{"krdlab"},
		strings.Fields(limited[0])...)...); code != 0 {
		t.Fatal(code, stderr)
	}
	trace := filepath.Join(dir, "run", "workfirst.1.loi")
	huge := filepath.Join(dir, "huge.loi") // a trace with 4 GiB of nothing behind it
	b, err := os.ReadFile(trace)
	if err == nil {
		err = errors.Join(os.WriteFile(huge, b, 0o666), os.Truncate(huge, 4<<30))
	}
	if err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer("TRACE", trace, "HUGE", huge)
	documented := slices.Collect(maps.Values(codes))
	for _, limit := range limits {
		t.Run(limit.name, func(t *testing.T) {
			first, reason := limit.first(t)
			if reason != "" {
				t.Skip(reason)
			}
			failed := 0
			run := func(command string, want int) {
				argv := append([]string{"krdlab"}, strings.Fields(names.Replace(command))...)
				code, _, stderr := under(t, first, argv...)
				if want < 0 && code != 0 && !slices.Contains(documented, code) ||
					want >= 0 && code != want {
					t.Errorf("%s: exit code %d, want %d (-1: any)\n%.1000s", command, code, want,
						stderr)
				}
				if code != 0 {
					failed++
				}
				if code != 0 && !strings.Contains(stderr, "krdlab") ||
					strings.Contains(stderr, "goroutine ") {
					t.Errorf("%s: exit code %d without a reason\n%.1000s", command, code, stderr)
				}
			}
			for i, command := range limited {
				run(command, strings.IndexByte("0123456", limit.codes[i]))
			}
			for command, want := range limit.more {
				run(command, want)
			}
			if failed == 0 {
				t.Error("nothing met the limit")
			}
		})
	}
}
